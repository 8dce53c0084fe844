"""The prior that all questions share, learned from their outcomes: see ``_kernels/shared_prior.pyx`` for the model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._display.words import warn
from .._kernels import shared_prior
from .._kernels.shared_prior import SharedPrior
from .._kernels.states import States
from .._special import gammaln

__all__ = ["SharedPrior", "beta_binomial", "beta_priors", "learn"]


def learn(
    states: States, discount: float = 1.0, *, point_masses: bool = True, grid: bool = True, fine: bool = False
) -> SharedPrior:
    """Fit the prior that these questions share; every question counts as ``discount`` of one.

    ``point_masses`` and ``grid`` allow those kinds of prior; ``fine`` lays more nodes, for statements about other
    questions. Warns where the fit failed its own checks.
    """
    prior = shared_prior.learn(states, discount, point_masses, grid, fine)
    if not prior.trusted:
        warn(
            "The learned prior may be inaccurate: its fit to these outcomes failed a check. Compare with a fixed prior,"
            ' e.g. prior="jeffreys".',
            RuntimeWarning,
        )
    return prior


def beta_priors(prior: SharedPrior) -> list[tuple[float, float]]:
    """Return the pseudo-successes and pseudo-failures of each node."""
    return list(zip(prior.alpha.tolist(), prior.beta.tolist(), strict=True))


def beta_binomial(c: NDArray[np.int64], n: NDArray[np.int64], a: Any, b: Any) -> Vector:
    """Return the probability of ``c`` successes in ``n`` trials whose rate is drawn from a Beta distribution.

    >>> beta_binomial(np.arange(3), np.full(3, 2), 1.0, 1.0).round(6)
    array([0.333333, 0.333333, 0.333333])
    """
    ways = gammaln(n + 1.0) - gammaln(c + 1.0) - gammaln(n - c + 1.0)
    both = gammaln(a + c) + gammaln(b + (n - c)) - gammaln(a + b + n)
    return np.asarray(np.exp(ways + both + gammaln(a + b) - gammaln(a) - gammaln(b)))
