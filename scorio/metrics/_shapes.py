"""The shapes of intervals: normal, of quantiles, of continuous rewards, of a number of successes, of all that fits.

**All that fits.** ``N`` trials of each question determine the first ``N`` moments of the distribution of success rates
and nothing else. For ``k`` above ``N``, the learned prior fills the rest with a shape that is smooth, and its interval
can be narrow although other shapes, with gaps or with few values, fit as well and have other values. The range of these
values needs no shape: with ``l(F)`` the likelihood of the counts under the distribution ``F`` of rates, it holds every
value ``v`` for which some ``F`` of this value has

    log l(F) >= max log l - z^2 / 2

(Lindsay 1995, chapter 7). All distributions on a fine grid of rates are allowed, so that ``log l`` is concave and the
value linear. The distribution with the highest likelihood for its value is found by the kernel ``fitting_law``, from a
pull towards the least or the largest value there is; the pull is found from tangents and chords.

What the trials leave open widens intervals: each end goes from that of the learned law to that of this range, by the
share ``log(k/N) / log 4``: from ``4 N`` on, it is the range. Single trials show nothing of how rates differ, and leave
all of it open for any ``k`` above 1. Where the value can only grow with ``k``, the lower end is not below that at
``N``, which the trials do show; likewise the upper end where it can only fall.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Flags, Vector, cached_property, underflow_is_zero
from .._base.choices import BEYOND, CONTINUOUS, LEARNED, SHAPES, TARGETS
from .._base.special import betaincinv, xlog1py, xlogy
from .._kernels import fitting_law
from ..errors import OutcomeError, ParameterError, Remedy
from ..inference import Interval, Looks, Mixture, Prior
from ..inference._interval import Bounds, BoundsLike, within
from ..inference._law import SkewedT
from ..inference._level import Level
from ..inference._prior import PriorLike, as_prior
from ..outcomes import OutcomeMatrix
from ..params import choice
from ._shared_prior import effect_of_clusters

if TYPE_CHECKING:
    from ._base import Metric


NEVER, ALWAYS = OutcomeMatrix([[0]]), OutcomeMatrix([[1]])
NO_REACH: Bounds = (math.inf, -math.inf)  # extends no interval
_FEWEST_POINTS = 120  # of the grid of rates
_MOST_POINTS = 1500
_ENOUGH = 2e-3  # of a log-likelihood: how well the best fit is known
_STRIDES = 60  # after which an end is taken as it is; few are needed
_LONGEST, _FURTHER = 100.0, 1.2  # factors of a pull: the largest, and that by which it goes beyond the end sought
_EXACT_END = 0.002  # of the way from the best fit to an end
_AT_END = 1e-6  # of the range of values: an end so near to the last value is there
_STEEP = 1e3  # a pull times the mean from which on a mixture with the end loses least
_LEVEL = 1e-3  # a difference of two pulls, relative to them, or of likelihoods, that is none
_ROUNDING = 1e-9  # of a number of grid points
_CLOSE = 0.02  # change of the value between two rates, as a part of its range, where trials tell no difference
_LEAST_WIDTH = 1e-100  # of values, whose square a number holds
_NEVER = 1e-40  # a likelihood relative to the largest of the same outcomes; smaller numbers take long to multiply
_ENOUGH_QUESTIONS = 50
_FEW_QUESTIONS = (
    "k is above half of the trials of few questions: if their difficulties have few values,"
    ' intervals are too narrow, and shape="profile" holds'
)


class Request(NamedTuple):
    """The arguments of an interval: ``level`` is that of this look, and ``limits`` clip both ends, if there are any."""

    level: Level
    prior: PriorLike
    target: str = "questions"
    shape: str | None = None
    limits: Bounds | None = None
    looks: Looks | None = None


def limits_of(bounds: BoundsLike, support: Callable[..., Any], *of: Any) -> Bounds | None:
    """Return ``bounds`` as two ordered numbers, which may be infinite, and ``"support"`` as the range ``support(*of)``.

    >>> limits_of((0, 2), tuple, [0.0, 1.0]), limits_of("support", tuple, [0.0, 1.0]), limits_of(None, tuple)
    ((0.0, 2.0), (0.0, 1.0), None)
    """
    if bounds is None:
        return None
    if isinstance(bounds, str) and bounds == "support":
        low, high = support(*of)
        return low, high
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        raise ParameterError(f"must be two numbers (low, high); got {bounds!r}", argument="bounds") from None
    if not low <= high:
        raise ParameterError(f"must satisfy low <= high; got {bounds!r}", argument="bounds")
    return low, high


def shape_or_default(shape: str | None, prior: Prior, bounds: Bounds) -> str:
    """Return ``shape``; without one, ``"quantile"`` for a learned prior whose bounds serve it, else ``"normal"``."""
    if shape is not None:
        return choice("shape", shape, SHAPES)
    return "quantile" if Mixture.has_quantiles(bounds) and prior.is_learned else "normal"


def normal_interval(
    mu: float, sigma: float, request: Request, completeness: float, single_trials: bool = False
) -> Interval:
    """Return ``mu -+ z sigma``, both ends clipped to the limits, so that the lower never exceeds the upper."""
    level, prior, target, _, bounds, looks = request
    half_width = level.critical() * sigma if sigma != 0.0 else 0.0
    lo, hi = mu - half_width, mu + half_width
    if bounds is not None:
        lo, hi = within(bounds, lo), within(bounds, hi)
    values = {
        "mu": mu,
        "sigma": sigma,
        "lo": lo,
        "hi": hi,
        "confidence": level.confidence,
        "prior": prior,
        "completeness": completeness,
        "target": target,
        "looks": looks,
        "bounds": bounds,
        "single_trials": single_trials,
    }
    return Interval.of(values)


def interval_of(
    numbers: tuple[float, float, float, float], request: Request, bounds: Bounds | None, **about: Any
) -> Interval:
    """Return the interval with these numbers, of which the request and ``about`` say the rest."""
    level, prior, target, _, _, looks = request
    about = {"prior": prior, "target": target, "looks": looks, "bounds": bounds} | about
    return Interval(*numbers, confidence=level.confidence, **about)


def students_interval(
    posterior: SkewedT, request: Request, shape: str, reach: Bounds = NO_REACH, rewards: str = CONTINUOUS, **about: Any
) -> Interval:
    """Return the interval of the mean of real values, extended to ``reach``, both ends clipped to the limits."""
    lo, hi = posterior.ends(request.level, shape)
    lo, hi = min(lo, reach[0]), max(hi, reach[1])
    if request.limits is not None:
        lo, hi = within(request.limits, lo), within(request.limits, hi)
    numbers = posterior.mean, posterior.sd, lo, hi
    return interval_of(numbers, request, request.limits, shape=shape, rewards=rewards, **about)


def quantile_interval(
    posterior: Mixture, request: Request, bounds: Bounds, reach: Bounds = NO_REACH, **about: Any
) -> Interval:
    """Return the equal-tailed interval of Beta distributions on ``bounds``, extended to contain the mean.

    It is extended to ``reach`` too: values that the outcomes do not speak against, whatever the posterior says.
    """
    low, high = bounds
    tail = request.level.tail
    if not math.isfinite(high - low):
        raise ParameterError(f'shape="quantile" needs finite bounds; got {bounds}')
    if 0.0 < high - low < _LEAST_WIDTH:
        raise ParameterError(f'shape="quantile" needs bounds at least {_LEAST_WIDTH:g} apart; got {bounds}')
    mu = posterior.mean
    lo, hi = posterior.on(low, high).equal_tailed(tail) if high > low and tail > 0.0 else (low, high)
    lo, hi = within(bounds, min(lo, mu, reach[0])), within(bounds, max(hi, mu, reach[1]))
    return interval_of((mu, posterior.sd, lo, hi), request, bounds, shape="quantile", **about)


def check_binomial(metric: Metric, outcomes: OutcomeMatrix, target: str) -> None:
    """Raise an error that says why a metric of these outcomes has no binomial interval, if it has none."""
    if choice("target", target, TARGETS) != "questions":
        problem = '"binomial" is about these questions'
        raise ParameterError(problem, argument="shape", remedies=[Remedy("target", "questions", "asks about them")])
    if not metric.is_success_rate([outcomes]):
        problem = f'"binomial" is for shares of successes; {metric} of these outcomes is none'
        raise ParameterError(problem, argument="shape", hint="use pass@1 and binary outcomes")
    if outcomes.min_trials != outcomes.max_trials or outcomes.is_adaptive or outcomes.prior_counts is not None:
        problem = "the binomial interval needs the same number of trials of every question, chosen before the outcomes"
        raise OutcomeError(problem, remedies=[Remedy("shape", "quantile", "learns the difficulties instead")])


def binomial_interval(metric: Metric, outcomes: OutcomeMatrix, request: Request, **about: Any) -> Interval:
    """Return the interval that holds whatever the difficulties of these questions are.

    It is that of one success rate common to all trials, in which the metric is linear. Rates that differ between
    questions make the number of successes vary less (Hoeffding 1956), so that it is never too narrow for their mean.
    """
    check_binomial(metric, outcomes, request.target)
    prior: PriorLike = "jeffreys" if as_prior(request.prior).is_learned else request.prior
    failures, successes = outcomes.counts.sum(axis=0)[:2].tolist()
    alpha, beta = np.add(as_prior(prior).pair(), (successes, failures)).tolist()
    share, tail = alpha / (alpha + beta), request.level.tail
    ends = [
        0.0 if successes == 0 else min(float(betaincinv(alpha, beta, tail)), share),
        1.0 if failures == 0 else max(1.0 - float(betaincinv(beta, alpha, tail)), share),
    ]
    lowest, highest = metric.observed(NEVER), metric.observed(ALWAYS)
    gain = highest - lowest
    lo, hi = sorted(lowest + gain * end for end in ends)
    sigma = abs(gain) * math.sqrt(share * (1.0 - share) / (alpha + beta + 1.0))
    bounds, numbers = (min(lowest, highest), max(lowest, highest)), (lowest + gain * share, sigma, lo, hi)
    return interval_of(numbers, request, bounds, shape="binomial", **about | {"prior": prior})


def profile_interval(
    metric: Metric, outcomes: OutcomeMatrix, request: Request, ends: Bounds | None, **about: Any
) -> Interval:
    """Return the interval from end to end within the limits, around the posterior mean, or say why there is none."""
    if ends is None:
        problem = f'"profile" is for metrics of a number of successes; {metric} of these outcomes is none'
        raise ParameterError(problem, argument="shape", hint="use pass@k, pass^k or gpass@k and binary outcomes")
    mu = within(ends, metric.law_of(outcomes, request.prior, request.target).mean)
    sigma = (ends[1] - ends[0]) / (2.0 * request.level.critical())
    bounds = request.limits or metric.support(outcomes)
    lo, hi = (within(bounds, end) for end in ends)
    return interval_of((mu, sigma, lo, hi), request, bounds, shape="profile", **about)


def rates_between(trials: int, k: int) -> Vector:
    """Return rates from 0 to 1, closer where so many trials, or draws of k, tell them apart better."""
    points = min(max(_FEWEST_POINTS, math.ceil(10.0 * math.sqrt(max(trials, k)))), _MOST_POINTS)
    angle = np.linspace(0.0, 0.5 * np.pi, points + 1)
    rates: Vector = np.sin(angle) ** 2
    rates[-1] = 1.0
    return rates


def _telling(rates: Vector, values: Vector, trials: int) -> Flags:
    """Return which rates to keep: as close as so many trials tell apart, and closer where the value changes."""
    angle = np.arcsin(np.sqrt(rates))
    far = 0.5 * np.pi / min(max(_FEWEST_POINTS, math.ceil(10.0 * math.sqrt(trials))), _MOST_POINTS) * (1.0 - _ROUNDING)
    steps = np.concatenate([[0.0], np.diff(angle) / far + np.abs(np.diff(values)) / (_CLOSE * np.ptp(values) or 1.0)])
    part = np.floor(np.cumsum(steps) + _ROUNDING)
    kept = np.append(True, part[1:] > part[:-1])
    kept[-1] = True
    return kept


class Fit(NamedTuple):
    """The best fit of all distributions with its ``mean``, with which the log-likelihood rises by ``slope``."""

    share: Vector
    log_likelihood: float
    mean: float
    pull: float
    slope: float


@dataclass(frozen=True, eq=False)
class FittingLaws:
    """Distributions of success rates on a grid, with the likelihood of each state at each rate, (S, rates).

    A factor common to all rates of a state makes no difference.

    >>> likelihood = np.array([[1.0, 0.25, 0.0], [0.0, 0.5, 0.0], [0.0, 0.25, 1.0]])  # of 0, 1, 2 of 2 successes
    >>> laws = FittingLaws(likelihood, np.array([100.0, 100.0, 100.0]))
    >>> laws.best.share.round(3).tolist()
    [0.167, 0.667, 0.167]
    >>> [round(end, 3) for end in laws.range_of(np.array([0.0, 0.9, 1.0]), 1.96)]
    [0.703, 0.828]
    """

    likelihood: Vector
    questions: Vector

    @cached_property
    def best(self) -> Fit:
        """The distribution that fits best."""
        points = self.likelihood.shape[1]
        return self._fit(np.full(points, 1.0 / points), np.zeros(points), 0.0)

    def _fit(self, start: Vector, away: Vector, pull: float) -> Fit:
        """Return the best fit of all with its mean of ``away``, which is the nearer to 0 the larger a pull."""
        cost, questions = 1.0 + pull * away, float(self.questions.sum())
        share = start * cost
        share /= share.sum()
        log_likelihood = fitting_law.fit(self.likelihood / cost, self.questions, share, _ENOUGH)
        share /= cost
        total = share.sum()
        share /= total
        mean = float(away @ share)
        log_likelihood -= questions * math.log(total)
        return Fit(share, log_likelihood, mean, pull, questions * pull / (1.0 + pull * mean))

    def range_of(self, values: Vector, z: float) -> Bounds:
        """Return the least and the largest mean of ``values`` of the rates that fit within ``z`` standard errors."""
        ends = float(values.min()), float(values.max())
        width = max(ends[1] - ends[0], _LEAST_WIDTH)
        low, high = (self._least(np.abs(values - end) / width, z) for end in ends)
        return ends[0] + width * low, ends[1] - width * high

    def _least(self, away: Vector, z: float) -> float:
        """Return the least mean of ``away``, which is 0 to 1, that fits.

        The largest log-likelihood is a concave function of the mean. So it is below the tangents at two means next to
        the one that is sought, and above the chord between them, and above that of a mixture with a mean of 0, which
        becomes exact as the pull grows.
        """
        best, questions = self.best, float(self.questions.sum())
        limit, first = self.best.log_likelihood - 0.5 * z**2, float(away @ self.best.share)
        spread = max(float(best.share @ (away - first) ** 2), 1.0 / questions)
        near = far = None
        fit, pull, mean = best, z / math.sqrt(questions * spread), first
        for _ in range(_STRIDES):
            if mean < _AT_END:
                return 0.0
            fit = self._fit(fit.share, away, pull)
            near, far = (fit, far) if fit.log_likelihood >= limit else (near, fit)
            if near is None:
                pull *= _stride(best.log_likelihood - fit.log_likelihood, z)
                continue
            mean = near.mean * math.exp((limit - near.log_likelihood) / questions)
            if near.pull * near.mean > _STEEP:
                break
            if far is None:
                pull *= _stride(best.log_likelihood - near.log_likelihood, z)
                continue
            slope = (near.log_likelihood - far.log_likelihood) / (near.mean - far.mean)
            mean = min(mean, near.mean - (near.log_likelihood - limit) / slope)
            beyond = max(side.mean - (side.log_likelihood - limit) / side.slope for side in (near, far))
            if mean - beyond < _EXACT_END * (first - mean) or far.pull < (1.0 + _LEVEL) * near.pull:
                break
            pull = slope / max(questions - slope * mean, _LEVEL)
            if not near.pull < pull < far.pull:
                pull = math.sqrt(near.pull * far.pull)
        return mean


def _stride(lost: float, z: float) -> float:
    """Return by which factor a pull changes that is too small or too large for what the likelihood may lose."""
    reached = math.sqrt(2.0 * max(lost, _LEVEL)) / z
    factor = (_FURTHER if reached < 1.0 else 1.0 / _FURTHER) / math.sqrt(reached) ** 3
    return min(max(factor, 1.0 / _LONGEST), _LONGEST)


@underflow_is_zero
def range_of_fits(metric: Metric, outcomes: OutcomeMatrix, level: Level, target: str = "questions") -> Bounds | None:
    """Return the least and the largest value that fits the outcomes at this level, or None if it is not known how.

    For the population, questions in clusters count as fewer, by their design effect.

    >>> from scorio import PassAtK
    >>> outcomes = OutcomeMatrix.from_counts([0] * 40 + [1] * 20 + [2] * 40, 2)
    >>> [round(end, 2) for end in range_of_fits(PassAtK(4), outcomes, Level(0.95))]
    [0.52, 0.84]
    """
    if metric._worth is None or not outcomes.has_two_categories:
        return None
    states = outcomes.with_prior_counts.states
    c, n = (counts.astype(np.float64)[:, None] for counts in (states.successes, states.trials))
    rates = rates_between(int(states.trials.max()), metric.required_trials)
    values = metric._worth.at(rates, 1.0 - rates)
    telling = _telling(rates, values, int(states.trials.max()))
    rates, values = rates[telling], values[telling]
    kept = n[:, 0] > 0.0
    if not kept.any() or not math.isfinite(level.critical()):
        return float(values.min()), float(values.max())
    likelihood = xlogy(c, rates) + xlog1py(n - c, -rates)
    likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    likelihood[likelihood < _NEVER] = 0.0
    questions = states.multiplicity[kept] / (effect_of_clusters(outcomes) if target == "population" else 1.0)
    return FittingLaws(likelihood[kept], questions).range_of(values, level.critical())


def few_questions_note(metric: Any, questions: int, trials: int, intervals: Iterable[Interval]) -> list[str]:
    """Return a note where few questions hardly show how their values vary: k is above half of their trials."""
    k, worth = getattr(metric, "required_trials", 1), getattr(metric, "_worth", None)
    if worth is None or not 1 < k <= trials < 2 * k or questions >= _ENOUGH_QUESTIONS:
        return []
    is_learned = any(interval.shape == "quantile" and as_prior(interval.prior).is_learned for interval in intervals)
    return [_FEW_QUESTIONS] if metric.is_mean_over_questions and is_learned else []


class LeftOpen(NamedTuple):
    """The ``ends`` of the range of all that fits the outcomes, and its ``share`` in those of the interval.

    Ends of intervals are kept within ``kept_within``: the interval at ``k = N`` on the side that a larger ``k`` cannot
    pass, else no bound.
    """

    share: float
    ends: Bounds
    kept_within: Bounds = (-math.inf, math.inf)


def left_open(metric: Metric, outcomes: OutcomeMatrix, level: Level, target: str) -> LeftOpen | None:
    """Return what the outcomes leave open of the metric; None if that is nothing, or not known."""
    share = metric.share_left_open(outcomes)
    if share == 0.0:
        return None
    ranges: dict[Any, LeftOpen | None] = outcomes.cached("ranges", dict)
    asked = metric, level, target
    if asked not in ranges:
        ends = metric._range(outcomes, level, target)
        kept = (-math.inf, math.inf) if ends is None else _shown(metric, outcomes, level, target)
        ranges[asked] = ends and LeftOpen(share, (within(kept, ends[0]), within(kept, ends[1])), kept)
    return ranges[asked]


def _shown(metric: Metric, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:
    """Return the end of the interval at ``k = N``, which a larger ``k`` cannot pass; the other end is infinite.

    Single trials show no such end: how much they vary is a guess.
    """
    trials = outcomes.with_prior_counts.min_trials
    if metric._trend == 0 or trials < 2:
        return -math.inf, math.inf
    shown: Metric = replace(metric, k=trials)  # type: ignore[call-arg]
    interval = shown._interval(outcomes, Request(level, LEARNED, target, limits=shown.support(outcomes)))
    return (interval.lo, math.inf) if metric._trend > 0 else (-math.inf, interval.hi)


def widened(interval: Interval, opening: LeftOpen, level: Level) -> Interval:
    """Return the interval with both ends moved towards those of the range by its share, and the mean into it."""
    share, bounds = opening.share, interval.bounds or (-math.inf, math.inf)
    lo, hi = (
        within(bounds, (1.0 - share) * within(opening.kept_within, near) + share * far)
        for near, far in zip((interval.lo, interval.hi), opening.ends, strict=True)
    )
    spread = (opening.ends[1] - opening.ends[0]) / (2.0 * level.critical())
    sigma = (1.0 - share) * interval.sigma + share * spread
    mu = (1.0 - share) * interval.mu + share * within(opening.ends, interval.mu)
    return replace(interval, mu=mu, sigma=sigma, lo=lo, hi=hi, shape=BEYOND)
