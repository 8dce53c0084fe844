"""What a running command keeps in click's context, what it says on the way, and how it shows that it works."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from .._base.progress import Progress
from .._base.table import plain
from .._base.words import pluralize, shorten
from ..errors import ParameterError

Record = Mapping[str, Any]  # one row of an answer
_NUMBER = r"\d[\d.,]*\d|\d"
working = Progress  # shows that work goes on, if it takes long


class Option(click.Option):
    """An option of a command, which help pages have in a ``section``.

    Options that say how logs are read, all but those that ``convert`` alone has, are the same ones in all commands.
    """

    section: str = ""
    is_of_reading: bool = False


@dataclass
class Session:
    """What is known of a running command.

    ``is_debug`` shows the traceback of an error, and ``is_quiet`` wants nothing but the answer. While it
    ``is_reading``, arguments in errors are those of ``scorio.read``. ``runs`` has the models of which several runs were
    added up, and ``differing`` in what their runs differ. An answer follows from the files ``inputs``. ``names`` are
    those of models and tasks, each with what it names. ``left_out`` has lines that say what was not read, and why. Of
    the ``warnings``, the first ``said`` were said.
    """

    is_debug: bool = False
    is_quiet: bool = False
    is_reading: bool = False
    runs: dict[str, int] = field(default_factory=dict)
    differing: dict[str, Sequence[str]] = field(default_factory=dict)
    inputs: dict[Path, None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    warnings: list[tuple[type[Warning], str]] = field(default_factory=list)
    said: int = 0

    def say_warnings(self) -> None:
        """Say the warnings that were not said yet."""
        for line in together(self.warnings[self.said :], self.names):
            click.echo(f"scorio: warning: {plain(line)}", err=True)
        self.said = len(self.warnings)

    def added_up(self, runs: Mapping[str, int] | None = None) -> str:
        """Say of which models several runs were added up, by default of all that were read; empty if of none."""
        ends = {model: f", which differ in {shorten(names)}" for model, names in self.differing.items()}
        counts = (self.runs if runs is None else runs).items()
        several = [f"{count} runs of {model}{ends.get(model, '')}" for model, count in counts if count > 1]
        return f"added up: {', '.join(several)}" if several else ""


def session() -> Session:
    """Return what is known of the running command."""
    ctx = click.get_current_context(silent=True)
    meta = {} if ctx is None else ctx.meta
    if "scorio" not in meta:
        meta["scorio"] = Session()
    running: Session = meta["scorio"]
    return running


def set_debug(_: click.Context, __: click.Parameter, is_set: bool) -> None:
    """Note that errors show their traceback."""
    session().is_debug |= is_set


@contextmanager
def reading_logs(*, shown: bool = True) -> Iterator[None]:
    """Say that logs are being read, and show the progress."""
    running = session()
    running.is_reading = True
    with working("reading") if shown else nullcontext():
        yield
    running.is_reading = False  # after an error it stays, for its message


def is_typed(name: str) -> bool:
    """Return whether an option, by the name of its parameter, stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source == click.core.ParameterSource.COMMANDLINE


def allow_only(argument: str, *others: str) -> None:
    """Refuse options on the command line beside one, but for some others and those that say how to read and write.

    All are named by their parameters.
    """
    allowed = {argument, "form", "output", *others}
    typed = [
        max(param.opts, key=len)
        for param in click.get_current_context().command.params
        if isinstance(param, Option) and not param.is_of_reading and param.expose_value
        if param.name not in allowed and is_typed(param.name or "")
    ]
    if typed:
        raise ParameterError(f"cannot be combined with {', '.join(typed)}", argument=argument)


def together(warnings: Iterable[tuple[type[Warning], str]], names: Mapping[str, str]) -> list[str]:
    """Return the texts; of those of a class that differ only in numbers or names, the first, and how many others.

    >>> both = [(UserWarning, "amber has 3 copies"), (UserWarning, "birch has 7 copies")]
    >>> together(both, {"amber": "model", "birch": "model"}), together(both[:1] * 2, {})
    (['amber has 3 copies (the same holds for 1 other model)'], ['amber has 3 copies'])
    """
    any_name = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    varying = re.compile(rf"(?<!\w)(?:{any_name})(?!\w)|{_NUMBER}" if any_name else _NUMBER)
    groups: dict[tuple[type[Warning], str], dict[str, list[str]]] = {}
    for kind, text in warnings:
        named = [word for word in varying.findall(text) if word in names]
        groups.setdefault((kind, varying.sub("", text)), {})[text] = named
    lines = []
    for (first, mine), *others in (list(group.items()) for group in groups.values()):
        more = {name: names[name] for _, theirs in others for name in theirs if name not in mine}
        what = pluralize(len(more), f"other {next(iter(more.values()))}") if more else "other numbers"
        lines.append(f"{first} (the same holds for {what})" if others else first)
    return lines
