"""Scores beside what they cost: at equal cost, and which models no cheaper model beats."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from .._base.arrays import Vector
from .._base.choices import PER, SUCCESS, without_warning
from .._base.exports import Exports
from .._base.numbers import DIGITS, FORECAST, FORECAST_NOTE, amount, amount_span, chance, number, percent, span
from .._base.options import accepted, takes
from .._base.table import Field, Table
from ..comparison import CostInterval, CostPerSuccess
from ..comparison._costs import ModelCosts
from ..errors import ParameterError
from ..estimates._tasks import Weights, as_models
from ..inference._terms import RunOptions, Terms
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..params import choice, generator, positive
from ._leaderboard import Leaderboard
from ._metric_ranking import listed
from ._rank_posterior import DRAWS

EqualCost = tuple[Any, ...]  # k, the value with its interval, and whether it is a forecast; or nothing
_LIKELY = 0.5  # the probability to be on the frontier from which a sentence names a model


class CostRow(NamedTuple):
    """What one model scores and costs; ``on_frontier`` is the probability that no cheaper model is as good.

    ``cost_lo`` and ``cost_hi`` are the interval of the mean cost per trial, None where costs of trials are not known.
    Where every model may spend the same, that buys ``k`` trials, and ``equal_mu`` with its interval is the value of the
    metric: a forecast if a question has fewer trials. ``success`` is the cost per success, where that was asked for.
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
    k: float | None = None
    equal_mu: float | None = None
    equal_lo: float | None = None
    equal_hi: float | None = None
    equal_forecast: bool | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields by name; with a cost per success, its fields in place of the values at equal cost."""
        values = self._asdict()
        success = values.pop("success")
        if success is None:
            return values
        values = {name: value for name, value in values.items() if name != "k" and not name.startswith("equal_")}
        return values | {f"per_success_{name}": value for name, value in success.record().items()}


def _at_equal(mu: float, is_forecast: bool, digits: int = DIGITS) -> str:
    return f"{number(mu, digits)}{f' ({FORECAST})' * is_forecast}"


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
    """Models by their cost per trial, cheapest first, with the score, its interval and the value at equal cost.

    ``limit`` is what a model may spend on a question for the values at equal cost, None if the metric has no budget k.
    With ``per="success"``, rows have the cost per success and are in its order.
    """

    metric: str
    cost: str
    confidence: float
    limit: float | None
    extent: str
    rows: tuple[CostRow, ...]
    per: str = "trial"
    _columns: ClassVar = (
        Field("model", of="model"),
        *_COSTS,
        *_SCORES,
        Field("P(frontier)", True, "on_frontier", chance),
        Field("k", True, "k", "{:.4g}".format, unless=None),
        Field("at equal cost", True, "equal_mu equal_forecast", _at_equal, unless=None),
        Field("interval", of="equal_lo equal_hi", form=span, unless=None),
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
        if self.limit is not None:
            notes.append(
                f"at equal cost: {self.limit:.4g} {self.cost} per question, which buy k trials; between whole numbers "
                "of trials, the values of both neighbors are mixed so that the mean cost is the limit"
            )
        is_forecast = any(math.isnan(row.score) or row.equal_forecast for row in self.rows)
        return [*notes, FORECAST_NOTE] if is_forecast else notes


@takes(RunOptions, Terms)
def cost_table(
    metric: Metric | str,
    outcomes: Any,
    cost: str | Mapping[str, float] | None = None,
    *,
    limit: float | None = None,
    task_weights: Weights = None,
    rng: int | np.random.Generator | None = 0,
    per: str = "trial",
    **options: Unpack[RunOptions],
) -> CostTable:
    """Set scores beside costs: which models are worth their price, and how good all are for the same money.

    ``cost`` is the name of a cost that the logs tell of every model (``OutcomeSet.costs``), by default the only one, or
    that of money (``"dollars"`` or ``"cost"``); or a mapping from models to costs per trial. A model is on the frontier
    if no model that costs as much or less scores higher: ``on_frontier`` is the probability of that over draws of
    the models' true scores. Where the costs of single trials are known, mean costs have intervals, and are
    drawn as well; otherwise they are taken as known.

    For a metric with a budget k, the values at equal cost are those of as many trials as ``limit`` buys for one
    question, by default the cost of k trials of the costliest model. Between whole numbers of trials, the posterior
    means (and the ends of the intervals) of both neighbors are mixed: that is what one gets by running sometimes one
    trial more, so that the mean cost is the limit. A model of which it does not buy a trial has no such value, nor has
    one whose trials cost nothing, of which it buys any number.

    With ``per="success"``, rows have what a success costs (all that was spent, failures included, over the number of
    successes), with an interval that allows for the dependence of cost and success and has no upper end where no
    success is certain. It needs the costs of single trials, or prices.

    ``runs`` is that of ``Metric.interval``, for scores and values at equal cost; the intervals of costs take trials as
    independent.

    >>> from scorio import OutcomeSet
    >>> R = {"large": [[1, 1, 1], [1, 1, 0]], "small": [[1, 0, 0], [0, 1, 1]]}
    >>> table = cost_table("pass@1", OutcomeSet(R, costs={"large": {"dollars": 0.3}, "small": {"dollars": 0.1}}))
    >>> [(row.model, row.cost, row.k) for row in table.rows]
    [('small', 0.1, 3.0), ('large', 0.3, 1.0)]
    """
    of, models, by_success = as_metric(metric), as_models(outcomes), choice("per", per, PER) == SUCCESS
    costs, terms = ModelCosts.of(models, cost), Terms(**accepted(options, cost_table))
    board = Leaderboard(of, models, task_weights=task_weights, too_few="nan", **options)
    if by_success and limit is not None:
        raise ParameterError("is about trials at equal cost, and per='success' has none", argument="limit")
    about: dict[str, Any] = {**options, "shape": "quantile", "runs": without_warning(terms.runs)}
    money, equal = (None, {}) if by_success else _equal_costs(of, models, limit, costs.per_trial, about)
    paid = {name: costs.per_success(name, terms, task_weights) for name in models.models} if by_success else {}
    spends = [costs.interval(name, terms) for name in board.models]
    frontier = _frontier(board, spends, generator(rng)).tolist()
    columns = zip(board.models, board.scores.tolist(), board.intervals, spends, frontier, strict=True)
    rows = [
        CostRow(name, spent.mean, score, lo, hi, p, spent.lo, spent.hi, paid.get(name), *equal.get(name, ()))
        for name, score, (_, _, lo, hi), spent, p in columns
    ]
    rows.sort(key=lambda row: (row.success.value if row.success else 0.0, row.cost))
    return CostTable(str(of), costs.name, terms.confidence, money, board.only.extent, tuple(rows), per)


def _equal_costs(
    metric: Metric,
    models: OutcomeSet | Suite,
    limit: float | None,
    prices: Mapping[str, float],
    options: Mapping[str, Any],
) -> tuple[float | None, dict[str, EqualCost]]:
    """Return what a model may spend on a question, and the values of models for that; none of several tasks."""
    only = next(iter(models.by_task.values())) if len(models.by_task) == 1 else None
    money = _limit(metric, only, limit, np.array([prices[name] for name in models.models]))
    if money is None or only is None:
        return money, {}
    affordable = [name for name in only.models if prices[name] > 0.0]
    return money, {name: equal_cost(metric, only[name], float(money / prices[name]), **options) for name in affordable}


def _limit(metric: Metric, only: OutcomeSet | None, limit: float | None, costs: Vector) -> float | None:
    """Return what may be spent on a question; None if there are no values at equal cost."""
    if metric.draw_size is not None and only is not None and (limit is not None or costs.any()):
        return float(costs.max() * metric.draw_size if limit is None else positive("limit", limit))
    if limit is not None:
        raise ParameterError("needs a metric with a budget k, and outcomes of one task", argument="limit")
    return None


def equal_cost(metric: Metric, outcomes: OutcomeMatrix, k: float, **options: Any) -> EqualCost:
    """Return ``k``, the value of a metric with a budget for so many trials, its interval, and if that is a forecast.

    It is mixed of the whole numbers on both sides. Without a trial there is nothing.

    >>> from scorio import PassAtK
    >>> R = OutcomeMatrix([[1, 0, 1, 0]])
    >>> [round(equal_cost(PassAtK(1), R, k, confidence=0.95, prior="uniform")[1], 4) for k in (1, 1.5, 2)]
    [0.5, 0.6071, 0.7143]
    """
    k = round(k) if math.isclose(k, round(k), rel_tol=1e-12) else k
    below = math.floor(k)
    if below < 1:
        return ()
    share = k - below
    of = [replace(metric, k=whole) for whole in (below, below + 1)]  # type: ignore[call-arg]
    both = [neighbor.interval(outcomes, **options) for neighbor in of]
    low, high = (np.array([interval.mu, interval.lo, interval.hi]) for interval in both)
    mu, lo, hi = ((1.0 - share) * low + share * high).tolist()
    return float(k), mu, lo, hi, k > outcomes.min_trials


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
