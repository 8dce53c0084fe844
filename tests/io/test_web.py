"""Web servers that are slow, silent, endless, or wrong about what they send: the right data, or a sentence in time."""

import signal
import sys
import tempfile
import threading
import time

import pytest

from helpers import web
from helpers.written import counts, refused
from scorio import read
from scorio.io import _sources

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")
TRUTH = {"a": {"q1": [1, 1], "q2": [0, 2]}}


@pytest.fixture
def address(tmp_path, monkeypatch):
    """A server; what was copied from it is deleted in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with web.server() as made:
        yield made
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize("path", ["right.csv", "right.csv?token=1", "unsized.csv", "slow.csv", "redirected.csv"])
def test_the_right_data(address, path):
    assert counts(read(f"{address}/{path}")) == TRUTH


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("circle.csv", "TooManyRedirects"),
        ("too_long.csv", "Response payload is not completed|Server disconnected"),
        ("closing.csv", "Response payload is not completed|Server disconnected"),
        ("broken.csv", r"the server answers with the status 500 \(Internal Server Error\)"),
        ("forbidden.csv", r"the server answers with the status 403 \(Forbidden\)"),
        ("missing.csv", "no such file or directory"),
        ("page.csv", "it is a web page"),
    ],
)
def test_a_sentence(address, path, problem):
    error = refused(f"{address}/{path}", f"{path}: .*({problem})")
    assert "scorio-" not in str(error)


@pytest.mark.parametrize("path", ["mute.csv", "silent.csv"])
def test_within_a_bound(address, monkeypatch, path):
    monkeypatch.setattr(_sources, "SILENCE", 0.3)
    start = time.monotonic()
    refused(f"{address}/{path}", f"{path}: .*the server did not answer in time")
    assert time.monotonic() - start < 10


def test_a_server_that_is_not_there():
    with web.server() as address:
        pass
    refused(f"{address}/right.csv", r"right.csv: it cannot be read: Cannot connect to host 127.0.0.1")


@pytest.mark.timing
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("path", ["mute.csv", "silent.csv", "drip.csv", "endless.csv"])
@pytest.mark.parametrize("skip_bad", [False, True])
def test_interruptions(address, path, skip_bad):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            read(f"{address}/{path}", skip_bad=skip_bad)
        assert time.monotonic() - start < 3
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
