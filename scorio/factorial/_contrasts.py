"""Intervals of means and differences over the cells of a design, and tests of main effects and interactions.

For these levels, an interval adds up the distances ``s_c`` from the scores of the cells to the ends of their calibrated
intervals (the method of variance estimates recovery; Zou and Donner 2008): ``reach^2 = sum_cd w_c w_d r_cd s_c s_d``.
Trials of different cells are independent, so ``r`` is the identity for these questions; for the population, it is the
correlation of the cells over questions. Differences for the population are Student's, paired by question, with one more
question that could be anything, as in ``compare``.

For levels like these, the levels are a sample: the interval is Student's, from mean squares between levels (and between
questions for the population).

The test of a main effect asks whether its levels differ; that of an interaction, whether one factor's effect depends on
another.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices, Vector
from .._special import chdtrc, fdtrc
from ..estimates import mean_with_one_more
from ..inference import Level, Student
from ..metrics import degrees_of_mean, shifts_of_mean
from ._mean_squares import spread_of_mean
from ._values import Values

Weights = Mapping[str, Vector]  # by dimension; a dimension that is absent is averaged over
_ROUNDING = 1e-12  # smaller differences and effects are none


class Contrast(NamedTuple):
    """A mean or a difference of cells with its interval and its two-sided p-value against 0."""

    mu: float
    lo: float
    hi: float
    p_value: float

    def to_dict(self) -> dict[str, float]:
        """Return the numbers by name."""
        return self._asdict()


class _Reach(NamedTuple):
    """How far an interval reaches below and above its middle, and the two-sided p-value against 0."""

    down: float
    up: float
    p_value: float


def flat_weights(values: Values, weights: Weights) -> Vector:
    """Return the weight of every cell."""
    product = np.ones(())
    for name, levels in values.levels.items():
        product = np.multiply.outer(product, weights.get(name, np.full(len(levels), 1.0 / len(levels))))
    return np.asarray(product.ravel())


def of_these_levels(values: Values, weights: Weights) -> Contrast:
    """Return the contrast: a weighted sum of cells for these levels."""
    w = flat_weights(values, weights)
    mu = _sum(values, w)
    return _contrast(values, w, mu, _these(values, w, mu))


def of_levels_like_these(values: Values, weights: Weights, random: Sequence[str]) -> Contrast | None:
    """Return the same if the levels of ``random`` factors are a sample; None if the sum averages over none of them."""
    drawn = [name for name in random if name not in weights]
    if not drawn:
        return None
    w = flat_weights(values, weights)
    mu = _sum(values, w)
    array = values.value
    for place, (name, levels) in reversed(list(enumerate(values.levels.items(), 1))):
        if name not in drawn:
            array = np.tensordot(array, weights.get(name, np.full(len(levels), 1.0 / len(levels))), axes=(place, 0))
    array = array.mean(axis=0) if values.target == "questions" else _by_cluster(array, values.group)
    variance, degrees = spread_of_mean(array)
    student = _reach(Student(mu, math.sqrt(variance), degrees), values.confidence)
    return _contrast(values, w, mu, _wider(student, _these(values, w, mu)))


def _sum(values: Values, w: Vector) -> float:
    total = float(w @ values.score)
    return total if abs(total) > _ROUNDING * float(np.abs(values.score).max()) else 0.0


def _contrast(values: Values, w: Vector, mu: float, reach: _Reach) -> Contrast:
    low, high = values.support
    used = w[w != 0.0]
    floor, ceiling = float(used @ np.where(used > 0.0, low, high)), float(used @ np.where(used > 0.0, high, low))
    return Contrast(mu, max(mu - reach.down, floor), min(mu + reach.up, ceiling), reach.p_value)


def _these(values: Values, w: Vector, mu: float) -> _Reach:
    near = _added(values, w, mu, values.reach, np.eye(len(w)))
    if values.target == "questions":
        return near
    if (w >= 0.0).all():
        correlation = _correlation(values.flat, values.group)
        return _wider(_added(values, w, mu, values.wide, correlation), near)
    shifts, degrees = shifts_of_mean(values.flat @ w, values.group), degrees_of_mean(values.group)
    mean, variance, degrees = mean_with_one_more(mu, shifts, degrees, _largest(values, w))
    student = _reach(Student(mean, math.sqrt(variance), degrees), values.confidence)
    return _wider(_Reach(student.down + mu - mean, student.up + mean - mu, student.p_value), near)


def _largest(values: Values, w: Vector) -> float:
    """Return the largest value of a weighted difference of cells."""
    return float(np.maximum(w, 0.0).sum()) * (values.support[1] - values.support[0])


def _added(
    values: Values, w: Vector, mu: float, reach: NDArray[np.float64], correlation: NDArray[np.float64]
) -> _Reach:
    """Return the sum of the reaches of cells."""
    below, above = w * np.where(w > 0, reach, reach[::-1])
    low, high = (math.sqrt(max(float(side @ correlation @ side), 0.0)) for side in (below, above))
    facing = low if mu > 0 else high
    return _Reach(low, high, Student(mu, facing / values.z, math.inf).p_value)


def _reach(law: Student, confidence: float) -> _Reach:
    half = law.reach(Level(confidence))
    return _Reach(half, half, law.p_value)


def _wider(one: _Reach, other: _Reach) -> _Reach:
    """Return the wider of two on each side: a sample of levels or questions makes no interval narrower."""
    return _Reach(max(one.down, other.down), max(one.up, other.up), max(one.p_value, other.p_value))


def _by_cluster(array: NDArray[np.float64], group: Indices) -> NDArray[np.float64]:
    """Return values per cluster whose means are those of the questions."""
    count = int(group.max()) + 1
    if count == len(array):
        return array
    centre = array.mean(axis=0)
    sums = np.zeros((count, *array.shape[1:]))
    np.add.at(sums, group, array - centre)
    return np.asarray(centre + sums * (count / len(array)))


def _correlation(flat: NDArray[np.float64], group: Indices) -> NDArray[np.float64]:
    """Return the correlation of cells over questions; 1 where a cell does not vary."""
    moved = np.stack([shifts_of_mean(column, group) for column in flat.T])
    size = np.sqrt(np.sum(moved**2, axis=1))
    outer = np.outer(size, size)
    return np.asarray(np.where(outer > 0.0, moved @ moved.T / np.where(outer > 0.0, outer, 1.0), 1.0))


def p_of_term(values: Values, term: tuple[str, ...]) -> tuple[float, float, float | None, float]:
    """Return the statistic, its degrees of freedom (the second None for chi2), and the p-value of a term.

    ``term`` names one dimension, or several for their interaction. For these questions, the contrasts of cells are
    compared with the noise of their trials (Wald's chi2). For the population, questions are replications: F of
    repeated measures, with the degrees of Greenhouse and Geisser.
    """
    contrasts = np.ones((1, 1))
    for name, levels in values.levels.items():
        count = len(levels)
        contrasts = np.kron(contrasts, _helmert(count) if name in term else np.full((1, count), 1.0 / count))
    effects = contrasts @ values.score
    rank = float(len(contrasts))
    if values.target == "population":
        moved = _by_cluster(values.flat @ contrasts.T, values.group)
        between = np.atleast_2d(np.cov(moved, rowvar=False))
        if np.trace(between) > _ROUNDING:
            return _repeated_measures(effects, between, len(moved))
    covariance = (contrasts * values.sigma**2) @ contrasts.T
    chi2 = float(effects @ np.linalg.solve(covariance, effects)) if np.trace(covariance) > 0.0 else 0.0
    return chi2, rank, None, float(chdtrc(rank, chi2))


def _repeated_measures(
    effects: Vector, between: NDArray[np.float64], count: int
) -> tuple[float, float, float | None, float]:
    trace = float(np.trace(between))
    epsilon = trace**2 / (len(effects) * float(np.sum(between**2)))
    statistic = count * float(effects @ effects) / trace
    first = epsilon * len(effects)
    second = first * (count - 1)
    return statistic, first, second, float(fdtrc(first, second, statistic))


def _helmert(count: int) -> NDArray[np.float64]:
    """Return orthonormal contrasts of some levels, (count - 1, count)."""
    rows = np.zeros((count - 1, count))
    for i in range(1, count):
        rows[i - 1, :i], rows[i - 1, i] = 1.0, -float(i)
        rows[i - 1] /= np.sqrt(i * (i + 1.0))
    return rows
