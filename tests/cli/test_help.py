"""The help of the command line: first steps, options, examples and completion, and the docs made from them."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import pytest

from helpers.command import LOGS, ROOT, run
from scorio import read
from scorio.cli._context import Option
from scorio.cli._first_steps import first_steps
from scorio.cli._program import program


def test_help_names_every_command_and_each_has_help():
    text = run("--help").stdout
    for name in program.list_commands(None):
        assert f"  {name} " in text
        assert f"scorio {name}" in run(name, "--help").stdout


def test_completion():
    env = {**os.environ, "_SCORIO_COMPLETE": "bash_complete", "COMP_WORDS": "scorio score -m pass", "COMP_CWORD": "3"}
    code = "from scorio.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["plain,pass", "plain,passhat"]


def consoles():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for block in re.findall(r"```console\n\$ scorio (.*?)\n(.*?)```", page.read_text(), flags=re.DOTALL):
            yield pytest.param(*block, id=f"{page.name}: {block[0]}")


@pytest.mark.parametrize(("command", "answer"), list(consoles()))
def test_the_docs_show_what_the_commands_print(command, answer, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run(*shlex.split(command)).stdout == answer


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_the_tables_of_the_docs_are_the_declarations():
    page, path = (ROOT / "docs" / "cli.md").read_text(), ROOT / "docs" / "_extensions" / "options.py"
    tables = module(path)
    assert tables.with_commands(page) == page, f"run python {path.relative_to(ROOT)}"
    rows = tables.with_options(page)
    assert all(f"`{option.opts[-1]}" in rows for command in commands().values() for option in options_of(command))


def commands():
    return {name: program.get_command(None, name) for name in program.list_commands(None)}


def test_a_mistyped_command_is_answered_with_the_one_that_is_meant():
    done = run("rnak", LOGS, code=2)
    assert done.stderr.startswith("scorio: unknown command 'rnak'. Did you mean 'rank'? Choose from: score, rank, ")
    assert done.stderr.endswith("(see scorio --help)\n")
    assert "Did you mean" not in run("zzz", code=2).stderr


def options_of(command):
    return [each for each in command.params if isinstance(each, click.Option)]


def test_an_option_means_the_same_in_every_command():
    meanings = {}
    for name, command in commands().items():
        for option in options_of(command):
            meaning = option.help, option.type.name, option.nargs, option.is_flag
            for spelling in (*option.opts, *option.secondary_opts):
                assert meanings.setdefault(spelling, meaning) == meaning, (name, spelling)


def test_options_of_reading_are_the_same_and_have_a_page_of_their_own():
    page = run("--help-reading").stdout
    every = {
        name: [each.opts[-1] for each in options_of(command) if isinstance(each, Option) and each.is_of_reading]
        for name, command in commands().items()
    }
    of_convert = every.pop("convert")
    assert all(names == every["score"] for names in every.values())
    assert {*every["score"]} < {*of_convert}
    assert all(re.search(rf"^  .*{name} ", page, flags=re.MULTILINE) for name in of_convert)
    same, _, only = page.partition("Options of reading logs that only convert has")
    assert "--model" in same
    assert "--query" in only
    for name in every:
        text = run(name, "--help").stdout
        assert "scorio --help-reading" in text
        assert not any(re.search(rf"^  {each} ", text, flags=re.MULTILINE) for each in of_convert)


def test_every_option_has_help_and_says_its_default():
    for name, command in commands().items():
        for option in options_of(command):
            assert option.help[0].isupper() and option.help.endswith("."), option.name
            has_default = option.is_flag or option.required or option.show_default
            assert has_default, (name, option.name)


def examples():
    """The examples of the help pages, and the first steps in a folder without logs."""
    yield from (command.epilog.partition("Example: ")[2] for command in commands().values())
    with tempfile.TemporaryDirectory() as folder:
        yield from re.findall(r"^  (scorio .*?)  ", first_steps(Path(folder)), flags=re.MULTILINE)


def tell_seconds(folder):
    """Let the logs say when their runs began and ended; those of the examples do not."""
    for path in folder.glob("*.json"):
        times = {"started_at": "2026-11-20T10:00:00+00:00", "completed_at": "2026-11-20T10:05:00+00:00"}
        path.write_text(json.dumps(json.loads(path.read_text()) | {"stats": times}))


@pytest.mark.parametrize("example", list(examples()))
def test_the_examples_of_the_help_run(example, tmp_path, monkeypatch):
    if "--picture" in example:
        pytest.importorskip("matplotlib")
    shutil.copytree(LOGS, tmp_path / "logs")
    if " costs " in example:
        tell_seconds(tmp_path / "logs")
    shutil.copy(ROOT / "examples" / "data" / "prompts.csv", tmp_path / "runs.csv")
    shutil.copy(ROOT / "examples" / "data" / "horizons.jsonl", tmp_path / "runs.jsonl")
    shutil.copy(f"{LOGS}/aurora-70b.json", tmp_path / "old.json")
    shutil.copy(f"{LOGS}/borealis-70b.json", tmp_path / "new.json")
    names = next(iter(read(LOGS).values())).questions
    sets = "".join(f"{each},{'old' if i % 2 else 'new'}\n" for i, each in enumerate(names))
    (tmp_path / "sets.csv").write_text(f"question,set\n{sets}")
    monkeypatch.chdir(tmp_path)
    name, *arguments = shlex.split(example)
    done = run(*arguments)
    assert name == "scorio"
    assert done.stdout or Path(arguments[-1]).stat().st_size > 0


def test_help_needs_no_numerics():
    code = (
        "import sys; from scorio.cli import main\n"
        "for name in sys.argv[1:]:\n"
        "    sys.argv = ['scorio', *name.split(), '--help']\n"
        "    try: main()\n"
        "    except SystemExit: print(sorted({'numpy', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    names = ["", *program.list_commands(None)]
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, check=True)
    assert done.stdout.count("Usage:") == done.stdout.splitlines().count("[]") == len(names)
