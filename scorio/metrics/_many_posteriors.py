"""Posterior moments of many Beta posteriors at once, interpolated between few of them where they crowd together.

The mean and the variance of a function of the success rate under ``Beta(a, b)`` are smooth functions of the angle whose
squared sine is ``a/(a + b)`` and of the logarithm of the strength ``a + b``. A thousand questions under a thousand
nodes of a prior are a million posteriors; where questions have nearly one rate, all lie in few *cells*: intervals of
the logarithm, times intervals of the angle that are as narrow as the posteriors. In a cell with several times as many
posteriors as interpolation needs, the moments are computed at a product of Chebyshev points, and interpolated. They are
also computed at points between: a cell where interpolation misses one of them is computed directly, as are all others.
"""

from collections.abc import Callable

import numpy as np

from .._arrays import Flags, Indices, Vector

Moments = Callable[[Vector, Vector], tuple[Vector, Vector]]  # mean and covariance of Beta posteriors, (points,) each

MANY = 20_000  # posteriors from which on cells are formed
_CROWD = 3  # posteriors of a cell, for each point of its interpolation
_ANGLES, _STRENGTHS = 20, 10
_RATIO = 4.0  # of the strengths in a cell, largest to smallest
_WIDTH = 1.0  # of a cell in the angle, times the square root of the strength
_FEW = 16.0  # pseudo-successes and -failures that every posterior of a cell has
_TOGETHER = 1 << 13  # posteriors whose polynomials are in memory at once, near the processor
_NEGLIGIBLE = 1e-16  # coefficients of a series, as a share of the largest
_ALIKE = 0.1  # the smallest variance of a cell over the largest, above which it needs no logarithm
_CHECKS = 5  # points between, in either direction
_MEAN_ERROR = 1e-10  # of the function's range
_SPREAD_ERROR = 1e-8  # of a standard deviation, relative
_LEAST_ERROR = 1e-12  # of a standard deviation that is smaller, of the function's range


def interpolated(a: Vector, b: Vector, sharpness: float, size: float, moments: Moments) -> tuple[Vector, Vector]:
    """Return mean and covariance of the posteriors (points,); NaN where they remain to be calculated.

    The functions change over no less than ``1/sqrt(sharpness)`` of the angle; ``size`` is the range of the first.
    """
    mean, covariance = np.full((2, len(a)), np.nan)
    angle, power = _angle(a, b), np.log(a + b)
    cell = _cells(angle, power, np.minimum(a, b) >= _FEW, sharpness)
    sizes = np.bincount(cell)
    order = np.argsort(cell.astype(np.uint16) if len(sizes) <= 1 << 16 else cell, kind="stable")
    ends = np.cumsum(sizes)
    for i in np.flatnonzero(sizes >= _CROWD * _ANGLES * _STRENGTHS).tolist():
        if i == 0:
            continue
        members = order[ends[i - 1] : ends[i]]
        box = _Box(angle[members], power[members], moments)
        if box.is_accurate(size):
            mean[members], covariance[members] = box.at(angle[members], power[members])
    return mean, covariance


def _cells(angle: Vector, power: Vector, is_inside: Flags, sharpness: float) -> Indices:
    """Return the number of the cell of each posterior; 0 for those that are in none.

    Cells are numbered from one level of strengths to the next, so that few numbers are needed and sorting is fast.
    """
    cell = np.zeros(len(angle), np.intp)
    level = np.floor(power[is_inside] / np.log(_RATIO)).astype(np.intp)
    if level.size:
        first = int(level.min())
        width = _WIDTH / np.sqrt(
            np.minimum(_RATIO ** np.arange(first, int(level.max()) + 1, dtype=np.float64), sharpness)
        )
        counts = np.ceil(np.pi / 2.0 / width).astype(np.intp) + 1
        start = np.cumsum(counts) - counts + 1
        level -= first
        cell[is_inside] = start[level] + (angle[is_inside] / width[level]).astype(np.intp)
    return cell


def _angle(a: Vector, b: Vector) -> Vector:
    """Return the angle whose squared sine is ``a/(a + b)``."""
    return np.asarray(np.arctan2(np.sqrt(a), np.sqrt(b)))


