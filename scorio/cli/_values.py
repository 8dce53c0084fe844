"""Values of options: how what is typed becomes what the functions take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .._base.choices import BY_QUESTIONS, LEARNED
from ..errors import ParameterError

if TYPE_CHECKING:
    from ..inference._prior import PriorLike

ALL = "all"  # the value of --pool that stands for every condition
ENDINGS = {"": "table", ".txt": "table", ".json": "json", ".csv": "csv", ".md": "md", ".tex": "latex"}
ENDINGS |= {".html": "html", ".htm": "html"}
_MAX_DROP = 0.02


def each_as(convert: Callable[[Any], Any], *, together: bool = False) -> Callable[..., Any]:
    """Return a callback that converts the value of an option, or all its values ``together``, also if there is none."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            if together:
                return convert(value)
            return None if value is None else convert(value)
        except ParameterError as error:
            raise click.BadParameter(str(error), ctx, param) from None

    return callback


def names_of_metrics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    from ..metrics._names import metric_names

    return [name for name in metric_names() if name.startswith(incomplete)]


def prior_of(text: str) -> PriorLike:
    """Return pseudo-counts with commas between, or a prior's name."""
    from ..inference._prior import as_prior

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return LEARNED if as_prior(text).is_learned else text


def _named(texts: Sequence[str], problem: str, convert: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return values by name."""
    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            values[name] = convert(value)
        except ValueError:
            value = ""
        if not (name and value):
            raise ParameterError(f"{text!r} is {problem}")
    return values


def task_weights_of(texts: Sequence[str]) -> dict[str, float] | str | None:
    """Return the weights of tasks: by their names, or ``"questions"``."""
    if list(texts) == [BY_QUESTIONS]:
        return BY_QUESTIONS
    return _named(texts, f"neither {BY_QUESTIONS!r} nor of the form TASK=NUMBER") or None


def costs_of(texts: Sequence[str]) -> dict[str, float] | str | None:
    """Return the name of a cost in the logs, or the costs of a trial by model."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    return _named(texts, "neither one NAME nor of the form MODEL=NUMBER") or None


class MaxDrop(NamedTuple):
    """The accepted drop on the command line: a number or percentage for all tasks, and those of tasks by name."""

    number: float | str | None = None
    by_task: Mapping[str, float | str] = MappingProxyType({})

    @classmethod
    def parsed(cls, texts: Sequence[str]) -> MaxDrop:
        """Return the drop that the texts mean, ``NUMBER``, ``NUMBER%`` or one of these after ``TASK=``."""
        plain = [text for text in texts if "=" not in text]
        named = [text.rpartition("=") for text in texts if "=" in text]
        if len(plain) > 1:
            raise ParameterError(f"several numbers for all tasks: {', '.join(plain)}")
        if any(not name for name, _, _ in named):
            raise ParameterError(f"{''.join(next(parts for parts in named if not parts[0]))!r} names no task before =")
        by_task = {name: number_or_percent(text) for name, _, text in named}
        return cls(number_or_percent(plain[0]) if plain else None, by_task)

    @property
    def is_set(self) -> bool:
        """Whether the option was used."""
        return self.number is not None or bool(self.by_task)

    def of_tasks(self, outcomes: Any) -> float | str | dict[str, float | str]:
        """Return the accepted drop, by task if a task has its own."""
        number = _MAX_DROP if self.number is None else self.number
        if not self.by_task:
            return number
        return {**dict.fromkeys(getattr(outcomes, "tasks", ()), number), **self.by_task}


def number_or_percent(text: str) -> float | str:
    """Return a number, or a percentage as it is written."""
    try:
        float(text.removesuffix("%"))
    except ValueError:
        raise ParameterError(f"{text!r} is neither a number, a percentage nor of the form TASK=NUMBER") from None
    return text if text.endswith("%") else float(text)


def budgets_of(texts: Sequence[str]) -> list[int] | None:
    """Return numbers of trials with commas between, those of all texts."""
    joined = ",".join(texts)
    try:
        return [int(part) for part in joined.split(",")] if texts else None
    except ValueError:
        raise ParameterError(f"{joined!r} is not a list of whole numbers such as 1,2,4") from None


def dates_of(texts: Sequence[str]) -> dict[str, str]:
    """Return the date of each model."""
    return _named(texts, "not MODEL=DATE, such as gpt=2025-02-24", str)


def known_ending(ctx: click.Context, param: click.Parameter, output: Path | None) -> Path | None:
    """Check that ``--format`` or the file's ending names the format."""
    if output and ctx.params.get("form") is None and output.suffix.lower() not in ENDINGS:
        endings = ", ".join(filter(None, ENDINGS))
        is_picture = output.suffix.lower() in (".svg", ".pdf", ".png")
        hint = "a picture is written by --picture" if is_picture else "name the format with --format"
        problem = f"{str(output)!r} does not end with {endings}; {hint}"
        raise click.BadParameter(problem, ctx, param)
    return output
