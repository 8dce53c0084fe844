"""Functions of the success rate, such as credits of large budgets, integrated over Beta posteriors on fixed points."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._arrays import Vector
from .._kernels import rate_integrals
from .._kernels.states import States

LARGE = 2000  # the budget from which on sums over the numbers of successes cost more than integrals over the rate
LOG_PANELS = 21
NEAREST = 1e-18  # the rate next to 0, times the sharpness

Pairs = list[tuple[float, float]]  # pseudo-successes and pseudo-failures of priors


@functools.cache
def rule() -> Vector:
    """Return the points and weights of a panel, (2, 16); the kernel knows their number."""
    return np.array(np.polynomial.legendre.leggauss(16))


@dataclass(frozen=True)
class Integrals:
    """Credits as functions of the success rate, for posteriors of any strength.

    Build them once, by ``at_rates``, for all priors that are asked about.
    """

    points: Vector  # log p, log q, weight: (3, points)
    values: list[Vector]  # of each credit at the points
    widest: float  # the strength of posteriors that the points can tell from their neighbours

    def moments(self, states: States, priors: Pairs) -> tuple[Vector, Vector]:
        """Return mean and standard deviation of the first credit under every prior in every state, (J, S) each."""
        mean, variance = self._integrals(states, priors, 0)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def covariance(self, states: States, priors: Pairs) -> Vector:
        """Return the covariance of the first and the last credit under every prior in every state, (J, S)."""
        return self._integrals(states, priors, len(self.values) - 1)[1]

    def _integrals(self, states: States, priors: Pairs, other: int) -> tuple[Vector, Vector]:
        alpha, beta = np.maximum(np.reshape(priors, (-1, 2)), 1e-290).T.copy()  # whose inverse is finite
        mean, covariance = np.empty((2, len(alpha), states.n_states))
        arrays = alpha, beta, self.points, rule(), LOG_PANELS, self.values[0], self.values[other], self.widest
        rate_integrals.moments(states, *arrays, mean, covariance)
        return np.clip(mean, self.values[0].min(), self.values[0].max()), covariance


def at_rates(*vectors: Vector) -> Integrals:
    """Evaluate credits of one budget at rates close enough together for products of two of them."""
    return of_functions(len(vectors[0]) - 1, *(functools.partial(credit_at, credit) for credit in vectors))


def credit_at(credit: Vector, p: Vector, q: Vector) -> Vector:
    """Return the expected credit at success rates ``p``, ``q = 1 - p``."""
    out = np.empty(len(p))
    rate_integrals.values(credit, p, q, out)
    return np.clip(out, credit.min(), credit.max(), out=out)


def of_functions(k: int, *functions: Callable[[Vector, Vector], Vector]) -> Integrals:
    """Evaluate functions of ``p`` and ``q = 1 - p`` that change no faster than credits of the budget ``k >= LARGE``.

    A budget of ``k`` changes over no less than ``sqrt(p q/k)``, and so do the densities of ``2 k`` trials. In the angle
    whose squared sine is ``p``, that is the same everywhere: panels of a Gauss rule have equal widths there, down to
    ``p = 1/sharpness``. Below, they have equal widths in ``log p``, for densities ``p^a``.
    """
    sharpness = 4.0 * k
    least = np.arcsin(np.sqrt(1.0 / sharpness))
    angle, share = _panels(least, np.pi / 4.0, int(np.ceil((np.pi / 4.0 - least) * np.sqrt(sharpness) / 3.0)))
    exponent, length = _panels(np.log(NEAREST / sharpness), np.log(1.0 / sharpness), LOG_PANELS)
    p = np.concatenate([[NEAREST / sharpness], np.exp(exponent), np.sin(angle) ** 2])
    q = np.concatenate([1.0 - p[: len(exponent) + 1], np.cos(angle) ** 2])
    weight = np.concatenate([[0.0], length / q[1 : len(exponent) + 1], 4.0 * share / np.sin(2.0 * angle)])
    below = np.array([np.log(p), np.log1p(-p), weight])
    points = np.concatenate([below, below[[1, 0, 2], ::-1]], axis=1)
    rates = np.concatenate([p, q[::-1]]), np.concatenate([q, p[::-1]])
    values = [function(*rates) for function in functions]
    return Integrals(points, values, 2.0 * k)


def _panels(low: float, high: float, count: int) -> tuple[Vector, Vector]:
    """Return the points and weights of Gauss rules on ``count`` equal panels."""
    edges = np.linspace(low, high, count + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2.0, (edges[1] - edges[0]) / 2.0
    nodes, weights = rule()
    return (middle[:, None] + half * nodes).ravel(), np.tile(half * weights, count)
