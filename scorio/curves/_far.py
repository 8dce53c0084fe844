"""Pass@k and Pass^k for k far above the trials: forecasts, whose tail of success rates has a law of its own.

Up to 4 times the trials, it is mostly the learned prior of all questions that says how the rates go on below one over
the trials, unless the questions of few successes contradict it. From 16 times the trials on, ``TailPrior`` does, which
is fitted to these questions alone; the law is a mixture of both, whose weights change with the logarithm of k.
Questions of more successes keep the learned prior: theirs are solved within k trials almost surely. Pass^k is the same
seen from the other end: few failures.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Vector, cached_property
from .._base.choices import UNIFORM
from ..inference import Mixture
from ..inference._interval import Bounds
from ..inference._level import Level
from ..inference._prior import PriorLike, as_prior
from ..metrics import CountMetric, Metric, Moments, PassAtK, PassHatK
from ..metrics._checks import Design, design_of
from ..metrics._shared_prior import Averaged, clustered, groups, learned_prior, of_states
from ..outcomes import OutcomeMatrix
from ._tail import FEWEST_TRIALS, TailPrior

AT_FIRST, _TO = 4.0, 16.0  # times the trials: where the tail begins to count, and where it alone does
_AGREES = 0.5  # standard deviations between two means that are no disagreement; one more, and the tail has its weight
_UNTOLD = 0.2  # weight of the tail's law between them
HOPELESS = (0.25, 0.75)  # probabilities, beforehand, of questions of rate 0, under which intervals hold as well
_ENOUGH = 8  # trials of a question from which on the tail has a weight so early: counts of 0, 1 and 2 are few
_WHOLE = 0.5  # of a question: an end that is nearer to all, or to none of the unsolved, goes there


def share_of_tail(k: int, trials: float, distance: float = 0.0) -> float:
    """Return the weight of the tail's own law.

    It is 1/5 from 2 times the trials on, because outcomes cannot tell both laws apart there, and grows to 1 from 4 to
    16 times. Where both laws disagree, it is larger: ``distance`` is that of their means, in standard deviations of the
    learned prior's.

    >>> share_of_tail(64, 64.0), share_of_tail(256, 64.0), share_of_tail(512, 64.0), share_of_tail(5000, 64.0)
    (0.0, 0.2, 0.5, 1.0)
    >>> share_of_tail(256, 64.0, 1.0), share_of_tail(256, 64.0, 2.0), share_of_tail(64, 64.0, 2.0)
    (0.25, 0.5, 0.0)
    """
    if trials < FEWEST_TRIALS or k <= trials:
        return 0.0
    late = math.log(k / (AT_FIRST * trials)) / math.log(_TO / AT_FIRST)
    if trials < _ENOUGH:
        return min(max(late, 0.0), 1.0)
    untold = _UNTOLD * min(math.log2(k / trials), 1.0)
    doubted = min(max(distance - _AGREES, 0.0), 1.0) * math.log(k / trials) / math.log(_TO)
    return min(max(late, untold, doubted), 1.0)


def tail_prior(outcomes: OutcomeMatrix, *, failures: bool) -> TailPrior:
    """Return the law of the rates near 0 or, of ``failures``, near 1; kept with the outcomes."""

    def fitted() -> TailPrior:
        states = outcomes.states
        c, n, questions = states.successes, states.trials, states.multiplicity
        return TailPrior(n - c if failures else c, n, questions, declared=design_of(outcomes) is not Design.EVEN)

    return outcomes.cached(f"tail of {'failures' if failures else 'successes'}", fitted)


class Beyond:
    """A forecast of ``1 - (1 - p)^k`` or, of ``failures``, of ``p^k``: as a law, of each state, and what is left open.

    ``learned`` is the value under the learned prior, which questions of more successes keep.
    """

    def __init__(self, outcomes: OutcomeMatrix, k: int, learned: Averaged, *, failures: bool) -> None:
        self.tail, self.k, self.failures = tail_prior(outcomes, failures=failures), k, failures
        states = outcomes.states
        self.questions, self.count, low = states.multiplicity, states.n_questions, self.tail.is_low
        self.never = states.trials - states.successes if failures else states.successes
        self.learned = np.clip(learned.mean, 0.0, 1.0), learned.within + learned.between
        body = self.questions[~low]
        self.rest = float(body @ self.learned[0][~low])
        self.noise = float(body @ learned.within[~low] + (body @ np.sqrt(learned.between[~low])) ** 2)
        self.few = float(self.questions[low].sum())

    def _means(self, solved: Vector) -> Vector:
        """Return means over all questions from sums over those of few successes."""
        of_low = self.few - solved if self.failures else solved
        return np.clip((self.rest + of_low) / self.count, 0.0, 1.0)

    @cached_property
    def law(self) -> Mixture:
        """The law of the mean over questions."""
        return self.law_if(0.5)

    def law_if(self, hopeless: float) -> Mixture:
        """Return the law if this were how probable it is beforehand that there are questions of rate 0."""
        _, total, spread = self.tail.moments(self.k)
        weight = self.tail.weight_if(hopeless).ravel()
        return Mixture(weight / weight.sum(), self._means(total), (self.noise + spread) / self.count**2)

    @cached_property
    def of_states(self) -> tuple[Vector, Vector]:
        """The mean and the variance of the value of each state."""
        mean, variance = (values.copy() for values in self.learned)
        first, second = self.tail.each_state(self.k)
        low = self.tail.is_low
        mean[low], variance[low] = (1.0 - first if self.failures else first), second
        return mean, variance

    @cached_property
    def ends(self) -> tuple[float, float, float]:
        """The least, the most and the farthest value.

        They are the values if none or all of the questions that were never solved can be (of Pass^k, if all or none of
        those that never failed can fail), and if all questions of few successes are solved (of Pass^k, fail).
        """
        seen = self.tail.is_low & (self.never > 0)
        least = float(self.questions[seen] @ self.of_states[0][seen] + self.rest) / self.count
        everything = (self.rest + (0.0 if self.failures else self.few)) / self.count
        return least, min(least + self.unsolved / self.count, 1.0), everything

    def reach_of_whole_questions(self, law: Mixture, level: Level) -> tuple[float, float]:
        """Return ends for intervals that come within half a question of all being solved, or none of the unsolved.

        A law of means and variances has no mass at either, and outcomes often leave both possible. Where all are
        solved, so are those that were solved in the trials, although their rates are not known either.
        """
        half, (least, most, farthest) = _WHOLE / self.count, self.ends
        near = law.on(0.0, 1.0).cdf(np.array([least + half, most - half]))
        lowest, highest = min(least, farthest), max(most, farthest)
        lowest, highest = (0.0 if lowest < half else lowest), (1.0 if highest > 1.0 - half else highest)
        return lowest if near[0] > level.tail else math.inf, highest if near[1] < 1.0 - level.tail else -math.inf

    @property
    def unsolved(self) -> int:
        """How many questions were never solved (of Pass^k: never failed)."""
        return int(self.questions[self.tail.is_low & (self.never == 0)].sum())

    @cached_property
    def from_tail(self) -> float:
        """The part of the standard deviation that the questions bring that were never solved."""
        solved = self.tail.moments(self.k, solved=True)
        mean = float(solved.weight @ solved.mean)
        of_solved = self.noise + float(solved.weight @ (solved.variance + (solved.mean - mean) ** 2))
        sd = self.law.sd
        return 1.0 - math.sqrt(min(of_solved / self.count**2 / sd**2, 1.0)) if sd > 0.0 else 0.0

    def of_unsolved(self, share: float) -> tuple[float, float]:
        """Return what the unsolved questions add to the mean, and what they would add besides if all can be solved.

        ``share`` is the weight of this law beside the learned prior's, in which all of them can.
        """
        solved, (weight, total, _) = self.tail.moments(self.k, solved=True), self.tail.moments(self.k)
        shares = len(self.tail.weight)  # of which the first is that of no rate of 0
        can, sums = weight.reshape(shares, -1)[0], total.reshape(shares, -1)[0]
        mean, values = float(weight @ total), self.learned[0][self.tail.is_low & (self.never == 0)]
        questions = self.questions[self.tail.is_low & (self.never == 0)]
        learned = float(questions @ (1.0 - values if self.failures else values))
        adds = (1.0 - share) * learned + share * (mean - float(solved.weight @ solved.mean))
        return adds / self.count, share * max(float(can @ sums / can.sum()) - mean, 0.0) / self.count


def _mixture(one: Mixture, other: Mixture, share: float) -> Mixture:
    if share == 1.0:
        return other
    parts = zip((one.weights / one.weights.sum(), other.weights), (1.0 - share, share), strict=True)
    weight = np.concatenate([weights * part for weights, part in parts])
    means, variances = (one.means, other.means), (one.variances, other.variances)
    return Mixture(weight, np.concatenate(means), np.concatenate(variances))


@dataclass(frozen=True)
class Far(CountMetric):
    """A success, or a failure, that decides alone: far beyond the trials, the tail of rates has a law of its own."""

    of_failures: ClassVar[bool] = False

    def share_left_open(self, outcomes: OutcomeMatrix) -> float:
        """Return 1 for single trials; with more, the law says all."""
        return super().share_left_open(outcomes) if outcomes.max_trials <= 1 else 0.0

    def _is_in_kernel(self, ends: Bounds, confidence: float) -> bool:  # noqa: ARG002 - the kernel knows no tail
        return False

    def _share_of_tail(self, outcomes: OutcomeMatrix) -> float:
        """Return the weight of the tail's own law; kept with the outcomes, for it depends on both laws."""
        trials = outcomes.mean_trials
        least, most = share_of_tail(self.k, trials), share_of_tail(self.k, trials, math.inf)

        def doubted() -> float:
            learned = super(Far, self)._learned_law(outcomes, "questions")
            apart = abs(self.beyond(outcomes).law.mean - learned.mean)
            return share_of_tail(self.k, trials, apart / learned.sd if learned.sd > 0.0 else 0.0)

        return outcomes.with_prior_counts.cached(f"share of the tail of {self}", doubted) if most > least else least

    def beyond(self, outcomes: OutcomeMatrix) -> Beyond:
        """Return the forecast under the tail's own law; kept with the outcomes."""
        recorded = outcomes.with_prior_counts

        def forecast_of_tail() -> Beyond:
            learned = of_states(self._worth, learned_prior(recorded))
            return Beyond(recorded, self.k, learned, failures=self.of_failures)

        return recorded.cached(f"forecast of {self}", forecast_of_tail)

    def _mixed(self, outcomes: OutcomeMatrix, hopeless: float | None = None) -> Mixture:
        """Return the mixture of both laws, the tail's own with another probability of hopeless questions if named."""
        share = self._share_of_tail(outcomes)
        if share == 0.0:
            return super()._learned_law(outcomes, "questions")
        forecast = self.beyond(outcomes)
        law_of_tail = forecast.law if hopeless is None else forecast.law_if(hopeless)
        return _mixture(super()._learned_law(outcomes, "questions"), law_of_tail, share)

    def _kept(self, outcomes: OutcomeMatrix) -> float:
        """Return the part that is kept of what is unsolved (of Pass^k, of what never fails).

        It is below 1 where the law would have more of it than is left with fewer trials: as many as there are, whose
        score is known, or those from which on the tail takes over.
        """
        trials = outcomes.mean_trials
        before = [k for k in (int(trials), math.ceil(AT_FIRST * trials)) if 0 < k < self.k]
        if not before or self._share_of_tail(outcomes) == 0.0:
            return 1.0

        def part_kept() -> float:
            means = [metric._mixed(outcomes).mean for metric in (self, *(replace(self, k=k) for k in before))]
            now, *left = means if self.of_failures else [1.0 - mean for mean in means]
            return min(*left, now) / now if now > 0.0 else 1.0

        return outcomes.with_prior_counts.cached(f"what {self} keeps of what is left before", part_kept)

    def told(self, outcomes: OutcomeMatrix, mu: float) -> dict[str, Any]:
        """Return what the unsolved questions leave open around the mean, as ``Forecast`` has it."""
        forecast, kept = self.beyond(outcomes), self._kept(outcomes) * (-1.0 if self.of_failures else 1.0)
        adds, more = forecast.of_unsolved(self._share_of_tail(outcomes))
        ends = {"if_none": min(max(mu - kept * adds, 0.0), 1.0), "if_all": min(max(mu + kept * more, 0.0), 1.0)}
        return {"unsolved": forecast.unsolved, **ends, "from_tail": forecast.from_tail}

    def _nearer(self, law: Mixture, outcomes: OutcomeMatrix) -> Mixture:
        """Return the law with no more of what is unsolved than is kept."""
        kept = self._kept(outcomes)
        return law if kept == 1.0 else replace(law, means=self._moved(law.means, kept))

    def _moved(self, values: Vector, kept: float) -> Vector:
        return values * kept if self.of_failures else 1.0 - (1.0 - values) * kept

    def _learned_law(self, outcomes: OutcomeMatrix, target: str) -> Mixture:
        if target == "questions":
            return self._nearer(self._mixed(outcomes), outcomes)
        share, learned = self._share_of_tail(outcomes), super()._learned_law(outcomes, target)
        if share == 0.0:
            return learned
        forecast = self.beyond(outcomes)
        where = outcomes.with_prior_counts.state_of_question
        mean, variance = (values[where] for values in forecast.of_states)
        spread = clustered(mean, groups(outcomes)) + float(variance.sum()) / len(mean) ** 2
        wider = replace(forecast.law, variances=forecast.law.variances + spread)
        return self._nearer(_mixture(learned, wider, share), outcomes)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""
        learned, outcomes = super().moments(R, prior=prior), self.admit(R)
        share = self._share_of_tail(outcomes)
        if share == 0.0 or not as_prior(prior).is_learned:
            return learned
        forecast, where = self.beyond(outcomes), outcomes.with_prior_counts.state_of_question
        mean_of_tail, spread = (values[where] for values in forecast.of_states)
        mean = (1.0 - share) * learned.mean + share * mean_of_tail
        second = (1.0 - share) * (learned.variance + learned.mean**2) + share * (spread + mean_of_tail**2)
        variance = np.maximum(second - mean**2, 0.0)
        return Moments(self._moved(mean, self._kept(outcomes)), variance)

    def _reach(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:
        least, most = super()._reach(outcomes, level, target)
        if target != "questions" or self._share_of_tail(outcomes) == 0.0:
            return least, most
        for law in self._possible(outcomes):
            low, high = self.beyond(outcomes).reach_of_whole_questions(law, level)
            lo, hi = law.on(0.0, 1.0).equal_tailed(level.tail)
            least, most = min(least, low, lo), max(most, high, hi)
        return least, most

    def _possible(self, outcomes: OutcomeMatrix) -> list[Mixture]:
        """Return the laws whose intervals are within that of the metric.

        Far beyond the trials, they are those for all probabilities of hopeless questions, beforehand, that are between
        1/4 and 3/4: outcomes do not tell, and all of them are as good as 1/2.
        """
        if self.k <= AT_FIRST * outcomes.mean_trials:
            return [self._learned_law(outcomes, "questions")]
        return [self._nearer(self._mixed(outcomes, hopeless), outcomes) for hopeless in HOPELESS]


@dataclass(frozen=True)
class FarPass(Far, PassAtK):
    """Pass@k."""


@dataclass(frozen=True)
class FarPassHat(Far, PassHatK):
    """Pass^k, which is decided by a failure."""

    of_failures: ClassVar[bool] = True


_KINDS: dict[type[Metric], type[Far]] = {PassAtK: FarPass, PassHatK: FarPassHat}


def forecast_of(metric: Metric) -> Metric:
    """Return a metric under the law of forecasts; one that has no such law stays as it is.

    >>> forecast_of(PassAtK(8)), forecast_of(Metric.from_string("maj@8"))
    (FarPass(k=8), MajAtK(k=8))
    """
    kind = _KINDS.get(type(metric))
    return metric if kind is None else kind(**metric.get_params())
