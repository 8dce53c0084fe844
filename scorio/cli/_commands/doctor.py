"""``scorio doctor``: what logs can say."""

import shlex

import click

from ..._display.table import plain
from .._command import declared
from .._context import ReadingOption, is_typed, working
from .._output import Answer, Output
from .._reading import Reading, load_logs


@declared("doctor", "logs/")
def command(logs: tuple[str, ...], how: Reading, out: Output) -> None:
    """Say what the logs hold, what is suspicious, which statements they support, and what to run next."""
    from ...diagnosis import diagnose

    reading = load_logs(logs, how)
    with working("diagnosing"):
        diagnosis = diagnose(reading, logs=_as_typed(click.get_current_context()))
    tables = diagnosis.tables()
    advice = [f"Next: {plain(diagnosis.next_command)}", diagnosis.next_reason]
    tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, *advice])
    out.deliver(Answer(tables, diagnosis._records(), diagnosis.to_dict()))


def _as_typed(ctx: click.Context) -> str:
    """Return the logs and the options that say how they are read, for the command line of another command."""
    words = [*ctx.params["logs"]]
    for param in ctx.command.params:
        if not (isinstance(param, ReadingOption) and param.name and param.name != "quiet" and is_typed(param.name)):
            continue
        value = ctx.params[param.name]
        if callable(value):
            words += [param.opts[0], f"{value.__module__}:{value.__qualname__}"]
        elif param.is_flag:
            words.append(param.opts[0])
        else:
            words += [text for each in (value if param.multiple else [value]) for text in (param.opts[0], str(each))]
    return " ".join(map(shlex.quote, words))
