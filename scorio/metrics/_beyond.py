"""Pass@k and Pass^k for k far above the trials: forecasts, whose tail of success rates has a law of its own.

Up to 4 times the trials, the learned prior of all questions says how the rates go on below one over the trials, unless
the questions of few successes contradict it. From 16 times the trials on, ``TailPrior`` does, which is fitted to these
questions alone; between them, the law is a mixture of both, whose weights change with the logarithm of k. Questions of
more successes keep the learned prior: theirs are solved within k trials almost surely. Pass^k is the same seen from the
other end: few failures.
"""

import math
from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from ..inference import FEWEST_TRIALS, Level, Mixture, TailPrior
from ..outcomes import OutcomeMatrix
from ._shared_prior import Averaged
from ._trial_design import Design, design_of

AT_FIRST, _TO = 4.0, 16.0  # times the trials: where the tail begins to count, and where it alone does
_AGREES = 0.5  # standard deviations between two means that are no disagreement; one more, and the tail has its weight
_ENOUGH = 8  # trials of a question with which a tail can contradict the learned prior: counts of 0, 1 and 2 are few
_COMPONENTS = 256  # of a mixture, after like ones are joined
_WHOLE = 0.5  # of a question: an end that is nearer to all, or to none of the unsolved, goes there


def share_of_tail(k: int, trials: float, distance: float = 0.0) -> float:
    """Return the weight of the tail's own law.

    From 4 to 16 times the trials, it grows from 0 to 1. Where both laws disagree, it grows from the trials on:
    ``distance`` is that of their means, in standard deviations of the learned prior's.

    >>> share_of_tail(256, 64.0), share_of_tail(512, 64.0), share_of_tail(5000, 64.0)
    (0.0, 0.5, 1.0)
    >>> share_of_tail(256, 64.0, 1.0), share_of_tail(256, 64.0, 2.0), share_of_tail(64, 64.0, 2.0)
    (0.25, 0.5, 0.0)
    """
    if trials < FEWEST_TRIALS or k <= trials:
        return 0.0
    late = math.log(k / (AT_FIRST * trials)) / math.log(_TO / AT_FIRST)
    doubted = min(max(distance - _AGREES, 0.0), 1.0) if trials >= _ENOUGH else 0.0
    return min(max(late, doubted * math.log(k / trials) / math.log(_TO), 0.0), 1.0)


def tail_prior(outcomes: OutcomeMatrix, *, failures: bool) -> TailPrior:
    """Return the law of the rates near 0 or, of ``failures``, near 1; kept with the outcomes."""

    def fitted() -> TailPrior:
        states = outcomes._states
        c, n, questions = states.successes, states.trials, states.multiplicity
        declared = design_of(outcomes) in (Design.DECLARED, Design.STOPPED, Design.DEPENDENT)
        return TailPrior(n - c if failures else c, n, questions, declared=declared)

    return outcomes._cached(f"tail of {'failures' if failures else 'successes'}", fitted)


class Tail(NamedTuple):
    """The law of the rates near 0, or near 1 ``of_failures``, that decides a metric of ``k`` trials."""

    prior: TailPrior
    k: int
    of_failures: bool


class Unsolved(NamedTuple):
    """Questions that were never solved (of Pass^k: never failed), and what they leave open; see ``Forecast``."""

    unsolved: int
    if_none: float
    if_all: float
    from_tail: float


class Beyond(NamedTuple):
    """A forecast of the value for these questions: as a law, of each state, and what the unsolved ones leave open.

    ``least`` and ``most`` are the values if none or all of the questions that were never solved can be; of Pass^k, if
    all or none of those that never failed can fail. ``farthest`` is the value if all questions of few successes are
    solved or, of Pass^k, fail.
    """

    law: Mixture
    mean: Vector
    variance: Vector
    least: float
    most: float
    farthest: float
    unsolved: Unsolved


