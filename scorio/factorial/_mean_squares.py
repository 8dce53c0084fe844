r"""Mean squares of a complete crossing, and what follows from them.

An array with one value per combination of levels of some dimensions, all of them random, has for every set ``S`` of
dimensions a mean square ``MS_S`` with ``prod_(i in S) (n_i - 1)`` degrees of freedom. With ``N`` values in all and
``n_S`` combinations of the levels of ``S``,

    E[MS_S] = sum_(T contains S) N/n_T sigma_T^2
    sigma_S^2 = n_S/N sum_(T contains S) (-1)^(|T| - |S|) E[MS_T]
    Var(mean) = sum_S sigma_S^2/n_S = 1/N sum_T (-1)^(|T| + 1) E[MS_T]

(Cornfield and Tukey 1956). The noise of the trials is part of the component of all dimensions.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..inference import satterthwaite

Axes = tuple[int, ...]
Matrix: TypeAlias = NDArray[np.float64]
_DRAWS = 20_000  # of the generalized confidence intervals
_SEED = 20261122


class MeanSquare(NamedTuple):
    """A mean square, and its degrees of freedom."""

    value: float
    degrees: float


def mean_squares(values: NDArray[np.float64]) -> dict[Axes, MeanSquare]:
    """Return the mean square of every set of axes, the smaller sets first.

    >>> squares = mean_squares(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> [(axes, square.value) for axes, square in squares.items()]
    [((0,), 9.0), ((1,), 4.0), ((0, 1), 1.0)]
    """
    squares = {}
    for size in range(1, values.ndim + 1):
        for axes in itertools.combinations(range(values.ndim), size):
            effect = values.mean(axis=tuple(i for i in range(values.ndim) if i not in axes), keepdims=True)
            for i in axes:
                effect = effect - effect.mean(axis=i, keepdims=True)
            degrees = float(np.prod([values.shape[i] - 1 for i in axes]))
            total = float(np.sum(effect**2)) * values.size / effect.size
            squares[axes] = MeanSquare(total / degrees, degrees)
    return squares


def spread_of_mean(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the variance of the mean over all dimensions, whose levels are random, and its degrees of freedom.

    It is at least what each dimension alone shows, because differences of mean squares may be too small by chance.

    >>> spread_of_mean(np.array([1.0, 2.0, 4.0, 5.0])) == (10.0 / 3 / 4, 3.0)
    True
    """
    squares = mean_squares(values)
    alone = [square for axes, square in squares.items() if len(axes) == 1]
    parts = [(-((-1.0) ** len(axes)) * square.value / values.size, square.degrees) for axes, square in squares.items()]
    variance, degrees = satterthwaite(parts)
    largest = max(alone, key=lambda square: square.value)
    if variance <= largest.value / values.size:
        return largest.value / values.size, largest.degrees
    return variance, max(degrees, min(square.degrees for square in alone))


class Part(NamedTuple):
    """An estimated variance component with its interval; the estimate may be negative by chance."""

    variance: float
    lo: float
    hi: float


def components(values: NDArray[np.float64], noise: float, confidence: float) -> Mapping[Axes, Part]:
    """Return the variance component of every set of axes, less the noise of the trials for all axes together.

    Intervals are generalized confidence intervals: each mean square is divided by a draw of chi2/df, and negative
    variances become 0.
    """
    squares = mean_squares(values)
    expected = np.array(
        [[_combinations(values, other) if set(axes) <= set(other) else 0.0 for other in squares] for axes in squares]
    )
    trials = np.array([noise if len(axes) == values.ndim else 0.0 for axes in squares])
    rng = np.random.default_rng(_SEED)
    drawn = np.array(
        [square.value * square.degrees / rng.chisquare(square.degrees, _DRAWS) for square in squares.values()]
    )
    estimates = np.linalg.solve(expected, [square.value for square in squares.values()]) - trials
    draws = np.maximum(np.linalg.solve(expected, drawn) - trials[:, None], 0.0)
    ends = np.quantile(draws, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=1)
    return {axes: Part(*map(float, row)) for axes, row in zip(squares, zip(estimates, *ends, strict=True), strict=True)}


def _combinations(values: NDArray[np.float64], axes: Axes) -> float:
    """Return the number of combinations of levels that are not in the axes."""
    return float(np.prod([values.shape[i] for i in range(values.ndim) if i not in axes]))
