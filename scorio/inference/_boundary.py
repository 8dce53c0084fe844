"""Boundaries that an estimate may be compared with after every trial.

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

import math
from functools import lru_cache

import numpy as np

from .._arrays import Vector
from .._special import ndtr, ndtri, solve_triangular

SHAPE = 0.25  # Delta: 0 is the boundary of O'Brien and Fleming, 1/2 that of Pocock
_STEP = 0.08  # of w = z**2 / 2, and as a share of w where w is below 1
_START = 30.0  # the largest w, where h is taken as 1; this error is forgotten within 5 units of w
_LARGEST = 25.0  # the largest w that is used: beyond it h is taken as constant, which is within 0.6% of its limit
_SMALLEST = 0.02  # the smallest w: error probabilities of more than 0.998


@lru_cache(maxsize=1024)
def boundary_constant(alpha: float, shape: float = SHAPE) -> float:
    """Return the constant ``c`` of ``P(|W(t)| >= c t**shape for some t in (0, 1]) = alpha``.

    >>> round(boundary_constant(0.05), 3)
    2.383
    """
    log_error, z = _crossing_table(shape)
    if math.log(alpha) < log_error[0]:
        excess = log_error[0] - math.log(ndtr(-z[0]))
        return float(-ndtri(alpha * math.exp(-excess)))
    return float(np.interp(math.log(alpha), log_error, z))


@lru_cache(maxsize=4)
def _crossing_table(shape: float) -> tuple[Vector, Vector]:
    """Return the logarithms of error probabilities, ascending, and the constant that belongs to each."""
    grid = _grid()
    kept = grid <= _LARGEST
    z, factor = np.sqrt(2.0 * grid[kept]), _passage_factor(grid, shape)[kept]
    below = ndtr(-z)
    steps = np.diff(below) * (factor[1:] + factor[:-1]) / 2.0
    total = below[0] * factor[0] + np.concatenate([[0.0], np.cumsum(steps)])
    rising = np.r_[True, np.diff(np.maximum.accumulate(total)) > 0.0]
    return np.log(2.0 * (1.0 - shape) / (0.5 - shape) * total[rising]), z[rising]


def _grid() -> Vector:
    w = [_START]
    while w[-1] > _SMALLEST:
        w.append(w[-1] - _STEP * min(1.0, w[-1]))
    return np.array(w)


def _passage_factor(w: Vector, shape: float) -> Vector:
    """Return the first-passage density through ``s**shape``, divided by that of the tangent approximation."""
    s = (2.0 * w) ** (-0.5 / (0.5 - shape))
    height, slope = s**shape, shape * s ** (shape - 1.0)
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
