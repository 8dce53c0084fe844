"""A leaderboard as tables: their columns, cells and notes."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .._choices import DIFFERENCE
from .._display.numbers import FORECAST_NOTE, chance, number, score_text, span
from .._display.table import Column, Table
from .._display.words import pluralize
from ..params import decimals
from ._settings import LeaderboardSettings

_TOP = "* no other model is significantly better"
_TOP_BY_RULE = "* not significantly different from the top model"
_FIXED_PRIOR = (
    'A score lies outside its interval: the fixed prior pulls estimates to the middle; prior="learned" does not.'
)
GUESSED = "intervals: difficulties are guessed from one trial of each question; the binomial shape needs no guess"
SINGLE_TRIALS = {"profile": "intervals: not determined by single trials; they reach over all distributions that fit"}
_LATENT_VALUE = (
    "A score lies outside its interval: the score is of these trials, the interval of the value after many more."
)


class Row(NamedTuple):
    """One model under one metric; ``rank_lo`` to ``rank_hi`` is the interval of its rank.

    ``forecast`` says that the metric takes more trials than there are: the score is NaN.
    """

    metric: str
    rank: float
    model: str
    score: float
    mu: float
    sigma: float
    lo: float
    hi: float
    rank_lo: int
    rank_hi: int
    p_best: float
    tied_with_top: bool
    completeness: float
    forecast: bool = False

    @property
    def point(self) -> float:
        """The score; the mean of a forecast, which has none."""
        return self.mu if self.forecast else self.score


_Shown = tuple[Column, Callable[[Row], str]]  # a column, and the cell of a row in it


def leaderboard_table(
    title: str,
    rows: Sequence[Row],
    settings: LeaderboardSettings,
    digits: int = 3,
    about: str = "",
    limits: Sequence[str] = (),
) -> Table:
    """Return the table of one metric, with the ``limits`` of its intervals.

    ``about`` says what the intervals are about where the settings do not say all.
    """
    shown = _columns(rows, settings, decimals("digits", digits))
    cells = [[cell(row) for _, cell in shown] for row in rows]
    notes = [top_legend(settings)]
    if settings.looks is not None:
        share = f"the error of calls is shared by {pluralize(max(len(rows) - 1, 1), 'comparison')}"
        last = f"P(best) and ranks are of this look alone; {share}"
        notes = [f"{_TOP} at this look", str(settings.looks.shared(len(rows))), last]
    elif (one_sided := _one_sided(rows, settings)) is not None:
        notes.append(one_sided)
    notes += [*_scores_outside(rows, settings, digits), *limits]
    return Table(title, [column for column, _ in shown], cells, [about or str(settings), *notes])


def top_legend(settings: LeaderboardSettings) -> str:
    """Explain the star, with its error rate."""
    return _TOP_BY_RULE if settings.tie != DIFFERENCE else f"{_TOP} (family-wise error {settings.error_percent})"


def _one_sided(rows: Sequence[Row], settings: LeaderboardSettings) -> str | None:
    """Explain why the best model is not alone in the top set, if its P(best) alone looks as if it were."""
    is_best = any(row.p_best > settings.confidence for row in rows)
    if settings.tie != DIFFERENCE or not is_best or sum(row.tied_with_top for row in rows) < 2:
        return None
    needed = chance((1.0 + settings.confidence) / 2.0)
    return f"P(best) asks in one direction, * in both and of all pairs: a lone * takes P(best) above {needed} or more"


def _scores_outside(rows: Sequence[Row], settings: LeaderboardSettings, digits: int) -> list[str]:
    """Explain forecasts, and scores outside their intervals, if readers see any."""
    shown = (tuple(round(value, digits) for value in (row.lo, row.score, row.hi)) for row in rows if not row.forecast)
    forecast = [FORECAST_NOTE] if any(row.forecast for row in rows) else []
    if all(lo <= score <= hi for lo, score, hi in shown):
        return forecast
    return [*forecast, _LATENT_VALUE if settings.assumed.is_learned else _FIXED_PRIOR]


def _columns(rows: Sequence[Row], settings: LeaderboardSettings, digits: int) -> list[_Shown]:
    """Return the columns; completeness only if trials are missing."""
    shown: list[_Shown] = [
        (Column("rank", right=True), lambda row: f"{row.rank:g}"),
        (Column("model"), lambda row: row.model),
        (Column("score", right=True), lambda row: score_text(row.score, digits)),
        (Column(f"{settings.percent} interval"), lambda row: span(row.lo, row.hi, digits)),
        (Column("ranks"), lambda row: "-".join(map(str, sorted({row.rank_lo, row.rank_hi})))),
        (Column("P(best)", right=True), lambda row: chance(row.p_best)),
        (Column("top"), lambda row: "*" * row.tied_with_top),
    ]
    if any(row.completeness < 1.0 for row in rows):
        shown.insert(2, (Column("completeness", right=True), lambda row: f"{row.completeness:.1%}"))
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
    star = f"{top_legend(settings)} on the task"
    if settings.looks is not None:
        star = f"{_TOP} on the task, at any look (error {settings.error_percent}, shared by the tasks)"
    return Table("by task", heads, lines, [f"score ± half the width of the {settings.percent} interval; {star}"])


def _with_reach(row: Row, digits: int) -> str:
    half = number((row.hi - row.lo) / 2.0, min(digits, 2))
    return f"{score_text(row.score, digits)} ±{half.removeprefix('0')}{'*' if row.tied_with_top else ' '}"
