"""Priors of the success rates: pseudo-counts that the posterior starts from, or a prior learned from the outcomes.

See ``_kernels/shared_prior.pyx`` for the model of the learned one, which all questions share.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Vector, read_only
from .._base.choices import LEARNED, UNIFORM
from .._base.words import unknown, warn
from .._kernels import shared_prior
from .._kernels.shared_prior import SharedPrior
from .._kernels.states import States
from ..errors import ParameterError

_LARGEST = 1e100  # the largest pseudo-count: sums hold products of several


def _pseudo_count(name: str, value: Any) -> float:
    if type(value) is float and 0.0 < value <= _LARGEST:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, (bool, str)) or not (math.isfinite(number) and number > 0.0):
        raise ParameterError(f"must be a finite number above 0; got {value!r}", argument=name)
    if number > _LARGEST:
        raise ParameterError(f"must be at most {_LARGEST:g}; got {value!r}", argument=name)
    return number


@dataclass(frozen=True)
class Prior(ABC):
    """The distribution assumed for every question's success rate before outcomes are observed.

    A new kind of prior defines ``per_category``, and ``__str__`` for reports.

    >>> @dataclass(frozen=True)
    ... class Weak(Prior):
    ...     def per_category(self, n_categories):
    ...         return np.full(n_categories, 0.1)
    >>> from scorio import PassAtK
    >>> round(PassAtK(1).interval([[1, 1, 0, 1]], prior=Weak()).mu, 4)
    0.7381
    """

    is_learned: ClassVar[bool] = False  # from the outcomes, with no pseudo-counts of its own

    @abstractmethod
    def per_category(self, n_categories: int) -> Vector:
        """Return one pseudo-count per category, in category order."""

    def checked_counts(self, n_categories: int) -> Vector:
        """Return what ``per_category`` gives, checked: kernels read as many numbers as there are categories."""
        given = self.per_category(n_categories)
        try:
            numbers = np.ascontiguousarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (n_categories,) or not ((numbers > 0.0) & (numbers <= _LARGEST)).all():
            raise ParameterError(
                f"must give {n_categories} numbers above 0, at most {_LARGEST:g}, one for each category; per_category("
                f"{n_categories}) of {type(self).__name__} gives {given!r}",
                argument="prior",
            )
        return numbers

    def pair(self) -> tuple[float, float]:
        """Return the pseudo-successes and pseudo-failures of binary outcomes."""
        failures, successes = self.checked_counts(2).tolist()
        return successes, failures


@dataclass(frozen=True)
class Beta(Prior):
    """A Beta distribution of the success rate: ``alpha`` pseudo-successes and ``beta`` pseudo-failures.

    ``Beta(1, 1)`` is the uniform prior and serves any number of categories.

    >>> Beta(2, 1).per_category(2)
    array([1., 2.])
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, _pseudo_count(name, getattr(self, name)))

    def pair(self) -> tuple[float, float]:
        """Return ``(alpha, beta)``."""
        return self.alpha, self.beta

    def per_category(self, n_categories: int) -> Vector:
        """Return ``[beta, alpha]``, or ones where the prior is uniform."""
        if n_categories == 2:
            return np.array([self.beta, self.alpha])
        if self.alpha == self.beta == 1.0:
            return _ones(n_categories)
        raise _wrong_length(self, n_categories)

    def __str__(self) -> str:
        return "uniform" if self.alpha == self.beta == 1.0 else f"Beta({self.alpha:g}, {self.beta:g})"


@dataclass(frozen=True)
class Jeffreys(Prior):
    """The prior of Jeffreys: half a pseudo-count per category."""

    def per_category(self, n_categories: int) -> Vector:
        """Return halves."""
        return np.full(n_categories, 0.5)

    def __str__(self) -> str:
        return "Jeffreys"


