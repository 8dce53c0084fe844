r"""The law of the largest of all differences between models: the range of normal means, studentized.

For ``L`` independent normal means of one variance, the range is below ``q`` with probability

    F(q) = L int phi(x) (Phi(x) - Phi(x - q))^(L - 1) dx,

and two means of ``L`` differ by more than ``c = q / sqrt(2)`` standard deviations of a difference with probability
``1 - F(q)`` if all are equal. With unequal variances that probability is at most as large (Tukey and Kramer; Hayter
1984). With ``df`` degrees of freedom of the variance, ``F`` is averaged over its chi-square law.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .._arrays import Vector, read_only, underflow_is_zero
from .._special import gammaincinv, ndtr

_NODES = 240  # of the integral over x; the density is below 1e-18 outside
_REACH = 9.0
_QUANTILES = 400  # of the chi-square law
_GRID = np.concatenate([np.linspace(0.0, 14.0, 1401), np.geomspace(15.0, 1e5, 200)])  # critical values


@lru_cache(maxsize=64)
@underflow_is_zero
def _beyond(models: int, df: float) -> Vector:
    """Return, for each critical value of the grid, the probability that two of the equal models differ by more."""
    x, weight = np.polynomial.legendre.leggauss(_NODES)
    x, weight = _REACH * x, _REACH * weight
    q = math.sqrt(2.0) * _GRID[:, None]
    density = np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    below = models * ((ndtr(x) - ndtr(x - q)) ** (models - 1)) @ (weight * density)
    beyond = np.clip(1.0 - below, 0.0, 1.0)
    if math.isinf(df):
        return read_only(beyond)
    u = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    scale = np.sqrt(2.0 * gammaincinv(df / 2.0, u) / df)
    return read_only(np.interp(_GRID[:, None] * scale, _GRID, beyond).mean(axis=1))


def p_of_range(statistic: Vector, models: int, df: float = math.inf) -> Vector:
    """Return the probability that some two of so many equal models differ by at least ``statistic``.

    >>> p_of_range(np.array([1.96, 2.85]), 6).round(3)
    array([0.366, 0.05 ])
    """
    return np.asarray(np.interp(np.abs(statistic), _GRID, _beyond(models, df)))


def critical_range(error: float, models: int, df: float = math.inf) -> float:
    """Return how many standard deviations of a difference no two of the equal models differ by, but for ``error``.

    >>> round(critical_range(0.05, 2), 2), round(critical_range(0.05, 6), 2), round(critical_range(0.05, 6, 20.0), 2)
    (1.96, 2.85, 3.14)
    """
    return float(np.interp(-error, -_beyond(models, df), _GRID))
