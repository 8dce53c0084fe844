"""The base of metrics that draw ``k`` of a question's trials and choose among them, and how far they may be off.

A question's value ``U`` is a mean over all draws of ``k`` of its trials, without bias. With ``U_-t`` the same without
trial ``t``, the jackknife variance ``(n - 1)/n sum_t (U - U_-t)^2`` is not below the true variance on average (Efron
and Stein 1981), for differences of two such values on the same trials too. Where ``k = n`` nothing can be left out of a
draw of ``n``; ``U_-t`` is then a draw of all others, and Efron and Stein's bound is the sum without the factor.

A question whose trials all say the same, or nearly, has hardly any variance, and is not known for sure. Let ``n`` be
the trials of ``m`` such questions, of which ``x`` speak for another result than the one that always wins. Trials of
another kind then have a rate of at most ``p``, the end of Jeffreys' interval for ``x`` of ``n`` (as in ``_count.py``),
and move each of these questions by at most its room times ``g(p)``, the chance that they decide a draw. Which questions
these are is not known: the reach is the largest such move over ``m``, few questions with a high rate or many with a low
one. For ``g = 1 - (1 - p)^k`` and ``x = 0`` no other rates reach further: of all rates with the same chance of seeing
none, equal ones move the mean the furthest. Clopper and Pearson's end, which errs on the safe side alone, covered .99
and 1.00 where most questions say the same, Jeffreys' .95 to .98.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Counts, Flags, Indices, Vector
from .._base.choices import SAMPLES, SHAPES_OF_ALL_METRICS, TARGETS, UNIFORM
from .._base.special import betaincinv
from .._kernels import best_of_k
from ..errors import OutcomeError, ParameterError
from ..inference import Interval, Looks, Prior
from ..inference._interval import Bounds
from ..inference._law import SkewedT
from ..inference._level import Level
from ..inference._prior import PriorLike, as_prior
from ..inference._question_means import QuestionEstimates, QuestionMeans
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..params import choice, count, param
from ._base import Metric, Moments
from ._checks import check_continuous_prior, values_or_nan, with_enough_trials
from ._shapes import Request, students_interval
from ._shared_prior import check_clusters, groups

_HARDLY = 0.02  # of the range: a standard deviation, or a difference of values, that shows hardly any variation

Decides = Callable[[Counts, Vector], Vector]  # the chance to win a draw of so many, by the rate


@dataclass(frozen=True, eq=False)
class SampleValues:
    """The ``value`` of each question, (M,), and ``without`` each of its trials, of all questions one after another.

    ``without`` is NaN where a question has one trial. ``whole`` says where a draw has all trials of a question.
    ``noise`` is the variance of each value by Monte Carlo, and ``excess`` what that adds to the jackknife variance;
    both are 0 where values are exact.
    """

    value: Vector
    without: Vector
    trials: Counts
    whole: Flags
    noise: Vector
    excess: Vector | float = 0.0

    @property
    def first(self) -> Indices:
        """Where the trials of each question begin."""
        return np.cumsum(self.trials) - self.trials

    @property
    def estimates(self) -> QuestionEstimates:
        """The value of each question with its jackknife variance and third central moment.

        >>> n, trials = 4, np.array([1.0, 0.0, 0.0, 1.0])  # the mean of four trials, which is a draw of one
        >>> without = (trials.sum() - trials) / 3
        >>> values = SampleValues(np.array([0.5]), without, np.array([4]), np.array([False]), np.zeros(1))
        >>> values.estimates.variance.round(6).tolist()  # that of the mean, s^2/n
        [0.083333]
        """
        n = self.trials.astype(np.float64)
        moved = np.repeat(self.value, self.trials) - self.without
        with np.errstate(under="ignore"):
            squares, cubes = (np.add.reduceat(moved**power, self.first) for power in (2, 3))
        jackknife = squares * np.where(self.whole, 1.0, (n - 1.0) / n)
        variance = np.maximum(jackknife - self.excess, 0.5 * jackknife) + self.noise
        unknown = self.trials == 1
        variance[unknown], cubes[self.trials < 3] = np.nan, np.nan
        return QuestionEstimates(self.value, variance, cubes, n)


@dataclass(frozen=True, eq=False)
class Unseen:
    """One way in which trials of a kind that hardly shows may change what a rule chooses, (M,) each.

    ``others`` of ``trials`` speak for another result than the one that wins, ``drawn`` of them take part in a draw, and
    ``decides`` is the chance that the others win it, by this number and by their rate.
    """

    others: Counts
    trials: Counts
    drawn: Counts
    decides: Decides

    def alone(self, level: Level) -> Vector:
        """Return the largest chance of another result that the trials of each question leave open."""
        return self.decides(self.drawn, _highest(self.others, self.trials, level))

    def pooled(self, which: Flags, room: Vector, level: Level) -> float:
        """Return how far the sum over these questions may move, of any number of them together."""
        here = np.flatnonzero(which)
        if not here.size:
            return 0.0
        order = here[np.argsort(-(room * self.alone(level))[here], kind="stable")]
        rate = _highest(np.cumsum(self.others[order]), np.cumsum(self.trials[order]), level)
        drawn = np.minimum.accumulate(self.drawn[order])
        return float(np.max(np.cumsum(room[order]) * self.decides(drawn, rate)))


def reach_of_unseen(kinds: Sequence[Unseen], estimates: QuestionEstimates, room: Vector, level: Level) -> float:
    """Return how far the mean over questions may move by ``room`` of questions whose trials show no variation.

    Each question has the kind that leaves the least open.

    >>> two = np.array([8, 8])
    >>> unseen = Unseen(np.zeros(2, int), two, np.ones(2), lambda drawn, rate: rate)
    >>> sure = QuestionEstimates(np.ones(2), np.zeros(2), np.zeros(2), two)
    >>> round(reach_of_unseen([unseen], sure, np.ones(2), Level(0.95)), 4)  # none of 16
    0.1432
    """
    scale = max(float(np.abs(room).max()) ** 2, 1e-300)
    certain = np.isnan(estimates.variance) | (estimates.variance <= _HARDLY**2 * scale)
    here = certain & (room > 0.0)
    if not here.any():
        return 0.0
    least = np.argmin([kind.alone(level) for kind in kinds], axis=0)
    moved = sum(kind.pooled(here & (least == i), room, level) for i, kind in enumerate(kinds))
    return moved / len(room)


def _highest(others: Counts, trials: Counts, level: Level) -> Vector:
    """Return the largest rate that so many of the trials do not speak against: the end of Jeffreys' interval."""
    x, n = np.asarray(others, np.float64), np.asarray(trials, np.float64)
    tail = np.full(len(x), level.tail)
    return 1.0 - np.asarray(betaincinv(n - x + 0.5, x + 0.5, tail))


