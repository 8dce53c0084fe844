"""The program: its commands, each loaded when it is called, and its errors, each one line."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from io import TextIOWrapper
from typing import IO, Any

import click

from ..errors import OutcomeError, ParameterError
from ..sheet import plain
from .output import DEBUG, debug_option
from .wording import as_options

_COMMANDS = {
    "score": "Score models by one metric or more, with intervals.",
    "rank": "Rank models, with intervals, ties and the chances of each rank.",
    "compare": "Say which of two models is better, and how sure that is.",
    "curve": "Score models for every budget k.",
    "converge": "How many trials the ranking needs until it stays the same.",
    "plan": "How many more trials or questions it takes.",
    "plot": "Draw intervals, curves or ranks.",
    "report": "Write a report for people: one HTML file that needs no network.",
    "convert": "Write the outcomes of any logs as one plain table.",
    "metrics": "List the metrics, with their formulas.",
}
_INTERRUPTED = 130


class Failure(click.ClickException):
    """What went wrong, in one line on stderr."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the line."""
        click.echo(f"scorio: {plain(self.message)}", file=file or sys.stderr)


class Program(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f".commands.{cmd_name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what users can mend is told in one line, unless ``--debug`` asks for all of it."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if isinstance(error, click.exceptions.NoArgsIsHelpError):
                raise
            where = error.ctx.command_path if error.ctx else ctx.command_path
            raise Failure(f"{error.format_message()} ({where} --help says more)") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            ctx.exit(_INTERRUPTED)
        except Exception as error:
            if ctx.meta.get(DEBUG):
                raise
            raise Failure(_told(error)) from error


def _told(error: Exception) -> str:
    """What is wrong, as errors that are meant for users say it; of others, where to look."""
    if isinstance(error, (OutcomeError, ParameterError)):
        return as_options(str(error))
    if isinstance(error, (OSError, ImportError)):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows where)"


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"scorio {version('scorio')}")
        ctx.exit()


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@debug_option
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def program() -> None:
    """How good a language model is, and how sure one is, from the logs of evaluation tools or from tables.

    Exit codes: 0 when all is well, 1 when a --fail-under condition is not met, 2 when the call or the data is wrong.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # consoles that lack a letter show "?", and go on
