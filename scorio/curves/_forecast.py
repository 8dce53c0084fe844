"""``forecast``: a metric for every k, up to far more than the trials, as numbers, as a table and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Unpack, cast

from .._base.choices import OVERALL
from .._base.exports import Exports, Record, strict
from .._base.numbers import DIGITS, FORECAST, chance, number, percent, span
from .._base.options import accepted, takes
from .._base.table import Field, Table
from .._base.words import pluralize, shorten, subject, warn
from ..errors import ForecastWarning, ParameterError
from ..estimates import Estimate, Family, estimate
from ..estimates._tasks import Weights, as_tasks, shares_of
from ..inference._terms import EstimateOptions, Terms
from ..metrics import MaxAtK, Metric, PassAtK, PassHatK
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..params import count, open_unit
from ._far import Far, forecast_of
from ._tail import FEWEST_TRIALS

_USUAL = (0.5, 0.8)  # levels of intervals inside that of the confidence
Ends = tuple[float, float]
_RESTS = (
    "more than half of what is not known of {what} comes from questions that {never}: the interval is what the trials"
    " leave open, and only more trials of these questions narrow it"
)
_FEW = "fewer than {fewest} trials of each question say next to nothing of k = {k:,}: the forecast of {who} is a guess"


@dataclass(frozen=True)
class Forecast(Record):
    """A metric with this ``k`` of one ``model``: ``mu``, ``sigma``, and the ends of its interval at each level.

    ``task`` is that of a suite, ``""`` for the overall value. ``is_forecast`` says whether k is more than the trials;
    otherwise there is a ``score``. Of a forecast, ``unsolved`` of ``n_questions`` questions were never solved (of
    Pass^k, never failed); ``if_none`` and ``if_all`` are the expected values if none of them, or all of them, can be;
    and ``from_tail`` is the part of the standard deviation that these questions bring. They are None where k is at most
    the trials, where there are too few trials to tell, for the overall value of a suite, and for other metrics.
    """

    model: str
    task: str | None
    metric: str
    k: int
    mu: float
    sigma: float
    intervals: Mapping[float, Ends]
    is_forecast: bool
    score: float | None
    n_questions: int
    trials_each: tuple[int, int]
    of_failures: bool = False
    unsolved: int | None = None
    if_none: float | None = None
    if_all: float | None = None
    from_tail: float | None = None

    @property
    def lo(self) -> float:
        """The lower end at the highest level."""
        return self.intervals[max(self.intervals)][0]

    @property
    def hi(self) -> float:
        """The upper end at the highest level."""
        return self.intervals[max(self.intervals)][1]

    @property
    def rests_on_tail(self) -> bool:
        """Whether more than half of the standard deviation comes from questions that were never solved."""
        return self.from_tail is not None and self.from_tail > 0.5

    @property
    def who(self) -> str:
        """The model, and the task of a suite."""
        if self.task is None:
            return self.model
        return f"{self.model} on {self.task}" if self.task else f"{self.model} overall"

    def record(self) -> dict[str, Any]:
        """Return all values as one record, the ends of an interval by its level."""
        values = {name: value for name, value in vars(self).items() if name != "intervals"}
        for level, (lo, hi) in self.intervals.items():
            values |= {f"lo_{percent(level)[:-1]}": lo, f"hi_{percent(level)[:-1]}": hi}
        return values

    def in_words(self) -> str:
        """Say what the questions that were never solved leave open."""
        level = max(self.intervals)
        ends = f"{percent(level)} interval {span(self.lo, self.hi)}"
        text = f"{self.metric} of {self.who} is {number(self.mu)}, {ends}"
        if self.unsolved is None or self.if_none is None or self.if_all is None:
            return text
        if not self.unsolved:
            return f"every question {'failed' if self.of_failures else 'was solved'} at least once: {text}"
        few, many = self.trials_each
        trials = pluralize(many, "trial") if few == many else f"{few} to {many} trials"
        happened = "never failed" if self.of_failures else f"{'was' if self.unsolved == 1 else 'were'} never solved"
        can = "fail" if self.of_failures else "be solved"
        return (
            f"{self.unsolved} of {pluralize(self.n_questions, 'question')} {happened} in {trials}: {text}; on average"
            f" it is {number(self.if_none)} if none of them can {can}, and {number(self.if_all)} if all can"
        )


@dataclass(frozen=True)
class ForecastComparison(Record):
    """Two models at this ``k``: the ``difference`` (the first less the second), its interval, and who is ahead."""

    names: tuple[str, str]
    k: int
    difference: float
    lo: float
    hi: float
    p_better: float
    confidence: float


def _ends(level: float, point: Forecast, digits: int = DIGITS) -> str:
    return span(*point.intervals[level], digits)


@dataclass(frozen=True, repr=False)
class Forecasts(Exports):
    """A metric for several k: ``points`` by model, task and k; of two models also their differences, ``compared``.

    Of these, each has the ``difference`` at a k with its ends ``lo`` and ``hi``, and the probability ``p_better``.
    As text, it is a table with the words about what the trials leave open.
    """

    metric: str
    ks: tuple[int, ...]
    levels: tuple[float, ...]
    target: str
    points: tuple[Forecast, ...]
    compared: tuple[ForecastComparison, ...] = ()
    _lists: ClassVar = ("points",)
    _columns: ClassVar = (
        Field("model", of="model"),
        Field("task", of="task", form=lambda task: task or OVERALL, unless=None),
        Field("k", True, "k"),
        Field("score", True, "score", number, missing=FORECAST),
        Field("mean", True, "mu", number),
    )

    @property
    def models(self) -> tuple[str, ...]:
        """The models."""
        return tuple(dict.fromkeys(point.model for point in self.points))

    def of(self, model: str, task: str | None = None) -> tuple[Forecast, ...]:
        """Return the points of one model, by k; of a suite, those of the ``task``, by default overall."""
        is_suite = self.points[0].task is not None
        wanted = ("" if task is None else task) if is_suite else None
        return tuple(point for point in self.points if point.model == model and point.task == wanted)

    def verdicts(self) -> tuple[str, ...]:
        """Say in sentences what is left open at the largest k, and whether the order of two models changes."""
        said = (point.in_words() for point in self._last if point.unsolved is not None)
        return (*said, *self.cautions(), *self.order())

    @property
    def _last(self) -> list[Forecast]:
        return [point for point in self.points if point.k == self.ks[-1]]

    def cautions(self) -> tuple[str, ...]:
        """Say of which forecasts, at the largest k, there are too few trials, or most comes from unsolved questions."""
        said: list[str] = []
        few = [point for point in self._last if point.is_forecast and point.trials_each[1] < FEWEST_TRIALS]
        if few:
            said.append(_FEW.format(fewest=FEWEST_TRIALS, k=few[0].k, who=shorten(point.who for point in few)))
        resting = [point for point in self._last if point.rests_on_tail]
        if resting:
            never = "never failed" if resting[0].of_failures else "were never solved"
            what = f"{resting[0].metric} of {shorten(point.who for point in resting)}"
            said.append(_RESTS.format(what=what, never=never))
        return tuple(said)

    def order(self) -> list[str]:
        """Say whether the order of two models changes from the smallest to the largest k; else nothing."""
        if len(self.compared) < 2:
            return []
        first, last = self.compared[0], self.compared[-1]
        ahead = [point.names[0] if point.difference >= 0.0 else point.names[1] for point in (first, last)]
        sure = [point.p_better if point.difference >= 0.0 else 1.0 - point.p_better for point in (first, last)]
        if ahead[0] == ahead[1]:
            return [f"{ahead[0]} is ahead at k = {first.k} and at k = {last.k} (probability {chance(sure[1])})"]
        text = f"the order changes: {ahead[0]} is ahead at k = {first.k} (probability {chance(sure[0])}), and"
        return [f"{text} {ahead[1]} at k = {last.k} (probability {chance(sure[1])})"]

    def to_dict(self) -> dict[str, Any]:
        """Return all values, ready for JSON."""
        return super().to_dict() | {"verdicts": list(self.verdicts())}

    def as_records(self) -> list[dict[str, Any]]:
        ends = ({"target": self.target, "lo": point.lo, "hi": point.hi} for point in self.points)
        return [strict(point.record() | more) for point, more in zip(self.points, ends, strict=True)]

    @property
    def as_title(self) -> str:
        return f"{self.metric} for {subject(self.target, 'independent')}"

    def _notes(self) -> tuple[str, ...]:
        return self.verdicts()

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the table that is printed."""
        fan = [Field(percent(level), form=partial(_ends, level)) for level in self.levels]
        return [Table.of(self.as_title, [*self._columns, *fan], self.points, self._notes(), digits)]

    def __repr__(self) -> str:
        return str(self)


