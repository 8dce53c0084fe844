"""The program: its commands, each loaded when it is called, and its errors, each one line."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from io import TextIOWrapper
from typing import IO, Any

import click

from .._display.table import plain
from ..errors import ScorioError
from ._context import READING_ARGUMENTS, debug_option, is_debug, is_reading
from ._spelling import Spell, speller

_COMMANDS = {
    "doctor": "Say what the logs hold, what is suspicious, which statements they support, and what to run next.",
    "score": "Score models by one or more metrics, with intervals.",
    "rank": "Rank models, with intervals, ties and the probability of being the best.",
    "compare": "Compare two models: the difference, its interval, and the probability that one is better.",
    "gate": "Say whether a new model may replace a baseline: per task and overall.",
    "questions": "List the questions: rates, difficulty, discrimination, and what is odd about them.",
    "diff": "Say which questions improved or got worse: OLD logs first, then NEW.",
    "history": "Show scores over dates: changes that are called, and what else changed.",
    "costs": "Set scores beside costs: for the same money, and which models are worth their price.",
    "factors": "Analyse models under crossed prompts, judges or other factors.",
    "curve": "Score models for every budget k.",
    "converge": "Estimate how many trials the ranking needs until it stays the same.",
    "plan": "Plan how many more trials or questions are needed.",
    "power": "Say what a comparison of two models can show, before any trial was run.",
    "judge": "Correct the scores of an imperfect judge by labels of people.",
    "watch": "Look at results while they come in, and say when they are settled.",
    "plot": "Draw intervals, curves or the convergence of ranks.",
    "report": "Write a report: one HTML file that needs no network.",
    "convert": "Write the outcomes of any logs as one plain table.",
    "metrics": "List the metrics, with their formulas.",
}
_FIRST_STEPS = """\
scorio says how good a language model is, and how sure one can be.

First steps, with logs of an evaluation tool, or tables with one row per trial:

  scorio doctor logs/                   what the logs can say, and what is suspicious
  scorio rank logs/                     a leaderboard with intervals and ties
  scorio compare old.json new.json      which of two models is better
  scorio report logs/ -o report.html    everything on one page for a browser

scorio --help lists all commands; scorio rank --help lists the options of one."""
_INTERRUPTED, _PIPE_CLOSED = 130, 141  # 128 and the number of the signal, as shells do


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
        command: click.Command = importlib.import_module(f"._commands.{cmd_name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error is printed on one line, unless ``--debug`` asks for the traceback."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else ctx.command_path
            raise Failure(f"{error.format_message()} (see {where} --help)") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            ctx.exit(_INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest has no reader
            ctx.exit(_PIPE_CLOSED)
        except Exception as error:
            if is_debug(ctx):
                raise
            raise Failure(_message(error, self._speller(ctx))) from error

    def _speller(self, ctx: click.Context) -> Spell:
        """Write arguments as options of the command that is running: those of reading first while it reads."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        params = command.params if command else []
        return speller(sorted(params, key=lambda each: (each.name in READING_ARGUMENTS) != is_reading(ctx)))


def _message(error: Exception, spell: Spell) -> str:
    """Return the message of an error meant for users; for any other error, say how to see the traceback."""
    if isinstance(error, ScorioError):
        return error.text(spell)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, (OSError, ImportError)):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows the traceback)"


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"scorio: warning: {plain(str(message))}", err=True)


def _version(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
    if is_set:
        from importlib.metadata import version

        click.echo(f"scorio {version('scorio')}")
        ctx.exit()


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@debug_option
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_context
def program(ctx: click.Context) -> None:
    """Say how good a language model is, and how sure one can be, from the logs of evaluation tools or from tables.

    Exit codes: 0 for success, 1 when a --fail-under condition is not met or a gate
    is failed, 2 when the call or the data is wrong, 3 when a gate cannot be told yet.
    """
    warnings.showwarning = _warn
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console shows "?" for letters that it lacks
    if ctx.invoked_subcommand is None:
        click.echo(_FIRST_STEPS)
