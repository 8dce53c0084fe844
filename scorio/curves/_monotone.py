"""Monotone regression: a curve without a formula."""

from typing import NamedTuple

import numpy as np

from .._arrays import Indices, Vector


class Blocks(NamedTuple):
    """A fit that is constant on blocks of neighbours: the height and the weight of each, and how many values it has."""

    height: Vector
    weight: Vector
    size: Indices


def pooled(y: Vector, weights: Vector) -> Blocks:
    """Return the increasing regression of ``y``, which is in order: neighbours that fall are pooled until none does.

    >>> pooled(np.array([0.0, 0.4, 0.2, 1.0]), np.ones(4)).height
    array([0. , 0.3, 1. ])
    """
    heights: list[float] = []
    sizes: list[float] = []
    counts: list[int] = []
    for own, weight in zip(y.tolist(), weights.tolist(), strict=True):
        height, size, count = own, weight, 1
        while heights and heights[-1] >= height:
            before = sizes.pop()
            height = (heights.pop() * before + height * size) / (before + size)
            size += before
            count += counts.pop()
        heights.append(height)
        sizes.append(size)
        counts.append(count)
    return Blocks(np.array(heights), np.array(sizes), np.array(counts, np.intp))


def monotone(x: Vector, y: Vector, weights: Vector, *, increasing: bool) -> Vector:
    """Return the weighted monotone regression of ``y`` on ``x``; questions with equal ``x`` share a height.

    >>> monotone(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.2, 0.4]), np.ones(3), increasing=False)
    array([1. , 0.3, 0.3])
    """
    places, inverse = np.unique(x if increasing else -x, return_inverse=True)
    total = np.asarray(np.bincount(inverse, weights, len(places)), np.float64)
    blocks = pooled(np.bincount(inverse, weights * y, len(places)) / total, total)
    return np.asarray(np.repeat(blocks.height, blocks.size)[inverse])
