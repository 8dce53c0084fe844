"""Variance components where questions are in clusters: clusters, and questions within them, are crossed with the rest.

A value has an effect of every set ``T`` of the other dimensions, of ``T`` with the cluster, and of ``T`` with the
question. For every set ``S``, the effect of ``S`` on each question (a mean over the other dimensions, centred over
those of ``S``) has a one-way layout over clusters. With ``N`` questions, ``m_c`` in cluster ``c``, ``G`` clusters,
``n_1 = sum m_c^2 / N``, ``n_0 = (N - n_1) / (G - 1)``, and ``K_T`` combinations of the levels that are not in ``T``,

    E[MS_S]            = sum_T K_T (N sigma_T^2 + n_1 sigma_(cluster T)^2 + sigma_(question T)^2)
    E[MS_(cluster S)]  = sum_T K_T (n_0 sigma_(cluster T)^2 + sigma_(question T)^2)
    E[MS_(question S)] = sum_T K_T sigma_(question T)^2

over all ``T`` that contain ``S`` (Searle, Casella and McCulloch 1992, for unequal sizes).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices
from ._mean_squares import Axes, MeanSquare, Part, solved

ALL, CLUSTER, QUESTION = "all", "cluster", "question"


class Term(NamedTuple):
    """A set of dimensions other than the question, alone or crossed with clusters or questions."""

    kind: str
    axes: Axes


def clustered_components(
    values: NDArray[np.float64], group: Indices, noise: float, confidence: float
) -> Mapping[Term, Part]:
    """Return the variance components of values (questions, ..); ``group`` numbers the cluster of each question."""
    sizes = np.bincount(group).astype(np.float64)
    squares = _squares(values, group, sizes)
    expected = np.array([[_share(row, column, values, sizes) for column in squares] for row in squares])
    every = tuple(range(1, values.ndim))
    own = [noise if term == Term(QUESTION, every) else 0.0 for term in squares]
    return dict(zip(squares, solved(list(squares.values()), expected, own, confidence), strict=True))


def _squares(values: NDArray[np.float64], group: Indices, sizes: NDArray[np.float64]) -> dict[Term, MeanSquare]:
    """Return the mean square of every term, the smaller sets first."""
    others = range(1, values.ndim)
    squares = {}
    for size in range(values.ndim):
        for axes in itertools.combinations(others, size):
            effect = values.mean(axis=tuple(i for i in others if i not in axes))
            for i in range(1, size + 1):
                effect = effect - effect.mean(axis=i, keepdims=True)
            flat = effect.reshape(len(values), -1)
            centre = flat.mean(axis=0)
            means = np.array([np.bincount(group, column) / sizes for column in flat.T]).T
            times = _combinations(values, axes)
            degrees = float(np.prod([values.shape[i] - 1 for i in axes]))
            parts = {
                Term(ALL, axes): (len(values) * np.sum(centre**2), 1.0),
                Term(CLUSTER, axes): (sizes @ np.sum((means - centre) ** 2, axis=1), len(sizes) - 1.0),
                Term(QUESTION, axes): (np.sum((flat - means[group]) ** 2), float(len(values) - len(sizes))),
            }
            if not axes:
                del parts[Term(ALL, axes)]  # the grand mean
            for term, (total, count) in parts.items():
                squares[term] = MeanSquare(float(total) * times / (degrees * count), degrees * count)
    return squares


def _share(row: Term, column: Term, values: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """Return what a component adds to the expectation of a mean square."""
    if not set(row.axes) <= set(column.axes):
        return 0.0
    count = float(len(values))
    in_all = float(sizes @ sizes) / count
    within = (count - in_all) / (len(sizes) - 1.0)
    shares = {(ALL, ALL): count, (ALL, CLUSTER): in_all, (CLUSTER, CLUSTER): within}
    share = 1.0 if column.kind == QUESTION else shares.get((row.kind, column.kind), 0.0)
    return share * _combinations(values, column.axes)


def _combinations(values: NDArray[np.float64], axes: Axes) -> float:
    """Return the number of combinations of levels that are not in the axes."""
    return float(np.prod([values.shape[i] for i in range(1, values.ndim) if i not in axes]))
