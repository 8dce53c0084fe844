"""Metrics as short text: ``name[@k][:parameter=value]...``, for configuration files and command lines."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError

if TYPE_CHECKING:
    from .base import Metric

_HEAD = re.compile(r"(?P<name>[a-z_]+)(?:(?P<mark>[@^])(?P<k>\d+))?")
_POWER = {"pass": "passhat"}  # pass^8


def parse(text: str, registry: Mapping[str, type[Metric]]) -> Metric:
    """The metric that ``text`` names."""
    if not isinstance(text, str):
        raise ParameterError(f"a metric's name must be text; got {text!r}")
    head, *options = text.strip().split(":")
    match = _HEAD.fullmatch(head.strip().lower())
    if match is None:
        raise ParameterError(f"{text!r} is not of the form name@k:parameter=value, as in 'gpass@8:tau=.5'")
    name = _POWER.get(match["name"], match["name"]) if match["mark"] == "^" else match["name"]
    if name not in registry:
        raise ParameterError(f"{text!r} names no metric; there are {', '.join(registry)}")
    metric = registry[name]
    fields = [field.name for field in dataclasses.fields(metric)]
    if match["k"] is not None:
        if "k" not in fields:
            raise ParameterError(f"{text!r}: {name} takes no k")
        options.insert(0, f"k={match['k']}")
    given = [_option(option, text, metric.aliases, fields) for option in options]
    values = dict(given)
    twice = [name for name, count in Counter(name for name, _ in given).items() if count > 1]
    if twice:
        raise ParameterError(f"{text!r}: {match['name']} takes {twice[0]} once")
    missing = [f.name for f in dataclasses.fields(metric) if f.default is dataclasses.MISSING and f.name not in values]
    if missing:
        raise ParameterError(f"{text!r}: {name} needs {' and '.join(missing)}, as in {_example(metric)!r}")
    return metric(**values)


def _option(option: str, text: str, aliases: Mapping[str, str], fields: list[str]) -> tuple[str, Any]:
    name, found, value = (part.strip() for part in option.partition("="))
    name = aliases.get(name, name)
    if not found or name not in fields:
        raise ParameterError(f"{text!r}: {option!r} is not one of {', '.join(f'{field}=' for field in fields)}")
    try:
        numbers = [int(part) if re.fullmatch(r"[+-]?\d+", part) else float(part) for part in value.split(",")]
    except ValueError:
        raise ParameterError(f"{text!r}: {value!r} is not a number or numbers with commas between") from None
    return name, tuple(numbers) if name == "weights" or len(numbers) > 1 else numbers[0]


def _example(metric: type[Metric]) -> str:
    needed = [f.name for f in dataclasses.fields(metric) if f.default is dataclasses.MISSING]
    head = f"{metric.name}@8" if "k" in needed else metric.name
    return head + "".join(f":{name}=..." for name in needed if name != "k")


def spell(metric: Metric) -> str:
    """The text that ``parse`` reads back, leaving out what is at its default."""
    text = metric.name or type(metric).__name__
    k = getattr(metric, "k", None)
    text += "" if k is None else f"@{k}"
    for field in dataclasses.fields(metric):
        value = getattr(metric, field.name)
        if field.name != "k" and value != field.default:
            text += f":{field.name}={','.join(map(repr, value)) if isinstance(value, tuple) else repr(value)}"
    return text
