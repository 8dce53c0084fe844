"""Metrics as short text: ``name[@k][:parameter=value]...``, for configuration files and command lines."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import Any

from .._display.words import unknown
from ..errors import ParameterError
from ._names import is_metric_name, metric_class

_HEAD = re.compile(r"(?P<name>[a-z_][a-z0-9_]*?)(?:(?P<mark>[@^]|_at_)(?P<k>\d+))?")


def parse(text: str, base: type[Any]) -> Any:
    """Return the metric that ``text`` names: an object of a subclass of ``base``."""
    if not isinstance(text, str):
        raise ParameterError(f"a metric's name must be text; got {text!r}")
    head, *options = text.strip().split(":")
    match = _HEAD.fullmatch(head.strip().lower().replace("-", "_"))
    if match is None:
        raise ParameterError(f"{text!r} is not of the form name@k:parameter=value, as in 'gpass@8:tau=.5'")
    name, mark, k = match["name"], match["mark"], match["k"]
    if mark == "^" and is_metric_name(f"{name}^"):  # pass^8
        name = f"{name}^"
    metric = metric_class(name, base, "" if k is None else f"{'@' if mark == '_at_' else mark}{k}")
    fields = {field.name: field for field in dataclasses.fields(metric)}
    if k is not None:
        if "k" not in fields:
            raise ParameterError(f"{text!r}: {metric.name} takes no k")
        options.insert(0, f"k={k}")
    pairs = [_option(option, text, metric.parameter_aliases, list(fields)) for option in options]
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:
        raise ParameterError(f"{text!r}: {match['name']} takes {repeated[0]} once")
    values = dict(pairs)
    missing = [name for name in _required(metric) if name not in values]
    if missing:
        raise ParameterError(f"{text!r}: {metric.name} needs {' and '.join(missing)}, as in {_example(metric)!r}")
    return metric(**values)


def _option(option: str, text: str, aliases: dict[str, str], fields: list[str]) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in option.partition("="))
    name = aliases.get(name, name)
    if not equals:
        raise ParameterError(f"{text!r}: {option!r} is not of the form parameter=value")
    if name not in fields:
        raise ParameterError(f"{text!r}: {unknown('parameter', name, fields)}")
    try:
        numbers = [int(part) if re.fullmatch(r"[+-]?\d+", part) else float(part) for part in value.split(",")]
    except ValueError:
        raise ParameterError(f"{text!r}: {value!r} is not a number or numbers with commas between") from None
    return name, tuple(numbers) if name == "weights" or len(numbers) > 1 else numbers[0]


def _required(metric: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(metric) if field.default is dataclasses.MISSING]


def _example(metric: Any) -> str:
    required = _required(metric)
    head = f"{metric.name}@8" if "k" in required else metric.name
    return head + "".join(f":{name}=..." for name in required if name != "k")


def spell(metric: Any) -> str:
    """Return the text that ``parse`` reads back, without the parameters that are at their defaults."""
    text = metric.name or type(metric).__name__
    text += "" if metric.budget is None else f"@{metric.budget}"
    for field in dataclasses.fields(metric):
        value = getattr(metric, field.name)
        if field.name != "k" and value != field.default:
            text += f":{field.name}={','.join(map(repr, value)) if isinstance(value, tuple) else repr(value)}"
    return text
