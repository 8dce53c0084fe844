"""Metrics and functions as text on the command line: names, and objects of the user's own modules."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError

if TYPE_CHECKING:
    from ..metrics import Metric

_CLASS = re.compile(r"(?P<module>[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)\s*(?P<call>\(.*\))?", re.DOTALL)


def metric_of(text: str) -> Metric:
    """Return the metric that the text means: ``pass@8``, ``gpass@8:tau=.5`` or ``package.module:Class(k=8)``.

    >>> metric_of("pass^4"), metric_of("scorio.metrics:PassAtK(k=8)")
    (PassHatK(k=4), PassAtK(k=8))
    """
    from ..metrics import Metric

    own = _CLASS.fullmatch(text.strip())
    return Metric.from_string(text) if own is None else _made(text, own["module"], own["name"], own["call"] or "()")


def function_of(text: str) -> Callable[..., Any]:
    """Return the function that the text names, as in ``package.module:function``.

    >>> function_of("math:floor")(1.5)
    1
    """
    named = _CLASS.fullmatch(text.strip())
    if named is None or named["call"]:
        raise ParameterError(f"{text!r} is not of the form package.module:function")
    function = _imported(text, named["module"], named["name"])
    if not callable(function):
        raise ParameterError(f"{text!r} is no function; it is {function!r}")
    made: Callable[..., Any] = function
    return made


def _made(text: str, module: str, name: str, call: str) -> Metric:
    """Make an object of a class that the user names; its arguments are literals, and no code in the text is run."""
    from ..metrics import Metric
    from ..metrics._names import check_metric_class

    positional, named = _literals(text, call)
    kind: type[Metric] = check_metric_class(_imported(text, module, name), Metric, repr(text))
    try:
        return kind(*positional, **named)
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
    raise ValueError("not a plain call")


def _imported(text: str, module: str, name: str) -> Any:
    """Import an object of a module that is installed or in the current directory."""
    if "" not in sys.path:
        sys.path.append("")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise ParameterError(f"{text!r}: no module named {error.name!r}") from None
    except AttributeError:
        raise ParameterError(f"{text!r}: module {module!r} has no {name!r}") from None
