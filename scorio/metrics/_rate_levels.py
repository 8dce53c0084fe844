"""Fewer points for the posteriors of few trials, with the products of a function and its fixed points in their weights.

A function of the success rate, such as a credit of a large budget, needs many fixed points. The density of a posterior
``Beta(a, b)`` that it is integrated over changes as slowly as ``a + b`` is small, whatever the function does. On a
panel, a smooth density ``f`` is its interpolation at 16 *nodes*, ``f(p) = sum_i f(p_i) L_i(p)``, so that

    sum_m f(p_m) w_m g(p_m) = sum_i f(p_i) v_i,    v_i = sum_m L_i(p_m) w_m g(p_m),

for any ``g``. A *level* has the nodes and such weights for posteriors up to a strength ``a + b``. In the angle whose
squared sine is ``p``, its panels are 1.5 standard deviations of these posteriors wide. Next to ``p = 0``, where
densities are like ``p^a``, its panels are intervals of ``log p`` whose widths grow as ``p`` falls, for the densities
that reach so far are the flatter. The weights are about the mean value of ``g`` in each panel, so that squares of
deviations do not cancel.
"""

from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Vector

STEP = 4.0  # the strength of a level over that of the one below
_WIDTH = 0.75  # of a panel in the angle, times the square root of the strength
_LOWEST = 1.3  # the rate at the first of these panels, times the strength
_COARSEST = 16.0  # as many times fewer pseudo-trials than the last level has the one before it


class Level(NamedTuple):
    """Points for posteriors up to a strength, from ``p`` near 0 to ``p`` near 1, in panels."""

    strength: float  # the largest of the posteriors
    points: Vector  # log p, log q: (2, points)
    weights: Vector  # of 1, x, y and x y, both about their values in the panel: (4, points)
    centres: Vector  # the values of x and y that the weights are about: (2, panels)


def build(points: Vector, x: Vector, y: Vector, nodes: Vector, widest: float) -> list[Level]:
    """Return levels for posteriors up to ``widest``, the last of them with the fixed points themselves.

    ``points`` are log p, log q and weights of ascending rates, mirrored about a half; the first and the last stand for
    what lies beyond, and belong to no panel. ``nodes`` are those of a Gauss rule on [-1, 1].
    """
    half = points.shape[1] // 2
    log_p, log_q, weight = points[:, 1:half]
    sides = [np.array([x, y])[:, 1:half], np.array([x, y])[:, ::-1][:, 1:half]]
    strengths = STEP ** np.arange(1.0, np.log(max(widest / (2.0 * _COARSEST), STEP)) / np.log(STEP) + 1e-9)
    levels = [_level(strength, log_p, weight, sides, nodes) for strength in strengths]
    panel = np.arange(len(log_p)) // len(nodes)
    own = [_sums(np.ones((len(log_p), 1)), weight, panel, side) for side in sides]
    return [*levels, _mirrored(widest, np.array([log_p, log_q]), own)]


def _level(strength: float, log_p: Vector, weight: Vector, sides: list[Vector], nodes: Vector) -> Level:
    """Return the level of a strength, from the fixed points below a half and the functions there and above it."""
    lowest = _LOWEST / strength
    logs, angles = _log_edges(float(log_p[0]), np.log(lowest)), _angle_edges(lowest, strength)
    angle = np.arcsin(np.exp(log_p / 2.0))
    is_low = log_p < logs[-1]
    panels, places = [], []
    for edges, where in ((logs, log_p[is_low]), (angles, angle[~is_low])):
        panel = np.clip(np.searchsorted(edges, where, side="right") - 1, 0, len(edges) - 2)
        panels.append(panel)
        places.append(2.0 * (where - edges[panel]) / np.diff(edges)[panel] - 1.0)
    panel = np.concatenate([panels[0], panels[1] + len(logs) - 1])
    shares = _lagrange(nodes, np.concatenate(places))
    low = np.exp(_at_nodes(logs, nodes))
    p = np.concatenate([low, np.sin(_at_nodes(angles, nodes)) ** 2])
    return _mirrored(
        strength, np.array([np.log(p), np.log1p(-p)]), [_sums(shares, weight, panel, side) for side in sides]
    )


def _log_edges(bottom: float, top: float) -> Vector:
    """Return the edges of panels in ``log p``, downwards from ``top`` with growing widths."""
    edges = [top]
    while edges[-1] > bottom:
        edges.append(edges[-1] - max(1.0, (top - edges[-1]) / 2.0))
    return np.array(edges[::-1])


def _angle_edges(lowest: float, strength: float) -> Vector:
    first = float(np.arcsin(np.sqrt(lowest)))
    return np.linspace(first, np.pi / 4.0, 1 + int(np.ceil((np.pi / 4.0 - first) * np.sqrt(strength) / _WIDTH)))


def _at_nodes(edges: Vector, nodes: Vector) -> Vector:
    middle, half = (edges[1:] + edges[:-1]) / 2.0, np.diff(edges) / 2.0
    return np.asarray((middle[:, None] + half[:, None] * nodes).ravel())


def _lagrange(nodes: Vector, places: Vector) -> Vector:
    """Return the polynomials that are 1 at one node and 0 at the others, at ``places``: (places, nodes)."""
    away = nodes[:, None] - nodes
    np.fill_diagonal(away, 1.0)
    distance = places[:, None] - nodes
    is_node = distance == 0.0
    share = 1.0 / np.prod(away, axis=1) / np.where(is_node, 1.0, distance)
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray(np.where(is_node.any(axis=1, keepdims=True), is_node, share))


def _sums(shares: Vector, weight: Vector, panel: Counts, values: Vector) -> tuple[Vector, Vector]:
    """Return the weights (4, points) of the nodes of each panel, and the values (2, panels) that they are about."""
    starts = np.flatnonzero(np.diff(panel, prepend=-1))
    size = int(panel[-1]) + 1
    centres = np.zeros((2, size))
    counts = np.diff(np.append(starts, len(panel)))
    centres[:, panel[starts]] = np.add.reduceat(values, starts, axis=1) / counts
    x, y = values - centres[:, panel]
    if shares.shape[1] == 1:  # the fixed points themselves
        return weight * np.array([np.ones_like(x), x, y, x * y]), centres
    sums = np.zeros((4, size, shares.shape[1]))
    for row, factor in zip(sums, (1.0, x, y, x * y), strict=True):
        row[panel[starts]] = np.add.reduceat(shares * (weight * factor)[:, None], starts, axis=0)
    return sums.reshape(4, -1), centres


def _mirrored(strength: float, points: Vector, sides: list[tuple[Vector, Vector]]) -> Level:
    """Return a level from its points below a half, and weights there and, as ``q``, above it."""
    (low, of_low), (high, of_high) = sides
    weights = np.concatenate([low, high[:, ::-1]], axis=1)
    centres = np.concatenate([of_low, of_high[:, ::-1]], axis=1)
    return Level(strength, np.concatenate([points, points[::-1, ::-1]], axis=1), weights, np.ascontiguousarray(centres))
