"""Tests of main effects and interactions: do the levels differ, and does one factor's effect depend on another?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._special import chdtrc, fdtrc
from ._contrasts import _by_cluster
from ._values import Values

_NONE = 1e-12  # smaller effects are rounding


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
        if np.trace(between) > _NONE:
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
