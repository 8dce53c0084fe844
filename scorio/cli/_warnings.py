"""The warnings of a running command: kept for its answer, and said once; those that differ only in names are one."""

import re
from collections.abc import Iterable, Mapping

import click

from .._display.table import plain
from .._display.words import pluralize

_NOTED, _SAID, _NAMES = "scorio.warnings", "scorio.said", "scorio.names"
_NUMBER = r"\d[\d.,]*\d|\d"


def note_warning(kind: type[Warning], text: str) -> None:
    """Keep a warning, to be said with others like it before the answer or error of the command."""
    ctx = click.get_current_context(silent=True)
    if ctx is None:
        click.echo(f"scorio: warning: {text}", err=True)
    else:
        ctx.meta.setdefault(_NOTED, []).append((kind, text))


def note_names(names: Mapping[str, str]) -> None:
    """Remember the names of models and tasks, each with what it names."""
    click.get_current_context().meta.setdefault(_NAMES, {}).update(names)


def noted_warnings() -> list[str]:
    """Return the texts of the warnings that were issued."""
    return [text for _, text in click.get_current_context().meta.get(_NOTED, [])]


def say_warnings() -> None:
    """Say the warnings that were not said yet."""
    meta = click.get_current_context().meta
    noted = meta.get(_NOTED, [])
    for line in together(noted[meta.get(_SAID, 0) :], meta.get(_NAMES, {})):
        click.echo(f"scorio: warning: {plain(line)}", err=True)
    meta[_SAID] = len(noted)


def together(warnings: Iterable[tuple[type[Warning], str]], names: Mapping[str, str]) -> list[str]:
    """Return the texts; of those of a class that differ only in numbers or names, the first, and how many others.

    >>> both = [(UserWarning, "amber has 3 copies"), (UserWarning, "birch has 7 copies")]
    >>> together(both, {"amber": "model", "birch": "model"}), together(both[:1] * 2, {})
    (['amber has 3 copies (the same holds for 1 other model)'], ['amber has 3 copies'])
    """
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    varying = re.compile(rf"(?<!\w)(?:{known})(?!\w)|{_NUMBER}" if known else _NUMBER)
    groups: dict[tuple[type[Warning], str], dict[str, list[str]]] = {}
    for kind, text in warnings:
        named = [each for each in varying.findall(text) if each in names]
        groups.setdefault((kind, varying.sub("", text)), {})[text] = named
    lines = []
    for (first, mine), *others in (list(each.items()) for each in groups.values()):
        more = {name: names[name] for _, theirs in others for name in theirs if name not in mine}
        what = pluralize(len(more), f"other {next(iter(more.values()))}") if more else "other numbers"
        lines.append(f"{first} (the same holds for {what})" if others else first)
    return lines
