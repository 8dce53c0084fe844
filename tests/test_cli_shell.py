"""The command line in its surroundings: plug-ins, pipes, terminals, completion, and the examples of the docs."""

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("click")

from click.testing import CliRunner

import scorio
from command import LOGS, ROOT, Cells, run, shell, trials, truth
from scorio.cli.program import program
from scorio.cli.progress import tracked, working

OWN = """
from dataclasses import dataclass
import numpy as np
from scorio import CountMetric, param
from scorio.params import positive


@dataclass(frozen=True)
class AtLeast(CountMetric):
    "At least ``hits`` of ``k``."

    name = "atleast"
    hits: int = param(positive, default=2)

    def credit(self):
        return np.arange(self.k + 1) >= self.hits
"""


def test_a_class_of_ones_own_from_the_current_directory(tmp_path):
    (tmp_path / "own_metric.py").write_text(OWN)
    logs = f"{LOGS}/aurora-70b.json"
    done = shell("score", logs, "-q", "-m", "own_metric:AtLeast(k=1, hits=1)", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["rows"][0]["score"] == pytest.approx(truth(1, trials()["aurora-70b"]), abs=1e-13)


def test_plug_ins_add_names(tmp_path):
    (tmp_path / "own_metric.py").write_text(OWN)
    info = tmp_path / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[scorio.metrics]\natleast = own_metric:AtLeast\nbroken = nowhere:X\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    logs = f"{LOGS}/aurora-70b.json"
    done = shell("score", logs, "-q", "-m", "atleast@3:hits=3", "-m", "passhat@3", "--format", "json", env=env)
    own, other = json.loads(done.stdout)["rows"]
    assert own["metric"] == "atleast@3:hits=3"
    assert own["score"] == pytest.approx(other["score"], abs=1e-13)
    broken = shell("score", logs, "-q", "-m", "broken@3", env=env)
    assert (broken.returncode, len(broken.stderr.splitlines())) == (2, 1)


def test_arguments_of_metrics_are_data_not_code(tmp_path):
    mark = tmp_path / "mark"
    evil = f"scorio:PassAtK(k=open({str(mark)!r}, 'w').write('x'))"
    assert "must be literals" in run("score", LOGS, "-m", evil, code=2).stderr
    assert not mark.exists()


def test_without_click_one_line_says_what_to_install():
    code = "import sys; sys.modules['click'] = None; from scorio.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == 'scorio: the command line needs click: pip install "scorio[cli]"\n'


def test_the_script_is_installed_and_says_its_version():
    script = shutil.which("scorio", path=str(Path(sys.executable).parent))
    assert script is not None
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"scorio {scorio.__version__}\n"


def test_help_names_every_command_and_each_has_help():
    text = run("--help").stdout
    for name in program.list_commands(None):
        assert f"  {name} " in text
        assert f"scorio {name}" in run(name, "--help").stdout


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


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_terminals_get_colour_unless_they_want_none(no_color):
    pytest.importorskip("rich")
    shown = on_a_terminal("rank", "-q", LOGS, NO_COLOR=no_color, COLUMNS="100")
    assert (b"\x1b[" in shown) == (no_color == "")
    assert b"borealis-70b" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_narrow_terminals_break_long_names_but_no_number(tmp_path):
    pytest.importorskip("rich")
    rows = on_a_terminal("score", "-q", LOGS, COLUMNS="40").decode()
    assert "  0.629  0.628  0.025  [0.579, 0.676]    100.0%" in rows
    table = tmp_path / "runs.csv"
    table.write_text(f"model,question,correct\n{'long-' * 20},a,1\n{'long-' * 20},b,0\n")
    rows = on_a_terminal("score", "-q", table, COLUMNS="80").decode().splitlines()
    assert sum("long-" in row for row in rows) > 1
    assert max(len(re.sub(r"\x1b\[[\d;]*m", "", row)) for row in rows) <= 80


def test_pages_in_any_alphabet_are_ascii(tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("model,question,correct\n通义,a,1\n通义,b,0\n", encoding="utf-8")
    done = run("score", table, "--format", "html")
    assert done.stdout.isascii()
    cells = Cells()
    cells.feed(done.stdout)
    assert cells.rows[1][0] == "通义"
    assert "通义" in run("score", table).stdout
    poor = shell("score", table, "-q", env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert (poor.returncode, "??" in poor.stdout) == (0, True)


def test_letters_that_a_picture_lacks_are_named(tmp_path):
    pytest.importorskip("matplotlib")
    table = tmp_path / "runs.csv"
    table.write_text("model,question,correct\n\ue000,a,1\n\ue000\ue001,a,0\n", encoding="utf-8")
    done = run("plot", table, "-q", "-o", tmp_path / "out.png")
    (line,) = done.stderr.splitlines()
    assert line.startswith("scorio: the font lacks \ue000\ue001: ")


@pytest.mark.parametrize("text", ["score", "rank", "compare", "plan", "score --fail-under lo=1"])
def test_names_cannot_command_a_terminal(text, tmp_path):
    name, *options = text.replace("lo=1", "'lo 1'").split(maxsplit=1)
    table = tmp_path / "runs.csv"
    lines = [f"{m},q{i},{t},{(i + t) % 2}" for m in ("a\x1b[2J", "one\x9btwo") for i in range(3) for t in range(2)]
    table.write_text("model,question,trial,correct\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    done = CliRunner().invoke(program, [name, str(table), *shlex.split(*options)] if options else [name, str(table)])
    assert "a\ufffd[2J" in done.stdout + done.stderr
    assert not {"\x1b", "\x9b"} & set(done.stdout + done.stderr)


def test_completion():
    env = {**os.environ, "_SCORIO_COMPLETE": "bash_complete", "COMP_WORDS": "scorio score -m pass", "COMP_CWORD": "3"}
    code = "from scorio.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["plain,pass", "plain,passhat"]


@pytest.fixture
def terminal(monkeypatch):
    """A stderr that is a terminal, and a clock that ticks fast."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    for room in ("scorio.cli.progress", "scorio.parallel"):
        monkeypatch.setattr(f"{room}.sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr("scorio.cli.progress.PATIENCE", 0.01)
    return screen


def test_long_work_says_so_on_a_terminal_and_cleans_up(terminal):
    with working("reading"):
        for _ in range(1000):
            if terminal.getvalue():
                break
            time.sleep(0.01)
    assert terminal.getvalue().startswith("\rreading: 0 s")
    assert terminal.getvalue().endswith(" \r")


def test_short_work_and_files_are_left_alone(terminal, monkeypatch):
    monkeypatch.setattr("scorio.cli.progress.PATIENCE", 60.0)
    with working("reading"):
        assert list(tracked("scoring", "abc")) == ["a", "b", "c"]
    assert terminal.getvalue() == ""


def consoles():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for block in re.findall(r"```console\n\$ scorio (.*?)\n(.*?)```", page.read_text(), flags=re.DOTALL):
            yield pytest.param(*block, id=f"{page.name}: {block[0]}")


@pytest.mark.parametrize(("command", "answer"), list(consoles()))
def test_the_docs_show_what_the_commands_print(command, answer, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run(*shlex.split(command)).stdout == answer


def test_the_docs_name_every_command_and_option():
    page = (ROOT / "docs" / "cli.md").read_text()
    assert all(f"| `{name}` |" in page for name in program.list_commands(None))
    commands = [program.get_command(None, name) for name in program.list_commands(None)]
    options = {option for command in commands for each in command.params for option in each.opts}
    assert [option for option in sorted(options) if option.startswith("--") and f"`{option}" not in page] == []
