"""The program: its commands, each loaded when it is called, and its errors, each one line."""

import os
import sys
import warnings
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import click

from .._base.jobs import INTERRUPTED
from .._base.table import plain
from .._base.words import unknown
from ..errors import ScorioError
from ._context import session, set_debug
from ._frame import made, write_sections
from ._options import CONVERTING, READING
from ._spelling import error_text, of_convert, spelled
from ._table import COMMANDS, GROUPS

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
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        return made(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for head, commands in GROUPS.items():
            with formatter.section(head):
                formatter.write_dl([(name, row.summary) for name, row in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first argument; a mistyped one is answered with the one that may be meant."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(unknown("command", args[0], COMMANDS))
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
            if session().is_debug:
                raise
            running = self.get_command(ctx, ctx.invoked_subcommand or "")
            raise Failure(_message(error, running)) from error
        finally:
            session().say_warnings()

    def _no_such_option(self, error: click.NoSuchOption) -> Failure:
        """Return the error, which says where the option is if ``convert`` has it."""
        problem = error.format_message()
        if error.option_name in {name for option in of_convert() for name in option.opts}:
            problem = f"No such option '{error.option_name}': scorio convert has it, and every command reads its file"
        return Failure(f"{problem} (see {error.ctx.command_path if error.ctx else 'scorio'} --help)")


def _message(error: Exception, command: click.Command | None) -> str:
    """Return the message of an error meant for users; for any other error, say how to see the traceback."""
    if isinstance(error, ScorioError):
        return error_text(error, command)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, (OSError, ImportError)):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows the traceback)"


def _warn(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    text = plain(spelled(str(message)))
    if click.get_current_context(silent=True) is None:
        click.echo(f"scorio: warning: {text}", err=True)
    session().warnings.append((category, text))


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
@click.option("--debug", is_flag=True, expose_value=False, callback=set_debug, help="Show the traceback of an error.")
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

    Exit codes: 0 for success, 1 when a gate or a claim is failed or watch
    is not settled, 2 when the call or the data is wrong, 3 when a gate or a claim cannot
    be told yet or the trials of watch are used up, 130 when it is interrupted.
    """
    warnings.showwarning = _warn
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console shows "?" for letters that it lacks
    if ctx.invoked_subcommand is None:
        from ._first_steps import first_steps

        click.echo(first_steps(Path.cwd()))
