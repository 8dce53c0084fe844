"""Cells of a design as estimates, and what sums of them say: means, differences, interactions, and tests of terms.

A sum over these levels is an ``Estimate``: trials of different cells are independent, and for the population, cells
share their questions. For levels like these, the levels are a sample: the interval is Student's, from mean squares of
levels, to whose variance that of questions is added for the population.

The test of a main effect asks whether its levels differ; that of an interaction, whether one factor's effect depends on
another.

An array with one value per combination of levels of some dimensions, all of them random, has for every set ``S`` of
dimensions a mean square ``MS_S`` with ``prod_(i in S) (n_i - 1)`` degrees of freedom. With ``N`` values in all and
``n_S`` combinations of the levels of ``S``,

    E[MS_S] = sum_(T contains S) N/n_T sigma_T^2
    sigma_S^2 = n_S/N sum_(T contains S) (-1)^(|T| - |S|) E[MS_T]
    Var(mean) = sum_S sigma_S^2/n_S = 1/N sum_T (-1)^(|T| + 1) E[MS_T]

(Cornfield and Tukey 1956). The noise of the trials is part of the component of all dimensions.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._special import chdtrc, fdtrc
from ..estimates import Estimate, joint_effects
from ..inference import Level, Student, satterthwaite, within
from ..metrics import Metric
from ._design import Design

Axes = tuple[int, ...]
Weights = Mapping[str, Vector]  # by dimension; a dimension that is absent is averaged over
_ROUNDING = 1e-12  # smaller differences and effects are none
_DRAWS = 20_000  # of the generalized confidence intervals
_SEED = 20261122


class Contrast(NamedTuple):
    """A mean or a difference of cells with its interval and its two-sided p-value against 0."""

    mu: float
    lo: float
    hi: float
    p_value: float

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name."""
        return self._asdict()


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a design: ``levels`` by dimension, and the score and the estimate of each cell, in their order."""

    levels: Mapping[str, tuple[str, ...]]
    scores: Vector
    estimates: Sequence[Estimate]

    @classmethod
    def of(cls, metric: Metric, design: Design, target: str, confidence: float) -> "Cells":
        """Return the cells of a design."""
        estimates = [
            metric.estimate(cell, model=name, target=target, confidence=confidence)
            for name, cell in zip(design.names, design.cells, strict=True)
        ]
        return cls(design.levels, np.array([metric.score(cell) for cell in design.cells]), estimates)

    @property
    def dimensions(self) -> list[str]:
        """The model, if there are several, and the factors."""
        return [name for name, levels in self.levels.items() if len(levels) > 1]

    @property
    def interactions(self) -> list[tuple[str, str]]:
        """Every two dimensions."""
        return list(itertools.combinations(self.dimensions, 2))

    def flat(self, weights: Weights) -> Vector:
        """Return the weight of every cell."""
        product = np.ones(())
        for name, levels in self.levels.items():
            product = np.multiply.outer(product, weights.get(name, np.full(len(levels), 1.0 / len(levels))))
        return np.asarray(product.ravel())

    def sum(self, weights: Vector) -> Estimate:
        """Return the sum of all cells with these weights."""
        rows = zip(weights.tolist(), self.estimates, strict=True)
        parts = {
            key: (measured, weight * factor) for weight, cell in rows for key, (measured, factor) in cell.parts.items()
        }
        return Estimate(parts, self.estimates[0].terms)

    def score(self, weights: Vector) -> float:
        """Return the sum of the scores."""
        total = float(weights @ self.scores)
        return total if abs(total) > _ROUNDING * float(np.abs(self.scores).max()) else 0.0

    def these(self, weights: Weights) -> Contrast:
        """Return the sum of cells for these levels."""
        flat = self.flat(weights)
        estimate, score = self.sum(flat), self.score(flat)
        _, _, lo, hi = estimate.interval()
        return Contrast(score, min(lo, score), max(hi, score), estimate.p_value() if score else 1.0)

    def like(self, weights: Weights, random: Sequence[str]) -> Contrast | None:
        """Return the same if the levels of ``random`` factors are a sample; None if none of them is averaged over."""
        drawn = [name for name in random if name not in weights]
        if not drawn:
            return None
        flat, array = self.flat(weights), self.scores.reshape([len(levels) for levels in self.levels.values()])
        for place, (name, levels) in reversed(list(enumerate(self.levels.items()))):
            if name not in drawn:
                array = np.tensordot(array, weights.get(name, np.full(len(levels), 1.0 / len(levels))), (place, 0))
        estimate, these, parts = self.sum(flat), self.these(weights), [spread_of_mean(array)]
        if estimate.terms.target == "population":
            parts.append((estimate.sd**2, estimate.degrees))
        variance, degrees = satterthwaite(parts)
        law = Student(these.mu, math.sqrt(variance), degrees)
        reach = law.reach(Level(estimate.terms.confidence))
        lo, hi = (within(estimate.bounds, end) for end in (these.mu - reach, these.mu + reach))
        return Contrast(these.mu, min(lo, these.lo), max(hi, these.hi), max(law.p_value, these.p_value))

    def test(self, term: Sequence[str]) -> tuple[float, float, float | None, float]:
        """Return the statistic of a term, its degrees of freedom (the second None for chi2), and the p-value.

        ``term`` names one dimension, or several for their interaction. For these questions, it is Wald's chi2. Where
        questions are replications, it is F of repeated measures, with the degrees of Greenhouse and Geisser.
        """
        contrasts = np.ones((1, 1))
        for name, levels in self.levels.items():
            count = len(levels)
            contrasts = np.kron(contrasts, _helmert(count) if name in term else np.full((1, count), 1.0 / count))
        effects = contrasts @ self.scores
        sums, rank = [self.sum(row) for row in contrasts], float(len(contrasts))
        degrees = min(estimate.degrees for estimate in sums)
        if math.isinf(degrees):
            noise = contrasts * [cell.sd for cell in self.estimates]
            chi2 = float(effects @ np.linalg.solve(noise @ noise.T, effects))
            return chi2, rank, None, float(chdtrc(rank, chi2))
        shared = joint_effects(sums)
        covariance = shared @ shared.T
        trace = float(np.trace(covariance))
        statistic, epsilon = float(effects @ effects) / trace, trace**2 / (rank * float(np.sum(covariance**2)))
        first, second = epsilon * rank, epsilon * rank * degrees
        return statistic, first, second, float(fdtrc(first, second, statistic))


def _helmert(count: int) -> NDArray[np.float64]:
    """Return orthonormal contrasts of some levels, (count - 1, count)."""
    rows = np.zeros((count - 1, count))
    for i in range(1, count):
        rows[i - 1, :i], rows[i - 1, i] = 1.0, -float(i)
        rows[i - 1] /= np.sqrt(i * (i + 1.0))
    return rows


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
