"""The one way from what the user names to outcomes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ..errors import ParameterError
from ..labels import listed
from ..outcome_set import OutcomeSet
from ..sheet import plain
from ..words import amount
from .progress import working

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Reading:
    """How the logs are to be read, as the options said."""

    options: Mapping[str, Any]
    quiet: bool


def load(sources: Sequence[str], how: Reading) -> OutcomeSet:
    """The outcomes in logs and tables; what the files were taken for is said on stderr."""
    outcomes = load_part(sources, how)
    demand_used(how, outcomes)
    return outcomes


def load_part(sources: Sequence[str], how: Reading) -> OutcomeSet:
    """The same of some of the logs, which need not hold every model that is given a name."""
    from ..io import recognise

    with working("reading"):
        found = recognise(sources[0] if len(sources) == 1 else sources, **how.options)
    if not how.quiet:
        for line in _recognised(found):
            click.echo(plain(line), err=True)
    return found.outcomes


def demand_used(how: Reading, models: Collection[str]) -> None:
    """Check that every name that was given is that of a model: a typing error would leave the old one."""
    given = how.options["model"]
    for old, new in given.items() if isinstance(given, Mapping) else ():
        if new not in models:
            raise ParameterError(f"--model {new}={old}: {old!r} is no model, nor a path; there are {listed(models)}")


def _recognised(found: Any) -> list[str]:
    """What the files were taken for: files alike in one line."""
    kinds: dict[str, set[Path]] = {}
    for source in found.sources:
        notes = ", ".join(f"{name} {note}" for name, note in source.run.notes.items() if note)
        kind = f"{source.format} ({notes})" if notes else source.format
        kinds.setdefault(kind, set()).add(source.path)
    lines = [f"read {amount(len(paths), 'file')}: {kind}" for kind, paths in kinds.items()]
    skipped = len(found.skipped)
    return [*lines, f"skipped {skipped}: no outcomes in them"] if skipped else lines


def reading_options(command: Command) -> Command:
    """Add the logs, and the options that say how to read them; ``gathered`` takes these out again."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def gathered(options: dict[str, Any]) -> Reading:
    """Take the reading options out of a command's options."""
    chosen = {
        "format": options.pop("log_format"),
        "model": _models(options.pop("model")),
        "task": options.pop("task"),
        "metric": options.pop("log_score"),
        "filter": options.pop("filter"),
        "fields": _columns(options.pop("field")),
        "levels": {word: _number(word, value) for word, value in _pairs("--level", options.pop("level")).items()},
        "missing": options.pop("missing"),
    }
    return Reading(chosen, options.pop("quiet"))


def _models(given: Sequence[str]) -> str | dict[str, str] | None:
    """One name for all, or names by model or path pattern."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    return {old: new for new, old in (_pair("--model", each) for each in given)} or None


def _columns(given: Sequence[str]) -> dict[str, str | None]:
    """The column of each role; a role without one, as in ``trial=``, has none in these files."""
    named: dict[str, str | None] = dict(_pairs("--field", [each for each in given if not each.endswith("=")]))
    return named | dict.fromkeys(each.removesuffix("=") for each in given if each.endswith("="))


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    return dict(_pair(option, each) for each in given)


def _pair(option: str, text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not (name and found and value):
        raise ParameterError(f"{option} must be of the form NAME=VALUE; got {text!r}")
    return name, value


def _number(word: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"--level {word} must be a number; got {value!r}") from None


_OPTIONS = (
    click.argument("logs", nargs=-1, required=True, type=click.Path()),
    click.option("--log-format", metavar="NAME", help="The tool that wrote the logs; told by content if left out."),
    click.option(
        "--model", multiple=True, metavar="[NAME=]MODEL", help="The model's name; or NAME for MODEL or a path."
    ),
    click.option("--task", metavar="PATTERN", help="Only tasks that match."),
    click.option("--log-score", metavar="NAME", help="Which score or column, where the logs have several."),
    click.option("--filter", metavar="NAME", help="Which filter, where the logs have several (lm-eval)."),
    click.option(
        "--field", multiple=True, metavar="ROLE=COLUMN", help="A column's role, as in question=item_id; trial= is none."
    ),
    click.option("--level", multiple=True, metavar="WORD=REWARD", help="What a graded word is worth, as in P=0.5."),
    click.option(
        "--missing",
        type=click.Choice(["omit", "fail", "raise"]),
        default="omit",
        show_default=True,
        help="A planned trial without an outcome: left out, a failure, or an error.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Do not say on stderr what the files were taken for."),
)
