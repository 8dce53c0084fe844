"""One number, what is known of it, and the arithmetic that keeps what numbers share.

An estimate is a constant plus a weighted sum of measured values,

    value = constant + sum_m factor_m value_m,

where a measured value is a metric of one model on one task. Sums and differences add factors, so a value that two
estimates share cancels by itself. What is known of the whole is asked of all its values together (``_stack``):

- values of different tasks, and posteriors of different trials, are independent; reaches add as squares;
- values on the same questions share these where they are a draw (``target="population"``): effects of one question,
  or cluster, add up, and the law is Student's, with Welch's and Satterthwaite's degrees of freedom for several samples;
- values of the same trials are one value, of a metric that is their sum, or are refused.

A function of an estimate is taken to first order, ``f(e) = f(v) + f'(v) (e - v)`` (the delta method). The interval of
a ratio ``a / b`` is the set of all ``c`` for which that of ``a - c b`` includes 0 (Fieller 1954): it has no end where
``b`` may be 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Vector, cached_property, underflow_is_zero
from .._base.choices import RANDOM
from .._base.exports import Record, strict
from .._base.numbers import difference_span, is_chance
from .._base.special import block_diag
from .._base.words import pluralize, subject, warn
from ..errors import OutcomeError, ParameterError, QuestionsWarning, Remedy
from ..inference import Interval
from ..inference._interval import within
from ..inference._level import Level, two_sided
from ..inference._terms import Terms
from ..metrics import Metric
from ..metrics._count import count_sum
from ..metrics._selectors import rule_sum
from ..outcomes import OutcomeMatrix, align
from ..outcomes._labels import by_question
from ..params import count, finite, generator, open_unit
from ._contest import Contest, TaskContest, settled
from ._difference_law import DifferenceLaw
from ._joint import Form
from ._stack import Stack

_STEP = 1e-6  # of a numerical derivative, in units of the value's standard deviation or of the value
POWER = 0.8  # that as much data as ``effort`` says is enough


@dataclass(frozen=True, eq=False)
class Measured:
    """A metric of one model on one task, or on a ``part`` of its questions.

    ``source`` is what the outcomes came from, one object for the same trials. A part of questions without labels has
    their numbers as labels, among so many in the ``whole``.
    """

    metric: Metric
    outcomes: OutcomeMatrix
    model: str = ""
    task: str = ""
    source: Any = None
    part: Any = None
    whole: int | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """What two measured values share if they are the same."""
        return self.metric, id(self.source), self.task, self.model, self.part


Parts = Mapping[tuple[Any, ...], tuple[Measured, float]]


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Record):
    """A number made of measured values: its ``value``, its interval, and what it is probably above.

    ``metric.estimate(outcomes)`` and ``scorio.estimate(metric, models)`` make them, and ``+``, ``-``, ``*``, ``/``,
    ``mean`` and ``through`` make others of them. What two estimates share, such as questions that are a draw, cancels.

    >>> from scorio import PassAtK
    >>> new = PassAtK(1).estimate([[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]])
    >>> old = PassAtK(1).estimate([[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]])
    >>> print(new - old)
    +0.384 [+0.047, +0.652], P(above 0) = 0.987, for these questions (confidence 0.95)
    """

    parts: Parts = field(repr=False)
    terms: Terms
    constant: float = 0.0
    ratio: tuple[Estimate, Estimate] | None = field(default=None, repr=False)
    _is_a_function: bool = field(default=False, repr=False)

    # Arithmetic.

    def __add__(self, other: Estimate | float) -> Estimate:
        if not isinstance(other, Estimate):
            return replace(self, constant=self.constant + finite("term", other), ratio=None)
        _check_together(self.terms, other.terms)
        _warn_of_different_questions(self.parts, other.parts)
        parts = dict(self.parts)
        for key, (measured, factor) in other.parts.items():
            parts[key] = (measured, factor + parts[key][1] if key in parts else factor)
        is_a_function = self._is_a_function or other._is_a_function
        return Estimate(parts, self.terms, self.constant + other.constant, None, is_a_function)

    __radd__ = __add__

    def __mul__(self, factor: Estimate | float) -> Estimate:
        if isinstance(factor, Estimate):
            one, two = self.value, factor.value
            return replace(two * self + one * factor - one * two, _is_a_function=True)
        by = finite("factor", factor)
        ratio = None if self.ratio is None or by <= 0.0 else (self.ratio[0] * by, self.ratio[1])
        parts = {key: (measured, by * old) for key, (measured, old) in self.parts.items()}
        return Estimate(parts, self.terms, by * self.constant, ratio, self._is_a_function)

    __rmul__ = __mul__

    def __neg__(self) -> Estimate:
        return self * -1.0

    def __sub__(self, other: Estimate | float) -> Estimate:
        return self + (other * -1.0)

    def __rsub__(self, other: float) -> Estimate:
        return (self * -1.0).__add__(other)

    def __truediv__(self, other: Estimate | float) -> Estimate:
        if not isinstance(other, Estimate):
            return self * (1.0 / float(finite("divisor", other)))
        below, above = other.value, self.value
        if below == 0.0:
            raise ZeroDivisionError(f"the divisor is {below:g}: a ratio to it is not defined")
        linear = (self - (above / below) * other) * (1.0 / below) + above / below
        return replace(linear, ratio=(self, other) if below > 0.0 else None, _is_a_function=True)

    def __rtruediv__(self, other: float) -> Estimate:
        above = float(finite("number", other))
        return self.through(lambda value: above / value)

    def through(self, function: Callable[[float], float], slope: Callable[[float], float] | None = None) -> Estimate:
        """Return a function of the number, such as its log-odds, to first order; ``slope`` is the derivative.

        >>> import math
        >>> from scorio import PassAtK
        >>> rate = PassAtK(1).estimate([[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]])
        >>> round(rate.through(math.log).value - math.log(rate.value), 12)
        0.0
        """
        at = self.value
        if slope is None:
            step = _STEP * max(self.sd, abs(at), _STEP)
            by = (function(at + step) - function(at - step)) / (2.0 * step)
        else:
            by = slope(at)
        value = function(at)
        if not (math.isfinite(value) and math.isfinite(by)):
            raise ParameterError(f"has no finite value and slope at {at:.6g}", argument="function")
        linear = by * self
        return replace(linear + (value - linear.value), ratio=None, _is_a_function=True)

    # What is known.

    @cached_property
    def _laws(self) -> dict[Level, DifferenceLaw]:
        """What is known at each level that was asked for."""
        return {}

    @property
    def value(self) -> float:
        """The estimate."""
        return self.law().mean

    @property
    def sd(self) -> float:
        """The standard deviation of the error."""
        return self.law().sd

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the law: infinite where that is no Student's t."""
        return self.law().df

    def __float__(self) -> float:
        return self.value

    def law(self, level: Level | None = None) -> DifferenceLaw:
        """Return the law of the number, with the one-sided bounds of a level, by default that of the estimate."""
        level = level or self.terms.level
        if level not in self._laws:
            self._laws[level] = self._law_at(level)
        return self._laws[level]

    @underflow_is_zero
    def _law_at(self, level: Level) -> DifferenceLaw:
        live = {key: part for key, part in self.parts.items() if part[1] != 0.0}
        if not live:
            return DifferenceLaw(self.constant, 0.0, 0.0, 0.0, level.tail)
        stack, form = _stacked(live, self.terms, level)
        law = stack.law(form) if stack.is_contrast(form) else stack.widest_law(form)
        return replace(law, mean=self.constant + law.mean)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value there can be."""
        low = high = self.constant
        for measured, factor in self.parts.values():
            ends = sorted(factor * end for end in measured.metric.support(measured.outcomes))
            low, high = low + ends[0], high + ends[1]
        return low, high

    def interval(self, confidence: float | None = None) -> Interval:
        """Return the interval at this confidence, by default that of the estimate.

        >>> from scorio import PassAtK
        >>> R = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]]
        >>> PassAtK(2).estimate(R).interval() == PassAtK(2).interval(R)
        True
        """
        level = self.terms.level if confidence is None else Level(open_unit("confidence", confidence))
        if (alone := self._alone) is not None:
            terms = self.terms
            about: dict[str, Any] = {"prior": terms.prior, "shape": terms.shape, "target": terms.target}
            return alone.metric.interval(alone.outcomes, level.confidence, runs=terms.runs, **about)
        law, (lo, hi) = self.law(level), self._ends(level)
        if not math.isfinite(hi - lo):
            problem = f"the ratio has no end at this confidence, because its divisor may be 0: [{lo:.4g}, {hi:.4g}]"
            raise OutcomeError(problem, hint="p_above(limit) says what is known of a limit")
        about = {"target": self.terms.target, "prior": self.terms.given, "shape": self.terms.shape or "quantile"}
        about["runs"] = self.terms.runs if self.terms.runs == RANDOM else "independent"
        limits = None if self._is_a_function else self.bounds
        return Interval(law.mean, law.sd, lo, hi, confidence=level.confidence, bounds=limits, **about)

    def _ends(self, level: Level) -> tuple[float, float]:
        """Return the ends of the interval, which for a ratio may be infinite."""
        if self.ratio is not None:
            first, second = self.ratio  # ends where the interval of the difference begins and ceases to include 0
            return DifferenceLaw.ends_of_ratio(lambda c: (first - c * second).law(level), self.value)
        law = self.law(level)
        if self._is_a_function:
            return law.lo, law.hi
        bounds = self.bounds
        return within(bounds, law.lo), within(bounds, law.hi)

    @property
    def _alone(self) -> Measured | None:
        """The only measured value, if the estimate is just that."""
        if len(self.parts) != 1 or self.constant != 0.0:
            return None
        measured, factor = next(iter(self.parts.values()))
        return measured if factor == 1.0 else None

    def p_above(self, limit: float = 0.0) -> float:
        """Return the probability that the number is above a limit."""
        if self.ratio is not None:
            return (self.ratio[0] - limit * self.ratio[1]).p_above()
        return self.law().p_at_least(limit)

    def p_value(self, limit: float = 0.0) -> float:
        """Return the two-sided p-value of the number being the limit."""
        return two_sided(self.p_above(limit))

    def p_between(self, low: float, high: float) -> float:
        """Return the p-value of being outside two limits: that of the larger of two one-sided tests (equivalence)."""
        if not low < high:
            raise ParameterError(f"must be below high; got {low:g} and {high:g}", argument="low")
        return max(1.0 - self.p_above(low), self.p_above(high))

    def effort(self, limit: float = 0.0, power: float = POWER) -> float:
        """Return how many times as much data tell the number from a limit with this power, if its value is the truth.

        Infinite if the value is the limit.
        """
        open_unit("power", power)
        if self.ratio is not None:
            return (self.ratio[0] - limit * self.ratio[1]).effort(0.0, power)
        return self.law().effort(limit, power)

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Return ``n`` draws from the law of the number."""
        return self.law().draws(count("n", n), generator(rng))

    def by(self, groups: Sequence[Any] | Mapping[Any, Any]) -> dict[Any, Estimate]:
        """Return the estimate of each group of questions, such as topics: a label for every question.

        >>> from scorio import PassAtK
        >>> rate = PassAtK(1).estimate([[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0]])
        >>> topics = rate.by(["sums", "sums", "proofs", "proofs"])
        >>> print(topics["sums"] - topics["proofs"])
        +0.443 [+0.045, +0.765], P(above 0) = 0.985, for these questions (confidence 0.95)
        """
        if len(self.parts) != 1:
            problem = f"this estimate has {pluralize(len(self.parts), 'measured value')}"
            raise OutcomeError(
                f"groups are those of one measured value, and {problem}", hint="take groups of each first"
            )
        (measured, factor) = next(iter(self.parts.values()))
        estimates, outcomes, whole = {}, measured.outcomes, measured.whole
        labels = by_question(groups, outcomes.n_questions, outcomes.questions, "groups")
        if outcomes.questions is None:
            whole = outcomes.n_questions
            outcomes = outcomes.replaced(questions=tuple(range(whole)))
        for label in dict.fromkeys(labels):
            some = outcomes.select(np.array([group == label for group in labels]))
            part = replace(measured, outcomes=some, part=(measured.part, label), whole=whole)
            estimates[label] = Estimate({part.key: (part, factor)}, self.terms, self.constant)
        return estimates

    # Words.

    @property
    def about(self) -> str:
        """What the estimate is about, in words."""
        runs = self.terms.runs if self.terms.runs == RANDOM else "independent"
        return f"for {subject(self.terms.target, runs)} (confidence {self.terms.confidence:g})"

    def __str__(self) -> str:
        if self._alone is not None:
            return str(self.interval())
        difference = difference_span(self.value, *self._ends(self.terms.level))
        return f"{difference}, P(above 0) {is_chance(self.p_above())}, {self.about}"

    def __format__(self, form: str) -> str:
        """Return the value and both ends, each in the format of a number, as an interval does."""
        return format(self.interval(), form) if form else str(self)

    def __repr__(self) -> str:
        return f"Estimate({self.value:.6g}, sd={self.sd:.3g}, {pluralize(len(self.parts), 'measured value')})"

    def to_dict(self) -> dict[str, Any]:
        """Return the value, its interval and what they are about, ready for JSON."""
        lo, hi = self._ends(self.terms.level)
        values = {"value": self.value, "sd": self.sd, "lo": lo, "hi": hi, "p_above_0": self.p_above()}
        about = {"degrees": self.degrees, "confidence": self.terms.confidence, "target": self.terms.target}
        return cast("dict[str, Any]", strict(values | about | {"made_of": len(self.parts)}))


