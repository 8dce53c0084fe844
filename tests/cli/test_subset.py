"""``scorio subset``: from a history to a file, and from the file to scores."""

import json
from pathlib import Path

import pytest

pytest.importorskip("click")

from click.testing import CliRunner

from scorio.cli._program import program

LOGS = str(Path(__file__).parents[2] / "examples" / "logs" / "inspect")


def run(*arguments):
    return CliRunner().invoke(program, ["subset", "-q", LOGS, *map(str, arguments)])


def test_questions_are_chosen_and_asked(tmp_path):
    path = tmp_path / "sample.json"
    only = ("--only", "aurora-70b", "--only", "borealis-70b", "--only", "cirrus-7b")
    drawn = run("--choose", 20, "--write-sample", path, *only)
    assert drawn.exit_code == 0, drawn.output
    assert json.loads(path.read_text())["history"] == ["aurora-70b", "borealis-70b", "cirrus-7b"]
    scored = run("--only", "drizzle-1b", "--estimate", path, "--format", "json")
    [row] = json.loads(scored.stdout)["rows"]
    assert row["lo"] < row["mu"] < row["hi"]
    assert (row["n_labelled"], row["n_questions"]) == (20, 40)
    between = run("--between", "aurora-70b", "drizzle-1b", "--estimate", path)
    assert "aurora-70b - drizzle-1b" in between.output


def test_one_task_at_a_time():
    found = run()
    assert found.exit_code == 2
    assert "one of --choose N and --estimate FILE is needed" in found.output
