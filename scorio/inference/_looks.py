"""Looks: intervals and comparisons that stay valid when results are looked at while trials come in.

Let ``est_n`` be an estimate from ``n`` trials per question, with variance ``Var_n``. When trials are added,
``Cov(est_n, est_m) = Var_m`` for ``n < m``: exactly for means, to first order for the other metrics. So
``est_n / Var_n`` is a Brownian motion ``W`` in the information ``1 / Var_n``, and a boundary for Brownian motion serves
every metric.

With a budget, the boundary is ``|W(t)| = c t**(1/4)`` on ``0 < t <= 1`` (Wang and Tsiatis 1987, Delta = 1/4). Brownian
motion rescales: ``P(crossing before 1)`` with the constant ``c`` is ``P(|W(s)| = s**(1/4) for some s <= c**-4)``. So
one first-passage density gives ``c`` for every error probability. In the variable ``z = s**(-1/4)`` that density is
``6 phi(z) h(z)``, where ``h`` tends to 1 as ``z`` grows, so nothing under- or overflows. The factor ``h`` solves the
Volterra equation of Buonocore, Nobile and Ricciardi (1987), whose kernel has no singularity; the trapezoidal rule makes
it a triangular system. Cost: 10 ms once. Against a grid four times as fine, the constants differ by less than 2e-4 of
their value and err on the safe side for error probabilities up to 0.5.

Without a budget, the boundary is the normal mixture of Robbins (1970); see also Waudby-Smith et al., arXiv:2103.06476.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from .._base.arrays import Vector
from .._base.special import ndtr, ndtri, solve_triangular
from ..errors import ParameterError
from ..params import check_fields, count, open_unit, optional, param, positive
from ._level import Level, p_of_statistic

DELTA = 0.25  # the shape of the boundary: 0 is the boundary of O'Brien and Fleming, 1/2 that of Pocock
_STEP = 0.08  # of w = z**2 / 2, and as a share of w where w is below 1
_START = 30.0  # the largest w, where h is taken as 1; this error is forgotten within 5 units of w
_LARGEST = 25.0  # the largest w that is used: beyond it h is taken as constant, which is within 0.6% of its limit
_SMALLEST = 0.02  # the smallest w: error probabilities of more than 0.998


@lru_cache(maxsize=1024)
def boundary_constant(alpha: float, delta: float = DELTA) -> float:
    """Return the constant ``c`` of ``P(|W(t)| >= c t**delta for some t in (0, 1]) = alpha``.

    >>> round(boundary_constant(0.05), 3)
    2.383
    """
    log_error, z = _crossing_table(delta)
    if math.log(alpha) < log_error[0]:
        excess = log_error[0] - math.log(ndtr(-z[0]))
        return float(-ndtri(alpha * math.exp(-excess)))
    return float(np.interp(math.log(alpha), log_error, z))


@lru_cache(maxsize=4)
def _crossing_table(delta: float) -> tuple[Vector, Vector]:
    """Return the logarithms of error probabilities, ascending, and the constant that belongs to each."""
    grid = _grid()
    kept = grid <= _LARGEST
    z, factor = np.sqrt(2.0 * grid[kept]), _passage_factor(grid, delta)[kept]
    below = ndtr(-z)
    steps = np.diff(below) * (factor[1:] + factor[:-1]) / 2.0
    total = below[0] * factor[0] + np.concatenate([[0.0], np.cumsum(steps)])
    rising = np.r_[True, np.diff(np.maximum.accumulate(total)) > 0.0]
    return np.log(2.0 * (1.0 - delta) / (0.5 - delta) * total[rising]), z[rising]


def _grid() -> Vector:
    w = [_START]
    while w[-1] > _SMALLEST:
        w.append(w[-1] - _STEP * min(1.0, w[-1]))
    return np.array(w)


def _passage_factor(w: Vector, delta: float) -> Vector:
    """Return the first-passage density through ``s**delta``, divided by that of the tangent approximation."""
    s = (2.0 * w) ** (-0.5 / (0.5 - delta))
    height, slope = s**delta, delta * s ** (delta - 1.0)
    source = (height / s - slope) / np.sqrt(2.0 * np.pi * s)
    lag = s[:, None] - s[None, :]
    earlier = lag > 0.0
    lag[~earlier] = 1.0
    kernel = np.zeros_like(lag)
    for side in (1.0, -1.0):
        gap = height[:, None] - side * height[None, :]
        # The densities carry exp(-w): their ratio is at most the Gaussian's inverse, so the exponent stays below 0.
        exponent = w[:, None] - w[None, :] - gap * gap / (2.0 * lag)
        kernel += (slope[:, None] - gap / lag) * np.exp(np.where(earlier, exponent, -np.inf))
    kernel /= np.sqrt(2.0 * np.pi * lag)
    widths = np.zeros_like(s)
    widths[:-1] += np.diff(s) / 2.0
    widths[1:] += np.diff(s) / 2.0
    system = np.eye(len(s)) - kernel * widths
    return np.asarray(solve_triangular(system, source, lower=True, unit_diagonal=True) / source)


@lru_cache(maxsize=256)
def mixture_scale(alpha: float) -> float:
    """Return the ``x`` for which the normal mixture is tightest after ``around`` trials.

    It is ``-W_{-1}(-alpha**2 / e) - 1``. With ``y = x + 1``, ``y - log y = 1 + 2 log(1 / alpha)``, which is solved by
    Newton's method, so that nothing underflows.

    >>> round(mixture_scale(0.05), 3), round(mixture_scale(0.1), 3)
    (8.212, 6.638)
    """
    u = -2.0 * math.log(alpha)
    x = u + math.sqrt(2.0 * u)
    for _ in range(40):
        step = (x - math.log1p(x) - u) * (1.0 + x) / x
        x -= step
        if abs(step) <= 1e-14 * x:
            break
    return x


def mixture_z(ratio: float, alpha: float) -> float:
    """Return the boundary of the normal mixture at ``ratio = n / around``."""
    r = mixture_scale(alpha) * ratio
    if r == 0.0:
        return math.inf
    return math.sqrt((1.0 + 1.0 / r) * (math.log1p(r) - 2.0 * math.log(alpha)))


_DEFAULT = 0.95
_ROUNDING = 1e-9  # relative rounding error allowed in the mean number of trials


@dataclass(frozen=True)
class Looks:
    """A promise that holds at every look, not just at one chosen in advance.

    Pass it to ``Metric.interval``, ``compare`` or ``Leaderboard`` and call them as often as you like while trials
    come in, one or more per question at a time. At ``confidence`` 0.95, at least 95% of all runs have no look at all
    where the interval misses the truth. You may stop whenever you want to, for whatever reason.

    Give exactly one of two parameters, before the first look:

    - ``trials``: the most trials per question that you will run. After all of them, the interval is 22% wider than one
      for a single look (at 95%). Looks past this number are refused.
    - ``around``: the number of trials per question at which the interval should be tightest, without any limit. The
      interval is 55% wider there than one for a single look (at 95%), and at most 8% wider than the best choice of
      ``around`` from a quarter of it to four times as many.

    ``share`` is the number of intervals, of models or metrics, that are looked at together: each gets its part of the
    error, so that all of them hold at the same time. ``Leaderboard`` fills it in; see ``shared``.

    >>> looks = Looks(trials=64)
    >>> round(looks.z(64), 3), round(looks.z(4), 3)
    (2.383, 4.766)
    >>> print(Looks(around=16, confidence=0.9))
    valid at every look, tightest at 16 trials per question
    """

    trials: float | None = param(optional(positive), default=None)
    around: float | None = param(optional(positive), default=None)
    confidence: float = param(open_unit, default=_DEFAULT)
    share: int = param(count, default=1)

    def __post_init__(self) -> None:
        check_fields(self)
        if (self.trials is None) == (self.around is None):
            both = "got both" if self.trials is not None else "got neither"
            raise ParameterError(
                "Looks needs either trials=, the most trials per question that will be run, or around=, the number of "
                f"trials per question at which intervals should be tightest; {both}"
            )

    @property
    def alpha(self) -> float:
        """The probability that some look of one interval misses: ``1 - confidence``, divided by ``share``."""
        return (1.0 - self.confidence) / self.share

    def shared(self, intervals: int) -> Looks:
        """Return the same looks for a number of ``intervals`` that share the error equally.

        >>> print(Looks(trials=64).shared(3))
        valid at every look, at most 64 trials per question, error shared by 3 intervals
        """
        return replace(self, share=self.share * intervals)

    def z(self, n: float, alpha: float | None = None) -> float:
        """Return how many standard deviations the interval extends to either side after ``n`` trials per question.

        ``n`` is the mean number of trials per question; ``alpha`` is the two-sided probability of an error at any look,
        by default ``self.alpha``.
        """
        error = (1.0 - self.confidence) / self.share if alpha is None else open_unit("alpha", alpha)
        most = math.inf if self.trials is None else self.trials
        if not 0.0 < n <= most:
            self._check_trials(n, most)
        if self.trials is None:
            return mixture_z(n / self.around, error)  # type: ignore[operator]  # one of the two is given
        return boundary_constant(error) * (self.trials / n) ** 0.25 if n > 0.0 else math.inf

    def tail(self, n: float, alpha: float | None = None) -> float:
        """Return the two-sided tail probability of a normal distribution beyond ``z(n, alpha)``.

        >>> round(Looks(trials=64).tail(64), 5)
        0.01717
        """
        return float(p_of_statistic(self.z(n, alpha)))

    def level(self, n: float, alpha: float | None = None) -> Level:
        """Return the level of an interval after ``n`` trials per question."""
        return Level(self.confidence, self.tail(n, alpha), self.z(n, alpha))

    def widest_level(self, span: Iterable[float], alpha: float | None = None) -> Level:
        """Return the level of a statement about tasks or models that differ in their trials.

        >>> Looks(trials=64).widest_level((4, 16)) == Looks(trials=64).level(4)
        True
        """
        return max((self.level(n, alpha) for n in dict.fromkeys(span)), key=attrgetter("z"))

    def check_confidence(self, confidence: float) -> None:
        """Raise a ParameterError if ``confidence`` is neither that of the looks nor the default of 0.95."""
        if confidence not in (_DEFAULT, self.confidence):
            raise ParameterError(
                f"confidence is {confidence:g}, but the looks were declared at {self.confidence:g}: set it in Looks"
            )

    def _check_trials(self, n: float, most: float) -> None:
        if not n >= 0.0:
            raise ParameterError(f"n must be a number of trials per question, at least 0; got {n!r}")
        if n > most * (1.0 + _ROUNDING):
            raise ParameterError(
                f"there are {n:.6g} trials per question, but these looks were declared for at most {most:g}: "
                "nothing is promised beyond. Judge the trials up to that number; for a new run without a limit, use "
                f"Looks(around={most:g})"
            )

    def __str__(self) -> str:
        together = f", error shared by {self.share} intervals" if self.share > 1 else ""
        return f"valid at every look, {self.limit}{together}"

    @property
    def limit(self) -> str:
        """The declared number of trials, or the number of trials at which intervals are tightest, in words."""
        if self.trials is None:
            return f"tightest at {self.around:g} trials per question"
        return f"at most {self.trials:g} trials per question"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; ``Looks(**fields)`` makes an equal object."""
        named = "trials" if self.around is None else "around"
        return {named: getattr(self, named), "confidence": self.confidence, "share": self.share}
