"""Metrics by name: classes and entry points that are registered, and short texts such as ``"gpass@8:tau=.5"``."""

import dataclasses
import re
from collections import Counter
from functools import lru_cache
from typing import Any

from .._base.words import unknown
from ..errors import ParameterError

GROUP = "scorio.metrics"
_NAME = re.compile(r"[a-z_][a-z0-9_]*")


def entry_points(**selection: str) -> Any:
    """Return the installed entry points of this group; the module that knows them takes long to load."""
    from importlib import metadata

    installed: Any = metadata.entry_points
    return installed(group=GROUP, **selection)


_classes: dict[str, type[Any]] = {}  # by name and by alias


def register(metric: type[Any]) -> None:
    """Make a class known by its ``name`` and its ``aliases``.

    A class that is defined again, as in a notebook, takes the place of the earlier one; the name of another class is
    refused.
    """
    if not _NAME.fullmatch(metric.name):
        raise ParameterError(
            f"must be lower-case letters, digits and underscores; got {metric.name!r}",
            argument=f"{metric.__qualname__}.name",
        )
    for name in (metric.name, *metric.aliases):
        other = _classes.get(name)
        if other is not None and _path(other) != _path(metric):
            raise ParameterError(f"{_path(metric)} has the name {name!r}, but {_path(other)} has it already")
    parse.cache_clear()
    for name in (metric.name, *metric.aliases):
        _classes.pop(name, None)
        _classes[name] = metric  # as the last one


def _path(metric: type[Any]) -> str:
    return f"{metric.__module__}.{metric.__qualname__}"


def metric_names() -> list[str]:
    """Return the names of all metrics, those of entry points included; aliases are left out."""
    names = [name for name, metric in _classes.items() if name == metric.name]
    return list(dict.fromkeys([*names, *(entry.name for entry in entry_points())]))


def is_metric_name(name: str) -> bool:
    """Return whether a metric has this name or alias."""
    return name in _classes or any(entry.name == name for entry in entry_points())


def metric_class(name: str, base: type[Any], ending: str = "") -> type[Any]:
    """Return the class with this name; an unknown name is an error that quotes it with its ``ending``, as ``"@8"``."""
    if name in _classes:
        return _classes[name]
    for entry in entry_points(name=name):
        try:
            return check_metric_class(entry.load(), base, f"entry point {name!r} ({entry.value})")
        except (ImportError, AttributeError, SystemExit) as error:
            raise ParameterError(f"entry point {name!r} ({entry.value}) cannot be loaded: {error!r}") from None
    names = metric_names()
    if (numbered := _NUMBERED.fullmatch(name)) and not ending and is_metric_name(numbered["name"]):
        raise ParameterError(f"unknown metric {name!r}. Did you mean '{numbered['name']}@{numbered['k']}'?")
    choices, aliases = (
        [choice + ending if "k" in _fields_of(choice) else choice for choice in some]
        for some in (names, sorted(_classes.keys() - set(names)))
    )
    raise ParameterError(unknown("metric", name + ending, choices, aliases))


def _fields_of(name: str) -> Any:
    return getattr(_classes.get(name), "__dataclass_fields__", ())


def check_metric_class(metric: Any, base: type[Any], source: str) -> type[Any]:
    """Return ``metric`` if it is a metric class."""
    if not (isinstance(metric, type) and issubclass(metric, base)):
        raise ParameterError(f"{source} is not a metric class; got {metric!r}")
    return metric


_NUMBERED = re.compile(r"(?P<name>[a-z_]+?)_?(?P<k>\d+)")  # pass4
_HEAD = re.compile(r"(?P<name>[a-z_][a-z0-9_]*?)(?:(?P<mark>[@^]|_at_)(?P<k>\d+))?")


@lru_cache(maxsize=256)
def parse(text: str, base: type[Any]) -> Any:
    """Return the metric that ``text`` names: an object of a subclass of ``base``."""
    head, *options = text.strip().split(":")
    match = _HEAD.fullmatch(head.strip().lower().replace("-", "_"))
    if match is None:
        if "k" in re.split("[@^]", head.strip().lower())[1:]:
            example = head.strip()[:-1] + "8"
            raise ParameterError(f"{text!r}: k must be a number, as in {example!r}")
        raise ParameterError(f"{text!r} is not of the form name@k:parameter=value, as in 'gpass@8:tau=.5'")
    name, mark, k = match["name"], match["mark"], match["k"]
    if mark == "^" and is_metric_name(f"{name}^"):  # pass^8
        name = f"{name}^"
    metric = metric_class(name, base, "" if k is None else f"{'@' if mark == '_at_' else mark}{k}")
    fields = {field.name: field for field in dataclasses.fields(metric)}
    if k is not None:
        if "k" not in fields:
            raise ParameterError(f"{text!r}: {metric.name} takes no k: say {metric.name}")
        options.insert(0, f"k={k}")
    pairs = [_option(option, text, metric.parameter_aliases, fields) for option in options]
    repeated = [name for name, count in Counter([name for name, _ in pairs]).items() if count > 1]
    if repeated:
        raise ParameterError(f"{text!r}: {match['name']} takes {repeated[0]} once")
    values = dict(pairs)
    missing = [name for name in _required(metric) if name not in values]
    if missing:
        raise ParameterError(f"{text!r}: {metric.name} needs {' and '.join(missing)}, as in {_example(metric)!r}")
    try:
        return metric(**values)
    except ParameterError as error:
        raise error.at(repr(text)) from None


def _option(option: str, text: str, aliases: dict[str, str], fields: dict[str, Any]) -> tuple[str, Any]:
    name, equals, value = map(str.strip, option.partition("="))
    name = aliases.get(name, name)
    if not equals:
        raise ParameterError(f"{text!r}: {option!r} is not of the form parameter=value")
    if name not in fields:
        raise ParameterError(f"{text!r}: {unknown('parameter', name, list(fields))}")
    if "str" in str(fields[name].type):
        return name, value
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
    k = metric.draw_size
    text += "" if k is None else f"@{k}"
    for field in dataclasses.fields(metric):
        value = getattr(metric, field.name)
        if field.name != "k" and value != field.default:
            text += f":{field.name}={_written(value)}"
    return text


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(repr, value))
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return value if isinstance(value, str) else repr(value)
