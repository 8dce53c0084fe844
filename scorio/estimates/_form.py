"""Weighted sums of the values of models: what every law of several models is asked about.

A form is a tuple of parts ``(factor, which)``. ``which`` is the place of a model, or an array of places, one for each
of many sums; the factor is a number, or one for each of them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .._arrays import Indices, Vector

Which: TypeAlias = int | np.integer[Any] | Indices
Form: TypeAlias = tuple[tuple[Any, Which], ...]


def difference(i: Which, j: Which) -> Form:
    """Return the value of ``i`` minus that of ``j``.

    >>> float(total(difference(0, 1), np.array([0.75, 0.5])))
    0.25
    """
    return ((1.0, i), (-1.0, j))


def total(form: Form, values: Vector) -> Any:
    """Return the sum for one value of each model, (L,), or for a row of them, (L, ..)."""
    whole: Any = 0.0
    for factor, which in form:
        whole = whole + (factor * values[which] if values.ndim == 1 else _times(factor, values[which]))
    return whole


def squares(form: Form, values: Vector) -> Any:
    """Return the sum with the squares of the factors: the variance of independent values with these, (L,)."""
    whole: Any = 0.0
    for factor, which in form:
        whole = whole + (factor * factor) * values[which]
    return whole


def sides(form: Form, down: Vector, up: Vector) -> tuple[list[Any], list[Any]]:
    """Return how far each part reaches below and above: a negative factor turns the ends around."""
    below, above = [], []
    for factor, which in form:
        plus, minus = np.maximum(factor, 0.0), np.maximum(-factor, 0.0)
        below.append(plus * down[which] + minus * up[which])
        above.append(plus * up[which] + minus * down[which])
    return below, above


def weighted(form: Form, weights: Vector) -> Form:
    """Return the form with the factor of each model times its weight; of one sum, parts without weight are left out.

    >>> weighted(difference(0, 1), np.array([0.5, 0.0])) == ((0.5, 0),)
    True
    """
    parts = tuple((factor * weights[which], which) for factor, which in form)
    if any(np.ndim(which) for _, which in form):
        return parts
    return tuple(part for part in parts if part[0] != 0.0) or parts


def pair_of(form: Form) -> tuple[Which, Which] | None:
    """Return the models of a difference, or of a multiple of one; None for another form."""
    if len(form) != 2 or np.any(form[0][0] != -form[1][0]):
        return None
    return form[0][1], form[1][1]


def _times(factor: Any, rows: Any) -> Any:
    """Return a factor, or one for each of many sums, times rows of values."""
    return factor * rows if np.ndim(factor) == 0 else np.asarray(factor)[..., None] * rows
