r"""Mean squares of a complete crossing, and what follows from them.

An array with one value per combination of levels of some dimensions, all of them random, has for every set ``S`` of
dimensions a mean square ``MS_S`` with ``prod_(i in S) (n_i - 1)`` degrees of freedom. With ``N`` values in all and
``n_S`` combinations of the levels of ``S``,

    E[MS_S] = sum_(T contains S) N/n_T sigma_T^2
    sigma_S^2 = n_S/N sum_(T contains S) (-1)^(|T| - |S|) E[MS_T]
    Var(mean) = sum_S sigma_S^2/n_S = 1/N sum_T (-1)^(|T| + 1) E[MS_T]

(Cornfield and Tukey 1956). The noise of the trials is part of the component of all dimensions.

Where questions are in clusters, both the clusters and the questions within them are crossed with the other dimensions.
A value then has an effect of every set ``T`` of the other dimensions, of ``T`` with the cluster, and of ``T`` with the
question. For every set ``S``, the effect of ``S`` on each question (a mean over the other dimensions, centred over
those of ``S``) has a one-way layout over clusters. With ``N`` questions, ``m_c`` in cluster ``c``, ``G`` clusters,
``n_1 = sum m_c^2 / N``, ``n_0 = (N - n_1) / (G - 1)``, and ``K_T`` combinations of the levels that are not in ``T``,

    E[MS_S]            = sum_T K_T (N sigma_T^2 + n_1 sigma_(cluster T)^2 + sigma_(question T)^2)
    E[MS_(cluster S)]  = sum_T K_T (n_0 sigma_(cluster T)^2 + sigma_(question T)^2)
    E[MS_(question S)] = sum_T K_T sigma_(question T)^2

over all ``T`` that contain ``S`` (Searle, Casella and McCulloch 1992, for unequal sizes).
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices

Axes = tuple[int, ...]
Matrix: TypeAlias = NDArray[np.float64]
_DRAWS = 20_000  # of the generalized confidence intervals
_SEED = 20261122
ALL, CLUSTER, QUESTION = "all", "cluster", "question"


class MeanSquare(NamedTuple):
    """A mean square, and its degrees of freedom."""

    value: float
    degrees: float


class Spread(NamedTuple):
    """The variance of a mean, with the degrees of freedom of its estimate."""

    variance: float
    degrees: float


def mean_squares(values: NDArray[np.float64]) -> dict[Axes, MeanSquare]:
    """Return the mean square of every set of axes, the smaller sets first.

    >>> squares = mean_squares(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> [(axes, each.value) for axes, each in squares.items()]
    [((0,), 9.0), ((1,), 4.0), ((0, 1), 1.0)]
    """
    squares = {}
    for axes, effect, degrees in _effects(values, range(values.ndim)):
        total = float(np.sum(effect**2)) * values.size / effect.size
        squares[axes] = MeanSquare(total / degrees, degrees)
    del squares[()]  # the grand mean
    return squares


def _effects(values: NDArray[np.float64], crossed: range) -> Iterator[tuple[Axes, NDArray[np.float64], float]]:
    """Yield every set of the crossed axes, the smaller first, with its effect and its degrees of freedom."""
    for size in range(len(crossed) + 1):
        for axes in itertools.combinations(crossed, size):
            effect = values.mean(axis=tuple(i for i in crossed if i not in axes))
            for i in crossed[:size]:
                effect = effect - effect.mean(axis=i, keepdims=True)
            yield axes, effect, float(np.prod([values.shape[i] - 1 for i in axes]))


def spread_of_mean(values: NDArray[np.float64]) -> Spread:
    """Return the variance of the mean over all dimensions, whose levels are random, with Satterthwaite's degrees.

    It is at least what each dimension alone shows, because differences of mean squares may be too small by chance.

    >>> spread_of_mean(np.array([1.0, 2.0, 4.0, 5.0])) == (10.0 / 3 / 4, 3.0)
    True
    """
    squares = mean_squares(values)
    share = {axes: (-1.0) ** (len(axes) + 1) / values.size for axes in squares}
    variance = sum(share[axes] * each.value for axes, each in squares.items())
    alone = [each for axes, each in squares.items() if len(axes) == 1]
    largest = max(alone, key=lambda each: each.value)
    if variance <= largest.value / values.size:
        return Spread(largest.value / values.size, largest.degrees)
    parts = sum((share[axes] * each.value) ** 2 / each.degrees for axes, each in squares.items())
    return Spread(float(variance), max(float(variance**2 / parts), min(each.degrees for each in alone)))


class Part(NamedTuple):
    """An estimated variance component with its interval; the estimate may be negative by chance."""

    variance: float
    lo: float
    hi: float


def components(values: NDArray[np.float64], noise: float, confidence: float) -> Mapping[Axes, Part]:
    """Return the variance component of every set of axes, less the noise of the trials for all axes together."""
    squares = mean_squares(values)
    expected = np.array(
        [[_combinations(values, other) if set(axes) <= set(other) else 0.0 for other in squares] for axes in squares]
    )
    own = [noise if len(axes) == values.ndim else 0.0 for axes in squares]
    return dict(zip(squares, solved(list(squares.values()), expected, own, confidence), strict=True))


def solved(squares: Sequence[MeanSquare], expected: Matrix, noise: Sequence[float], confidence: float) -> list[Part]:
    """Return the components whose expected mean squares are ``expected``, (squares, components), less known noise.

    Intervals are generalized confidence intervals: each mean square is divided by a draw of chi2/df, and negative
    variances become 0.
    """
    rng = np.random.default_rng(_SEED)
    drawn = np.array([each.value * each.degrees / rng.chisquare(each.degrees, _DRAWS) for each in squares])
    estimates = np.linalg.solve(expected, [each.value for each in squares]) - noise
    draws = np.maximum(np.linalg.solve(expected, drawn) - np.asarray(noise)[:, None], 0.0)
    ends = np.quantile(draws, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=1)
    return [Part(float(each), float(lo), float(hi)) for each, lo, hi in zip(estimates, *ends, strict=True)]


class Term(NamedTuple):
    """A set of dimensions other than the question, alone or crossed with clusters or questions."""

    kind: str
    axes: Axes


def clustered_components(
    values: NDArray[np.float64], group: Indices, noise: float, confidence: float
) -> Mapping[Term, Part]:
    """Return the variance components of values (questions, ..); ``group`` numbers the cluster of each question."""
    sizes = np.bincount(group).astype(np.float64)
    squares = _clustered_squares(values, group, sizes)
    expected = np.array([[_expected_share(row, column, values, sizes) for column in squares] for row in squares])
    every = tuple(range(1, values.ndim))
    own = [noise if term == Term(QUESTION, every) else 0.0 for term in squares]
    return dict(zip(squares, solved(list(squares.values()), expected, own, confidence), strict=True))


def _clustered_squares(
    values: NDArray[np.float64], group: Indices, sizes: NDArray[np.float64]
) -> dict[Term, MeanSquare]:
    """Return the mean square of every term, the smaller sets first."""
    squares = {}
    for axes, effect, degrees in _effects(values, range(1, values.ndim)):
        flat = effect.reshape(len(values), -1)
        centre = flat.mean(axis=0)
        means = np.array([np.bincount(group, column) / sizes for column in flat.T]).T
        times = _combinations(values, axes, first=1)
        parts = {
            Term(ALL, axes): (len(values) * np.sum(centre**2), 1.0),
            Term(CLUSTER, axes): (sizes @ np.sum((means - centre) ** 2, axis=1), len(sizes) - 1.0),
            Term(QUESTION, axes): (np.sum((flat - means[group]) ** 2), float(len(values) - len(sizes))),
        }
        for term, (total, count) in parts.items():
            squares[term] = MeanSquare(float(total) * times / (degrees * count), degrees * count)
    del squares[Term(ALL, ())]  # the grand mean
    return squares


def _expected_share(row: Term, column: Term, values: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """Return what a component adds to the expectation of a mean square."""
    if not set(row.axes) <= set(column.axes):
        return 0.0
    count = float(len(values))
    in_all = float(sizes @ sizes) / count
    within = (count - in_all) / (len(sizes) - 1.0)
    shares = {(ALL, ALL): count, (ALL, CLUSTER): in_all, (CLUSTER, CLUSTER): within}
    share = 1.0 if column.kind == QUESTION else shares.get((row.kind, column.kind), 0.0)
    return share * _combinations(values, column.axes, first=1)


def _combinations(values: NDArray[np.float64], axes: Axes, *, first: int = 0) -> float:
    """Return the number of combinations of levels that are not in the axes, from the ``first`` axis on."""
    return float(np.prod([values.shape[i] for i in range(first, values.ndim) if i not in axes]))
