"""The field of a metric that names the scores by which it chooses."""

from typing import Any

from ..params import Check


def _name(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    raise TypeError


score_name: Check = Check("the name of scores that the trials have, or None for the only ones", _name)
