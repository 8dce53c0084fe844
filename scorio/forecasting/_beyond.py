"""Pass@k and Pass^k for k far above the trials: forecasts, whose tail of success rates has a law of its own.

Up to 4 times the trials, it is mostly the learned prior of all questions that says how the rates go on below one over
the trials, unless the questions of few successes contradict it. From 16 times the trials on, ``TailPrior`` does, which
is fitted to these questions alone; the law is a mixture of both, whose weights change with the logarithm of k.
Questions of more successes keep the learned prior: theirs are solved within k trials almost surely. Pass^k is the same
seen from the other end: few failures.
"""

import math
from typing import NamedTuple

import numpy as np

from .._arrays import Vector, cached_property
from ..inference import Level, Mixture
from ..metrics import Averaged, has_even_trials
from ..outcomes import OutcomeMatrix
from ._tail import FEWEST_TRIALS, TailPrior

AT_FIRST, _TO = 4.0, 16.0  # times the trials: where the tail begins to count, and where it alone does
_AGREES = 0.5  # standard deviations between two means that are no disagreement; one more, and the tail has its weight
_UNTOLD = 0.2  # weight of the tail's law between them
HOPELESS = (0.25, 0.75)  # probabilities, beforehand, of questions of rate 0, under which intervals hold as well
_ENOUGH = 8  # trials of a question from which on the tail has a weight so early: counts of 0, 1 and 2 are few
_BINS, _FAR = 4096, 8.0  # of means, and how many standard deviations they reach
_COMPONENTS = 256  # of a mixture, after like ones are joined
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
        return TailPrior(n - c if failures else c, n, questions, declared=not has_even_trials(outcomes))

    return outcomes.cached(f"tail of {'failures' if failures else 'successes'}", fitted)


class Unsolved(NamedTuple):
    """Questions that were never solved (of Pass^k: never failed), and what they leave open; see ``Forecast``."""

    unsolved: int
    if_none: float
    if_all: float
    from_tail: float


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
    def expected(self) -> float:
        """The mean of the law."""
        weight, total, _ = self.tail.moments(self.k)
        return float(weight @ self._means(total))

    @cached_property
    def law(self) -> Mixture:
        """The law of the mean over questions."""
        return self.law_if(0.5)

    def law_if(self, hopeless: float) -> Mixture:
        """Return the law if this were how probable it is beforehand that there are questions of rate 0."""
        _, total, spread = self.tail.moments(self.k)
        weight = self.tail.weight_if(hopeless).ravel()
        return joined(weight, self._means(total), (self.noise + spread) / self.count**2)

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

    @property
    def unsolved(self) -> int:
        """How many questions were never solved (of Pass^k: never failed)."""
        return int(self.questions[self.tail.is_low & (self.never == 0)].sum())

    @cached_property
    def told(self) -> Unsolved:
        """What the unsolved questions leave open, in numbers."""
        solved = self.tail.moments(self.k, solved=True)
        mean = float(solved.weight @ solved.mean)
        of_solved = self.noise + float(solved.weight @ (solved.variance + (solved.mean - mean) ** 2))
        weight, total, _ = self.tail.moments(self.k)
        shares = len(self.tail.weight)  # of which the first is that of no rate of 0
        can, sums = weight.reshape(shares, -1)[0], total.reshape(shares, -1)[0]
        if_all = float(self._means(can @ sums / can.sum()))
        least, most, _ = self.ends
        sd = self.law.sd
        share = 1.0 - math.sqrt(min(of_solved / self.count**2 / sd**2, 1.0)) if sd > 0.0 else 0.0
        return Unsolved(self.unsolved, most if self.failures else least, if_all, share)


def joined(weight: Vector, mean: Vector, variance: Vector) -> Mixture:
    """Return the mixture with components of neighbouring means joined, so that some 256 are left.

    Means go into narrow bins first, which needs no sorting, and neighbouring bins are joined by their weight.
    """
    low, high = float(mean.min()), float(mean.max())
    center = float(weight @ mean)
    reach = _FAR * math.sqrt(float(weight @ (mean - center) ** 2))
    low, high = max(low, center - reach), min(high, center + reach)
    place = (mean - low) * (_BINS / (high - low) if high > low else 0.0)
    bins = np.clip(place, 0.0, _BINS - 1.0).astype(np.intp)
    mass, first = np.bincount(bins, weight, minlength=_BINS), np.bincount(bins, weight * mean, minlength=_BINS)
    second = np.bincount(bins, weight * (variance + mean**2), minlength=_BINS)
    below = np.cumsum(mass) - mass / 2.0
    group = np.minimum((below / mass.sum() * _COMPONENTS).astype(np.intp), _COMPONENTS - 1)
    sums = np.array([np.bincount(group, power, minlength=_COMPONENTS) for power in (mass, first, second)])
    whole, first, second = sums[:, sums[0] > 0.0]
    means = first / whole
    return Mixture(whole / whole.sum(), means, np.maximum(second / whole - means**2, 0.0))


def mixed(one: Mixture, other: Mixture, share: float) -> Mixture:
    """Return the law that is the other one with probability ``share``."""
    if share == 1.0:
        return other
    parts = zip((one.weights / one.weights.sum(), other.weights), (1.0 - share, share), strict=True)
    weight = np.concatenate([weights * part for weights, part in parts])
    means, variances = ([getattr(law, name) for law in (one, other)] for name in ("means", "variances"))
    return Mixture(weight, np.concatenate(means), np.concatenate(variances))


def reach_of_whole_questions(forecast: Beyond, law: Mixture, count: int, level: Level) -> tuple[float, float]:
    """Return ends for intervals that come within half a question of all being solved, or none of the unsolved.

    A law of means and variances has no mass at either, and outcomes often leave both possible. Where all are solved, so
    are those that were solved in the trials, although their rates are not known either.
    """
    half, (least, most, farthest) = _WHOLE / count, forecast.ends
    near = law.on(0.0, 1.0).cdf(np.array([least + half, most - half]))
    lowest, highest = min(least, farthest), max(most, farthest)
    lowest, highest = (0.0 if lowest < half else lowest), (1.0 if highest > 1.0 - half else highest)
    return lowest if near[0] > level.tail else math.inf, highest if near[1] < 1.0 - level.tail else -math.inf
