"""What a curve runs over: a value per question, however it is given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import numpy as np

from .._arrays import Vector
from .._display.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ..outcomes import OutcomeSet, by_question, score_values

LOG, LINEAR = SCALES = ("log", "linear")
_LARGEST = 1023.0  # doublings, of which a double holds the power


def listed(values: Any, outcomes: OutcomeSet, argument: str) -> list[Any]:
    """Return a value per question: of a mapping, a sequence, or a score that logs were read with."""
    if isinstance(values, str):
        return _kept(values, outcomes, argument)
    return by_question(values, outcomes.n_questions, outcomes.questions, argument)


def complete(values: Any, outcomes: OutcomeSet, argument: str) -> list[Any]:
    """Return a value per question as ``listed`` does, and refuse None and NaN, which say that a value is missing."""
    in_order = listed(values, outcomes, argument)
    is_missing = (value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)) for value in in_order)
    if absent := [_label(outcomes, i) for i, missing in enumerate(is_missing) if missing]:
        problem = f"has no value (None or NaN) for {pluralize(len(absent), 'question')}: {shorten(absent)}"
        hint = "give each of them a value, or leave them out of the outcomes with select()"
        raise OutcomeError(problem, argument=argument, hint=hint)
    return in_order


def _kept(name: str, outcomes: OutcomeSet, argument: str) -> list[Any]:
    """Return the score of this name, which all trials of a question share; None where no trial has it."""
    by_question: dict[int, float] = {}
    for model, matrix in outcomes.items():
        if name not in matrix.scores:
            continue
        of_trials = np.repeat(np.arange(matrix.n_questions), matrix.trials)
        values = matrix.trial_columns.score(name)[1]
        has_value = ~np.isnan(values)
        for question, value in zip(of_trials[has_value].tolist(), values[has_value].tolist(), strict=True):
            if by_question.setdefault(question, value) != value:
                problem = f"{name!r} is {by_question[question]:g} and {value:g} in trials of one question"
                where = f"{_label(outcomes, question)!r} of {model!r}"
                hint = "a curve needs one value per question: pass a mapping"
                raise OutcomeError(f"{problem}, {where}", argument=argument, hint=hint)
    if not by_question:
        hint = f"read(.., keep={name!r}) keeps it; or pass a mapping from questions to values"
        raise OutcomeError(f"no trial has {name!r}", argument=argument, hint=hint)
    return [by_question.get(i) for i in range(outcomes.n_questions)]


def _label(outcomes: OutcomeSet, question: int) -> Any:
    return question if outcomes.questions is None else outcomes.questions[question]


def is_numeric(values: Sequence[Any]) -> bool:
    """Return whether the values are numbers or dates, and not names of categories."""
    has_names = any(value is None or isinstance(value, (str, bool)) for value in values)
    return not has_names or all(isinstance(value, str) and as_days(value) is not None for value in values)


def as_days(value: Any) -> float | None:
    """Return a date, or a text that is one such as 2025-02-24, as a number of days; None for anything else."""
    if isinstance(value, str):
        with suppress(ValueError):
            return float(date.fromisoformat(value[:10]).toordinal())
    if isinstance(value, datetime):
        return value.toordinal() + (value.hour + value.minute / 60.0) / 24.0
    return float(value.toordinal()) if isinstance(value, date) else None


def as_numbers(values: Sequence[Any], argument: str) -> Vector:
    """Return values as finite numbers; dates are days."""
    days = [as_days(value) for value in values]
    numbers = score_values([value if day is None else day for value, day in zip(values, days, strict=True)], argument)
    if not np.isfinite(numbers).all():
        raise ParameterError(f"must be finite numbers; got {numbers[~np.isfinite(numbers)][0]}", argument=argument)
    return numbers


def scaled(values: Vector, scale: str) -> Vector:
    """Return values on the scale of the curve: their logarithms to base 2, or the values."""
    if scale == LINEAR:
        return values
    if (values <= 0.0).any():
        problem = f"must be above 0 for their logarithms; got {values[values <= 0.0][0]:g}"
        raise ParameterError(problem, argument="values", hint='scale="linear" takes them as they are')
    return np.log2(values)


def unscaled(x: float, scale: str) -> float | None:
    """Return the value at a place on the scale of the curve; None for one that is infinite, or NaN."""
    if not math.isfinite(x):
        return None
    return x if scale == LINEAR else 2.0 ** min(x, _LARGEST)
