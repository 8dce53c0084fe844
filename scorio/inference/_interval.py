"""The result of ``interval``: a 4-tuple that also carries its confidence, prior, shape and target."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal, NamedTuple, NoReturn, Self, cast

import numpy as np
from numpy.typing import NDArray

from .._choices import SHAPES
from .._display.exports import Exports, strict
from .._display.numbers import number, percent, span
from .._display.words import unknown
from .._special import ndtri
from ..errors import ParameterError
from ..params import budget, generator, open_unit
from ._looks import Looks
from ._mixture import Mixture
from ._prior import UNIFORM, PriorLike, as_prior, is_learned
from ._smooth_law import SmoothLaw

Bounds = tuple[float, float]
BoundsLike = Bounds | Literal["support"] | None
CATEGORICAL, CONTINUOUS = "categorical", "continuous"  # rewards of outcomes


class _Values(NamedTuple):
    mu: float
    sigma: float
    lo: float
    hi: float


class Interval(_Values, Exports):
    """A posterior mean, its standard deviation and an interval: unpacks as ``(mu, sigma, lo, hi)``.

    It also carries ``confidence``, ``prior`` (as it was given), ``shape``, ``target``, ``completeness``, the trials
    present divided by the trials planned, ``rewards``, ``"categorical"`` or ``"continuous"``, ``looks``, with which it
    is valid at every look, or None, and ``bounds``, the range that its ends are clipped to, or None. Its text says what
    the interval is about.

    >>> from scorio import PassAtK
    >>> interval = PassAtK(k=2).interval([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> mu, sigma, lo, hi = interval
    >>> round(lo, 4), hi
    (0.6487, 1.0)
    >>> print(interval)
    0.839 [0.649, 1.000]: 95% interval for these questions, difficulties taken as uniform
    """

    confidence: float
    prior: PriorLike
    completeness: float
    shape: str
    target: str
    rewards: str
    looks: Looks | None
    bounds: Bounds | None

    def __new__(
        cls,
        mu: float,
        sigma: float,
        lo: float,
        hi: float,
        *,
        confidence: float = 0.95,
        prior: PriorLike = UNIFORM,
        completeness: float = 1.0,
        shape: str = "normal",
        target: str = "questions",
        rewards: str = CATEGORICAL,
        looks: Looks | None = None,
        bounds: Bounds | None = None,
    ) -> Self:
        """Collect the numbers without checks."""
        self = super().__new__(cls, mu, sigma, lo, hi)
        self.__dict__.update(confidence=confidence, prior=prior, completeness=completeness, shape=shape, target=target)
        self.__dict__.update(rewards=rewards, looks=looks, bounds=bounds)
        return self

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        """Return an interval of four numbers, with defaults for the rest."""
        return cls(*iterable)

    def _replace(self, **changes: Any) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return a copy with some numbers or attributes replaced."""
        return type(self)(**(self._asdict() | self.__dict__ | changes))

    __replace__ = _replace

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"an Interval is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an Interval is immutable: cannot delete {name}")

    def __getnewargs_ex__(self) -> tuple[tuple[float, ...], dict[str, Any]]:
        return tuple(self), dict(self.__dict__)

    def __getstate__(self) -> None:
        """Return nothing: the constructor's arguments are the whole state."""

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        extras = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"Interval({numbers}, {extras})"

    def __str__(self) -> str:
        gaps = f", from {100 * self.completeness:.3g}% of the planned trials" if self.completeness < 1 else ""
        return f"{number(self.mu)} {span(self.lo, self.hi)}: {self.about}{gaps}"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and all parameters, ready for JSON."""
        return cast("dict[str, Any]", strict(self._asdict() | self.__dict__))

    def _records(self) -> list[dict[str, Any]]:
        looks = None if self.looks is None else str(self.looks)
        bounds = None if self.bounds is None else "{:g} to {:g}".format(*self.bounds)
        return [self.to_dict() | {"prior": str(as_prior(self.prior)), "looks": looks, "bounds": bounds}]

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Return ``n`` draws from a distribution with this interval.

        For the shape ``"normal"`` it is the normal distribution with mean ``mu`` and standard deviation ``sigma``. For
        ``"quantile"`` its median is ``mu``, and its central ``confidence`` lies between ``lo`` and ``hi``. Draws that
        are outside ``bounds``, by default the range of the metric, are moved to the nearer end, as the ends of the
        interval are.

        >>> from scorio import PassAtK
        >>> draws = PassAtK(k=2).interval([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], prior="learned").draws(4000, rng=0)
        >>> draws.shape, round(float(draws.mean()), 2)
        ((4000,), 0.85)
        """
        count, random = budget("n", n), generator(rng)
        if self.shape == "normal":
            sample = random.normal(self.mu, self.sigma, count)
        else:
            sample = SmoothLaw(self.mu, self.lo, self.hi, two_sided_z(self.confidence)).draws(count, random)
        return np.asarray(sample if self.bounds is None else sample.clip(*self.bounds))

    @property
    def about(self) -> str:
        """The confidence, target and prior in words."""
        always = "" if self.looks is None else f", {self.looks}"
        return f"{percent(self.confidence)} interval for {_SUBJECT[self.target]}, {self._difficulties()}{always}"

    def _difficulties(self) -> str:
        if self.rewards == CONTINUOUS:
            return "from the mean and spread of continuous rewards"
        prior = as_prior(self.prior)
        if prior.is_learned:
            return "their difficulties learned from these"
        return "from the spread between questions" if self.target == "population" else f"difficulties taken as {prior}"


_SUBJECT = {"questions": "these questions", "population": "questions like these"}
_LEAST_WIDTH = 1e-100  # smaller widths have squares that underflow


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the choices."""
    if value not in choices:
        raise ParameterError(unknown(name, value, choices))
    return value


def shape_or_default(shape: str | None, prior: PriorLike, bounds: Bounds) -> str:
    """Return ``shape``; without one, ``"quantile"`` for a learned prior whose bounds serve it, else ``"normal"``."""
    if shape is not None:
        return check_choice("shape", shape, SHAPES)
    width = bounds[1] - bounds[0]
    is_served = math.isfinite(width) and (width == 0.0 or width >= _LEAST_WIDTH)
    return "quantile" if is_served and is_learned(prior) else "normal"


@lru_cache(maxsize=64)
def two_sided_z(confidence: float) -> float:
    """Return ``Phi^-1((1 + confidence) / 2)``."""
    return float(ndtri((1.0 + open_unit("confidence", confidence)) / 2.0))


def is_support(bounds: BoundsLike) -> bool:
    """Return whether the bounds are ``"support"``, the range of the metric."""
    return isinstance(bounds, str) and bounds == "support"


def check_bounds(bounds: Any) -> Bounds:
    """Return ``bounds`` as two ordered numbers (infinite ones are allowed)."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise ParameterError(f"must be two numbers (low, high); got {bounds!r}", argument="bounds") from None
    if not low <= high:
        raise ParameterError(f"must satisfy low <= high; got {bounds!r}", argument="bounds")
    return low, high


def within(bounds: Bounds, value: float) -> float:
    """Return the number inside ``bounds`` that is nearest to ``value``."""
    low, high = bounds
    return min(max(value, low), high)


def normal_interval(
    mu: float, sigma: float, confidence: float, bounds: Bounds | None, error: float | None = None, **about: Any
) -> Interval:
    """Return ``mu -+ z sigma``, both ends clipped to ``bounds``, so that the lower never exceeds the upper.

    ``error`` is the probability of both tails: that of ``confidence``, unless it is given for looks.
    """
    deviate = two_sided_z(confidence) if error is None else -float(ndtri(error / 2.0))
    reach = deviate * sigma if sigma != 0.0 else 0.0
    lo, hi = mu - reach, mu + reach
    if bounds is not None:
        lo, hi = within(bounds, lo), within(bounds, hi)
    if math.isnan(lo):
        raise ParameterError(f"the interval has no value: mu = {mu}, sigma = {sigma}")
    return Interval(mu, sigma, lo, hi, confidence=confidence, bounds=bounds, **about)


def quantile_interval(
    posterior: Mixture,
    confidence: float,
    bounds: Bounds,
    error: float | None = None,
    at_bounds: tuple[bool, bool] = (False, False),
    **about: Any,
) -> Interval:
    """Return the equal-tailed interval of Beta distributions on ``bounds``, extended to contain the mean.

    ``error`` is the probability of both tails: that of ``confidence``, unless it is given for looks. ``at_bounds`` says
    whether the observed outcomes are as low, or as high, as can be: the interval then extends to that bound.
    """
    low, high = bounds
    tail = (1.0 - open_unit("confidence", confidence) if error is None else error) / 2.0
    if not math.isfinite(high - low):
        raise ParameterError(f'shape="quantile" needs finite bounds; got {bounds}')
    if 0.0 < high - low < _LEAST_WIDTH:
        raise ParameterError(f'shape="quantile" needs bounds at least {_LEAST_WIDTH:g} apart; got {bounds}')
    mu = posterior.mu
    lo, hi = posterior.equal_tailed(tail, low, high) if high > low and tail > 0.0 else (low, high)
    lo = low if at_bounds[0] else within(bounds, min(lo, mu))
    hi = high if at_bounds[1] else within(bounds, max(hi, mu))
    about |= {"shape": "quantile", "bounds": bounds}
    return Interval(mu, posterior.sigma, lo, hi, confidence=confidence, **about)
