"""Every line of the README's table gives the answer that stands beside it."""

import contextlib
import io
import re
import subprocess
import sys

import pytest

import scorio
from helpers.command import ROOT, run

README = (ROOT / "README.md").read_text()
TABLE = README.partition("## If you have")[2].partition("\n\n")[2].partition("\n\n")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines()[2:]]


def words(text):
    """The text without what lines it up in columns."""
    return " ".join(text.split())


def printed(command):
    """What a line of the second column prints."""
    if command.startswith("scorio "):
        return run(*command.split()[1:], code=None).stdout
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(command, {"PassAtK": scorio.PassAtK})
    return out.getvalue()


@pytest.mark.parametrize(("have", "type_", "answer"), ROWS, ids=[row[0] for row in ROWS])
@pytest.mark.usefixtures("own_names")
def test_what_to_type_prints_the_answer(have, type_, answer, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(ROOT)
    if example := re.search(r"\[example\]\((.*?)\)", type_):
        done = subprocess.run([sys.executable, "-W", "ignore", example[1]], capture_output=True, text=True, check=True)
        text, code = done.stdout, (ROOT / example[1]).read_text()
        assert all(
            line in code.replace("PassAtK(k)", "PassAtK(k=8)").replace("rewards, step=step", "rewards")
            for line in re.findall(r"`(.*?)`", type_)
        )
    else:
        text = printed(re.fullmatch(r"`(.*)`", type_)[1])
    assert words(re.fullmatch(r"`(.*)`", answer)[1]) in words(text), have


def test_the_first_screen_is_short():
    """About one screen before the table, and less than two thousand characters of it are prose."""
    assert len(README.partition("## If you have")[0].split()) < 200
    assert len(README.split()) < 900