def beyond(outcomes: OutcomeMatrix, k: int, learned: Averaged, *, failures: bool) -> Beyond:
    """Return the forecast of ``1 - (1 - p)^k`` or, of ``failures``, of ``p^k``; ``learned`` is that of the prior."""
    tail, states = tail_prior(outcomes, failures=failures), outcomes._states
    questions, low = states.multiplicity, tail.is_low
    mean, variance = np.clip(learned.mean, 0.0, 1.0), learned.within + learned.between
    first, second = tail.each_state(k)
    mean[low], variance[low] = (1.0 - first if failures else first), second
    rest = questions[~low] @ mean[~low]
    noise = questions[~low] @ learned.within[~low] + (questions[~low] @ np.sqrt(learned.between[~low])) ** 2
    weight, total, spread = tail.moments(k)
    count = states.n_questions
    of_low = questions[low].sum() - total if failures else total
    means = np.clip((rest + of_low) / count, 0.0, 1.0)
    law = joined(Mixture(weight, means, (noise + spread) / count**2))
    never = states.trials - states.successes if failures else states.successes
    unsolved = int(questions[low & (never == 0)].sum())
    known = float(questions[low & (never > 0)] @ mean[low & (never > 0)] + rest) / count
    least, most = known, min(known + unsolved / count, 1.0)
    everything = float(rest + (0.0 if failures else questions[low].sum())) / count
    solved = tail.moments(k, solved=True)
    mean_solved = float(np.sum(solved.weight * solved.mean))
    own = float(noise + np.sum(solved.weight * (solved.variance + (solved.mean - mean_solved) ** 2))) / count**2
    if_all = float(np.sum(tail.weight[0] * total.reshape(tail.weight.shape)[0]) / tail.weight[0].sum())
    if_all = min(float(rest + (questions[low].sum() - if_all if failures else if_all)) / count, 1.0)
    share = 1.0 - math.sqrt(min(own / law.sd**2, 1.0)) if law.sd > 0.0 else 0.0
    told = Unsolved(unsolved, most if failures else least, if_all, share)
    return Beyond(law, mean, variance, least, most, everything, told)


def joined(law: Mixture) -> Mixture:
    """Return the mixture with components of neighbouring means joined, so that some 256 are left."""
    order = np.argsort(law.means)
    weight, mean, variance = law.weights[order], law.means[order], law.variances[order]
    below = np.cumsum(weight) - weight / 2.0
    bins = np.minimum((below / weight.sum() * _COMPONENTS).astype(np.intp), _COMPONENTS - 1)
    mass = np.bincount(bins, weight, minlength=_COMPONENTS)
    filled = mass > 0.0
    first = np.bincount(bins, weight * mean, minlength=_COMPONENTS)[filled] / mass[filled]
    place = np.cumsum(filled) - 1
    within = variance + (mean - first[place[bins]]) ** 2
    second = np.bincount(bins, weight * within, minlength=_COMPONENTS)[filled] / mass[filled]
    return Mixture(mass[filled] / weight.sum(), first, second)


def mixed(one: Mixture, other: Mixture, share: float) -> Mixture:
    """Return the law that is the other one with probability ``share``."""
    if share == 1.0:
        return other
    parts = zip((one.weights / one.weights.sum(), other.weights), (1.0 - share, share), strict=True)
    weight = np.concatenate([weights * part for weights, part in parts])
    means, variances = ([getattr(each, name) for each in (one, other)] for name in ("means", "variances"))
    return Mixture(weight, np.concatenate(means), np.concatenate(variances))


def reach_of_whole_questions(forecast: Beyond, law: Mixture, count: int, level: Level) -> tuple[float, float]:
    """Return ends for intervals that come within half a question of all being solved, or none of the unsolved.

    A law of means and variances has no mass at either, and outcomes often leave both possible. Where all are solved, so
    are those that were solved in the trials, although their rates are not known either.
    """
    half, (least, most, farthest) = _WHOLE / count, (forecast.least, forecast.most, forecast.farthest)
    near = law.on(0.0, 1.0).cdf(np.array([least + half, most - half]))
    lowest, highest = min(least, farthest), max(most, farthest)
    lowest, highest = (0.0 if lowest < half else lowest), (1.0 if highest > 1.0 - half else highest)
    return lowest if near[0] > level.tail else math.inf, highest if near[1] < 1.0 - level.tail else -math.inf
