"""Scores beside what they cost, and which models no cheaper model beats."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from .._base.arrays import Vector
from .._base.choices import PER, SUCCESS
from .._base.exports import Exports
from .._base.numbers import DIGITS, FORECAST, FORECAST_NOTE, amount, amount_span, chance, number, percent, span
from .._base.options import accepted, takes
from .._base.table import Field, Table
from ..comparison import CostInterval, CostPerSuccess
from ..comparison._costs import ModelCosts
from ..estimates._tasks import Weights, as_models
from ..inference._terms import RunOptions, Terms
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..params import choice, generator
from ._leaderboard import Leaderboard
from ._metric_ranking import listed
from ._rank_posterior import DRAWS

_LIKELY = 0.5  # the probability to be on the frontier from which a sentence names a model


class CostRow(NamedTuple):
    """What one model scores and costs; ``on_frontier`` is the probability that no cheaper model is as good.

    ``cost_lo`` and ``cost_hi`` are the interval of the mean cost per trial, None where costs of trials are not known.
    ``success`` is the cost per success, where that was asked for.
    """

    model: str
    cost: float
    score: float
    lo: float
    hi: float
    on_frontier: float
    cost_lo: float | None = None
    cost_hi: float | None = None
    success: CostPerSuccess | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields by name; with a cost per success, also its fields."""
        values = self._asdict()
        success = values.pop("success")
        if success is None:
            return values
        return values | {f"per_success_{name}": value for name, value in success.record().items()}


_COSTS = (
    Field("{0.cost} per trial", True, "cost", amount),
    Field("interval", of="cost_lo cost_hi", form=amount_span, unless=None),
)
_SCORES = (Field("score", True, "score", number, missing=FORECAST), Field("interval", of="lo hi", form=span))
_BY_SUCCESS = (
    Field("model", of="model"),
    Field("{0.cost} per success", True, "success.value", amount),
    Field("interval", of="success.lo success.hi", form=amount_span),
    Field("successes", True, "success.successes", "{:,}".format),
    *_COSTS,
    *_SCORES,
)


@dataclass(frozen=True)
class CostTable(Exports):
    """Models by their cost per trial, cheapest first, with the score and its interval.

    With ``per="success"``, rows have the cost per success and are in its order.
    """

    metric: str
    cost: str
    confidence: float
    extent: str
    rows: tuple[CostRow, ...]
    per: str = "trial"
    _columns: ClassVar = (
        Field("model", of="model"),
        *_COSTS,
        *_SCORES,
        Field("P(frontier)", True, "on_frontier", chance),
    )

    def as_sentence(self) -> str:
        first = self.rows[0]
        if self.per == SUCCESS and first.success is not None:
            ends = amount_span(first.success.lo, first.success.hi)
            return f"a success costs least with {first.model}: {amount(first.success.value)} {ends} {self.cost}"
        names = listed([row.model for row in self.rows if row.on_frontier >= _LIKELY])
        return (
            f"no cheaper model is as good as {names}, by {self.metric} (each with a probability of {_LIKELY:g} or more)"
        )

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the table that is printed: of scores against costs, or of costs per success beside scores."""
        title = f"{self.metric} against {self.cost}: {self.extent}"
        if self.per == SUCCESS:
            title = f"{self.cost} per success, beside {self.metric}: {self.extent}"
        columns = _BY_SUCCESS if self.per == SUCCESS else self._columns
        return [Table.of(title, columns, self.rows, self._notes(), digits, self)]

    def _notes(self) -> list[str]:
        sure = f"{percent(self.confidence)} intervals"
        if self.per == SUCCESS:
            return [f"{sure}; per success: the cost of all trials, failures included, over the number of successes"]
        notes = [f"{sure}; P(frontier): probability that no cheaper model is as good"]
        is_forecast = any(math.isnan(row.score) for row in self.rows)
        return [*notes, FORECAST_NOTE] if is_forecast else notes


@takes(RunOptions, Terms)
def cost_table(
    metric: Metric | str,
    outcomes: Any,
    cost: str | Mapping[str, float] | None = None,
    *,
    task_weights: Weights = None,
    rng: int | np.random.Generator | None = 0,
    per: str = "trial",
    **options: Unpack[RunOptions],
) -> CostTable:
    """Set scores beside costs: which models are worth their price.

    ``cost`` is the name of a cost that the logs tell of every model (``OutcomeSet.costs``), by default the only one, or
    that of money (``"dollars"`` or ``"cost"``); or a mapping from models to costs per trial. A model is on the frontier
    if no model that costs as much or less scores higher: ``on_frontier`` is the probability of that over draws of
    the models' true scores. Where the costs of single trials are known, mean costs have intervals, and are
    drawn as well; otherwise they are taken as known.

    With ``per="success"``, rows have what a success costs (all that was spent, failures included, over the number of
    successes), with an interval that allows for the dependence of cost and success and has no upper end where no
    success is certain. It needs the costs of single trials, or prices.

    ``runs`` is that of ``Metric.interval``, for scores; the intervals of costs take trials as independent.

    >>> from scorio import OutcomeSet
    >>> R = {"large": [[1, 1, 1], [1, 1, 0]], "small": [[1, 0, 0], [0, 1, 1]]}
    >>> table = cost_table("pass@1", OutcomeSet(R, costs={"large": {"dollars": 0.3}, "small": {"dollars": 0.1}}))
    >>> [(row.model, row.cost, row.on_frontier > 0.5) for row in table.rows]
    [('small', 0.1, True), ('large', 0.3, True)]
    """
    of, models, by_success = as_metric(metric), as_models(outcomes), choice("per", per, PER) == SUCCESS
    costs, terms = ModelCosts.of(models, cost), Terms(**accepted(options, cost_table))
    board = Leaderboard(of, models, task_weights=task_weights, too_few="nan", **options)
    paid = {name: costs.per_success(name, terms, task_weights) for name in models.models} if by_success else {}
    spends = [costs.interval(name, terms) for name in board.models]
    frontier = _frontier(board, spends, generator(rng)).tolist()
    columns = zip(board.models, board.scores.tolist(), board.intervals, spends, frontier, strict=True)
    rows = [
        CostRow(name, spent.mean, score, lo, hi, p, spent.lo, spent.hi, paid.get(name))
        for name, score, (_, _, lo, hi), spent, p in columns
    ]
    rows.sort(key=lambda row: (row.success.value if row.success else 0.0, row.cost))
    return CostTable(str(of), costs.name, terms.confidence, board.only.extent, tuple(rows), per)


def _frontier(board: Leaderboard, spends: Sequence[CostInterval], rng: np.random.Generator) -> Vector:
    """Return the probability of each model to be on the frontier, over draws of the true scores and costs."""
    scores = board.draws(DRAWS, rng)
    mean, sigma = np.array([(spent.mean, spent.sigma or 0.0) for spent in spends]).T
    costs = rng.normal(mean, sigma, scores.shape) if sigma.any() else mean[None, :]
    beaten = np.zeros(scores.shape, dtype=bool)
    for i in range(scores.shape[1]):
        is_rival = costs <= costs[:, i : i + 1]
        beaten[:, i] = np.where(is_rival, scores, -np.inf).max(axis=1) > scores[:, i]
    return np.asarray(1.0 - beaten.mean(axis=0))
