"""A density of two unknowns on a lattice of nodes that fits it: a search for the mode, then weighted nodes.

``log_density`` takes points (2, J) and gives (J,) values; it is smooth, with one mode that matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
LogDensity = Callable[[Vector], Vector]
Covariance = tuple[float, float, float]  # xx, xy, yy

LIMITS = np.array([[14.0], [9.0]])  # of the unknowns' absolute values
_NEWTON = 20  # steps at most
_FLAT = 0.02  # curvature of a step that is taken for none


def _pairs(first: Vector, second: Vector) -> Vector:
    return np.stack([axis.ravel() for axis in np.meshgrid(first, second, indexing="ij")])


def _square(count: int, reach: float) -> Vector:
    """``count`` by ``count`` points, up to so many standard deviations away."""
    return _pairs(*[np.linspace(-reach, reach, count)] * 2)


FEW = _square(7, 3.8)  # enough where every node has a spread of its own
MANY = _square(13, 4.2)  # and where it has none
_ROUGH = _square(5, 3.0)
_COARSE = _pairs(np.linspace(-6.0, 6.0, 7), np.array([-4.0, -1.5, 0.5, 3.0]))
_STENCIL = np.array(
    [[0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 1.0, -1.0, -1.0], [0.0, 0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]]
)


class Peak(NamedTuple):
    """Mode of a density: where, a root of the inverse of its curvature, and the log integral these suggest."""

    centre: Vector
    root: Vector
    log_integral: float


class Lattice(NamedTuple):
    """Nodes (2, J), their shares of the integral, and its logarithm."""

    nodes: Vector
    shares: Vector
    log_integral: float


def peak(log_density: LogDensity) -> Peak:
    """The mode, by Newton steps on a parabola through nine points; a step that went down is taken back."""
    best, height = _COARSE[:, np.argmax(log_density(_COARSE))], -math.inf
    centre, step = best, (1.0, 1.0)
    covariance = (1.0, 0.0, 1.0)
    for _ in range(_NEWTON):
        points = centre[:, None] + np.array(step)[:, None] * _STENCIL
        value = log_density(points).tolist()
        failed, top = value[0] < height, max(value)
        if top > height:
            best, height = points[:, value.index(top)], top
        if failed:
            centre, step = best, (0.5 * step[0], 0.5 * step[1])
            continue
        move, covariance = _parabola(value, *step)
        deviation = math.sqrt(covariance[0]), math.sqrt(covariance[2])
        centre = np.clip(centre + move, -LIMITS[:, 0], LIMITS[:, 0])
        if abs(move[0]) < 0.3 * deviation[0] and abs(move[1]) < 0.3 * deviation[1]:
            break
        step = (
            _between(0.2 * step[0], 0.7 * deviation[0], step[0]),
            _between(0.2 * step[1], 0.7 * deviation[1], step[1]),
        )
    root = _root(*covariance)
    return Peak(centre[:, None], root, height + math.log(2.0 * math.pi * root[0, 0] * root[1, 1]))


def _parabola(value: list[float], width: float, depth: float) -> tuple[tuple[float, float], Covariance]:
    """The way to the top of a parabola through the stencil's values, and the covariance it suggests."""
    right, up = (value[1] - value[2]) / 2.0, (value[3] - value[4]) / 2.0
    across = max(2.0 * value[0] - value[1] - value[2], _FLAT)
    along = max(2.0 * value[0] - value[3] - value[4], _FLAT)
    limit = 0.9 * math.sqrt(across * along)
    mixed = _between(-limit, (value[5] - value[6] - value[7] + value[8]) / 4.0, limit)
    determinant = across * along - mixed * mixed
    xx, xy, yy = along / determinant, mixed / determinant, across / determinant
    move = _between(-3.0, xx * right + xy * up, 3.0) * width, _between(-3.0, xy * right + yy * up, 3.0) * depth
    return move, (xx * width * width, xy * width * depth, yy * depth * depth)


def _between(low: float, value: float, high: float) -> float:
    return min(max(low, value), high)


def lattice(log_density: LogDensity, start: Peak, grid: Vector) -> Lattice:
    """Nodes along the axes of the covariance that a rougher lattice around the mode finds."""
    first = _laid(log_density, start.centre, start.root, _ROUGH)
    centre = (first.nodes @ first.shares)[:, None]
    away = first.nodes - centre
    spread = (away * first.shares) @ away.T
    return _laid(log_density, centre, _root(spread[0, 0], spread[0, 1], spread[1, 1]), grid)


def _laid(log_density: LogDensity, centre: Vector, root: Vector, grid: Vector) -> Lattice:
    nodes = centre + root @ grid
    inside = (np.abs(nodes) <= LIMITS).all(axis=0)
    nodes = nodes[:, inside]
    value = log_density(nodes)
    top = float(value.max())
    shares = np.exp(value - top)
    total, cell = float(shares.sum()), (grid[1, 1] - grid[1, 0]) ** 2
    return Lattice(nodes, shares / total, top + np.log(total * cell * root[0, 0] * root[1, 1]))


def _root(xx: float, xy: float, yy: float) -> Vector:
    """Lower triangular root of a covariance, its deviations kept between 1e-3 and 3."""
    x, y = math.sqrt(xx), math.sqrt(yy)
    correlation = _between(-0.999, xy / (x * y), 0.999) if x * y > 0.0 else 0.0
    x, y = _between(1e-3, x, 3.0), _between(1e-3, y, 3.0)
    return np.array([[x, 0.0], [correlation * y, math.sqrt(1.0 - correlation * correlation) * y]])
