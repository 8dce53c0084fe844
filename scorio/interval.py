"""The result of ``interval``: a 4-tuple that knows what it says."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal, NamedTuple, NoReturn, Self

from scipy.special import ndtri

from .errors import ParameterError
from .mixture import Mixture
from .params import open_unit
from .prior import UNIFORM, PriorLike, is_learnt

Bounds = tuple[float, float]
BoundsLike = Bounds | Literal["range"] | None


class _Values(NamedTuple):
    mu: float
    sigma: float
    lo: float
    hi: float


class Interval(_Values):
    """A posterior mean, its standard deviation and an interval: unpacks as ``(mu, sigma, lo, hi)``.

    Also carries ``confidence``, ``prior``, ``method``, ``target`` and ``coverage``, trials present over trials planned;
    as text it says what it is about.

    >>> from scorio import PassAtK
    >>> found = PassAtK(k=2).interval([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> mu, sigma, lo, hi = found
    >>> round(lo, 4), hi
    (0.6487, 1.0)
    >>> print(found)
    0.8393 [0.6487, 1]: 95% interval for these questions, difficulties taken as uniform
    """

    confidence: float
    prior: PriorLike
    coverage: float
    method: str
    target: str

    def __new__(
        cls,
        mu: float,
        sigma: float,
        lo: float,
        hi: float,
        *,
        confidence: float = 0.95,
        prior: PriorLike = UNIFORM,
        coverage: float = 1.0,
        method: str = "normal",
        target: str = "questions",
    ) -> Self:
        """Collect the numbers; they are taken as they are."""
        self = super().__new__(cls, mu, sigma, lo, hi)
        self.__dict__.update(confidence=confidence, prior=prior, coverage=coverage, method=method, target=target)
        return self

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        """Of four numbers, with the usual for the rest."""
        return cls(*iterable)

    def _replace(self, **changes: Any) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The same but for some numbers, or for what else it carries."""
        return type(self)(**(self._asdict() | self.__dict__ | changes))

    __replace__ = _replace

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"an Interval is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an Interval is immutable: cannot delete {name}")

    def __getnewargs_ex__(self) -> tuple[tuple[float, ...], dict[str, Any]]:
        return tuple(self), dict(self.__dict__)

    def __getstate__(self) -> None:
        """Everything is in the constructor's arguments."""

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        extras = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"Interval({numbers}, {extras})"

    def __str__(self) -> str:
        gaps = f", from {100 * self.coverage:.3g}% of the planned trials" if self.coverage < 1 else ""
        return f"{self.mu:.4g} [{self.lo:.4g}, {self.hi:.4g}]: {self.about}{gaps}"

    @property
    def about(self) -> str:
        """What the interval says, and of what, in words."""
        return f"{100 * self.confidence:.6g}% interval for {_SUBJECT[self.target]}, {self._difficulties()}"

    def _difficulties(self) -> str:
        if is_learnt(self.prior):
            return "their difficulties learnt from these"
        if self.target == "population":
            return "from the spread between questions"
        return f"difficulties taken as {self._law()}"

    def _law(self) -> str:
        if isinstance(self.prior, str):
            return {"jeffreys": "Jeffreys"}.get(self.prior, self.prior)
        pseudo = tuple(self.prior)
        if set(pseudo) == {1}:
            return "uniform"
        return f"{'Beta' if len(pseudo) == 2 else 'Dirichlet'}({', '.join(f'{count:g}' for count in pseudo)})"


_SUBJECT = {"questions": "these questions", "population": "questions like these"}
METHODS = ("normal", "quantile")
_LEAST_WIDTH = 1e-100  # whose square a double holds
TARGETS = tuple(_SUBJECT)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the choices."""
    if value not in choices:
        raise ParameterError(f"{name} must be one of {choices}; got {value!r}")
    return value


@lru_cache(maxsize=64)
def two_sided_z(confidence: float) -> float:
    """``Phi^-1((1 + confidence) / 2)``."""
    return float(ndtri((1.0 + open_unit("confidence", confidence)) / 2.0))


def is_range(bounds: BoundsLike) -> bool:
    """Whether the bounds are ``"range"``: those of the metric."""
    return isinstance(bounds, str) and bounds == "range"


def check_bounds(bounds: Any) -> Bounds:
    """Return ``bounds`` as two ordered numbers (infinite ones are allowed)."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise ParameterError(f"bounds must be two numbers (low, high); got {bounds!r}") from None
    if not low <= high:
        raise ParameterError(f"bounds must satisfy low <= high; got {bounds!r}")
    return low, high


def within(bounds: Bounds, value: float) -> float:
    """The nearest to ``value`` inside ``bounds``."""
    low, high = bounds
    return min(max(value, low), high)


def normal_interval(mu: float, sigma: float, confidence: float, bounds: Bounds | None, **about: Any) -> Interval:
    """``mu -+ z sigma``, both ends clipped to ``bounds``: a clipped interval never inverts."""
    reach = two_sided_z(confidence) * sigma
    lo, hi = mu - reach, mu + reach
    if bounds is not None:
        lo, hi = within(bounds, lo), within(bounds, hi)
    if math.isnan(lo):
        raise ParameterError(f"the interval has no value: mu = {mu}, sigma = {sigma}")
    return Interval(mu, sigma, lo, hi, confidence=confidence, **about)


def quantile_interval(posterior: Mixture, confidence: float, bounds: Bounds, **about: Any) -> Interval:
    """Equal-tailed, from Betas on ``bounds``: never outside them; it reaches to the mean where that is inside."""
    low, high = bounds
    tail = (1.0 - open_unit("confidence", confidence)) / 2.0
    if not math.isfinite(high - low):
        raise ParameterError(f'method="quantile" needs finite bounds; got {bounds}')
    if 0.0 < high - low < _LEAST_WIDTH:
        raise ParameterError(f'method="quantile" needs bounds at least {_LEAST_WIDTH:g} apart; got {bounds}')
    mu = posterior.mu
    lo, hi = posterior.quantiles((tail, 1.0 - tail), low, high) if high > low else (low, high)
    lo, hi = within(bounds, min(lo, mu)), within(bounds, max(hi, mu))
    return Interval(mu, posterior.sigma, lo, hi, confidence=confidence, method="quantile", **about)
