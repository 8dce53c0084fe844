"""Laws of one number: a mixture of components, and Student's t for the mean of a skewed sample.

``cdf`` and ``icdf`` take a number or an array, and are inverse to each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base.arrays import Vector
from .._base.choices import SHAPES_OF_ALL_METRICS
from .._base.special import betainc, ndtr, stdtr
from .._kernels import beta_mixture
from ..errors import ParameterError
from ..params import choice
from ._level import Level, quantile_of

COMMON_TAIL = 1e-9  # of larger tails, 1 - tail keeps enough digits
LEAST_WIDTH = 1e-100  # bounds that are closer have widths whose squares underflow
_NORMAL = 1e8  # degrees of freedom from which Student's t is taken as normal
_HALVINGS = 200  # of a bracket, which is then as narrow as its numbers allow


@dataclass(frozen=True)
class Mixture:
    """Components with ``weights`` that add to 1, known by their ``means`` and ``variances``.

    Each component is a Beta distribution on ``[low, high]``, or a normal one where that has no width or no end.

    >>> law = Mixture(np.array([0.5, 0.5]), np.array([0.2, 0.6]), np.array([0.01, 0.01]), 0.0, 1.0)
    >>> round(law.mean, 3), round(law.sd, 3), round(float(law.cdf(law.icdf(0.3))), 4)
    (0.4, 0.224, 0.3)
    """

    weights: Vector
    means: Vector
    variances: Vector
    low: float = -math.inf
    high: float = math.inf

    @classmethod
    def single(cls, mean: float, sd: float) -> Mixture:
        """Return a mixture of one component."""
        with np.errstate(under="ignore"):
            return cls(np.ones(1), np.array([mean]), np.array([sd]) ** 2)

    @property
    def mean(self) -> float:
        """The mean."""
        return beta_mixture.moments(self.weights, self.means, self.variances)[0]

    @property
    def sd(self) -> float:
        """The standard deviation: within components and between them."""
        return beta_mixture.moments(self.weights, self.means, self.variances)[1]

    def on(self, low: float, high: float) -> Mixture:
        """Return the law with components on these bounds."""
        return replace(self, low=low, high=high)

    def scaled(self, offset: float, gain: float) -> Mixture:
        """Return the distribution of ``offset + gain x``, without bounds."""
        with np.errstate(under="ignore"):
            return Mixture(self.weights, offset + gain * self.means, gain**2 * self.variances)

    @staticmethod
    def has_quantiles(bounds: tuple[float, float], confidence: float = 0.95) -> bool:
        """Return whether Beta distributions on these bounds have quantiles: they are finite, and not too close.

        1 minus a tail must keep enough digits.
        """
        width = bounds[1] - bounds[0]
        is_common = math.isfinite(width) and (width == 0.0 or width >= LEAST_WIDTH)
        return Level(confidence).tail > COMMON_TAIL and is_common

    @property
    def _is_bounded(self) -> bool:
        return LEAST_WIDTH <= self.high - self.low < math.inf

    def cdf(self, x: Any) -> Any:
        """Return the probability of a number of at most ``x``."""
        at = np.asarray(x, dtype=np.float64)[..., None]
        with np.errstate(under="ignore", over="ignore"):
            if not self._is_bounded:
                return ndtr((at - self.means) / np.sqrt(np.maximum(self.variances, 1e-300))) @ self.weights
            width = self.high - self.low
            share = np.clip((self.means - self.low) / width, 1e-100, 1.0 - 1e-16)
            room = share * (1.0 - share)
            strength = room / np.clip(self.variances / width**2, 1e-20 * room, (1.0 - 1e-9) * room) - 1.0
            inside = np.clip((at - self.low) / width, 0.0, 1.0)
            return betainc(share * strength, (1.0 - share) * strength, inside) @ self.weights

    def icdf(self, p: Any) -> Any:
        """Return quantiles: of joined components, by a kernel, where there are bounds."""
        chances = np.asarray(p, dtype=np.float64)
        if self._is_bounded:
            values = np.empty(chances.size)
            arrays = (self.weights, self.means, self.variances)
            beta_mixture.quantiles(*arrays, self.low, self.high, np.ravel(chances), values)
            return values.reshape(chances.shape)[()]
        reach = 40.0 * np.sqrt(self.variances.max())
        below = np.full(chances.shape, self.means.min() - reach)
        above = np.full(chances.shape, self.means.max() + reach)
        for _ in range(_HALVINGS):
            middle = below + (above - below) / 2.0
            is_above = self.cdf(middle) >= chances
            nearer = np.where(is_above, below, middle), np.where(is_above, middle, above)
            if np.array_equal(nearer[0], below) and np.array_equal(nearer[1], above):
                break
            below, above = nearer
        return above[()]

    def draws(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws."""
        return np.asarray(self.icdf(rng.random(n)))

    def equal_tailed(self, tail: float) -> tuple[float, float]:
        """Return the quantiles at ``tail`` and ``1 - tail``, however small ``tail`` is, each from its own side.

        ``tail`` is the probability beyond each end: 0.025 gives the ends of a 95% interval.

        >>> [round(end, 9) for end in Mixture.single(1.0, 2.0).equal_tailed(ndtr(-6.5))]
        [-12.0, 14.0]
        """
        if not 0.0 < tail <= 0.5:
            hint = "the ends of a 95% interval are those of tail=0.025"
            raise ParameterError(f"must be above 0 and at most 0.5; got {tail!r}", argument="tail", hint=hint)
        if tail > COMMON_TAIL and self._is_bounded:
            low, high = self.icdf(np.array([tail, 1.0 - tail])).tolist()
            return low, high
        mirrored = replace(self, means=-self.means, low=-self.high, high=-self.low)
        return float(self.icdf([tail, 0.5])[0]), -float(mirrored.icdf([tail, 0.5])[0])


