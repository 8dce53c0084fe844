"""How well a question separates the models: its correlation with the score on all other questions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from .._special import gammaln, ndtr, ndtri, stdtr

_FEWEST = 4  # models for an interval
_LARGEST = 1.0 - 1e-12  # of a correlation that is transformed


class Discrimination(NamedTuple):
    """Per question the correlation ``r``, its interval, and the number of ``models`` it is over.

    ``p_negative`` is the p-value of a negative correlation.
    """

    r: Vector
    lo: Vector
    hi: Vector
    models: Vector
    p_negative: Vector


def discrimination(rates: Vector, confidence: float) -> Discrimination:
    """Return the correlation over models of each question's rate with the mean rate on all other questions.

    Models are the units: intervals are Fisher's, for other models like these. The p-value is that of the t test; it is
    never smaller than one over the number of distinct orders of the rates, which a permutation test could not pass.

    >>> r = discrimination(np.array([[0.0, 0.5, 1.0], [0.1, 0.3, 0.9], [0.9, 0.5, 0.2]]), 0.95).r
    >>> r.round(3)
    array([ 0.327,  0.996, -0.978])
    """
    known = ~np.isnan(rates)
    filled = np.where(known, rates, 0.0)
    others = known.sum(axis=0) - known
    total = filled.sum(axis=0) - filled
    rest = np.divide(total, others, out=np.zeros_like(filled), where=others > 0)
    count = known.sum(axis=1)
    x, y = (_centered(each, known) for each in (rest, filled))
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    r = np.divide((x * y).sum(axis=1), scale, out=np.full(len(rates), np.nan), where=(scale > 1e-12) & (count > 2))
    r = np.clip(r, -1.0, 1.0)
    enough = count >= _FEWEST
    z = np.arctanh(np.clip(r, -_LARGEST, _LARGEST))
    width = np.where(enough, -ndtri((1.0 - confidence) / 2.0) / np.sqrt(np.maximum(count - 3.0, 1.0)), np.nan)
    return Discrimination(r, np.tanh(z - width), np.tanh(z + width), count, _p_negative(r, count, rates))


def _centered(values: Vector, known: Vector) -> Vector:
    mean = (values * known).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    centered: Vector = (values - mean[:, None]) * known
    return centered


def _p_negative(r: Vector, count: Vector, rates: Vector) -> Vector:
    df = np.maximum(count - 2.0, 1.0)
    p = stdtr(df, r * np.sqrt(df / np.maximum(1.0 - r * r, 1e-300)))
    p = np.maximum(p, np.array([1.0 / _orders(row) for row in rates]))
    return np.where(np.isnan(r), np.nan, p)


def _orders(row: Vector) -> float:
    """Return the number of distinct orders of the rates."""
    _, times = np.unique(row[~np.isnan(row)], return_counts=True)
    return float(np.exp(gammaln(times.sum() + 1.0) - gammaln(times + 1.0).sum()))


def p_below(r: Vector, count: Vector, typical: float) -> Vector:
    """Return the p-value of a correlation below ``typical``, by Fisher's transformation."""
    gap = np.arctanh(np.clip(r, -_LARGEST, _LARGEST)) - np.arctanh(typical)
    p = ndtr(gap * np.sqrt(np.maximum(count - 3.0, 1.0)))
    return np.where(count >= _FEWEST, p, np.nan)


def benjamini_hochberg(p: Vector) -> Vector:
    """Return p-values corrected for their number by the method of Benjamini and Hochberg; NaN are left out.

    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.04,  nan, 0.04])
    """
    corrected = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")[::-1]]
    steps = p[order] * len(known) / np.arange(len(known), 0, -1)
    corrected[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return corrected