def mean(estimates: Iterable[Estimate], weights: Sequence[float] | None = None) -> Estimate:
    """Return the mean of estimates, with weights if they are given, which need not sum to 1.

    >>> from scorio import PassAtK
    >>> one, other = (PassAtK(1).estimate([[0, 1, 1, n], [1, 1, 1, 1]], task=str(n)) for n in (0, 1))
    >>> round(mean([one, other]).value, 3) == round((one.value + other.value) / 2, 3)
    True
    """
    parts = list(estimates)
    if not parts:
        raise ParameterError("has no estimate, and the mean of none is not defined", argument="estimates")
    shares = [1.0] * len(parts) if weights is None else [finite("weights", weight) for weight in weights]
    if len(shares) != len(parts) or not sum(shares) > 0.0 or min(shares) < 0.0:
        problem = f"must be {pluralize(len(parts), 'number')}, at least 0 and not all 0"
        raise ParameterError(problem, argument="weights")
    whole = sum(shares)
    return sum(
        (share / whole * part for share, part in zip(shares[1:], parts[1:], strict=True)), shares[0] / whole * parts[0]
    )


def _check_together(one: Terms, other: Terms) -> None:
    for name in ("target", "confidence", "runs", "prior", "shape"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine != theirs:
            raise ParameterError(
                f"of one estimate is {mine!r} and of the other {theirs!r}: make both alike", argument=name
            )


# From measured values to their joint law.


def _stacked(parts: Parts, terms: Terms, level: Level) -> tuple[Stack, Form]:
    """Return the values of all models at this level, and the sum that is asked for.

    Values of one model and metric are a column, which has a value on some of the tasks.
    """
    tasks = _tasks(_merged(list(parts.values()), terms), terms)
    names = [_columns(measured for measured, _ in task) for task in tasks]
    columns = list(dict.fromkeys(itertools.chain(*names)))
    places = [[columns.index(name) for name in of_task] for of_task in names]
    weights = np.zeros((len(tasks), len(columns)))
    contests, stacks = [], []
    for shares, task, where in zip(weights, tasks, places, strict=True):
        shares[where] = factors = np.array([factor for _, factor in task])
        has_one_sign = bool((factors > 0.0).all() or (factors < 0.0).all())
        contest, stack = _of_task(tuple(measured for measured, _ in task), terms, level, has_one_sign)
        contests.append(contest)
        stacks.append(stack)
    whole = Contest(contests, weights, places)
    factors = weights[0] if len(tasks) == 1 else np.ones(len(columns))
    form: Form = tuple((factor, place) for place, factor in enumerate(factors.tolist()))
    return whole.with_runs(whole.summed(stacks)), form


def _merged(parts: list[tuple[Measured, float]], terms: Terms) -> list[tuple[Measured, float]]:
    """Return the values with those of the same trials as one, of a metric that is their sum, where there is one.

    It has the factor of the value with the most trials, so that multiples of a sum are of one metric. For the
    population, the effects of questions add up by themselves, but for rules of choice.
    """
    groups: dict[Any, list[tuple[Measured, float]]] = {}
    for measured, factor in parts:
        groups.setdefault(measured.key[1:], []).append((measured, factor))
    if len(groups) == len(parts):
        return parts
    merged = []
    for some in groups.values():
        first, scale = max(some, key=lambda part: (part[0].metric.required_trials, str(part[0].metric)))
        whole: Metric | None = None
        if len(some) > 1 and scale != 0.0:
            factors = [factor / scale for _, factor in some]
            metrics = [measured.metric for measured, _ in some]
            whole = rule_sum(metrics, factors)
            if whole is None and terms.target != "population":
                whole = count_sum(metrics, factors, first.outcomes)
        merged += some if whole is None else [(replace(first, metric=whole), scale)]
    return merged


def _columns(values: Iterable[Measured]) -> list[tuple[Any, ...]]:
    """Return for each value of a task what values of one model by one metric have in common over tasks.

    Where several outcomes of a task are called by the same name, the second of them belong together, and so on.
    """
    names: list[Any] = []
    for measured in values:
        source = measured.model or (measured.task, id(measured.source))
        names.append((measured.metric, measured.part, source))
    return [(*name, names[:at].count(name)) for at, name in enumerate(names)]


def _tasks(parts: list[tuple[Measured, float]], terms: Terms) -> list[list[tuple[Measured, float]]]:
    """Return the values in groups that have questions in common, in their order."""
    groups: list[list[tuple[Measured, float]]] = []
    for part in parts:
        apart, together = [], []
        for group in groups:
            if any(_share(part[0], other, terms.target) for other, _ in group):
                together += group
            else:
                apart.append(group)
        groups = [*apart, [*together, part]]
    return groups


def _share(one: Measured, other: Measured, target: str) -> bool:
    """Return whether two values have a question in common, or for the population a cluster of questions."""
    if one.task != other.task:
        return False
    if _questions(one).shared(_questions(other)):
        return True
    return target == "population" and not _clusters(one).isdisjoint(_clusters(other))


def _clusters(measured: Measured) -> frozenset[Any]:
    outcomes = measured.outcomes
    clusters: frozenset[Any] = outcomes.cached("set of clusters", frozenset, outcomes.clusters or ())
    return clusters


class _Questions(NamedTuple):
    """Questions by their labels, or without labels by their numbers among ``of`` questions."""

    of: int | None
    names: frozenset[Any] | range

    def shared(self, other: _Questions) -> int:
        """Return how many questions are among both."""
        if self.of != other.of:
            return 0
        if self.names == other.names:
            return len(self.names)
        few, many = sorted((self.names, other.names), key=len)
        return sum(name in many for name in few)


def _questions(measured: Measured) -> _Questions:
    outcomes = measured.outcomes
    if outcomes.questions is None:
        return _Questions(outcomes.n_questions, range(outcomes.n_questions))
    return _Questions(measured.whole, outcomes.cached("set of questions", frozenset, outcomes.questions))


def _warn_of_different_questions(one: Parts, other: Parts) -> None:
    """Warn if values of one task, of different trials, have different questions: then no question cancels, or few."""
    for (mine, _), (theirs, _) in itertools.product(one.values(), other.values()):
        is_one_task = mine.task == theirs.task and mine.part is None and theirs.part is None
        if mine.source is theirs.source or not is_one_task or _questions(mine) == _questions(theirs):
            continue
        shared = _questions(mine).shared(_questions(theirs))
        counts = f"{mine.outcomes.n_questions} and {theirs.outcomes.n_questions}"
        numbers = f"{counts}, {shared} of them shared by label or number"
        remedy = 'select the shared ones, or name two tasks, as in estimate(R, task="german")'
        warn(f"two estimates of one task have different questions, {numbers}: {remedy}", QuestionsWarning)
        return


@lru_cache(maxsize=16)
def _of_task(
    task: tuple[Measured, ...], terms: Terms, level: Level, is_mean: bool = False
) -> tuple[TaskContest, Stack]:
    """Return the values of one task, and what is known of them at this level."""
    contest = _contest(task, terms)
    stack = contest.stack(level)
    if is_mean:  # no smallest p-value limits how sure a mean is, as it does a difference
        stack = replace(stack, joint=replace(stack.joint, least_p=0.0))
    return contest, stack


def _contest(task: tuple[Measured, ...], terms: Terms) -> TaskContest:
    """Return the values of one task, checked: none counts the same trials twice."""
    models = [measured.outcomes for measured in task]
    metrics = [measured.metric for measured in task]
    is_paired = all(_questions(measured) == _questions(task[0]) for measured in task)
    if is_paired and len(models) > 1:
        models = list(align({f"estimate {i + 1}": model for i, model in enumerate(models)}).values())
    elif terms.target == "population":
        _check_clusters(models)
    if terms.target != "population":
        _check_once(task)
    about = settled(terms, metrics[0], models)
    return TaskContest(metrics, models, about, is_paired or terms.target == "population")


def _check_clusters(models: Sequence[OutcomeMatrix]) -> None:
    """Check that questions that only some of the values share are in one cluster for all of them."""
    cluster_of: dict[Any, Any] = {}
    for outcomes in models:
        labels = outcomes.questions or range(outcomes.n_questions)
        for question, cluster in zip(labels, outcomes.clusters or labels, strict=True):
            if cluster_of.setdefault(question, cluster) != cluster:
                problem = f"clusters differ: question {question!r} is in {cluster_of[question]!r} and in {cluster!r}"
                raise OutcomeError(problem, hint="give all outcomes the same clusters")


def _check_once(task: tuple[Measured, ...]) -> None:
    """Refuse two values of the same trials that no metric is the sum of: their posteriors are not independent.

    The same value twice, of two models that are one, is compared as that of two models.
    """
    for one, other in itertools.combinations(task, 2):
        if one.source is other.source and (one.metric, one.part) != (other.metric, other.part):
            what = f"{one.metric} and {other.metric} are of"
            if one.part != other.part:
                what = "a part of the questions and all of them hold"
            raise OutcomeError(
                f"{what} the same trials, whose posteriors do not add up",
                remedies=[Remedy("target", "population", "adds up the effects of questions")],
            )


def joint_effects(estimates: Sequence[Estimate]) -> Vector:
    """Return the effects of all sources of error on each estimate, (K, ..): products of rows are covariances.

    They are those of one law of all values that any of the estimates is made of.
    """
    terms = estimates[0].terms
    every: dict[tuple[Any, ...], tuple[Measured, float]] = {}
    for estimate in estimates:
        _check_together(terms, estimate.terms)
        every |= {key: (measured, 1.0) for key, (measured, _) in estimate.parts.items()}
    if not every:
        return np.zeros((len(estimates), 1))
    columns, effects = [], []
    for task in _tasks(list(every.values()), terms):
        _, stack = _of_task(tuple(measured for measured, _ in task), terms, terms.level)
        columns += [measured.key for measured, _ in task]
        effects.append(stack.for_draws().effects)
    factors = np.array(
        [[estimate.parts[key][1] if key in estimate.parts else 0.0 for key in columns] for estimate in estimates]
    )
    return np.asarray(factors @ block_diag(*effects))
