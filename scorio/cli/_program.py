"""The program: its commands, each loaded when it is called, and its errors, each one line."""

import importlib
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from io import TextIOWrapper
from itertools import chain
from typing import IO, Any

import click

from .._display.table import plain
from .._display.words import unknown
from .._jobs import INTERRUPTED
from ..errors import ScorioError
from ._command import CONVERTING, READING, write_sections
from ._context import ConvertingOption, ReadingOption, debug_option, is_debug, is_reading, note_warning

_COMMANDS = {
    "Common commands": {
        "score": "Score models by one or more metrics, with intervals.",
        "rank": "Rank models, with intervals, ties and the probability of being the best.",
        "compare": "Compare two models: the difference, its interval, and the probability that one is better.",
        "gate": "Say whether a new model may replace a baseline: per task and overall.",
        "doctor": "Say what the logs hold, what is suspicious, which statements they support, and what to run next.",
        "plan": "Plan how many more trials or questions are needed, from results so far or before any trial.",
        "judge": "Correct the scores of an imperfect judge by labels of people.",
        "report": "Write a report: one HTML file that needs no network.",
        "convert": "Write the outcomes of any logs as one plain table.",
    },
    "Other commands": {
        "questions": "List the questions and what is odd about them, or those that changed since a baseline.",
        "curve": "Score models for every number of trials k, as in Pass@k, and forecast those for more trials than "
        "there are.",
        "costs": "Set scores beside costs: for the same money, and which models are worth their price.",
        "history": "Show scores of finished runs over dates, and what changed; for a run that still grows, use watch.",
        "watch": "Look at the results of a run that still grows, and say when to stop; for finished runs, use history.",
        "factors": "Analyse models under crossed prompts, judges or other factors.",
        "horizon": "Find the values, such as minutes of human work, at which success crosses 50% and 80%.",
        "gap": "Say whether a model does better on questions that it may have seen, beyond what other models do.",
        "subset": "Choose which questions of a benchmark to ask, or estimate scores on all from them.",
    },
}
_NAMES = [*chain.from_iterable(_COMMANDS.values())]
_ALSO_CALLED = {"leaderboard": "rank", "ranking": "rank", "diagnose": "doctor", "cost": "costs", "export": "convert"}
_INSTEAD = {  # of commands that were merged into others
    "claims": "scorio gate LOGS --file FILE says which claims of a file the logs support",
    "converge": "analyze_convergence is for Python; scorio plan says how many trials separate two models",
    "diff": "scorio questions NEW --baseline OLD says which questions changed",
    "forecast": "scorio curve LOGS -k 1000 says what more trials than there are would give",
    "metrics": "scorio score --list lists the metrics",
    "plot": "scorio rank LOGS --picture FILE draws the ranking; so do other commands with what they say",
    "power": "scorio plan --questions N --trials N, without logs, says what a comparison of two models can show",
}
_FIRST_STEPS = """\
scorio says how good a language model is, and how sure one can be.

First steps, with logs of an evaluation tool, or tables with one row per trial:

  scorio doctor logs/                   what the logs can say, and what is suspicious
  scorio rank logs/                     a leaderboard with intervals and ties
  scorio compare old.json new.json      which of two models is better
  scorio report logs/ -o report.html    everything on one page for a browser

scorio --help lists all commands; scorio rank --help lists the options of one."""
Spell = Callable[[str, Any], str]
_NEW_NAME_FIRST = {"model"}  # Python maps an old name to a new one, the option says NEW=OLD
_ALSO_WRITTEN = {f"--{form}": f"--format {form}" for form in ("json", "csv", "md", "latex", "html")} | {
    "--markdown": "--format md",
    "--pairs": "--family holm",
    "--out": "--output",
}  # options that other programs have
_PIPE_CLOSED = 141  # 128 and the number of the signal, as shells do


class Failure(click.ClickException):
    """What went wrong, in one line on stderr."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the line."""
        click.echo(f"scorio: {plain(self.message)}", file=file or sys.stderr)


