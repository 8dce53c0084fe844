"""Which models cannot be told apart: three rules, asked of any two models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..paired import Joint

Vector = NDArray[np.float64]
Which = NDArray[np.intp]
Alike = Callable[[Which, Which], NDArray[Any]]


def rule(tie: str, intervals: Vector, joint: Joint, confidence: float) -> Alike:
    """The rule of that name; ``intervals`` is (L, 4): mu, sigma, lo, hi."""
    mu, sigma, lo, hi = intervals.T
    if tie == "zscore_adjacent":
        return zscore(mu, sigma, confidence)
    return paired(joint, confidence) if tie == "paired" else overlap(lo, hi)


def zscore(mu: Vector, sigma: Vector, confidence: float) -> Alike:
    """Alike where ``z = |difference| / sqrt(sigma^2 + sigma'^2)`` is below ``Phi^-1(confidence)``."""
    critical = ndtri(confidence)
    return lambda i, j: np.abs(mu[i] - mu[j]) < critical * np.hypot(sigma[i], sigma[j])


def overlap(lo: Vector, hi: Vector) -> Alike:
    """Alike where the intervals overlap or touch."""
    return lambda i, j: (lo[i] <= hi[j]) & (lo[j] <= hi[i])


def paired(joint: Joint, confidence: float) -> Alike:
    """Alike where neither beats the other with probability ``confidence``, their questions being the same."""

    def alike(i: Which, j: Which) -> NDArray[Any]:
        wins = joint.beats(i, j)
        return np.asarray(np.maximum(wins, 1.0 - wins) < confidence)

    return alike
