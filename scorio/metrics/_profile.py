"""The values of a metric under every distribution of success rates that fits the outcomes: a profile likelihood.

``N`` trials of each question determine the first ``N`` moments of the distribution of success rates and nothing else.
For ``k`` above ``N``, the learned prior fills the rest with a shape that is smooth, and its interval can be narrow
although other shapes, with gaps or with few values, fit as well and have other values. The range of these values needs
no shape: with ``l(F)`` the likelihood of the counts under the distribution ``F`` of rates, it holds every value ``v``
for which some ``F`` of this value has

    log l(F) >= max log l - z^2 / 2

(Lindsay 1995, chapter 7). All distributions on a fine grid of rates are allowed, so that ``log l`` is concave and the
value linear. The distributions with the highest likelihood for their value are those that maximize
``log l(F) - penalty/2 (value(F) - end)^2`` for some penalty, where the end is the least or the largest value there is;
the penalty is found by bisection, and each maximum by Newton steps whose quadratic problem is one of least squares with
weights that are not negative, on the rates in use and those of steepest ascent (Wang 2007).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .._arrays import Flags, Vector, cached_property, underflow_is_zero
from .._kernels import fitting_law
from .._special import xlog1py, xlogy
from ..errors import ParameterError
from ..inference import Bounds, Interval, Level, Mixture, PriorLike, SkewedT, as_prior, within
from ..outcomes import OutcomeMatrix
from ._clusters import effect_of_clusters

_FEWEST_POINTS = 120  # of the grid of rates
_MOST_POINTS = 1500
_STRIDE = 2.0  # in the logarithm of a penalty
_STRIDES = 60  # after which a penalty is as good as none or as infinite
_SECANTS = 20  # of which few are needed
_EXACT_END = 0.001  # of the standard errors that an end is away from the best fit
_AT_END = 1e-6  # of the range of values: an end so near to the last value is there
_LEVEL = 1e-9  # a difference of two ascents, relative to the largest, that is none
_CLOSE = 0.02  # change of the value between two rates, as a part of its range, where trials tell no difference
_LEAST_WIDTH = 1e-100  # of values, whose square a number holds
_NEVER = 1e-40  # a likelihood relative to the largest of the same outcomes; smaller numbers take long to multiply
_ENOUGH_QUESTIONS = 50
_FEW_QUESTIONS = (
    "k is above half of the trials of few questions: if their difficulties have few values,"
    ' intervals are too narrow, and shape="profile" holds'
)


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
    far = 0.5 * np.pi / min(max(_FEWEST_POINTS, math.ceil(10.0 * math.sqrt(trials))), _MOST_POINTS) * (1.0 - _LEVEL)
    steps = np.concatenate([[0.0], np.diff(angle) / far + np.abs(np.diff(values)) / (_CLOSE * np.ptp(values) or 1.0)])
    part = np.floor(np.cumsum(steps) + _LEVEL)
    kept = np.append(True, part[1:] > part[:-1])
    kept[-1] = True
    return kept


@dataclass(frozen=True, eq=False)
class FittingLaws:
    """Distributions of success rates on a grid, with the likelihood of each state at each rate, (S, rates).

    A factor common to all rates of a state makes no difference.

    >>> likelihood = np.array([[1.0, 0.25, 0.0], [0.0, 0.5, 0.0], [0.0, 0.25, 1.0]])  # of 0, 1, 2 of 2 successes
    >>> laws = FittingLaws(likelihood, np.array([100.0, 100.0, 100.0]))
    >>> laws.best[0].round(3).tolist()
    [0.167, 0.667, 0.167]
    >>> [round(end, 3) for end in laws.range_of(np.array([0.0, 0.9, 1.0]), 1.96)]
    [0.703, 0.828]
    """

    likelihood: Vector
    questions: Vector

    @cached_property
    def best(self) -> tuple[Vector, float]:
        """The shares of the distribution that fits best, and its log-likelihood."""
        points = self.likelihood.shape[1]
        share = np.full(points, 1.0 / points)
        return share, fitting_law.fit(
            self.likelihood, self.questions, np.zeros(points), share, 0.0, 0.0, everywhere=True
        )

    def _fit(self, share: Vector, values: Vector, penalty: float, end: float) -> tuple[Vector, float]:
        """Return the shares that maximize the log-likelihood less the penalty, and their log-likelihood."""
        found = share.copy()
        return found, fitting_law.fit(self.likelihood, self.questions, values, found, penalty, end)

    def range_of(self, values: Vector, z: float) -> Bounds:
        """Return the least and the largest mean of ``values`` of the rates that fit within ``z`` standard errors."""
        low, high = (self._end(values, z, float(end)) for end in (values.min(), values.max()))
        return low, high

    def _end(self, values: Vector, z: float, end: float) -> float:
        """Return the value nearest to ``end`` that fits, by the logarithm of the penalty at which it does just so."""
        share, most = self.best

        def beyond(fit: float) -> float:
            return math.sqrt(max(2.0 * (most - fit), 0.0)) - z

        extreme = (values == end) / float((values == end).sum())
        mixed = self.likelihood @ extreme
        if mixed.min() > 0.0 and beyond(float(self.questions @ np.log(mixed))) <= 0.0:
            return end
        width = max(float(np.ptp(values)), _LEAST_WIDTH)
        at = math.log(float(self.questions.sum()) / width**2)
        share, fit = self._fit(share, values, math.exp(at), end)
        last = found = beyond(fit)
        step = -_STRIDE if found > 0.0 else _STRIDE
        for _ in range(_STRIDES):
            if found * last < 0.0:
                break
            last, at = found, at + step
            share, fit = self._fit(share, values, math.exp(at), end)
            found = beyond(fit)
        before = at - step
        for _ in range(_SECANTS):
            if abs(found) < _EXACT_END * z or found * last >= 0.0:
                break
            between = at - found * (at - before) / (found - last)
            share, fit = self._fit(share, values, math.exp(between), end)
            new = beyond(fit)
            if new * found < 0.0:
                before, last = at, found
            else:
                last *= 0.5  # the method of Illinois: no end of the bracket stays for long
            at, found = between, new
        found_end = float(values @ share)
        return end if abs(end - found_end) < _AT_END * width else found_end


class Profiled(Protocol):
    """The part of a metric that these functions use."""

    @property
    def _required_trials(self) -> int: ...

    def _values_at(self, rates: Vector) -> Vector | None: ...

    def _range(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds | None: ...

    def _law_of(self, outcomes: OutcomeMatrix, prior: PriorLike | None, target: str) -> Mixture | SkewedT: ...

    def support(self, R: Any) -> Bounds: ...


@underflow_is_zero
def range_of_fits(metric: Profiled, outcomes: OutcomeMatrix, level: Level, target: str = "questions") -> Bounds | None:
    """Return the least and the largest value that fits the outcomes at this level, or None if it is not known how.

    For the population, questions in clusters count as fewer, by their design effect.

    >>> from scorio import PassAtK
    >>> outcomes = OutcomeMatrix.from_counts([0] * 40 + [1] * 20 + [2] * 40, 2)
    >>> [round(end, 2) for end in range_of_fits(PassAtK(4), outcomes, Level(0.95))]
    [0.52, 0.84]
    """
    if not outcomes.has_two_categories:
        return None
    states = outcomes.with_prior_counts._states
    c, n = (each.astype(np.float64)[:, None] for each in (states.successes, states.trials))
    rates = rates_between(int(states.trials.max()), metric._required_trials)
    values = metric._values_at(rates)
    if values is None:
        return None
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


def profile_interval(
    metric: Profiled,
    outcomes: OutcomeMatrix,
    level: Level,
    prior: PriorLike,
    target: str,
    limits: Bounds | None,
    about: dict[str, Any],
) -> Interval:
    """Return the range of fitting values within the limits, around the posterior mean, or say why there is none."""
    ends = metric._range(outcomes, level, target)
    if ends is None:
        problem = f'"profile" is for metrics of a number of successes; {metric} of these outcomes is none'
        raise ParameterError(problem, argument="shape", hint="use pass@k, pass^k or gpass@k and binary outcomes")
    mu = within(ends, metric._law_of(outcomes, prior, target).mean)
    sigma = (ends[1] - ends[0]) / (2.0 * level.critical())
    bounds = limits or metric.support(outcomes)
    lo, hi = (within(bounds, end) for end in ends)
    about |= {"prior": prior, "target": target, "shape": "profile", "bounds": bounds}
    return Interval(mu, sigma, lo, hi, confidence=level.confidence, **about)


def few_questions_note(metric: object, questions: int, trials: int, intervals: Iterable[Interval]) -> list[str]:
    """Return a note where few questions hardly show how their values vary: k is above half of their trials."""
    k, values_at = getattr(metric, "_required_trials", 1), getattr(metric, "_values_at", None)
    if values_at is None or not 1 < k <= trials < 2 * k or questions >= _ENOUGH_QUESTIONS:
        return []
    is_learned = any(each.shape == "quantile" and as_prior(each.prior).is_learned for each in intervals)
    return [_FEW_QUESTIONS] if is_learned and values_at(np.array([0.5])) is not None else []