def reach_of_population(value: Vector, group: Indices, support: Bounds, level: Level) -> Bounds:
    """Return how far below and above the mean over a population may be, of which at most one cluster differs.

    Where no question, or a single one, has another value than the others, the spread between questions hardly shows.
    """
    common = float(np.median(value))
    differs = np.abs(value - common) > _HARDLY * (support[1] - support[0])
    clusters, others = len(np.unique(group)), len(np.unique(group[differs]))
    if others > 1:
        return 0.0, 0.0
    share = float(_highest(np.array([others]), np.array([clusters]), level)[0])
    mean = float(value.mean())
    return max(mean - support[0], 0.0) * share, max(support[1] - mean, 0.0) * share


def outcome_values(outcomes: OutcomeMatrix) -> Vector:
    """Return the outcome or reward of every trial, of one question after another, (trials,)."""
    if not isinstance(outcomes, RewardMatrix) and outcomes.levels is None and not outcomes.has_two_categories:
        raise OutcomeError(
            f"votes and selectors need binary outcomes, right or wrong, but category {outcomes.max_category} occurs",
            hint="take the numbers for rewards: OutcomeMatrix.from_rewards(R)",
        )
    return outcomes.cached("values of trials", lambda: outcomes.trials_at(np.arange(outcomes.n_questions))[1])


