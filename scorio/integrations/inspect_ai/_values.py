"""Score values as numbers, read as everywhere in scorio."""

from __future__ import annotations

import math

from inspect_ai.scorer import Value, value_to_float

from ...errors import OutcomeError
from ...outcomes._outcome_values import reward

_of_inspect = value_to_float()


def outcome_value(value: Value) -> float:
    """Return the reward of a value, NaN where it is missing; what scorio cannot read, Inspect reads, with a warning."""
    try:
        number = reward(value)
    except OutcomeError:
        number = float(_of_inspect(value))
    return math.nan if number is None else number