class Program(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _NAMES:
            return None
        command: click.Command = importlib.import_module(f"._commands.{cmd_name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for head, commands in _COMMANDS.items():
            with formatter.section(head):
                formatter.write_dl(list(commands.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first argument; a mistyped one is answered with the one that may be meant."""
        if args[0] not in _NAMES and not args[0].startswith("-"):
            meant, instead = _ALSO_CALLED.get(args[0].lower()), _INSTEAD.get(args[0])
            problem = f"unknown command {args[0]!r}"
            if instead is not None:
                ctx.fail(f"{problem}: {instead}")
            ctx.fail(f"{problem}. Did you mean {meant!r}?" if meant else unknown("command", args[0], _NAMES))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error is printed on one line, unless ``--debug`` asks for the traceback."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            raise self._no_such_option(error) from None
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else ctx.command_path
            raise Failure(f"{error.format_message()} (see {where} --help)") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except SystemExit as error:  # no command ends like this: it is a metric or function of the user
            problem = f"code that is not scorio's, such as a metric, ended the program by SystemExit({error.code!r})"
            raise Failure(f"{problem}: it must return a value, or raise an error") from error
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest has no reader
            ctx.exit(_PIPE_CLOSED)
        except Exception as error:
            if is_debug(ctx):
                raise
            raise Failure(_message(error, self._speller(ctx))) from error

    def _no_such_option(self, error: click.NoSuchOption) -> Failure:
        """Return the error with what may be meant."""
        meant = _ALSO_WRITTEN.get(error.option_name)
        problem = error.format_message()
        if meant:
            problem = f"No such option '{error.option_name}'. Did you mean {meant}?"
        elif error.option_name in {name for each in self._of_convert() for name in each.opts}:
            problem = f"No such option '{error.option_name}': scorio convert has it, and every command reads its file"
        return Failure(f"{problem} (see {error.ctx.command_path if error.ctx else 'scorio'} --help)")

    def _speller(self, ctx: click.Context) -> Spell:
        """Write arguments as options of the command that is running: those of reading first while it reads."""
        command = self.get_command(ctx, ctx.invoked_subcommand or "")
        params = command.params if command else []
        ordered = sorted(params, key=lambda each: isinstance(each, ReadingOption) != is_reading(ctx))
        return speller(ordered, self._of_convert())

    def _of_convert(self) -> list[click.Option]:
        """Return the options of reading that ``convert`` alone has."""
        command = self.get_command(click.Context(self), "convert")
        return [each for each in command.params if isinstance(each, ConvertingOption)] if command else []


def speller(params: Iterable[click.Parameter], of_convert: Iterable[click.Option] = ()) -> Spell:
    """Return a function that writes an argument and its value as an option of a command with these parameters.

    An option answers to its parameter's name, and a repeatable one to the singular too. Earlier parameters win. What
    only ``convert`` has is written as a call of it. An argument without an option is written as in Python.

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
    elsewhere = {each.name: each for each in of_convert}

    def spell(argument: str, value: Any) -> str:
        option = options.get(argument)
        if option is not None:
            return _written(option, value)
        if argument in elsewhere:
            return f"scorio convert {_written(elsewhere[argument], value)}"
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
    note_warning(plain(str(message)))
    click.echo(f"scorio: warning: {plain(str(message))}", err=True)


def _version(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
    if is_set:
        from importlib.metadata import version

        click.echo(f"scorio {version('scorio')}")
        ctx.exit()


def _show_reading(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
    """Print the page of the options of reading, and end."""
    command = program.get_command(ctx, "convert") if is_set else None
    if command is not None:
        formatter = ctx.make_formatter()
        write_sections(ctx, formatter, [READING, CONVERTING], command.params)
        click.echo(formatter.getvalue().strip("\n"))
        ctx.exit()


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@debug_option
@click.option(
    "--help-reading",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_reading,
    help="Show the options of reading logs, such as --model and --task, which are the same in every command.",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_context
def program(ctx: click.Context) -> None:
    """Say how good a language model is, and how sure one can be, from the logs of evaluation tools or from tables.

    Exit codes: 0 for success, 1 when a --fail-under condition is not met, a gate is
    failed, a claim is contradicted or watch is not settled, 2 when the call or the data
    is wrong, 3 when a gate or a claim cannot be told yet or the trials of watch are used
    up, 130 when it is interrupted.
    """
    warnings.showwarning = _warn
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console shows "?" for letters that it lacks
    if ctx.invoked_subcommand is None:
        click.echo(_FIRST_STEPS)
