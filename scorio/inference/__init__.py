"""Priors, posteriors and intervals."""

from ._interval import Interval
from ._law import Mixture as Mixture
from ._looks import Looks
from ._methods import Methods as Methods
from ._prior import Beta, Dirichlet, Jeffreys, Learned, Prior

__all__ = ["Beta", "Dirichlet", "Interval", "Jeffreys", "Learned", "Looks", "Prior"]
