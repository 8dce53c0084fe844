"""Functions of the success rate, such as credits of large budgets, integrated over Beta posteriors on fixed points."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._arrays import Vector
from .._kernels import rate_integrals
from .._kernels.states import States
from . import _rate_levels
from ._many_posteriors import MANY, interpolated

LARGE = 2000  # the budget from which on sums over the numbers of successes cost more than integrals over the rate
LOG_PANELS = 21
_TOGETHER = 1 << 21  # posteriors that are looked at together
_SINGLE = 6  # times as long as a posterior takes beside others of its prior, one takes alone
_NO_TRIALS = States(*np.array([[0], [0], [1]]))
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

    @functools.cached_property
    def _levels(self) -> list[list[_rate_levels.Level]]:
        """Fewer points for posteriors of few trials, of the first credit with itself and with the last."""
        first = self.values[0]
        nodes = rule()[0]
        return [_rate_levels.build(self.points, first, other, nodes, self.widest) for other in self.values]

    def _integrals(self, states: States, priors: Pairs, other: int) -> tuple[Vector, Vector]:
        alpha, beta = np.maximum(np.reshape(priors, (-1, 2)), 1e-290).T.copy()  # whose inverse is finite
        mean, covariance = np.empty((2, len(alpha), states.n_states))
        if mean.size < MANY:
            self._fill(states, alpha, beta, other, mean, covariance)
            return np.clip(mean, self.values[0].min(), self.values[0].max()), covariance
        most = max(1, _TOGETHER // states.n_states)
        for start in range(0, len(alpha), most):
            block = slice(start, start + most)
            self._fill_many(states, alpha[block], beta[block], other, mean[block], covariance[block])
        return np.clip(mean, self.values[0].min(), self.values[0].max()), covariance

    def _fill_many(self, states: States, alpha: Vector, beta: Vector, other: int, mean: Vector, cov: Vector) -> None:
        """Fill in what can be interpolated; the other posteriors one by one, or all of a prior."""

        def moments(a: Vector, b: Vector) -> tuple[Vector, Vector]:
            found = np.empty((2, len(a), 1))
            self._fill(_NO_TRIALS, a, b, other, *found)
            return found[0, :, 0], found[1, :, 0]

        a = (alpha[:, None] + states.successes).ravel()
        b = (beta[:, None] + (states.trials - states.successes)).ravel()
        size = float(np.ptp(self.values[0])) or 1.0
        near, spread = interpolated(a, b, self.widest / 2.0, size, moments)
        mean[:], cov[:] = near.reshape(mean.shape), spread.reshape(cov.shape)
        missing = np.isnan(mean)
        whole = missing.sum(axis=1) * _SINGLE > states.n_states
        found = np.empty((2, int(whole.sum()), states.n_states))
        self._fill(states, alpha[whole], beta[whole], other, *found)
        mean[whole], cov[whole] = found
        missing[whole] = False
        single = np.flatnonzero(missing)
        mean.flat[single], cov.flat[single] = moments(a[single], b[single])

    def _fill(self, states: States, alpha: Vector, beta: Vector, other: int, mean: Vector, cov: Vector) -> None:
        arrays = alpha, beta, self.points, rule(), LOG_PANELS, self.values[0], self.values[other], self._levels[other]
        rate_integrals.moments(states, *arrays, mean, cov)


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
