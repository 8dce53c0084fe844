"""Priors, posteriors and intervals."""

from ._interval import Interval
from ._looks import Looks
from ._mixture import Mixture
from ._prior import Beta, Dirichlet, Jeffreys, Learned, Prior

__all__ = ["Beta", "Dirichlet", "Interval", "Jeffreys", "Learned", "Looks", "Mixture", "Prior"]
