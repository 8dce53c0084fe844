"""A leaderboard as tables: their columns, cells and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .._display.numbers import chance, number, span
from .._display.table import Column, Table
from .._display.words import pluralize
from ..inference._prior import is_learned
from ..params import decimals
from ._race import Race
from ._row import Row
from ._settings import LeaderboardSettings
from ._ties import DIFFERENCE

_TOP = "* no other model is significantly better"
_TOP_BY_RULE = "* not significantly different from the top model"
_FIXED_PRIOR = (
    'A score lies outside its interval: the fixed prior pulls estimates to the middle; prior="learned" does not.'
)
_LATENT_VALUE = (
    "A score lies outside its interval: the score is of these trials, the interval of the value after many more."
)


class _Shown(NamedTuple):
    """A column, and the cell of a row in it."""

    column: Column
    cell: Callable[[Row], str]


def leaderboard_table(
    title: str, rows: Sequence[Row], settings: LeaderboardSettings, digits: int = 3, race: Race | None = None
) -> Table:
    """Return the table of one metric, with numbers to so many decimals."""
    shown = _columns(rows, settings, decimals("digits", digits), race)
    return Table(
        title,
        [each.column for each in shown],
        [[each.cell(row) for each in shown] for row in rows],
        [str(settings), *_legend(race, len(rows), settings), *_scores_outside(rows, settings, digits)],
    )


def top_legend(settings: LeaderboardSettings) -> str:
    """Explain the star, with its error rate."""
    return _TOP_BY_RULE if settings.tie != DIFFERENCE else f"{_TOP} (family-wise error {settings.error_percent})"


def _star_of_tasks(settings: LeaderboardSettings) -> str:
    if settings.looks is None:
        return f"{top_legend(settings)} on the task"
    return f"{_TOP} on the task, at any look (error {settings.error_percent}, shared by the tasks)"


def _legend(race: Race | None, models: int, settings: LeaderboardSettings) -> list[str]:
    """Explain the star, or state the race."""
    if race is None:
        return [top_legend(settings)]
    share = f"the error of calls is shared by {pluralize(race.comparisons, 'comparison')}"
    return [str(race.looks.shared(models)), str(race), f"P(best) and ranks are of this look alone; {share}"]


def _scores_outside(rows: Sequence[Row], settings: LeaderboardSettings, digits: int) -> list[str]:
    """Explain scores outside their intervals, if readers see any."""
    shown = (tuple(round(value, digits) for value in (row.lo, row.score, row.hi)) for row in rows)
    if all(lo <= score <= hi for lo, score, hi in shown):
        return []
    return [_LATENT_VALUE if is_learned(settings.prior) else _FIXED_PRIOR]


def _columns(rows: Sequence[Row], settings: LeaderboardSettings, digits: int, race: Race | None) -> list[_Shown]:
    """Return the columns; completeness only if trials are missing."""
    shown = [
        _Shown(Column("rank", right=True), lambda row: f"{row.rank:g}"),
        _Shown(Column("model"), lambda row: row.model),
        _Shown(Column("score", right=True), lambda row: number(row.score, digits)),
        _Shown(Column(f"{settings.percent} interval"), lambda row: span(row.lo, row.hi, digits)),
        _Shown(Column("ranks"), lambda row: "-".join(map(str, sorted({row.rank_lo, row.rank_hi})))),
        _Shown(Column("P(best)", right=True), lambda row: chance(row.p_best)),
        _Shown(Column("top"), lambda row: "*" * row.tied_with_top),
    ]
    if race is not None:
        shown[-1] = _Shown(Column("state"), lambda row: race.state_of(row.model))
    if any(row.completeness < 1.0 for row in rows):
        shown.insert(2, _Shown(Column("completeness", right=True), lambda row: f"{row.completeness:.1%}"))
    return shown


def task_table(
    models: Sequence[str],
    of_tasks: Mapping[str, tuple[Sequence[Row], str]],
    weights: Mapping[str, float],
    settings: LeaderboardSettings,
    digits: int = 3,
) -> Table:
    """Return the scores by task, with half the width of their intervals.

    There is one row per task, or per model if there are more models. ``of_tasks`` has the rows of each task and the
    name of its metric.
    """
    cells = {
        task: {row.model: _with_reach(row, decimals("digits", digits)) for row in rows}
        for task, (rows, _) in of_tasks.items()
    }
    metrics = {name for _, name in of_tasks.values()}
    about = {task: (f" ({name})" if len(metrics) > 1 else "") for task, (_, name) in of_tasks.items()}
    if len(models) > len(of_tasks):
        heads = [Column("model"), *(Column(task + about[task], right=True) for task in of_tasks)]
        lines = [[model, *(cells[task][model] for task in of_tasks)] for model in models]
        lines.append(["weight", *(f"{weights[task]:.3g}" for task in of_tasks)])
    else:
        heads = [Column("task"), Column("weight", right=True), *(Column(model, right=True) for model in models)]
        lines = [
            [task + about[task], f"{weights[task]:.3g}", *(cells[task][model] for model in models)] for task in of_tasks
        ]
    note = f"score ± half the width of the {settings.percent} interval; {_star_of_tasks(settings)}"
    return Table("by task", heads, lines, [note])


def _with_reach(row: Row, digits: int) -> str:
    half = number((row.hi - row.lo) / 2.0, min(digits, 2))
    return f"{number(row.score, digits)} ±{half.removeprefix('0')}{'*' if row.tied_with_top else ' '}"
