"""Metrics as text on the command line: names, names that plug-ins add, and classes of one's own."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..errors import ParameterError
from ..metrics import METRICS, Metric
from ..metrics.naming import parse

GROUP = "scorio.metrics"
_CLASS = re.compile(r"(?P<module>[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)\s*(?P<call>\(.*\))?", re.DOTALL)


class Known(Mapping[str, type[Metric]]):
    """The metrics of this package, and those of the entry points ``scorio.metrics``, loaded when they are asked for."""

    def __init__(self) -> None:
        self._added: dict[str, EntryPoint] = {each.name: each for each in entry_points(group=GROUP)}

    def __getitem__(self, name: str) -> type[Metric]:
        if name in METRICS:
            return METRICS[name]
        return _checked(self._added[name].load(), f"the entry point {name!r}")

    def __contains__(self, name: object) -> bool:
        return name in METRICS or name in self._added

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*METRICS, *self._added]))

    def __len__(self) -> int:
        return len(set(METRICS) | set(self._added))


def metric_of(text: str) -> Metric:
    """The metric that the text means: ``pass@8``, ``gpass@8:tau=.5`` or ``package.module:Class(k=8)``.

    >>> metric_of("pass^4"), metric_of("scorio.metrics:PassAtK(k=8)")
    (PassHatK(k=4), PassAtK(k=8))
    """
    own = _CLASS.fullmatch(text.strip())
    return parse(text, Known()) if own is None else _made(text, own["module"], own["name"], own["call"] or "()")


def _made(text: str, module: str, name: str, call: str) -> Metric:
    """An object of a class that the user names; its arguments are literals, nothing of the text is run."""
    positional, named = _literals(text, call)
    made = _checked(_found(text, module, name), text)
    try:
        return made(*positional, **named)
    except TypeError as error:
        raise ParameterError(f"{text!r}: {error}") from None


def _literals(text: str, call: str) -> tuple[list[Any], dict[str, Any]]:
    try:
        return _arguments(ast.parse(f"f{call}", mode="eval").body)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ParameterError(f"{text!r}: arguments must be literals, as in package.module:Class(k=8)") from None


def _arguments(call: ast.expr) -> tuple[list[Any], dict[str, Any]]:
    match call:
        case ast.Call(func=ast.Name(), args=args, keywords=words) if all(word.arg for word in words):
            return [ast.literal_eval(each) for each in args], {str(w.arg): ast.literal_eval(w.value) for w in words}
    raise ValueError("no plain call")


def _found(text: str, module: str, name: str) -> Any:
    """A class of a module that is installed, or lies in the current directory."""
    if "" not in sys.path:
        sys.path.append("")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise ParameterError(f"{text!r}: there is no module {error.name!r}, nor a metric of that name") from None
    except AttributeError:
        raise ParameterError(f"{text!r}: module {module!r} has no {name!r}") from None


def _checked(found: Any, source: str) -> type[Metric]:
    if not (isinstance(found, type) and issubclass(found, Metric)):
        raise ParameterError(f"{source} is no Metric class; got {found!r}")
    return found