@dataclass(frozen=True)
class SkewedT:
    """Student's t for the mean of a skewed sample: a longer end where the tail of continuous rewards is longer.

    The studentized mean of a sample with skewness ``g`` (of the mean, so ``g`` shrinks as the root of the number of
    trials) has the quantiles ``t - g (2 t^2 + 1)/6`` to first order (Johnson 1978; Hall 1992, section 3.5). The true
    mean thus lies further out on the side of the long tail than Student's interval reaches. That end is moved out; the
    other end stays, because the skewness is estimated and moving it in loses coverage where the estimate is chance.

    >>> [round(end, 4) for end in SkewedT(0.5, 0.1, 10.0, 0.0).ends(Level(0.95))]
    [0.2772, 0.7228]
    >>> [round(end, 4) for end in SkewedT(0.5, 0.1, 10.0, 0.3).ends(Level(0.95))]
    [0.2772, 0.7775]
    """

    mean: float
    sd: float
    degrees: float
    skewness: float

    @property
    def df(self) -> float:
        """The degrees of freedom, infinite where they are so many that the law is normal."""
        return math.inf if self.degrees > _NORMAL else self.degrees

    def ends(self, level: Level, shape: str = "quantile") -> tuple[float, float]:
        """Return Student's interval, ``"normal"``; or with the end on the side of the long tail further out."""
        reach = level.critical(self.df)
        is_skewed = choice("shape", shape, SHAPES_OF_ALL_METRICS) == "quantile"
        beyond = self.skewness * (2.0 * reach * reach + 1.0) / 6.0 if is_skewed else 0.0
        low, high = reach - min(beyond, 0.0), reach + max(beyond, 0.0)
        return self.mean - low * self.sd, self.mean + high * self.sd

    def cdf(self, x: Any) -> Any:
        """Return the probability of a number of at most ``x``: ``icdf`` solved for ``t``."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y = np.nan_to_num((np.asarray(x, dtype=np.float64) - self.mean) / self.sd)
        g = np.where(self.skewness * y > 0.0, self.skewness, 0.0)
        beyond = y - g / 6.0
        t = 2.0 * beyond / (1.0 + np.sqrt(np.maximum(1.0 + 4.0 / 3.0 * g * beyond, 0.0)))
        t = np.where(t * y > 0.0, t, 0.0)  # between the halves there is a gap
        return ndtr(t) if math.isinf(self.df) else stdtr(self.df, t)

    def icdf(self, p: Any) -> Any:
        """Return quantiles, further out on the side of the long tail."""
        t = quantile_of(self.df, p)
        g = np.where(self.skewness * t > 0.0, self.skewness, 0.0)
        return self.mean + self.sd * (t + g * (2.0 * t * t + 1.0) / 6.0)

    def draws(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws."""
        return np.asarray(self.icdf(rng.random(n)))
