"""Labels and metadata of saved counts as JSON, without any loss: what JSON cannot hold is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import OutcomeError, ParameterError
from ._labels import Labels, check_labels

_TUPLE = "tuple"  # the key of an object that stands for a tuple
_PLAIN: set[type] = {str, int, float, bool, type(None)}


def as_text(value: Any) -> str:
    """Return compact JSON in ASCII."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def from_text(text: str | bytes) -> Any:
    """Return the value of JSON text; NaN and infinite numbers are refused, as in the JSON standard."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def labels_to_json(labels: Labels | None, name: str) -> list[Any] | None:
    """Return labels as JSON values: text, numbers, truth values, None, and tuples of these."""
    if labels is None:
        return None
    if set(map(type, labels)) <= {str, int}:
        return list(labels)
    return [_label_to_json(label, name) for label in labels]


def _label_to_json(label: Any, name: str) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    if type(value) is tuple:
        return {_TUPLE: [_label_to_json(part, name) for part in value]}
    if isinstance(value, str):
        return str(value)
    if type(value) not in _PLAIN or (isinstance(value, float) and not math.isfinite(value)):
        raise OutcomeError(
            f"{name} has the label {label!r}, a {type(label).__name__}, which cannot be saved",
            hint="label with text, numbers, or tuples of these",
        )
    return value


def labels_from_json(values: Any, count: int, name: str, *, unique: bool) -> Labels | None:
    """Return the labels of JSON values, checked to be one per question."""
    if values is None:
        return None
    if not isinstance(values, list):
        raise TypeError(f"{name} must be a list")
    if set(map(type, values)) in ({str}, {int}):
        labels = tuple(values)
        if len(labels) == count and not (unique and len(set(labels)) < count):
            return labels
    return check_labels([_label_from_json(value) for value in values], count, name, unique=unique)


def _label_from_json(value: Any) -> Any:
    if isinstance(value, dict):
        [parts] = [value[_TUPLE]] if value.keys() == {_TUPLE} else []
        return tuple(_label_from_json(part) for part in parts)
    if type(value) not in _PLAIN:
        raise TypeError("a label must be text, a number or a tuple")
    return value


Metadata = dict[str, dict[str, Any]]  # by model


def check_metadata(metadata: Any, models: Sequence[str]) -> Metadata:
    """Return metadata by model, checked to survive JSON unchanged."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(each, Mapping) for each in metadata.values()):
        raise ParameterError("must map models to dictionaries", argument="metadata")
    for name in metadata:
        if name not in models:
            raise ParameterError(f"names {name!r}, which is not a model", argument="metadata")
    plain = {name: dict(each) for name, each in metadata.items()}
    same = _tried(lambda: from_text(as_text(plain)))
    if same != plain:
        raise ParameterError(
            "must be JSON: text, finite numbers, truth values, None, and lists and dictionaries (with text as keys) of"
            " these",
            argument="metadata",
        )
    for name, each in plain.items():
        if not is_costs(each.get("costs", {})):
            raise ParameterError(f"has 'costs' of {name!r} that are not numbers by name", argument="metadata")
    return plain


def is_costs(costs: Any) -> bool:
    """Return whether costs are finite numbers by name."""
    return isinstance(costs, dict) and all(type(each) in (int, float) for each in costs.values())


def _tried(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (TypeError, ValueError, RecursionError):
        return None


def combined(name: str, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one dictionary for the metadata of several parts.

    Costs add up, an entry that is the same in all parts that have it is kept, and others become None. Different
    conditions are an error, because outcomes under different conditions are those of different models.
    """
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for entry in entries for key in entry):
        values = [entry[key] for entry in entries if key in entry]
        is_same = all(value == values[0] for value in values)
        if key == "costs":
            made[key] = _total(values)
        elif key == "conditions" and not is_same:
            raise OutcomeError(
                f"{name!r} was run under different conditions: {values[0]} and"
                f" {next(value for value in values if value != values[0])}",
                hint="give the models different names before they are merged",
            )
        else:
            made[key] = values[0] if is_same else None
    return made


def _total(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return sums that do not depend on the order of the parts."""
    names = dict.fromkeys(name for each in costs for name in each)
    amounts = {name: [each[name] for each in costs if name in each] for name in names}
    return {
        name: sum(values) if all(type(value) is int for value in values) else math.fsum(values)
        for name, values in amounts.items()
    }
