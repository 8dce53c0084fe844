"""What the command line writes is there whole or not at all."""

import json
import stat
from pathlib import Path

import pytest

from helpers.command import run


def test_permissions_are_those_of_the_old_file_or_of_any_new_one(tmp_path):
    old = tmp_path / "old.txt"
    old.write_text("")
    old.chmod(0o640)
    plain = tmp_path / "plain.txt"
    plain.write_text("")
    for path in (old, tmp_path / "new.txt"):
        run("score", "--list", "-o", path)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert (tmp_path / "new.txt").stat().st_mode == plain.stat().st_mode


def test_a_link_keeps_pointing(tmp_path):
    (tmp_path / "real.txt").write_text("before")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    run("score", "--list", "-o", tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert "passhat" in (tmp_path / "real.txt").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_device_is_written_to_as_it_is_and_says_so():
    assert "No space left" in run("score", "--list", "--output", "/dev/full", code=2).stderr
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


LOG = "question,trial,correct\n" + "".join(f"q{q},{n},{(q + n) % 2}\n" for q in range(4) for n in range(3))


@pytest.fixture
def read_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs" / "inner").mkdir(parents=True)
    for name in ("in.csv", "old.csv", "logs/a.csv"):
        (tmp_path / name).write_text(LOG)
    (tmp_path / "link.csv").symlink_to("in.csv")
    (tmp_path / "hard.csv").hardlink_to("in.csv")
    (tmp_path / "other").symlink_to("logs")
    (tmp_path / "soon.csv").symlink_to("logs/new.csv")
    (tmp_path / "state.json").write_text(json.dumps({"question": "q0", "correct": 1}))
    return tmp_path


REPLACING = [
    *(f"convert in.csv -o {name}" for name in ("in.csv", "./in.csv", "logs/../in.csv", "link.csv", "hard.csv")),
    "convert link.csv -o in.csv",
    "convert logs -o logs/a.csv",
    "convert log?/*.csv -o logs/a.csv",
    "score in.csv -o in.csv",
    "rank in.csv old.csv -o old.csv",
    "gate in.csv --baseline old.csv --junit in.csv",
    "judge in.csv --labels old.csv --write in.csv",
    "judge in.csv --sample 2 --write in.csv",
]
INSIDE = [
    "convert logs -o logs/out.csv",
    "convert logs -o other/out.csv",
    "convert logs -o soon.csv",
    "convert logs/*.csv -o logs/out.csv",
    "convert l*/**/*.csv -o logs/inner/out.csv",
    "report logs -o logs/page.html",
    "score . -o answer.json",
    "gate in.csv --baseline logs --junit logs/gate.xml",
]


@pytest.mark.parametrize(
    ("command", "message"),
    [(each, "which is read: writing would replace it") for each in REPLACING]
    + [(each, "the next run would read its own output") for each in INSIDE]
    + [("gate in.csv --baseline old.csv --junit new.xml -o ./new.xml --format json", "name the same file")],
)
def test_an_output_never_replaces_or_joins_what_is_read(read_files, command, message):
    before = {path: path.read_bytes() for path in read_files.rglob("*") if path.is_file()}
    assert message in run(*command.split(), "-q", code=2).stderr
    assert {path: path.read_bytes() for path in read_files.rglob("*") if path.is_file()} == before


def test_the_summary_of_a_step_is_no_log(read_files, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "old.csv")
    assert "GITHUB_STEP_SUMMARY old.csv is old.csv" in run("gate", "in.csv", "--baseline", "old.csv", code=2).stderr
    assert Path("old.csv").read_text() == LOG


@pytest.mark.parametrize(
    "command",
    [
        "convert logs/*.csv -o logs/inner/out.csv",
        "convert in.csv -o logs/a.csv",
        "convert in.csv -o /dev/null --format csv",
        "judge in.csv --sample 2",
    ],
)
def test_other_places_are_written(read_files, command):
    for _ in range(2):
        run(*command.split(), "-q")