class _Box:
    """The moments in the rectangle that some posteriors span, from its Chebyshev points."""

    def __init__(self, angle: Vector, power: Vector, moments: Moments) -> None:
        self._moments = moments
        self._low = np.array([angle.min(), power.min()])
        self._span = np.maximum(np.array([angle.max(), power.max()]) - self._low, 1e-9)
        nodes = [np.cos((np.arange(n) + 0.5) * np.pi / n) for n in (_ANGLES, _STRENGTHS)]
        mean, covariance = self._exact(*nodes)
        low, high = float(covariance.min()), float(covariance.max())
        self._has_logs = 0.0 < low < _ALIKE * high  # a variance that vanishes within the cell, as beside a jump
        self._series = [_coefficients(mean), _coefficients(np.log(covariance) if self._has_logs else covariance)]
        sizes = [np.abs(each) > _NEGLIGIBLE * np.abs(each).max() for each in self._series]
        matters = sizes[0] | sizes[1]
        rows, columns = (1 + int(np.flatnonzero(matters.any(axis=axis)).max(initial=0)) for axis in (1, 0))
        self._series = [np.ascontiguousarray(each[:rows, :columns]) for each in self._series]

    def _exact(self, across: Vector, along: Vector) -> list[Vector]:
        """Return both moments at a product of places in [-1, 1], (across, along) each."""
        angle = self._low[0] + self._span[0] * (across[:, None] + 1.0) / 2.0
        strength = np.exp(self._low[1] + self._span[1] * (along[None] + 1.0) / 2.0)
        a, b = strength * np.sin(angle) ** 2, strength * np.cos(angle) ** 2
        return [each.reshape(a.shape) for each in self._moments(a.ravel(), b.ravel())]

    def at(self, angle: Vector, power: Vector) -> tuple[Vector, Vector]:
        """Return both moments of posteriors by interpolation."""
        across = 2.0 * (angle - self._low[0]) / self._span[0] - 1.0
        along = 2.0 * (power - self._low[1]) / self._span[1] - 1.0
        mean, covariance = np.empty((2, len(angle)))
        for start in range(0, len(angle), _TOGETHER):
            block = slice(start, start + _TOGETHER)
            rows, columns = (np.ascontiguousarray(each.T) for each in self._polynomials(across[block], along[block]))
            mean[block], covariance[block] = (((each.T @ rows) * columns).sum(axis=0) for each in self._series)
        return mean, self._covariance(covariance)

    def _covariance(self, series: Vector) -> Vector:
        return np.asarray(np.exp(series) if self._has_logs else series)

    def _polynomials(self, across: Vector, along: Vector) -> list[Vector]:
        """Return the Chebyshev polynomials at places in [-1, 1]."""
        sizes = zip((across, along), self._series[0].shape, strict=True)
        return [np.asarray(np.polynomial.chebyshev.chebvander(places, size - 1), np.float64) for places, size in sizes]

    def is_accurate(self, size: float) -> bool:
        """Return whether interpolation agrees with the moments themselves at points between, and at the corners."""
        between = np.cos(np.linspace(0.0, np.pi, _CHECKS) + np.array([0.0, 0.05, 0.0, -0.05, 0.0]))
        mean, covariance = self._exact(between, between)
        rows, columns = self._polynomials(between, between)
        near_mean, near = (rows @ series @ columns.T for series in self._series)
        near = self._covariance(near)
        most = 2.0 * np.sqrt(np.abs(covariance)) * _SPREAD_ERROR + _LEAST_ERROR * size
        is_near = np.abs(near_mean - mean) <= _MEAN_ERROR * size
        return bool((is_near & (np.abs(near - covariance) <= np.sqrt(np.abs(covariance)) * most)).all())


def _coefficients(values: Vector) -> Vector:
    """Return the coefficients of the Chebyshev series through values at the product of Chebyshev points."""
    for axis, n in enumerate(values.shape):
        angles = (np.arange(n) + 0.5) * np.pi / n
        to_series = np.cos(np.outer(np.arange(n), angles)) * (2.0 / n)
        to_series[0] /= 2.0
        values = np.moveaxis(np.tensordot(to_series, values, axes=(1, axis)), 0, axis)
    return values
