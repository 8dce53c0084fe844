"""Ctrl-C while a source is read ends the command line at once: exit code 130, no verdict. See tools/interrupt.py."""

import sys

import pytest

from helpers import interruptions

pytest.importorskip("click")
pytest.importorskip("duckdb")


@pytest.mark.timing
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("skip_bad", [False, True])
@pytest.mark.parametrize(("kind", "size"), [("JSON lines", 200_000), ("Parquet", 1_000_000), ("SQLite view", 0)])
def test_no_verdict(tmp_path, kind, size, skip_bad):
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
