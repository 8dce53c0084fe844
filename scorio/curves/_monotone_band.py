"""The band of a monotone curve: the heights at a place that the likelihood of monotone curves does not reject.

At a place, the best monotone curve has some height. Of the monotone curves with another height there, the best one has
a lower likelihood. Twice the loss, in units of the noise, is compared with a critical value (Banerjee and Wellner
2001). Where the curve rises or falls, the loss has the same law whatever the curve is, whose quantiles are 0.59 of
those of chi squared, so neither a slope nor a width of windows need be chosen. Where the curve is flat as far as the
nearest end of the data, the law has a longer tail: it grows by the logarithm of how many questions a block of the fit
holds for one that lies beyond the place. Where the fit reaches 0 or 1, only one side can be missed, and the likelihood
has the exact tail of that side.

The noise of a value is ``phi p (1 - p)``, with ``phi`` from the residuals, less what the fit took of them (one and a
half questions a block, Meyer and Woodroofe 2000), and at least that of its trials. Questions of a cluster that are
neighbours add to it. The critical value is larger by as much as Student's law says that this noise is uncertain. So the
band is about questions like these. It also holds the monotone curve through the true rates of these questions, more
often than it says. One that only counts the noise of their trials is a quarter narrower, and held that curve in 73% of
worlds near the ends of a flat one: the monotone curve of scattered rates is not that of noisy ones.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector
from .._special import xlog1py, xlogy
from ..inference import Level
from ._monotone import Blocks, pooled

_OF_CHI_SQUARED = 0.591  # quantiles of the law of the loss
_FLAT, _NEAR = 0.27, 0.75  # by what they grow where the curve is flat, and from where on
_FALLS_BY = 1.3  # standard errors by which the trend may be smaller than it looks
_TAKEN = 1.5  # questions that a block of the fit takes
_LEAST_LEFT = 0.25  # of the questions
_POWER = 2.0 / 3.0  # neighbours are as many as this power of the number of questions
_WINDOWS = 8  # that overlap
_HALVINGS = 40
_ROUNDING = 1e-9  # of a rate that is 0 or 1


def band(
    x: Vector,
    y: Vector,
    weights: Vector,
    trials: Counts,
    clusters: Indices,
    at: Vector,
    level: Level,
    *,
    increasing: bool,
) -> tuple[Vector, Vector]:
    """Return the lower and the upper end of the band at the places ``at``."""
    sign = 1.0 if increasing else -1.0
    order = np.argsort(sign * x, kind="stable")
    known = _Known(sign * x[order], y[order], weights[order] / weights.mean())
    every = known.blocks(slice(None))
    noise = _noise(known, every, trials[order], np.unique(clusters[order], return_inverse=True)[1])
    ends = np.array([_ends(known, every, noise, float(sign * place), level) for place in at])
    along = np.argsort(sign * at, kind="stable")
    lo, hi = np.empty(len(at)), np.empty(len(at))
    lo[along], hi[along] = np.sort(ends[:, 0]), np.sort(ends[:, 1])  # monotone again, which never covers less
    return lo, hi


class _Known(NamedTuple):
    """Questions in the order in which the curve rises: their places, values and weights, whose mean is 1."""

    x: Vector
    y: Vector
    weights: Vector

    def blocks(self, which: slice) -> Blocks:
        """Return the monotone fit of some neighbours; those at the same place are one."""
        x, y, weights = (each[which] for each in self)
        places, inverse = np.unique(x, return_inverse=True)
        total = np.asarray(np.bincount(inverse, weights, len(places)), np.float64)
        found = pooled(np.bincount(inverse, weights * y, len(places)) / total, total)
        return found._replace(size=np.add.reduceat(np.bincount(inverse), np.cumsum(found.size) - found.size))


class _Noise(NamedTuple):
    """The variance of a value in units of ``p (1 - p)``, its degrees of freedom, and the questions of a block."""

    scale: float
    degrees: float
    block: float


def _noise(known: _Known, blocks: Blocks, trials: Counts, cluster: Indices) -> _Noise:
    count = len(known.y)
    fitted, left = np.repeat(blocks.height, blocks.size), _left(blocks)
    degrees = max(min(left, float(cluster.max())), 1.0)
    spread = float(np.sum(known.weights * fitted * (1.0 - fitted)))
    if spread < _ROUNDING * count:  # all agree, so nothing shows how much they vary
        sizes = np.bincount(cluster, known.weights)
        return _Noise(float(sizes @ sizes) / count, degrees, float(count))
    residual = known.y - fitted
    share = float(np.sum(known.weights * residual**2)) / spread
    own = share * count / (left + share * (count - left))
    scale = min(max(own, float(np.mean(1.0 / trials))), 1.0) * _of_neighbours(known.weights * residual, known, cluster)
    return _Noise(scale, degrees, _block(known, scale * spread))


def _left(blocks: Blocks) -> float:
    """Return how many questions the fit leaves free."""
    count = float(blocks.size.sum())
    return max(count - _TAKEN * len(blocks.height), _LEAST_LEFT * count, 1.0)


def _block(known: _Known, total: float) -> float:
    """Return how many questions a block holds where the slope is that of the trend, less what may be chance.

    ``total`` is the variance of the sum of all values.
    """
    count = len(known.y)
    rank = np.arange(count) - (count - 1.0) / 2.0
    error = math.sqrt(total * float(np.mean(rank**2)))
    trend = float(np.sum(known.weights * rank * known.y)) / error if error > 0.0 else 0.0
    steep = 12.0 * max(trend - _FALLS_BY, 0.0) ** 2
    return count * min(1.0, steep ** (-1.0 / 3.0) if steep > 0.0 else 1.0)


def _of_neighbours(moved: Vector, known: _Known, cluster: Indices) -> float:
    """Return by how much sums of clusters' residuals vary more than residuals do, within windows of neighbours."""
    count = len(moved)
    size = min(max(math.ceil(count**_POWER), 2), count)
    together = apart = 0.0
    for start in range(0, count - size + 1, max(size // _WINDOWS, 1)):
        which = slice(start, start + size)
        names, member = np.unique(cluster[which], return_inverse=True)
        together += float((np.bincount(member, moved[which], len(names)) ** 2).sum())
        apart += float(np.sum(moved[which] ** 2 / known.weights[which]))
    return max(together / apart, float(np.mean(known.weights**2))) if apart > 0.0 else 1.0


def _ends(known: _Known, every: Blocks, noise: _Noise, place: float, level: Level) -> tuple[float, float]:
    """Return the heights between which the likelihood of monotone curves through a place does not reject."""
    count = len(known.y)
    before, after = (int(np.searchsorted(known.x, place, side=side)) for side in ("left", "right"))
    under, over = (known.blocks(which) for which in (slice(0, before), slice(after, None)))
    y, weights = known.y[before:after], known.weights[before:after]
    best = _likelihood(every.height, every.height, every.weight)

    def loss(height: float) -> float:
        left = _likelihood(under.height, np.minimum(under.height, height), under.weight)
        right = _likelihood(over.height, np.maximum(over.height, height), over.weight)
        return 2.0 * (best - left - right - _likelihood(y, np.full_like(y, height), weights)) / noise.scale

    fitted = np.concatenate([[0.0], np.repeat(every.height, every.size), [1.0]])
    low, high = float(fitted[before + (after > before)]), float(fitted[after + (after == before)])
    beyond = max(min(before + after, 2 * count - before - after) / 2.0, 0.5)  # questions between it and the nearest end
    flat = _FLAT * max(math.log(_NEAR * noise.block / beyond), 0.0)
    student = level.critical(noise.degrees)
    critical = (_OF_CHI_SQUARED + flat) * student**2
    exact = max(critical, -2.0 * math.log(2.0 * level.tail) * (student / level.critical()) ** 2)
    lower = _farthest(loss, low, 0.0, exact if low > 1.0 - _ROUNDING else critical)
    upper = _farthest(loss, high, 1.0, exact if high < _ROUNDING else critical)
    return lower, upper


def _likelihood(y: Vector, height: Vector, weights: Vector) -> float:
    return float(np.sum(weights * (xlogy(y, height) + xlog1py(1.0 - y, -height))))


def _farthest(loss: Callable[[float], float], inside: float, bound: float, critical: float) -> float:
    """Return the height between one that is not rejected and a bound at which the loss is the critical value."""
    if loss(bound) <= critical:
        return bound
    outside = bound
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2.0
        inside, outside = (middle, outside) if loss(middle) <= critical else (inside, middle)
    return inside