@dataclass(frozen=True)
class Dirichlet(Prior):
    """A Dirichlet distribution of the category rates: one pseudo-count per category, in category order."""

    pseudo_counts: Sequence[float]

    def __post_init__(self) -> None:
        counts = tuple(_pseudo_count(f"prior[{i}]", count) for i, count in enumerate(self.pseudo_counts))
        object.__setattr__(self, "pseudo_counts", counts)

    def per_category(self, n_categories: int) -> Vector:
        """Return the pseudo-counts."""
        if len(self.pseudo_counts) != n_categories:
            raise _wrong_length(self, n_categories)
        return np.array(self.pseudo_counts)

    def __str__(self) -> str:
        return f"Dirichlet({', '.join(f'{count:g}' for count in self.pseudo_counts)})"


@dataclass(frozen=True)
class Learned(Prior):
    """The distribution of success rates that the questions share, learned from the outcomes (empirical Bayes)."""

    is_learned: ClassVar[bool] = True

    def per_category(self, n_categories: int) -> Vector:
        """Raise a ParameterError: a learned prior has no pseudo-counts of its own."""
        raise ParameterError(
            f'prior="{LEARNED}" serves interval, posterior and moments; here {n_categories} pseudo-counts are needed,'
            ' as from "uniform" or "jeffreys"'
        )

    def __str__(self) -> str:
        return LEARNED


PriorLike = Prior | str | Sequence[float]
_SHORTHANDS: Mapping[str, Prior] = MappingProxyType(
    {LEARNED: Learned(), UNIFORM: Beta(1.0, 1.0), "jeffreys": Jeffreys(), "eb": Learned()}
)
PRIOR_NAMES = tuple(name for name in _SHORTHANDS if name != "eb")


def as_prior(prior: PriorLike) -> Prior:
    """Return the prior itself, or the one that a name or pseudo-counts stand for.

    Two pseudo-counts are ``(alpha, beta)``, successes first; any other number is one per category, in category order.

    >>> as_prior("jeffreys"), as_prior((2, 1))
    (Jeffreys(), Beta(alpha=2.0, beta=1.0))
    """
    if isinstance(prior, str):
        if prior not in _SHORTHANDS:
            raise ParameterError(f"{unknown('prior', prior, PRIOR_NAMES)}, or give pseudo-counts")
        return _SHORTHANDS[prior]
    if isinstance(prior, tuple) or not isinstance(prior, Prior):  # tuples need no look-up of an abstract type
        if not isinstance(prior, (tuple, Sized)):
            raise ParameterError(f"must be a Prior, a name or pseudo-counts; got {prior!r}", argument="prior")
        if len(prior) != 2:
            return Dirichlet(prior)
        return _beta(_pseudo_count("alpha0", prior[0]), _pseudo_count("beta0", prior[1]))
    return prior


@lru_cache(maxsize=256)
def _beta(alpha: float, beta: float) -> Prior:
    return Beta(alpha, beta)


@lru_cache(maxsize=64)
def _ones(count: int) -> Vector:
    return read_only(np.ones(count))


def _wrong_length(prior: Prior, n_categories: int) -> ParameterError:
    return ParameterError(
        f"must have one pseudo-count for each of {n_categories} categories; got {prior}", argument="prior"
    )


def learn(
    states: States, discount: float = 1.0, *, point_masses: bool = True, grid: bool = True, fine: bool = False
) -> SharedPrior:
    """Fit the prior that these questions share; every question counts as ``discount`` of one.

    ``point_masses`` and ``grid`` allow those kinds of prior; ``fine`` lays more nodes, for statements about other
    questions. Warns where the fit failed its own checks.
    """
    prior = shared_prior.learn(states, discount, point_masses, grid, fine)
    if not prior.trusted:
        warn(
            "The learned prior may be inaccurate: its fit to these outcomes failed a check. Compare with a fixed prior,"
            ' e.g. prior="jeffreys".',
            RuntimeWarning,
        )
    return prior


def beta_priors(prior: SharedPrior) -> list[tuple[float, float]]:
    """Return the pseudo-successes and pseudo-failures of each node."""
    return list(zip(prior.alpha.tolist(), prior.beta.tolist(), strict=True))
