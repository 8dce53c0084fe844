"""Pseudo-counts a posterior starts from: Beta for a success rate, Dirichlet for category rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import ParameterError

PriorLike = str | Sequence[float]
UNIFORM = (1.0, 1.0)
LEARNT = "eb"
_NAMED = {"uniform": 1.0, "jeffreys": 0.5}
_MOST = 1e100  # pseudo-counts, whose products the sums take


class Pair(NamedTuple):
    """Pseudo-successes and pseudo-failures that are known to be good."""

    alpha: float
    beta: float


def _pseudo_count(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, (bool, str)) or not (math.isfinite(number) and number > 0.0):
        raise ParameterError(f"{name} must be a finite number above 0; got {value!r}")
    if number > _MOST:
        raise ParameterError(f"{name} must be at most {_MOST:g}; got {value!r}")
    return number


def _named(prior: str) -> float:
    if prior == LEARNT:
        raise ParameterError(f'prior="{LEARNT}" serves interval and moments; here pseudo-counts are needed')
    if prior not in _NAMED:
        raise ParameterError(f"prior must be one of {sorted([LEARNT, *_NAMED])} or pseudo-counts; got {prior!r}")
    return _NAMED[prior]


def is_learnt(prior: PriorLike) -> bool:
    """Whether the prior is ``"eb"``: learnt from the bank."""
    return isinstance(prior, str) and prior == LEARNT


def check_prior(prior: PriorLike) -> None:
    """Raise a ParameterError of what is no prior of any number of categories."""
    if not is_learnt(prior):
        dirichlet_prior(prior, 2 if isinstance(prior, str) or not hasattr(prior, "__len__") else len(prior))


def beta_prior(prior: PriorLike) -> tuple[float, float]:
    """``(alpha0, beta0)``: pseudo-successes and pseudo-failures of every question.

    >>> beta_prior("jeffreys")
    (0.5, 0.5)
    """
    if prior is UNIFORM:
        return UNIFORM
    if isinstance(prior, Pair):
        return prior
    if isinstance(prior, str):
        count = _named(prior)
        return count, count
    try:
        alpha0, beta0 = prior
    except (TypeError, ValueError):
        raise ParameterError(f"prior must be two pseudo-counts (alpha0, beta0); got {prior!r}") from None
    return _pseudo_count("alpha0", alpha0), _pseudo_count("beta0", beta0)


def dirichlet_prior(prior: PriorLike, n_categories: int) -> NDArray[np.float64]:
    """One pseudo-count a category, in category order.

    A pair is ``(alpha0, beta0)`` and serves two categories (beta0 is category 0); the uniform pair ``(1, 1)``, which
    is the default, and a name serve any number of categories.

    >>> dirichlet_prior((2.0, 1.0), 2)
    array([1., 2.])
    """
    if isinstance(prior, str):
        return np.full(n_categories, _named(prior))
    if not hasattr(prior, "__len__"):
        raise ParameterError(f"prior must be a name or pseudo-counts; got {prior!r}")
    if prior is UNIFORM or len(prior) == 2:
        alpha0, beta0 = beta_prior(prior)
        if n_categories == 2:
            return np.array([beta0, alpha0])
        if alpha0 == beta0 == 1.0:
            return np.ones(n_categories)
    if len(prior) != n_categories:
        raise ParameterError(f"prior must have one pseudo-count for each of {n_categories} categories; got {prior!r}")
    return np.array([_pseudo_count(f"prior[{i}]", value) for i, value in enumerate(prior)])