def any_of(k: Counts, rate: Vector) -> Vector:
    """Return the chance that at least one of ``k`` trials is of a kind with this rate."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(k * np.log1p(-np.minimum(rate, 1.0))))


def best_values(outcomes: OutcomeMatrix, scores: Vector, k: int, *, leave_out: bool = True) -> SampleValues:
    """Return the worth of the best of ``k`` by these scores of all trials; ``without`` is empty if none is left out."""
    trials = outcomes.trials
    n = int(trials[0]) if len(trials) else 0
    if n and (trials == n).all():
        order = (np.argsort(scores.reshape(-1, n), axis=1) + n * np.arange(len(trials))[:, None]).ravel()
    else:
        order = np.lexsort((scores, np.repeat(np.arange(len(trials)), trials)))
    first = np.concatenate([[0], np.cumsum(trials)]).astype(np.int64)
    value, ordered = np.empty(len(trials)), np.empty(len(scores) if leave_out else 0)
    best_of_k.best(scores[order], outcome_values(outcomes)[order], first, k, leave_out, value, ordered)
    without = np.empty(len(ordered))
    without[order[: len(ordered)]] = ordered
    return SampleValues(value, without, trials, trials == k, np.zeros(len(trials)))


_LOOKS = (
    "{metric} has no interval and no comparison that stays valid at every look: while trials are few, a draw of {k} is"
    " most of them"
)


@dataclass(frozen=True)
class SampleMetric(Metric):
    """The worth of the trial, or of the answer, that a rule chooses among ``k`` of a question's trials.

    The score is the mean over all draws of ``k``, without bias. The interval rests on the jackknife over
    each question's trials, and reaches at least as far as trials of a kind that none of them shows. There are no
    pseudo-counts, so the prior can only be the learned one, and there are neither looks nor ``runs="random"``.
    """

    is_of_samples: ClassVar[bool] = True
    k: int = param(count)

    @abstractmethod
    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        """Return the value of each question, and without each trial."""

    def _unseen(self, outcomes: OutcomeMatrix) -> list[Unseen]:
        """Return the ways in which trials of a kind that hardly shows may change the choice: any of them decides."""
        return any_trial_decides(outcomes, self.k)

    def _ways(self, outcomes: OutcomeMatrix) -> list[list[Unseen]]:
        """Return the ways in which trials may change what each rule chooses that the metric is made of."""
        return [self._unseen(outcomes)]

    def _room(self, outcomes: OutcomeMatrix) -> tuple[Vector, Vector]:
        """Return how far the value of each question can fall and rise."""
        (low, high), value = self._possible(outcomes), self._values_of(outcomes).value
        return value - low, high - value

    def _possible(self, outcomes: OutcomeMatrix) -> Bounds:
        return range_of(self, outcomes)

    def _values_of(self, outcomes: OutcomeMatrix) -> SampleValues:
        return outcomes.cached(("values", self), lambda: self._values(outcomes))

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        """Return the value of each question; a subclass may leave out what only an interval needs."""
        return self._values_of(outcomes).value

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the score of each question, (M,); ``too_few="nan"`` gives NaN for single questions."""
        return values_or_nan(self, self.admit(R), too_few, self._scores)

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the mean over questions."""
        enough = with_enough_trials(self, self.admit(R), too_few)
        return float("nan") if enough is None else float(np.mean(self._scores(enough)))

    def support(self, R: Any) -> Bounds:
        """Return the smallest and the largest reward that a choice can have."""
        outcomes = self.admit(R)
        if isinstance(outcomes, RewardMatrix):
            return outcomes.support or (-np.inf, np.inf)
        return (0.0, 1.0) if outcomes.levels is None else (min(outcomes.levels), max(outcomes.levels))

    def question_means(self, outcomes: OutcomeMatrix) -> QuestionMeans:
        with_enough_trials(self, outcomes, "raise")
        return outcomes.cached(
            f"means of {self!r}", lambda: QuestionMeans(self._values_of(outcomes).estimates, learned=False)
        )

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the mean and variance of each question's true value, (M,) each."""
        outcomes = self.admit(R)
        check_continuous_prior(as_prior(prior), "choices among samples")
        means = self.question_means(outcomes)
        unknown = np.isnan(means.estimates.variance)
        variance = np.where(unknown, max(means.spread.within, means.spread.between), means.estimates.variance)
        return Moments(means.estimates.value, variance)

    def law_of(self, outcomes: OutcomeMatrix, prior: PriorLike | None, target: str) -> SkewedT:
        if prior is not None:
            check_continuous_prior(as_prior(prior), "choices among samples")
        means = self.question_means(outcomes)
        if choice("target", target, TARGETS) == "population":
            check_clusters(outcomes)
            return means.of_population(groups(outcomes))
        if outcomes.n_questions < 2 and outcomes.max_trials < 2:
            raise OutcomeError("one trial of one question does not show how much trials vary: there is no interval")
        return means.of_these()

    def check_looks(self, looks: Looks | None) -> None:
        if looks is not None:
            raise ParameterError(_LOOKS.format(metric=self, k=self.k), argument="looks")

    def _interval(self, outcomes: OutcomeMatrix, request: Request) -> Interval:
        self.check_looks(request.looks)
        shape = choice("shape", "quantile" if request.shape is None else request.shape, SHAPES_OF_ALL_METRICS)
        law = self.law_of(outcomes, request.prior, request.target)
        below, above = self._reach_of_choices(outcomes, request)
        reach = law.mean - below, law.mean + above
        return students_interval(law, request, shape, reach, SAMPLES, completeness=outcomes.completeness)

    def _reach_of_choices(self, outcomes: OutcomeMatrix, request: Request) -> Bounds:
        """Return how far below and above the mean an interval goes at least: what unseen trials do to any rule."""
        estimates, ways = self._values_of(outcomes).estimates, self._ways(outcomes)
        below, above = (
            max(reach_of_unseen(kinds, estimates, np.maximum(some, 0.0), request.level) for kinds in ways)
            for some in self._room(outcomes)
        )
        if request.target != "population":
            return below, above
        other = reach_of_population(estimates.value, groups(outcomes), self._possible(outcomes), request.level)
        return max(below, other[0]), max(above, other[1])

    def _estimate(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[float, float]:
        law = self.law_of(outcomes, prior, "questions")
        return law.mean, law.sd


def range_of(metric: Metric, outcomes: OutcomeMatrix) -> Bounds:
    """Return the smallest and the largest reward that is possible or, if that is not known, that occurs."""
    low, high = metric.support(outcomes)
    if np.isfinite(low) and np.isfinite(high):
        return low, high
    worths = outcome_values(outcomes)
    return min(float(worths.min()), high), max(float(worths.max()), low)


def any_trial_decides(outcomes: OutcomeMatrix, k: int) -> list[Unseen]:
    """Return what trials of another kind do where one of them among ``k`` is enough."""
    none = np.zeros(outcomes.n_questions, dtype=np.int64)
    return [Unseen(none, outcomes.trials, np.full_like(none, k), any_of)]
