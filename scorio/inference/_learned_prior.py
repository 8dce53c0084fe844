"""The prior that all questions share, learned from their outcomes: see ``_kernels/shared_prior.pyx`` for the model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._display.words import warn
from .._kernels import prior_moments, shared_prior
from .._kernels.shared_prior import SharedPrior
from .._kernels.states import States
from .._special import gammaln

Vector = NDArray[np.float64]
__all__ = ["SharedPrior", "beta_binomial", "beta_priors", "draw_rates", "learn"]


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


def draw_rates(prior: SharedPrior, where: NDArray[np.intp], rng: np.random.Generator) -> Vector:
    """Draw the success rates of questions, whose states are ``where``, from their joint posterior."""
    weight = prior.weight
    component = int(rng.choice(len(weight), p=weight / weight.sum()))
    states = prior.states
    if component == prior.size:
        density = prior.grid_density
        if density is None:
            raise RuntimeError("the weights of the prior's components do not match its nodes")
        below = np.cumsum(prior_moments.grid_posterior(prior), axis=1)[where]
        spot = rng.random(len(where)) * below[:, -1]
        drawn: Vector = density[0][np.minimum((below < spot[:, None]).sum(axis=1), len(density[0]) - 1)]
        return drawn
    c, n = states.successes[where], states.trials[where]
    a, b = float(prior.alpha[component]), float(prior.beta[component])
    rate = rng.beta(a + c, b + (n - c))
    masses = prior.point_masses(component)
    if masses is None:
        return rate
    share, zero, one = masses
    pair = int(rng.choice(len(share), p=share / share.sum()))
    u, v = float(zero[pair]), float(one[pair])
    smooth = (1.0 - u - v) * np.exp(_log_boundary(a, b, c, n))
    total = u * (c == 0) + v * (c == n) + smooth
    spot = rng.random(len(where)) * total
    rate[(c == 0) & (spot < u)] = 0.0
    rate[(c == n) & (spot > total - v)] = 1.0
    return rate


def beta_binomial(c: NDArray[np.int64], n: NDArray[np.int64], a: Any, b: Any) -> Vector:
    """Return the probability of ``c`` successes in ``n`` trials whose rate is drawn from a Beta distribution.

    >>> beta_binomial(np.arange(3), np.full(3, 2), 1.0, 1.0).round(6)
    array([0.333333, 0.333333, 0.333333])
    """
    ways = gammaln(n + 1.0) - gammaln(c + 1.0) - gammaln(n - c + 1.0)
    both = gammaln(a + c) + gammaln(b + (n - c)) - gammaln(a + b + n)
    return np.asarray(np.exp(ways + both + gammaln(a + b) - gammaln(a) - gammaln(b)))


def _log_boundary(a: float, b: float, c: NDArray[np.int64], n: NDArray[np.int64]) -> Vector:
    """``log`` probability of the outcomes of a boundary state under a Beta; of other states, a finite number."""
    alike = np.where(c == 0, b, a)
    log_chance: Vector = gammaln(alike + n) - gammaln(alike) - gammaln(a + b + n) + gammaln(a + b)
    return log_chance
