"""A leaderboard as tables: its rows and notes, the scores by task, and what it says of its leader."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._choices import DIFFERENCE
from .._display.numbers import FORECAST_NOTE, chance, number, score_text
from .._display.table import Column, Table, plain
from .._display.words import pluralize
from ._settings import LeaderboardSettings

_NAMED = 5  # models in a sentence
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


def notes_of(rows: Sequence[Row], settings: LeaderboardSettings, digits: int) -> list[str]:
    """Explain the star of several models, forecasts, and scores outside their intervals."""
    outside = _scores_outside(rows, settings, digits)
    if len(rows) < 2:
        return outside
    if settings.looks is not None:
        share = f"the error of calls is shared by {pluralize(len(rows) - 1, 'comparison')}"
        last = f"P(best) and ranks are of this look alone; {share}"
        return [f"{_TOP} at this look", str(settings.looks.shared(len(rows))), last, *outside]
    return [top_legend(settings), *_one_sided(rows, settings), *outside]


def top_legend(settings: LeaderboardSettings) -> str:
    """Explain the star, with its error rate."""
    return _TOP_BY_RULE if settings.tie != DIFFERENCE else f"{_TOP} (family-wise error {settings.error_percent})"


def _one_sided(rows: Sequence[Row], settings: LeaderboardSettings) -> list[str]:
    """Explain why the best model is not alone in the top set, if its P(best) alone looks as if it were."""
    tied, best = [row.tied_with_top for row in rows].count(True), max([row.p_best for row in rows])
    if settings.tie != DIFFERENCE or best <= settings.confidence or tied < 2:
        return []
    needed = chance((1.0 + settings.confidence) / 2.0)
    return [f"P(best) asks in one direction, * in both and of all pairs: a lone * takes P(best) above {needed} or more"]


def _scores_outside(rows: Sequence[Row], settings: LeaderboardSettings, digits: int) -> list[str]:
    """Explain forecasts, and scores outside their intervals, if readers see any."""
    shown = [
        (round(row.lo, digits), round(row.score, digits), round(row.hi, digits)) for row in rows if not row.forecast
    ]
    forecast = [FORECAST_NOTE] if len(shown) < len(rows) else []
    if not [lo for lo, score, hi in shown if not lo <= score <= hi]:
        return forecast
    return [*forecast, _LATENT_VALUE if settings.assumed.is_learned else _FIXED_PRIOR]


def task_table(ranking: Any, digits: int) -> Table:
    """Return the scores by task, with half the width of their intervals: a row per task, or if more, per model."""
    tasks, weights, settings = ranking.tasks, ranking.weights, ranking.settings
    models, is_alone = [row.model for row in ranking.rows], len(ranking) < 2
    cells = {task: {row.model: _with_reach(row, digits, is_alone) for row in part.rows} for task, part in tasks.items()}
    several = len({str(part.metric) for part in tasks.values()}) > 1
    about = {task: f"{task} ({part.metric})" if several else task for task, part in tasks.items()}
    if len(models) > len(tasks):
        heads = [Column("model"), *(Column(name, right=True) for name in about.values())]
        lines = [[model, *(cells[task][model] for task in tasks)] for model in models]
        lines.append(["weight", *(f"{weights[task]:.3g}" for task in tasks)])
    else:
        heads = [Column("task"), Column("weight", right=True), *(Column(model, right=True) for model in models)]
        lines = [[about[task], f"{weights[task]:.3g}", *(cells[task][model] for model in models)] for task in tasks]
    star = f"; {top_legend(settings)} on the task"
    if settings.looks is not None:
        star = f"; {_TOP} on the task, at any look (error {settings.error_percent}, shared by the tasks)"
    return Table(
        "by task", heads, lines, [f"score ± half the width of the {settings.percent} interval{star * (not is_alone)}"]
    )


def _with_reach(row: Row, digits: int, is_alone: bool) -> str:
    half = number((row.hi - row.lo) / 2.0, min(digits, 2))
    star = "" if is_alone else "*" if row.tied_with_top else " "
    return f"{score_text(row.score, digits)} ±{half.removeprefix('0')}{star}"


def of_leader(rows: Sequence[Row], first: Sequence[str], rate: str) -> str:
    """Say which model has the highest score, or which ``first`` share it, and whether others may be as good."""
    leader, *others = rows
    tied = [row.model for row in others if row.tied_with_top]
    lead = f"{listed([*map(plain, first)])} {'has' if len(first) == 1 else 'have'} the highest "
    lead += "forecast" if leader.forecast else "score"
    if not leader.tied_with_top:
        return f"{lead}, but another model is significantly better{rate}"
    if not tied:
        return f"{plain(leader.model)} is the best model{rate}"
    more = len(set(tied).difference(first))
    if more:
        return f"{lead}, and {pluralize(more, 'model')} may be as good{rate}"
    return f"{lead}, and {'either' if len(first) == 2 else 'each of them'} may be the best{rate}"


def error_of(settings: LeaderboardSettings, *, is_family_wise: bool) -> str:
    """Return the error rate over the family of pairs, in parentheses; nothing where each pair has its own."""
    return f" (family-wise error {settings.error_percent})" if is_family_wise else ""


def listed(names: Sequence[str]) -> str:
    """Write names in a sentence; of more than five, the first four and how many more there are."""
    shown = [*names[:_NAMED], f"{len(names) - _NAMED} more"] if len(names) > _NAMED else list(names)
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
