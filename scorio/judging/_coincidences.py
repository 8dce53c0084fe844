"""Krippendorff's alpha from coincidences, and kappa from a table of two raters: point values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import Vector


class Chances(NamedTuple):
    """The ``observed`` agreement and the one ``expected`` by chance; disagreements if labels have distances."""

    observed: float
    expected: float

    @property
    def beyond_chance(self) -> float:
        """The agreement beyond chance, 1 at most; NaN if all labels are equal."""
        rest = 1.0 - self.expected
        return (self.observed - self.expected) / rest if rest > 1e-15 else float("nan")


def kappa_of(table: Vector) -> Chances:
    """Return the agreement of two raters and that of raters with the same rates who label independently (Cohen)."""
    shares = table / table.sum()
    return Chances(float(np.trace(shares)), float(shares.sum(axis=1) @ shares.sum(axis=0)))


def coincidences(counts: Vector) -> Vector:
    """Return the coincidences of the labels, (units, labels, labels), of counts (units, labels).

    Every ordered pair of labels of a unit counts as ``1/(m - 1)``, where ``m`` is the number of its labels.
    """
    total = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    np.einsum("uaa->ua", pairs)[...] -= counts
    return np.asarray(pairs / np.maximum(total - 1.0, 1.0)[:, None, None])


def alpha_of(table: Vector, values: Vector, level: str) -> Chances:
    """Return ``1 - D_o`` and ``1 - D_e`` of the summed coincidences."""
    margin = table.sum(axis=1)
    n = margin.sum()
    distance = distances(margin, values, level)
    observed = float(np.sum(table * distance)) / n
    expected = float(margin @ distance @ margin) / (n * (n - 1.0)) if n > 1 else 0.0
    return Chances(1.0 - observed, 1.0 - expected)


def distances(margin: Vector, values: Vector, level: str) -> Vector:
    """Return the squared distances of the labels, for nominal, ordinal or interval scales."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    ranks = np.cumsum(margin) - margin / 2.0
    return np.asarray((ranks[:, None] - ranks[None, :]) ** 2)
