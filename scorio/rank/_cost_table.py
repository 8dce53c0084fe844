"""Scores beside what they cost: at equal cost, and which models no cheaper model beats."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Flags, Vector
from .._choices import told
from .._display.exports import Exports
from .._display.numbers import FORECAST, FORECAST_NOTE, chance, number, percent, score_text, span
from .._display.table import Column, Table
from .._display.words import shorten, unknown
from ..comparison import Weights
from ..errors import OutcomeError, ParameterError, Remedy
from ..inference import PriorLike
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..params import generator, positive
from ._cost_interval import CostInterval, amount, cost_interval, reach
from ._leader_words import listed
from ._leaderboard import Leaderboard

_LIKELY = 0.5  # the probability to be on the frontier from which a sentence names a model
_MONEY = ("dollars", "cost")  # the costs that are taken where none is named
Costs = str | Mapping[str, float] | None


class EqualCost(NamedTuple):
    """The value of a metric where every model may spend the same: ``k`` trials, its mean and its interval.

    It is a ``forecast`` if a question has fewer than ``k`` trials.
    """

    k: float
    mu: float
    lo: float
    hi: float
    forecast: bool = False


class CostRow(NamedTuple):
    """What one model scores and costs; ``on_frontier`` is the probability that no cheaper model is as good.

    ``cost_lo`` and ``cost_hi`` are the interval of the mean cost per trial, None where costs of trials are not known.
    """

    model: str
    cost: float
    score: float
    lo: float
    hi: float
    on_frontier: float
    equal: EqualCost | None
    cost_lo: float | None = None
    cost_hi: float | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields by name, those at equal cost under ``k`` and ``equal_``."""
        values = self._asdict()
        equal = values.pop("equal")
        names = ("k", "equal_mu", "equal_lo", "equal_hi", "equal_forecast")
        return values | dict(zip(names, equal or (None,) * len(names), strict=True))


@dataclass(frozen=True)
class CostTable(Exports):
    """Models by their cost per trial, cheapest first, with the score, its interval and the value at equal cost.

    ``limit`` is what a model may spend on a question for the values at equal cost, None if the metric has no budget k.
    """

    metric: str
    cost: str
    confidence: float
    limit: float | None
    extent: str
    rows: tuple[CostRow, ...]

    def __str__(self) -> str:
        return self._display_table().text()

    def _sentence(self) -> str:
        names = listed([row.model for row in self.rows if row.on_frontier >= _LIKELY])
        return (
            f"no cheaper model is as good as {names}, by {self.metric} (each with a probability of {_LIKELY:g} or more)"
        )

    def _display_table(self) -> Table:
        costs = [Column(f"{self.cost} per trial", right=True), *[Column("interval")] * self._has_intervals]
        scores = [Column("score", right=True), Column("interval"), Column("P(frontier)", right=True)]
        columns = [Column("model"), *costs, *scores]
        cells = [
            [row.model, *self._cost_cells(row), score_text(row.score), span(row.lo, row.hi), chance(row.on_frontier)]
            for row in self.rows
        ]
        if self.limit is not None:
            columns += [Column("k", right=True), Column("at equal cost", right=True), Column("interval")]
            cells = [[*line, *_equal(row.equal)] for line, row in zip(cells, self.rows, strict=True)]
        return Table(f"{self.metric} against {self.cost}: {self.extent}", columns, cells, self._notes())

    @property
    def _has_intervals(self) -> bool:
        return any(row.cost_lo is not None for row in self.rows)

    def _cost_cells(self, row: CostRow) -> list[str]:
        interval = CostInterval(row.cost, None, row.cost_lo, row.cost_hi)
        return [amount(row.cost), reach(interval)] if self._has_intervals else [amount(row.cost)]

    def _notes(self) -> list[str]:
        notes = [f"{percent(self.confidence)} intervals; P(frontier): probability that no cheaper model is as good"]
        if self.limit is not None:
            notes.append(
                f"at equal cost: {self.limit:.4g} {self.cost} per question, which buy k trials; between whole numbers "
                "of trials, the values of both neighbors are mixed so that the mean cost is the limit"
            )
        is_forecast = any(math.isnan(row.score) or (row.equal is not None and row.equal.forecast) for row in self.rows)
        return [*notes, FORECAST_NOTE] if is_forecast else notes

    def to_dict(self) -> dict[str, Any]:
        """Return rows and parameters, ready for JSON."""
        return super().to_dict() | {"rows": self._records()}

    def _records(self) -> list[dict[str, Any]]:
        return [row.record() for row in self.rows]


