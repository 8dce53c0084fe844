"""Student's t for the mean of a skewed sample: an interval with a longer end where the tail is longer.

The studentized mean of a sample with skewness ``g`` (of the mean, so ``g`` shrinks as the root of the number of
trials) has the quantiles ``t - g (2 t^2 + 1)/6`` to first order (Johnson 1978; Hall 1992, section 3.5). The true mean
thus lies further out on the side of the long tail than Student's interval reaches. That end is moved out; the other
end stays, because the skewness is estimated and moving it in loses coverage where the estimate is chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._choices import SHAPES
from .._special import ndtri, stdtrit
from ..params import open_unit
from ._interval import CONTINUOUS, Bounds, Interval, check_choice, within
from ._mixture import Mixture

_NORMAL = 1e8  # degrees of freedom from which Student's t is taken as normal


@dataclass(frozen=True)
class SkewedT(Mixture):
    """The posterior of a mean of continuous rewards: one component, its ``degrees`` of freedom, and its ``skewness``.

    >>> [round(end, 4) for end in SkewedT.of(0.5, 0.1, 10.0, 0.0).ends(0.95)]
    [0.2772, 0.7228]
    >>> [round(end, 4) for end in SkewedT.of(0.5, 0.1, 10.0, 0.3).ends(0.95)]
    [0.2772, 0.7775]
    """

    degrees: float
    skewness: float

    @classmethod
    def of(cls, mu: float, sigma: float, degrees: float, skewness: float) -> Self:
        """Return the posterior with this mean and standard deviation."""
        return cls(np.ones(1), np.array([mu]), np.array([sigma]) ** 2, degrees, skewness)

    def reach(self, confidence: float, error: float | None = None) -> float:
        """Return how many standard deviations to either side Student's interval reaches.

        ``error`` is the probability of both tails: that of ``confidence``, unless it is given for looks.
        """
        if error is None:
            chance, sign = (1.0 + confidence) / 2.0, 1.0
        else:
            chance, sign = error / 2.0, -1.0
        return sign * float(ndtri(chance) if self.degrees > _NORMAL else stdtrit(self.degrees, chance))

    def ends(self, confidence: float, shape: str = "quantile", error: float | None = None) -> tuple[float, float]:
        """Return Student's interval, ``"normal"``; or with the end on the side of the long tail further out."""
        reach = self.reach(open_unit("confidence", confidence), error)
        is_skewed = check_choice("shape", shape, SHAPES) == "quantile"
        beyond = self.skewness * (2.0 * reach * reach + 1.0) / 6.0 if is_skewed else 0.0
        low = reach - min(beyond, 0.0)
        high = reach + max(beyond, 0.0)
        return self.mu - low * self.sigma, self.mu + high * self.sigma

    def interval(
        self, confidence: float, shape: str, bounds: Bounds | None, error: float | None = None, **about: Any
    ) -> Interval:
        """Return the interval, both ends clipped to ``bounds``."""
        low, high = self.ends(confidence, shape, error)
        if bounds is not None:
            low, high = within(bounds, low), within(bounds, high)
        about |= {"shape": shape, "bounds": bounds, "rewards": CONTINUOUS}
        return Interval(self.mu, self.sigma, low, high, confidence=confidence, **about)
