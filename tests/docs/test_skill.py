"""``SKILL.md`` and ``llms.txt``: every command runs, every block of Python runs, every link leads somewhere."""

import re
import shlex
import shutil

import pytest

pytest.importorskip("click")

from helpers.command import ROOT, run
from scorio.cli._program import program

PAGES = {name: (ROOT / name).read_text() for name in ("SKILL.md", "llms.txt") if (ROOT / name).exists()}
if len(PAGES) < 2:
    pytest.skip("needs the sources", allow_module_level=True)
LINES = [
    (name, line)
    for name, text in PAGES.items()
    for block in re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize("line", sorted({line for _, line in LINES if line.startswith("scorio ")}))
def test_every_command_runs(line, monkeypatch, tmp_path):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    _, *words = shlex.split(line)
    done = run(*words)
    assert done.stdout or (tmp_path / words[-1]).exists()


@pytest.mark.parametrize("name", PAGES)
def test_commands_in_the_text_exist(name):
    """With all their options, whatever stands for files."""
    found = re.findall(r"`scorio ([^`]+)`", PAGES[name])
    assert found or name == "llms.txt"
    for line in found:
        command, *words = shlex.split(line)
        options = {each for param in program.get_command(None, command).params for each in param.opts}
        assert {word for word in words if word.startswith("-")} <= options, line


def test_every_command_of_the_table_is_run():
    table = PAGES["SKILL.md"].partition("## Which command")[2].partition("```sh")[0]
    named = {line.split()[0] for line in re.findall(r"`scorio ([^`]+)`", table)}
    assert len(named) > 8
    assert named <= {line.split()[1] for name, line in LINES if name == "SKILL.md" and line.startswith("scorio ")}


@pytest.mark.parametrize("name", PAGES)
def test_python_runs(name, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    for block in re.findall(r"```python\n(.*?)```", PAGES[name], flags=re.DOTALL):
        exec(compile(block, name, "exec"), {})
    assert "95% interval" in capsys.readouterr().out


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    links = re.findall(r"\]\((.*?)\)", PAGES[name])
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_what_to_report_is_what_is_printed(monkeypatch):
    monkeypatch.chdir(ROOT)
    score, interval = re.search(r"pass@1 (0\.\d+), 95% interval (\[.*?\])", PAGES["SKILL.md"]).groups()
    [line] = [
        line
        for line in run("score", "examples/logs/inspect", "-q").stdout.splitlines()
        if line.startswith("aurora-70b  ")
    ]
    assert score in line
    assert interval in line


def test_the_head_of_the_skill_is_valid():
    head = PAGES["SKILL.md"].split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == "scorio"
    assert 100 < len(fields["description"]) < 1024
