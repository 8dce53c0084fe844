"""Arguments in messages, as the caller of the command line writes them.

The texts of the library name its arguments, as in ``runs="random"``; here they become ``--runs random``.
"""

import ast
import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import click

from ..errors import ScorioError
from ._context import Option, session
from ._options import CONVERTING_KEYS, option

Spell = Callable[[str, Any], str]
_NEW_NAME_FIRST = {"model"}  # Python maps an old name to a new one, the option says NEW=OLD
_OF_OTHERS = {"shared_only": "compare", "paired": "compare", "runs": "score"}  # which advice names in every command
_ARGUMENT = re.compile(r"""\b([a-z_\\]+)=("[^"]*"|'[^']*'|True|False|\[[^]]*\]|{[^}]*})""")  # with a literal value

_FLAG = re.compile(r"\b([a-z_]+)=(True|False)\b")
_SELECTION = re.compile(r"(?:suite|outcomes)\.select\((models|tasks)=(\[[^]]*\])\)")
_IN_PYTHON = re.compile(r"\bR\.at_least\([^)]*\)|\boutcomes\.as_adaptive\(\)")


def of_convert() -> list[click.Option]:
    """Return the options of reading that ``convert`` alone has."""
    return [option(key) for key in CONVERTING_KEYS]


def spelled(text: str, command: click.Command | None = None, *, is_page: bool = False) -> str:
    """Return a text of the library with its arguments as options of the running command, where it has them.

    In a page, whose attributes look like arguments, these are flags alone.
    """
    ctx = click.get_current_context(silent=True)
    if ctx is None:
        return text
    running = command or ctx.command
    text = _SELECTION.sub(_selected, _IN_PYTHON.sub(r"\g<0> in Python", text))
    params = {param.name for param in running.params} | {*_OF_OTHERS}

    def replaced(match: re.Match[str]) -> str:
        name, value = match[1].replace("\\", ""), match[2]  # Markdown writes \_ for _
        if name not in params and f"{name}s" not in params:
            return match[0]
        try:
            return _speller(running)(name, ast.literal_eval(value))
        except (ValueError, SyntaxError):
            return match[0]

    return (_FLAG if is_page else _ARGUMENT).sub(replaced, text)


def _selected(match: re.Match[str]) -> str:
    """Write a selection of models or tasks as options; the latter is one pattern."""
    names = [] if ".." in match[2] else ast.literal_eval(match[2])
    if match[1] == "models":
        return _written(option("only"), names or ...)
    return _written(option("task"), names[0] if len(names) == 1 else ...)


def error_text(error: ScorioError, command: click.Command | None) -> str:
    """Return the text of an error with arguments as options; places, such as names of files, stay as they are.

    Remedies that no option gives are left out.
    """
    hint, spell = None if error.hint is None else spelled(error.hint, command), _speller(command)
    remedies = [remedy for remedy in error.remedies if spell(remedy.argument, None) != remedy.argument]
    return error.changed(problem=spelled(error.problem, command), hint=hint, remedies=remedies).text(spell)


def _speller(command: click.Command | None) -> Spell:
    """Return a function that writes an argument and its value as an option of a command.

    An option answers to its parameter's name, and a repeatable one to the singular too; while logs are read, those of
    reading come first. What another command has is written as a call of it, and what none has as in Python.
    """
    params = [param for param in (command.params if command else []) if isinstance(param, Option)]
    params.sort(key=lambda param: param.is_of_reading != session().is_reading)
    elsewhere = {param.name or "": ("convert", param) for param in of_convert()}
    elsewhere |= {key: (name, option(key)) for key, name in _OF_OTHERS.items()}
    options: dict[str, click.Option] = {}
    for param in params:
        options.setdefault(param.name, param)
        if param.multiple:
            options.setdefault(param.name.removesuffix("s"), param)

    def spell(argument: str, value: Any) -> str:
        if argument in options:
            return _written(options[argument], value)
        if argument == "keep" and value is None:
            return "the metric"  # which alone asks for answers and scores in a command without this option
        if argument in elsewhere:
            name, other = elsewhere[argument]
            return f"scorio {name} {_written(other, value)}"
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
        none = "none" if option.name == "levels" else None
        pairs = ((_word(key), _word(none if part is None else part)) for key, part in value.items())
        ordered = (pair[::-1] for pair in pairs) if option.name in _NEW_NAME_FIRST else pairs
        return " ".join(f"{name} {left}={right}" for left, right in ordered)
    if option.multiple and isinstance(value, list):
        return " ".join(f"{name} {_word(item)}" for item in value)
    return f"{name} {_word(value)}"


def _word(value: Any) -> str:
    """Write a value as one word of a shell; ``...`` stands for a value to be chosen."""
    if value is None:
        return ""
    if value is Ellipsis:
        return "..."
    return shlex.quote(",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value))
