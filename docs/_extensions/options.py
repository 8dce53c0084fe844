"""The tables of cli.md from the declarations of the commands: those of options are made when the site is built.

``python docs/_extensions/options.py`` writes the table of commands into the page.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorio.cli._frame import SECTIONS, section_of
from scorio.cli._options import READING
from scorio.cli._program import program

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE = Path(__file__).parents[1] / "cli.md"
COMMANDS = "| command | meaning |\n|---|---|\n"
OPTIONS = "| option | commands | meaning | default |\n|---|---|---|---|\n"
PLACE = "<!-- options -->\n"
NAMES = program.list_commands(click.Context(program))


def command(name: str) -> click.Command:
    """The command of a name."""
    found = program.get_command(click.Context(program), name)
    assert found is not None
    return found


def options(head: str) -> str:
    """One row per distinct option of a section of the help pages."""
    users: dict[str, dict[str, list[str]]] = {}
    for name in NAMES:
        for option in command(name).params:
            if isinstance(option, click.Option) and section_of(option) == head:
                users.setdefault(option.opts[-1], {}).setdefault(_cells(option), []).append(name)
    rows = [row for variants in users.values() for row in variants.items()]
    return "".join(cells.replace("{users}", _listed(names)) for cells, names in rows)


def _cells(option: click.Option) -> str:
    value = f" {option.metavar}" if option.metavar else ""
    names = [*sorted(option.opts, key=len, reverse=True), *option.secondary_opts]
    shown = ", ".join([f"`{names[0]}{value}`", *(f"`{name}`" for name in names[1:])])
    choices = getattr(option.type, "choices", ())
    meaning = f"{option.help} Choices: {', '.join(f'`{each}`' for each in choices)}." if choices else option.help
    default = option.show_default if isinstance(option.show_default, str) else f"`{option.default}`"
    if option.default is True and option.show_default:
        default = f"`{names[0]}`"
    return f"| {shown} | {{users}} | {meaning} | {default if option.show_default else ''} |\n"


def _listed(names: list[str]) -> str:
    rest = [name for name in NAMES if name not in names]
    few = ", ".join(f"`{name}`" for name in (rest if len(rest) < len(names) else names))
    return "all" if not rest else f"all but {few}" if len(rest) < len(names) else few


def with_commands(page: str) -> str:
    """The page with the table of the present commands."""
    commands = "".join(f"| `{name}` | {command(name).get_short_help_str(200)} |\n" for name in NAMES)
    return re.sub(re.escape(COMMANDS) + r"(\|.*\n)*", lambda _: COMMANDS + commands, page)


def with_options(page: str) -> str:
    """The page with the tables of the present options."""
    heads = {each: each for each in (*SECTIONS, READING)} | {"Options": "What to compute"}
    tables = [f"### {shown}\n\n{OPTIONS}{rows}\n" for head, shown in heads.items() if (rows := options(head))]
    return page.replace(PLACE, "".join(tables))


def _fill(_app: "Sphinx", name: str, source: list[str]) -> None:
    if name == PAGE.stem:
        source[0] = with_options(source[0])


def setup(app: "Sphinx") -> dict[str, Any]:
    """Make the tables of options when the page is read."""
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    PAGE.write_text(with_commands(PAGE.read_text()))
