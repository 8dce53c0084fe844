"""Success rates of questions, drawn from their joint posterior under a learned prior."""

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._kernels import prior_moments
from .._special import gammaln
from ..inference import SharedPrior


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


def _log_boundary(a: float, b: float, c: NDArray[np.int64], n: NDArray[np.int64]) -> Vector:
    """``log`` probability of the outcomes of a boundary state under a Beta; of other states, a finite number."""
    alike = np.where(c == 0, b, a)
    log_chance: Vector = gammaln(alike + n) - gammaln(alike) - gammaln(a + b + n) + gammaln(a + b)
    return log_chance
