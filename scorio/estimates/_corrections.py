"""P-values that are corrected for their number, by the methods of Holm and of Benjamini and Hochberg."""

from collections.abc import Sequence

import numpy as np

from .._arrays import Vector


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values that are corrected for their number by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(steps, 1.0)
    return [float(value) for value in corrected]


def benjamini_hochberg(p: Vector) -> Vector:
    """Return p-values corrected for their number by the method of Benjamini and Hochberg; NaN are left out.

    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.04,  nan, 0.04])
    """
    corrected = np.full(len(p), np.nan)
    given = np.flatnonzero(~np.isnan(p))
    order = given[np.argsort(p[given], kind="stable")[::-1]]
    steps = p[order] * len(given) / np.arange(len(given), 0, -1)
    corrected[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return corrected