def _equal(equal: EqualCost | None) -> list[str]:
    if equal is None:
        return ["-"] * 3
    return [f"{equal.k:.4g}", f"{number(equal.mu)}{f' ({FORECAST})' * equal.forecast}", span(equal.lo, equal.hi)]


def cost_table(
    metric: Metric | str,
    outcomes: Any,
    cost: Costs = None,
    *,
    limit: float | None = None,
    task_weights: Weights = None,
    confidence: float = 0.95,
    prior: PriorLike | None = None,
    target: str = "questions",
    draws: int = 20_000,
    rng: int | np.random.Generator | None = 0,
    runs: str = "auto",
) -> CostTable:
    """Set scores beside costs: which models are worth their price, and how good all are for the same money.

    ``cost`` is the name of a cost that the logs tell of every model (``OutcomeSet.costs``), by default the only one, or
    that of money (``"dollars"`` or ``"cost"``); or a mapping from models to costs per trial. A model is on the frontier
    if no model that costs as much or less scores higher: ``on_frontier`` is the probability of that over ``draws``
    draws of the models' true scores. Where the costs of single trials are known, mean costs have intervals, and are
    drawn as well; otherwise they are taken as known.

    For a metric with a budget k, the values at equal cost are those of as many trials as ``limit`` buys for one
    question, by default the cost of k trials of the costliest model. Between whole numbers of trials, the posterior
    means (and the ends of the intervals) of both neighbors are mixed: that is what one gets by running sometimes one
    trial more, so that the mean cost is the limit. A model of which it does not buy a trial has no such value.

    ``runs`` is that of ``Metric.interval``, for scores and values at equal cost; the intervals of costs take trials as
    independent.

    >>> from scorio import OutcomeSet
    >>> R = {"large": [[1, 1, 1], [1, 1, 0]], "small": [[1, 0, 0], [0, 1, 1]]}
    >>> table = cost_table("pass@1", OutcomeSet(R, costs={"large": {"dollars": 0.3}, "small": {"dollars": 0.1}}))
    >>> [(row.model, row.cost, row.equal.k) for row in table.rows]
    [('small', 0.1, 3.0), ('large', 0.3, 1.0)]
    """
    of = as_metric(metric)
    models = outcomes if isinstance(outcomes, (OutcomeSet, Suite)) else OutcomeSet(outcomes)
    named, prices = cost_per_trial(models, cost)
    options: dict[str, Any] = {"confidence": confidence, "prior": prior, "target": target}
    board = Leaderboard(of, models, task_weights=task_weights, too_few="nan", runs=runs, **options)
    values = np.array([prices[name] for name in board.models])
    spends = [  # prices that the user gives have no interval
        CostInterval(prices[name])
        if isinstance(cost, Mapping)
        else cost_interval(models, name, named, confidence, target)
        for name in board.models
    ]
    generator_ = generator(rng)
    scores = board.draws(draws, generator_)
    frontier = _on_frontier(scores, _drawn(spends, len(scores), generator_)).mean(axis=0)
    sets = list(models.values()) if isinstance(models, Suite) else [models]
    only = sets[0] if len(sets) == 1 else None
    money = _limit(of, only, limit, values)
    rows = []
    for i in np.argsort(values, kind="stable"):
        name, interval = board.models[i], board.intervals[i]
        equal = (
            None
            if money is None or only is None
            else equal_cost(of, only[name], float(money / values[i]), shape="quantile", runs=told(runs), **options)
        )
        about = (float(values[i]), float(board.scores[i]), interval.lo, interval.hi, float(frontier[i]))
        rows.append(CostRow(name, *about, equal, spends[i].lo, spends[i].hi))
    return CostTable(str(of), named, confidence, money, board.only.extent, tuple(rows))


