"""Metric classes by name: classes register themselves, and entry points add those of other packages."""

from __future__ import annotations

import re
from typing import Any

from .._display.words import unknown
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
        known = _classes.get(name)
        if known is not None and _path(known) != _path(metric):
            raise ParameterError(f"{_path(metric)} has the name {name!r}, but {_path(known)} has it already")
    for name in (metric.name, *metric.aliases):
        _classes.pop(name, None)
        _classes[name] = metric  # as the last one


def _path(metric: type[Any]) -> str:
    return f"{metric.__module__}.{metric.__qualname__}"


def metric_names() -> list[str]:
    """Return the names of all metrics, those of entry points included; aliases are left out."""
    own = [name for name, metric in _classes.items() if name == metric.name]
    return list(dict.fromkeys([*own, *(entry.name for entry in entry_points())]))


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
        except (ImportError, AttributeError) as error:
            raise ParameterError(f"entry point {name!r} ({entry.value}) cannot be loaded: {error}") from None
    names = metric_names()
    choices, aliases = (
        [each + ending if "k" in _fields_of(each) else each for each in some]
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
