"""The command line as tests call it, and the true outcomes of the example logs."""

import csv
import functools
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOGS = str(ROOT / "examples" / "logs" / "inspect")
MODELS = ["aurora-70b", "borealis-70b", "cirrus-7b", "drizzle-1b"]


def run(*args, code=0):
    """Run the command line in this process; a test that does is skipped without click. ``None`` is any exit code."""
    runner = pytest.importorskip("click.testing").CliRunner()
    from scorio.cli._program import program

    done = runner.invoke(program, [str(arg) for arg in args], prog_name="scorio")
    assert code is None or done.exit_code == code, done.output
    return done


def rows(*args, code=0):
    return json.loads(run(*args, "--format", "json", code=code).stdout)["rows"]


def shell(*args, **options):
    command = [sys.executable, "-m", "scorio", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@functools.cache
def trials():
    """Outcomes by model and question, from the CSV form of the same logs, read without scorio."""
    models = {}
    with (ROOT / "examples" / "data" / "puzzles.csv").open() as file:
        for row in csv.DictReader(file):
            outcomes = models.setdefault(row["model"], {}).setdefault(row["question"], [])
            outcomes += [int(row["correct"])] if row["correct"] else []
    return models


def pass_at(k, outcomes):
    """Pass@k of one question, exactly."""
    n, c = len(outcomes), sum(outcomes)
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


def truth(k, questions):
    return float(sum(pass_at(k, each) for each in questions.values()) / len(questions))