@takes(EstimateOptions, Terms)
def forecast(
    metric: Metric | str | None,
    outcomes: Any,
    k: int | Iterable[int] | None = None,
    *,
    levels: Iterable[float] | None = None,
    task_weights: Weights = None,
    **options: Unpack[EstimateOptions],
) -> Forecasts:
    """Return the curve of a metric over ``k``, and say what more trials of every question would give than there are.

    ``metric`` is one that has a k, such as Pass@k or Pass^k (the reliability over k uses), by default Pass@k, or Max@k
    of rewards; its own k is replaced by each of ``k``, by default powers of two up to the fewest trials of a question,
    and that number. ``outcomes`` are those of one model, of several (an ``OutcomeSet`` or what makes one), or a suite,
    of which there are overall values too. Besides the intervals of the ``confidence`` there are those of ``levels``
    below it, by default 0.5 and 0.8. The other arguments are those of ``Metric.interval``.

    Where ``metric.interval`` says what the trials leave open, a forecast of Pass@k or Pass^k says what is probable. Up
    to 4 times the trials its intervals come from the learned prior, and from 16 times on from a law of the rates below
    one over the trials, which rests on the questions of few successes alone and lets a share of the questions be
    hopeless. Other metrics, and other priors or shapes, keep the intervals of the metric. Two models are compared at
    every k. A ``ForecastWarning`` says where most of an interval comes from questions never solved.

    >>> import warnings
    >>> from scorio import OutcomeMatrix
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     curve = forecast("pass@1", OutcomeMatrix.from_counts([1, 2, 2, 3, 5, 8, 13, 16, 16], 16), [16, 1000])
    >>> [point.is_forecast for point in curve.points], curve.points[0].score
    ([False, True], 1.0)
    >>> curve.points[1].in_words().partition(":")[0]
    'every question was solved at least once'
    """
    tasks = as_tasks(outcomes)
    chosen, budgets, terms = _with_a_budget(metric, tasks), _budgets(k, tasks), Terms(**accepted(options, forecast))
    confidences = _levels(levels, terms.confidence)
    law_of = forecast_of if terms.assumed.is_learned and terms.shape is None else lambda plain: plain
    family = [replace(cast("Any", chosen), k=budget) for budget in budgets]
    is_suite = isinstance(outcomes, Suite)
    sums: list[tuple[Any, Any, Any, Weights]] = [  # outcomes, the task, the shares of tasks, and their weights
        (models, task or None, {task: 1.0}, None if is_suite else task_weights) for task, models in tasks.items()
    ]
    if is_suite:
        shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
        sums.append((outcomes, "", shares, task_weights))
    points = []
    boards: list[Any] = []  # those of the last sum, which are overall
    for summed, task, shares, weights in sums:
        boards = [estimate(law_of(of_k), summed, task_weights=weights, **options) for of_k in family]
        for name in boards[0]:
            parts = [(tasks[part][name], weight) for part, weight in shares.items()]
            for of_k, on_models in zip(family, boards, strict=True):
                points.append(_point(law_of(of_k), of_k, on_models[name], (name, task), parts, confidences))
    compared = tuple(map(_compared, budgets, boards)) if len(boards[0]) == 2 else ()
    forecasts = Forecasts(f"{chosen.name}@k", budgets, confidences, terms.target, tuple(points), compared)
    for caution in forecasts.cautions():
        warn(caution, ForecastWarning)
    return forecasts


