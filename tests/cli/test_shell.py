"""The command line in its surroundings: terminals, pipes, closed streams and awkward letters."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scorio
from helpers.command import LOGS, run, shell
from helpers.pages import Page


def test_the_script_is_installed_and_says_its_version():
    script = shutil.which("scorio", path=str(Path(sys.executable).parent))
    assert script is not None
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"scorio {scorio.__version__}\n"


@pytest.mark.slow
def test_pipes_and_poor_consoles():
    done = shell("rank", LOGS, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "read 4 files" in done.stderr
    assert "read" not in done.stdout
    assert shell("rank", LOGS, "-q").stderr == ""


def on_a_terminal(*args, **env):
    """What a terminal is sent."""
    import pty

    screen, end = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "", **env}
    command = [sys.executable, "-m", "scorio", *map(str, args)]
    subprocess.run(command, stdout=end, stderr=end, check=True, env=env)
    os.close(end)
    shown = b""
    try:
        while part := os.read(screen, 4096):
            shown += part
    except OSError:  # what Linux says at the end
        assert shown
    os.close(screen)
    return shown


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_terminals_get_colour_unless_they_want_none(no_color):
    shown = on_a_terminal("rank", "-q", LOGS, NO_COLOR=no_color, COLUMNS="100")
    colors = re.findall(rb"\x1b\[[\d;]*m", shown)
    assert bool(colors) == (no_color == "")
    assert b"borealis-70b" in shown


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("columns", [40, 60, 80])
def test_tables_fit_narrow_terminals(columns, tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text(f"model,question,correct\n{'long-' * 20},a,1\n{'long-' * 20},b,0\n")
    for source in (LOGS, table):
        rows = on_a_terminal("score", "-q", source, COLUMNS=str(columns)).decode()
        without_progress = re.sub(r"[^\r\n]*\r(?!\n)", "", rows)  # of a busy machine
        plain = re.sub(r"\x1b\[[\d;]*[A-Za-z]|\r", "", without_progress)
        assert max(map(len, plain.splitlines())) <= columns
        assert {"score", "mu", "sigma", "interval"} <= set(plain.split())
    assert "0.629" in on_a_terminal("score", "-q", LOGS, COLUMNS="40").decode()


def test_pages_in_any_alphabet_are_ascii(tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("model,question,correct\n通义,a,1\n通义,b,0\n", encoding="utf-8")
    done = run("score", table, "--format", "html")
    assert done.stdout.isascii()
    assert Page(done.stdout).tables[0][1][0] == "通义"
    assert "通义" in run("score", table).stdout
    poor = shell("score", table, "-q", env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert (poor.returncode, "??" in poor.stdout) == (0, True)


@pytest.mark.parametrize("name", ["score", "rank", "compare", "plan"])
def test_names_cannot_command_a_terminal(name, tmp_path):
    table = tmp_path / "runs.csv"
    lines = [f"{m},q{i},{t},{(i + t) % 2}" for m in ("a\x1b[2J", "one\x9btwo") for i in range(3) for t in range(2)]
    table.write_text("model,question,trial,correct\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    done = run(name, table)
    assert r"a\x1b[2J" in done.stdout + done.stderr
    assert not {"\x1b", "\x9b"} & set(done.stdout + done.stderr)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has other pipes")
@pytest.mark.parametrize("command", ["rank", "convert"])
def test_a_pipe_without_a_reader_is_no_traceback(command):
    reader, writer = os.pipe()
    os.close(reader)
    start = [sys.executable, "-m", "scorio", command, "-q", LOGS]
    done = subprocess.run(start, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")
