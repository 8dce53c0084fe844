r"""What runs add to the noise of an estimate: trials of one run share a server, a day or a seed.

Run ``t`` moves the outcomes of all its trials by ``s x_t``, with ``x_t`` standard normal; ``s`` is the same for all
runs. For pass/fail outcomes it is a shift of the log odds of success. An estimate then moves by ``s sum_t a_t x_t``,
which adds ``s^2 sum a_t^2`` to its variance. How large ``s`` is has to be learned from few runs, so the variance is a
mixture over a grid of sizes. The prior of ``s`` is half-Cauchy: runs that differ little are usual, and runs that differ
much are not excluded. Its scale for differences is larger, so that equal models are called at most at their rate
where few runs tell how much runs differ.

With ``down`` and ``up`` the distances from a posterior mean to the ends of its interval without runs, both are those
of a normal law with the standard deviations ``down / z`` and ``up / z``, and the end with runs is where

    sum_g weight_g Phi(-distance / sqrt(sd^2 + variance_g)) = tail

which gives the interval without runs where there is no such noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base.arrays import Vector, read_only
from .._base.special import ndtr
from ..errors import OutcomeError
from ._interval import Interval, within
from ._law import Mixture, SkewedT
from ._level import Level

_SCALE = 0.2  # of the prior of s: half of all kinds of runs differ by less
_SCALE_OF_DIFFERENCES = 0.5
_STEPS, _ROUNDING = 200, 1e-13  # of the search for an end: the most steps, and the error relative to the tail
_LEAST_WEIGHT = 1e-12  # of a size of runs that a law keeps
SIZES = read_only(np.concatenate([[0.0], np.geomspace(0.01, 10.0, 48)]))  # of s


def _prior(scale: float) -> Vector:
    """Return the prior probability of each size: that of the half-Cauchy law between the middles of its neighbors."""
    middles = (SIZES[1:] + SIZES[:-1]) / 2.0
    shares = np.diff(2.0 / np.pi * np.arctan(np.concatenate([[0.0], middles, [np.inf]]) / scale))
    return read_only(shares)


_PRIORS = _prior(_SCALE), _prior(_SCALE_OF_DIFFERENCES)


@dataclass(frozen=True, eq=False)
class RunNoise:
    """The noise of one estimate: the probability of each size of ``SIZES``, and the variance for the size 1."""

    weights: Vector
    unit: float

    @staticmethod
    def posterior_of_sizes(log_likelihood: Vector, *, of_differences: bool = False) -> Vector:
        """Return the probability of every size of ``SIZES``, for scores or for differences of scores."""
        weights = _PRIORS[of_differences] * np.exp(log_likelihood - log_likelihood.max())
        return np.asarray(weights / weights.sum())

    @property
    def variances(self) -> Vector:
        """The variance that each size adds."""
        return self.unit * SIZES**2

    def reach(self, distance: float, level: Level) -> float:
        """Return how far an end that is ``distance`` from the mean is with runs.

        >>> RunNoise(np.eye(len(SIZES))[0], 1.0).reach(0.25, Level(0.95))
        0.25
        """
        return float(self._reaches(np.array([distance]), level)[0])

    def _reaches(self, distances: Vector, level: Level) -> Vector:
        """Return how far ends at these distances from the mean are with runs.

        The tail is convex beyond the mean, and Newton's method begins where it is too large: no step goes too far.
        """
        ends = distances.copy()
        if not (self.unit > 0.0 and self.weights[0] != 1.0):
            return ends
        sd = np.sqrt((distances[:, None] / level.critical()) ** 2 + self.variances)
        weights, sd = np.where(sd > 0.0, self.weights, 0.0), np.where(sd > 0.0, sd, 1.0)
        for _ in range(_STEPS):
            at = ends[:, None] / sd
            excess = (weights * ndtr(-at)).sum(axis=1) - level.tail
            slope = (weights * np.exp(-0.5 * at**2) / sd).sum(axis=1) / math.sqrt(2.0 * math.pi)
            goes_on = (excess > _ROUNDING * level.tail) & (slope > 0.0)
            if not goes_on.any():
                break
            ends[goes_on] += (excess / slope)[goes_on]
        return ends

    def variance_at(self, sd: float, level: Level) -> float:
        """Return the variance of a normal law that widens one with this standard deviation as much at this level."""
        z = level.critical()
        return (self.reach(z * sd, level) / z) ** 2 - sd**2

    def widened(self, interval: Interval, level: Level, **about: Any) -> Interval:
        """Return an interval with the noise of runs added."""
        z, mu = level.critical(), interval.mu
        below, above = mu - interval.lo, interval.hi - mu
        down, up = self._reaches(np.array([below, above]), level).tolist()
        more = (down**2 - below**2 + up**2 - above**2) / (2.0 * z**2)
        bounds = interval.bounds
        ends = (mu - down, mu + up) if bounds is None else (within(bounds, mu - down), within(bounds, mu + up))
        return replace(interval, sigma=float(np.sqrt(interval.sigma**2 + more)), lo=ends[0], hi=ends[1], **about)

    def of_law(self, law: Mixture | SkewedT) -> Mixture:
        """Return a law with the noise of runs added: a mixture over the sizes too."""
        if isinstance(law, SkewedT):
            problem = "the posterior of continuous rewards is Student's t, which has no form with the noise of runs"
            raise OutcomeError(problem, hint="interval(.., runs='random') has its mean, its deviation and its ends")
        sizes = self.weights > _LEAST_WEIGHT * self.weights.max()
        weights = np.outer(law.weights, self.weights[sizes] / self.weights[sizes].sum()).ravel()
        variances = np.add.outer(law.variances, self.variances[sizes]).ravel()
        return replace(law, weights=weights, means=np.repeat(law.means, int(sizes.sum())), variances=variances)
