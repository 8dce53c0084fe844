"""The command line as tests call it."""

import json
import subprocess
import sys
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