def _with_a_budget(metric: Metric | str | None, tasks: Mapping[str, OutcomeSet]) -> Metric:
    if metric is None:
        return PassAtK(1) if all(models.is_pass_fail for models in tasks.values()) else MaxAtK(1)
    chosen = as_metric(metric)
    if chosen.draw_size is None:
        raise ParameterError(f"must have a k, as pass@1 has; got {chosen}", argument="metric")
    return chosen


def _levels(levels: Iterable[float] | None, confidence: float) -> tuple[float, ...]:
    inner = [usual for usual in _USUAL if usual < confidence] if levels is None else list(levels)
    if any(open_unit("levels", level) >= confidence for level in inner):
        raise ParameterError(f"must be below the confidence, {confidence:g}; got {inner}", argument="levels")
    return (*sorted(set(inner)), confidence)


def _budgets(k: Any, tasks: Mapping[str, OutcomeSet]) -> tuple[int, ...]:
    if k is None:
        most = max(1, min(matrix.min_trials for models in tasks.values() for matrix in models.values()))
        return tuple(sorted({1 << i for i in range(most.bit_length())} | {most}))
    given = [*k] if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    numbers = tuple(sorted({count("k", k) for k in given}))
    if not numbers:
        raise ParameterError("must have at least one number of trials; got none", argument="k")
    return numbers


def _point(
    law: Metric,
    metric: Any,
    value: Estimate,
    names: tuple[str, str | None],
    parts: Sequence[tuple[OutcomeMatrix, float]],
    levels: Sequence[float],
) -> Forecast:
    """Return one value of one model, on one task or overall; ``parts`` has the outcomes and the weight of each task."""
    matrices = [matrix for matrix, _ in parts]
    fewest, most = min(matrix.min_trials for matrix in matrices), max(matrix.max_trials for matrix in matrices)
    is_forecast, intervals = metric.k > fewest, {level: value.interval(level) for level in levels}
    told: dict[str, Any] = {}
    mu, sigma, *_ = intervals[levels[-1]]
    if is_forecast and names[1] != "" and isinstance(law, Far) and matrices[0].mean_trials >= FEWEST_TRIALS:
        told = law.told(matrices[0], mu)
    return Forecast(
        *names,
        metric=str(metric),
        k=metric.k,
        mu=mu,
        sigma=sigma,
        intervals={level: (interval.lo, interval.hi) for level, interval in intervals.items()},
        is_forecast=is_forecast,
        score=None if is_forecast else sum(weight * metric.score(matrix) for matrix, weight in parts),
        n_questions=sum(matrix.n_questions for matrix in matrices),
        trials_each=(fewest, most),
        of_failures=isinstance(metric, PassHatK),
        **told,
    )


def _compared(k: int, board: Family) -> ForecastComparison:
    (first, one), (second, other) = board.items()
    gap = one - other
    _, _, lo, hi = gap.interval()
    return ForecastComparison((first, second), k, gap.value, lo, hi, gap.p_above(), board.confidence)
