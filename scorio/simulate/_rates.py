"""True rates from abilities of models and difficulties of questions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import finite_list
from .._special import expit
from ..errors import ParameterError
from ..params import budget, generator

Rates = NDArray[np.float64]
_ABILITY_SPREAD = 1.0
_DIFFICULTY_SPREAD = 2.0


def rates(abilities: Any, difficulties: Any, *, rng: int | np.random.Generator | None = None) -> Rates:
    """Return success rates (models, questions) of a Rasch model: ``1 / (1 + exp(difficulty - ability))``.

    Both are lists of numbers, or the number to draw: abilities from a normal distribution with standard deviation 1,
    difficulties with 2, so that most questions are easy or hard. Models of equal ability tie exactly.

    >>> rates([0.0, 1.0, 1.0], [0.0, 2.0]).round(3)
    array([[0.5  , 0.119],
           [0.731, 0.269],
           [0.731, 0.269]])
    """
    chances: Rates = expit(_gaps(abilities, difficulties, rng))
    return chances


def category_rates(
    abilities: Any,
    difficulties: Any,
    steps: Sequence[float] = (-1.0, 1.0),
    *,
    rng: int | np.random.Generator | None = None,
) -> Rates:
    """Return rates of categories (models, questions, categories) of a graded response model.

    Category ``j`` or better has probability ``1 / (1 + exp(difficulty + steps[j - 1] - ability))``; ``steps`` ascend.
    Abilities and difficulties are as for ``rates``.

    >>> category_rates([0.0], [0.0]).round(3)
    array([[[0.269, 0.462, 0.269]]])
    """
    rises = _numbers("steps", steps)
    if (np.diff(rises) <= 0).any():
        raise ParameterError(f"must ascend; got {steps!r}", argument="steps")
    gaps = _gaps(abilities, difficulties, rng)
    reached = expit(gaps[..., None] - rises)
    certain = np.ones((*gaps.shape, 1))
    return -np.diff(np.concatenate([certain, reached, 0.0 * certain], axis=2), axis=2)


def _gaps(abilities: Any, difficulties: Any, rng: int | np.random.Generator | None) -> Rates:
    random = generator(rng)
    strong = _values_or_draws("abilities", abilities, _ABILITY_SPREAD, random)
    hard = _values_or_draws("difficulties", difficulties, _DIFFICULTY_SPREAD, random)
    return strong[:, None] - hard


def _values_or_draws(name: str, values: Any, spread: float, random: np.random.Generator) -> Rates:
    try:
        operator.index(values)
    except TypeError:
        return _numbers(name, values)
    drawn: Rates = random.normal(0.0, spread, budget(name, values))
    return drawn


def _numbers(name: str, values: Any) -> Rates:
    numbers = finite_list(values)
    if numbers is None:
        raise ParameterError(f"must be a list of finite numbers; got {values!r}", argument=name)
    return numbers
