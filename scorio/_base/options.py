"""Options that belong together are declared once, as a ``TypedDict``; several functions take them as ``**options``.

A function says with ``takes`` which group it has, so that its signature shows every option, and passes the options of
a call through ``accepted``, which refuses the name of any other. Nothing is wrapped: a call costs what it did.
"""

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, get_type_hints

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Options = TypeVar("_Options", bound=Mapping[str, object])


def takes(group: type, checked_by: type | None = None, **defaults: Any) -> Callable[[_Function], _Function]:
    """Return a decorator that shows the options of a group in the signature of a function, in place of ``**options``.

    A default is one of the ``defaults``, else that of the field of the dataclass that checks the options, else None.
    """
    shown = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name] if name in defaults else getattr(checked_by, name, None),
            annotation=annotation,
        )
        for name, annotation in get_type_hints(group).items()
    ]

    def with_signature(function: _Function) -> _Function:
        signature = inspect.signature(function)
        named = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*named, *shown])  # type: ignore[attr-defined]
        return function

    return with_signature


def accepted(options: _Options, function: Any) -> _Options:
    """Return the options of a call to a function that ``takes`` them; another name is a ``TypeError``, as in Python."""
    parameters = function.__signature__.parameters
    if not options.keys() <= parameters.keys():
        name = next(name for name in options if name not in parameters)
        near = get_close_matches(name, parameters, n=1)
        guess = f"; did you mean {near[0]}?" if near else ""
        raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {name!r}{guess}")
    return options
