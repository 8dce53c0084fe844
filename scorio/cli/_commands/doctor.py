"""``scorio doctor``: what logs can say."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from ..._display.table import plain
from .._context import READING_ARGUMENTS
from .._options import confidence_option
from .._output import Answer, deliver, output_options
from .._progress import working
from .._reading import check_renamed, gathered, load_part, reading_options


@click.command("doctor", epilog="Example: scorio doctor logs/")
@reading_options
@confidence_option
@output_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    logs: tuple[str, ...],
    confidence: float,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Say what the logs hold, what is suspicious, which statements they support, and what to run next."""
    from ...diagnosis import diagnose

    text = _as_typed(ctx)
    how = gathered(options)
    reading = load_part(logs, how)
    check_renamed(how, [reading])
    with working("diagnosing"):
        diagnosis = diagnose(reading, confidence=confidence, logs=text)
    tables = diagnosis.tables()
    advice = [f"Next: {plain(diagnosis.next_command)}", diagnosis.next_reason]
    tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, *advice])
    deliver(Answer(tables, diagnosis._records(), diagnosis.to_dict()), form, output)


def _as_typed(ctx: click.Context) -> str:
    """Return the logs and the options that say how they are read, for the command line of another command."""
    words = [*ctx.params["logs"]]
    for param in ctx.command.params:
        if param.name not in READING_ARGUMENTS or not isinstance(param, click.Option):
            continue
        typed = ctx.get_parameter_source(param.name) == click.core.ParameterSource.COMMANDLINE
        value = ctx.params[param.name]
        if typed and param.name == "score":
            words += [param.opts[0], f"{value.__module__}:{value.__qualname__}"]
        elif typed and param.is_flag:
            words.append(param.opts[0])
        elif typed:
            words += [text for each in (value if param.multiple else [value]) for text in (param.opts[0], str(each))]
    return " ".join(map(shlex.quote, words))
