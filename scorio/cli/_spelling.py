"""Arguments of the library, written as the options of a command."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

Spell = Callable[[str, Any], str]
_NEW_NAME_FIRST = {"model"}  # Python maps an old name to a new one, the option says NEW=OLD


def speller(params: Iterable[click.Parameter]) -> Spell:
    """Return a function that writes an argument and its value as an option of a command with these parameters.

    An option answers to its parameter's name, and a repeatable one to the singular too. Earlier parameters win. An
    argument without an option is written as in Python.

    >>> spell = speller([click.Option(["--too-few"]), click.Option(["--field", "fields"], multiple=True)])
    >>> spell("too_few", "omit"), spell("fields", {"question": ..., "trial": None}), spell("n_jobs", 2)
    ('--too-few omit', '--field question=... --field trial=', 'n_jobs=2')
    """
    options: dict[str, click.Option] = {}
    for each in params:
        if isinstance(each, click.Option) and each.name:
            options.setdefault(each.name, each)
            if each.multiple:
                options.setdefault(each.name.removesuffix("s"), each)

    def spell(argument: str, value: Any) -> str:
        option = options.get(argument)
        if option is not None:
            return _written(option, value)
        return argument if value is None else f"{argument}={value!r}"

    return spell


def _written(option: click.Option, value: Any) -> str:
    """Write an option with its value; ``None`` stands for the option alone."""
    name = max(option.opts, key=len)
    if value is None or value is True:
        return name
    if value is False:
        return max(option.secondary_opts, key=len, default=f"no {name}")
    if isinstance(value, Mapping):
        pairs = ((_word(key), _word(part)) for key, part in value.items())
        ordered = (pair[::-1] for pair in pairs) if option.name in _NEW_NAME_FIRST else pairs
        return " ".join(f"{name} {left}={right}" for left, right in ordered)
    if option.multiple and isinstance(value, list):
        return " ".join(f"{name} {_word(each)}" for each in value)
    return f"{name} {_word(value)}"


def _word(value: Any) -> str:
    """Write a value as one word of a shell; ``...`` stands for a value to be chosen."""
    if value is None:
        return ""
    if value is Ellipsis:
        return "..."
    return shlex.quote(",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value))
