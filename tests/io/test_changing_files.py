"""Files that grow, shrink, vanish or are replaced while they are read, and readings that are interrupted."""

import os
import sys

import pytest

from helpers import interruptions
from helpers.written import counts, refused, write_rows
from scorio import read
from scorio.io import _collect, recognise

HEAD = "model,question,trial,correct\n"
OLD = HEAD + "".join(f"old,q,{i},1\n" for i in range(50))
NEW = HEAD + "".join(f"new,q,{i},0\n" for i in range(50))


def appended(path):
    with path.open("a") as file:
        file.write("old,q,50,0\n")


def shortened(path):
    os.truncate(path, len(HEAD) + len("old,q,0,1\n"))


def overwritten(path):
    path.write_text(NEW)


def replaced(path):
    other = path.with_suffix(".new")
    other.write_text(NEW)
    other.replace(path)


CHANGES = [appended, shortened, overwritten, replaced]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(OLD)
    return path


def changing(monkeypatch, change, times):
    """Change the file so many times, each after its beginning was read."""
    original, left = _collect.detect, [times]

    def changed(file, choice):
        form = original(file, choice)
        if left[0]:
            left[0] -= 1
            change(file.path)
        return form

    monkeypatch.setattr(_collect, "detect", changed)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_keeps_changing_is_refused(log, monkeypatch, change):
    good = log.with_name("good.csv")
    good.write_text(HEAD + "good,q,1,1\n")

    def again(path):
        if path == good:
            return
        change(path)
        os.utime(path, ns=(0, path.stat().st_mtime_ns + 1000))

    changing(monkeypatch, again, times=99)
    refused(log, r"log.csv: it was changed while it was read: read it again when")
    log.write_text(OLD)
    found = recognise([log, good], skip_bad=True)
    assert found.bad == (log,)
    assert set(found.outcomes) == {"good"}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_once_is_read_again(log, monkeypatch, change):
    changing(monkeypatch, change, times=1)
    found = counts(read(log))
    monkeypatch.undo()
    assert found == counts(read(log))


def test_a_file_that_vanishes_is_refused(log, monkeypatch):
    changing(monkeypatch, lambda path: path.unlink(), times=1)
    refused(log, r"log.csv: it (was changed while it was read|cannot be read: No such file)")


@pytest.mark.parametrize("change", CHANGES)
def test_tables_that_are_read_together_are_no_mixture(tmp_path, monkeypatch, change):
    for name in ("one", "two"):
        rows = [{"model": name, "question": "q", "trial": trial, "correct": 1} for trial in range(50)]
        write_rows(tmp_path / f"{name}.parquet", rows)
    original, changes = _collect.runs_of_table, []

    def counted(table, *others, **options):
        found = original(table, *others, **options)
        change(table.file.path)
        changes.append(table)
        return found

    monkeypatch.setattr(_collect, "runs_of_table", counted)
    try:
        found = counts(read(tmp_path, skip_bad=True))
    finally:
        monkeypatch.undo()
    assert len(changes) == 1
    assert found == counts(read(tmp_path, skip_bad=True))


@pytest.mark.timing
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("skip_bad", [False, True])
@pytest.mark.parametrize(("kind", "size"), [("JSON lines", 200_000), ("Parquet", 1_000_000), ("SQLite view", 0)])
def test_an_interrupted_reading_has_no_verdict(tmp_path, kind, size, skip_bad):
    """Ctrl-C ends the command line at once: exit code 130. See tools/interrupt.py."""
    for package in ("click", "duckdb"):
        pytest.importorskip(package)
    slow = interruptions.written(tmp_path, kind, size)
    call = interruptions.gate(tmp_path, slow, skip_bad=skip_bad)
    seconds = interruptions.run(*call).seconds if slow.ends else 1.0
    for moment in (0.05 * seconds, 0.3 * seconds):
        run = interruptions.interrupted(call, moment)
        assert run.code == 130, run
        assert run.stdout == ""
        assert "gate" not in run.stderr
        assert "Traceback" not in run.stderr
        assert run.seconds < 10  # two seconds on a machine that does nothing else
