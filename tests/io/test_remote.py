"""Files behind URLs are read as local files are, and servers that are slow, silent or wrong are told in time."""

import signal
import sys
import tempfile
import threading
import time

import pytest

from helpers import web
from helpers.written import counts, refused
from scorio import read
from scorio.io import _sources, recognise

TABLE = b"model,question,trial,correct\na,q1,1,1\na,q1,2,0\n"
OTHER = b"model,question,trial,correct\nb,q1,1,1\nb,q1,2,1\n"
TRUTH = {"a": {"q1": [1, 1]}, "b": {"q1": [0, 2]}}


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path, monkeypatch):
    """Copies are deleted in the end, also after an error."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert [*folder.iterdir()] == []


@pytest.fixture
def memory():
    """fsspec's file system in memory, with two tables in a folder."""
    system = pytest.importorskip("fsspec").filesystem("memory")
    for path, content in (("runs/a.csv", TABLE), ("runs/more/b.csv", OTHER), ("runs/.hidden.csv", b"x")):
        system.pipe(f"/lake/{path}", content)
    yield system
    system.rm("/lake", recursive=True)


@pytest.mark.parametrize(
    "source", ["memory://lake/runs", "memory://lake/runs/", "memory://lake/**/*.csv", "memory://lake/*"]
)
def test_folders_and_patterns(memory, source):
    assert counts(read(source)) == TRUTH


def test_names_with_marks_of_patterns(memory):
    for name in ("b [1].csv", "b?.csv", "b*.csv"):
        memory.pipe(f"/lake/odd/{name}", TABLE)
        memory.pipe("/lake/odd/b1.csv", OTHER)
        assert counts(read(f"memory://lake/odd/{name}")) == {"a": TRUTH["a"]}
    memory.rm_file("/lake/odd/b?.csv")
    memory.rm_file("/lake/odd/b*.csv")
    assert counts(read("memory://lake/odd/b?.csv")) == {"b": TRUTH["b"]}


def test_what_is_said_of_a_url(memory):
    found = recognise(["memory://lake/runs/a.csv", "memory://lake/runs"])
    assert counts(found.outcomes) == TRUTH
    assert str(found).startswith("memory://lake/runs/a.csv: table, model 'a', 2 trials (")
    assert [each.path.as_posix() for each in found.sources] == [
        "memory:/lake/runs/a.csv",
        "memory:/lake/runs/more/b.csv",
    ]
    memory.pipe("/lake/runs/notes.txt", b"Notes. And more,\n")
    assert "memory://lake/runs/notes.txt: skipped, text that is not a table" in str(recognise("memory://lake/runs"))
    assert counts(read("memory://lake/runs", model={"*/more/*": "c"})) == {"a": TRUTH["a"], "c": TRUTH["b"]}


def test_errors_name_the_url(memory):
    memory.pipe("/lake/runs/bad.csv", b"model,question,trial,correct\na,q")
    error = refused("memory://lake/runs", r"^memory://lake/runs/bad.csv: line 2 has 2 fields")
    assert "scorio-" not in str(error)
    found = recognise("memory://lake/runs", skip_bad=True)
    assert [each.as_posix() for each in found.bad] == ["memory:/lake/runs/bad.csv"]
    memory.pipe("/lake/runs/bad.csv", TABLE)
    error = refused("memory://lake/runs", r"memory://lake/runs/bad.csv.*memory://lake/runs/a.csv|twice")
    assert "scorio-" not in str(error)
    for lost in ("memory://lake/nothing", "memory://lake/runs/*.json"):
        error = refused(lost, "no such file|no file matches")
        assert str(error).startswith(f"{lost}: ")


def test_tables_with_a_log_are_refused(memory):
    for path, kind in (("_delta_log/0.json", "Delta Lake"), ("metadata/v1.metadata.json", "Iceberg")):
        memory.pipe(f"/lake/{kind}/{path}", b"{}")
        memory.pipe(f"/lake/{kind}/part.csv", TABLE)
        refused(f"memory://lake/{kind}", f"it is a table of {kind}, whose log says")


def test_local_urls_need_no_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    path = tmp_path / "a b.csv"
    path.write_bytes(TABLE)
    assert counts(read(path.as_uri())) == {"a": TRUTH["a"]}
    assert recognise(tmp_path.as_uri()).sources[0].path == path
    refused("s3://bucket/a.csv", "^s3://bucket/a.csv: URLs need fsspec: pip install fsspec$")


def test_a_missing_package_is_named(monkeypatch):
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.setitem(sys.modules, "fsspec.implementations.dbfs", None)
    refused("s3://bucket/a.csv", r"s3://bucket/a.csv: a package for this kind of URL is missing: .*s3fs")
    refused("nowhere://bucket/a.csv", r"^nowhere://bucket/a.csv: it cannot be read: Protocol not known: nowhere")


# Web servers on this machine that misbehave.


OF_SERVER = {"a": {"q1": [1, 1], "q2": [0, 2]}}


@pytest.fixture
def address():
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with web.server() as made:
        yield made


@pytest.mark.parametrize("path", ["right.csv", "right.csv?token=1", "unsized.csv", "slow.csv", "redirected.csv"])
def test_the_right_data(address, path):
    assert counts(read(f"{address}/{path}")) == OF_SERVER


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
    pytest.importorskip("aiohttp")
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