def _limit(metric: Metric, only: OutcomeSet | None, limit: float | None, costs: Vector) -> float | None:
    """Return what may be spent on a question; None if there are no values at equal cost."""
    if metric._k is not None and only is not None:
        return float(costs.max() * metric._k if limit is None else positive("limit", limit))
    if limit is not None:
        raise ParameterError("needs a metric with a budget k, and outcomes of one task", argument="limit")
    return None


def cost_per_trial(outcomes: OutcomeSet | Suite, cost: Costs = None) -> tuple[str, dict[str, float]]:
    """Return the name of the cost, and what a trial of each model costs.

    >>> cost_per_trial(OutcomeSet({"a": [[1, 0]]}, costs={"a": {"seconds": 3.0}}))
    ('seconds', {'a': 3.0})
    """
    names = outcomes.models
    if isinstance(cost, Mapping):
        label, by_model = "cost", dict(cost)
    else:
        known = outcomes.costs
        shared = [what for what in known[names[0]] if all(what in known[name] for name in names)]
        label = _chosen(cost, shared, {name: list(known[name]) for name in names})
        by_model = {name: known[name][label] for name in names}
    for name in names:
        if name not in by_model:
            raise ParameterError(f"names no cost per trial of model {name!r}", argument="cost")
        by_model[name] = float(positive(f"the cost per trial of {name!r}", by_model[name]))
    return label, {name: by_model[name] for name in names}


def _chosen(cost: str | None, shared: Sequence[str], known: Mapping[str, Sequence[str]]) -> str:
    if not shared:
        absent = [name for name, own in known.items() if not own]
        what = f"nothing is known of {shorten(absent)}" if absent else "no cost is known of every model"
        remedy = Remedy("cost", {(absent or [*known])[0]: 0.02}, "and so on gives the cost of a trial of each model")
        hint = "leave out models that tell no cost"
        raise OutcomeError(f"the outcomes do not tell what every model costs: {what}", remedies=[remedy], hint=hint)
    money = [name for name in shared if name in _MONEY]
    if cost is None and 1 in (len(shared), len(money)):
        return (money or shared)[0]
    if cost is None:
        raise ParameterError(f"must be chosen among {', '.join(shared)}", argument="cost")
    if cost not in shared:
        raise ParameterError(f"is an {unknown('cost', cost, shared)}", argument="cost")
    return cost


def equal_cost(metric: Metric, outcomes: OutcomeMatrix, k: float, **options: Any) -> EqualCost | None:
    """Return the value of a metric with a budget for ``k`` trials, mixed of the whole numbers on both sides.

    >>> from scorio import PassAtK
    >>> R = OutcomeMatrix([[1, 0, 1, 0]])
    >>> [round(equal_cost(PassAtK(1), R, k, confidence=0.95, prior="uniform").mu, 4) for k in (1, 1.5, 2)]
    [0.5, 0.6071, 0.7143]
    """
    k = round(k) if math.isclose(k, round(k), rel_tol=1e-12) else k
    below = math.floor(k)
    if below < 1:
        return None
    share = k - below
    of = [replace(metric, k=each) for each in (below, below + 1)]  # type: ignore[call-arg]
    both = [each.interval(outcomes, **options) for each in of]
    low, high = (np.array([each.mu, each.lo, each.hi]) for each in both)
    mu, lo, hi = ((1.0 - share) * low + share * high).tolist()
    return EqualCost(float(k), mu, lo, hi, k > outcomes.min_trials)


def _drawn(costs: Sequence[CostInterval], n: int, rng: np.random.Generator) -> Vector:
    """Return draws of the mean costs, (n, L), or (1, L) if they are taken as known."""
    mean, sigma = np.array([(each.mean, each.sigma or 0.0) for each in costs]).T
    return rng.normal(mean, sigma, (n, len(costs))) if sigma.any() else mean[None, :]


def _on_frontier(draws: Vector, costs: Vector) -> Flags:
    """Return for each draw which models score higher than every model that costs as much or less, (n, L)."""
    beaten = np.zeros(draws.shape, dtype=bool)
    for i in range(draws.shape[1]):
        is_rival = costs <= costs[:, i : i + 1]
        beaten[:, i] = np.where(is_rival, draws, -np.inf).max(axis=1) > draws[:, i]
    return ~beaten
