"""Text in other encodings is read right or refused in words, and both decoders of JSON say the same."""

import json
import math
import zipfile

import pytest

from helpers.written import counts, inspect_eval, inspect_header, inspect_sample, refused, table, write_json, write_zip
from scorio import OutcomeError, read
from scorio.io import _files, recognise

CSV = "model,question,correct\na,q1,1\na,q2,0\n"
JSON = '{"model": "a", "question": "q1", "correct": 1}\n{"model": "a", "question": "q2", "correct": 0}\n'
TRUTH = {"a": {"q1": [0, 1], "q2": [1, 0]}}
AS_UTF8 = "save the file as UTF-8"


@pytest.mark.parametrize("text", [CSV, JSON, f"[{','.join(JSON.splitlines())}]"], ids=["csv", "lines", "list"])
@pytest.mark.parametrize("marks", [0, 1, 2, 3])
def test_any_number_of_marks(tmp_path, text, marks):
    path = tmp_path / "m.txt"
    path.write_bytes(b"\xef\xbb\xbf" * marks + text.encode())
    assert counts(read(path)) == TRUTH


@pytest.mark.parametrize("text", [CSV, JSON], ids=["csv", "json"])
@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-16", "it is UTF-16 text"),
        ("utf-16-le", "it is UTF-16 text without a byte order mark"),
        ("utf-16-be", "it is UTF-16 text without a byte order mark"),
        ("utf-32", "it is UTF-32 text"),
        ("utf-32-le", "it is UTF-32 text without a byte order mark"),
        ("utf-32-be", "it is UTF-32 text without a byte order mark"),
    ],
)
def test_other_encodings_are_named(tmp_path, text, encoding, message):
    path = tmp_path / "m.txt"
    path.write_bytes(text.encode(encoding))
    refused(path, f"{message}: {AS_UTF8}")


@pytest.mark.parametrize("text", [CSV, JSON], ids=["csv", "json"])
def test_latin_1_is_refused_at_its_line(tmp_path, text):
    path = tmp_path / "m.txt"
    path.write_bytes(text.replace("q2", "qé").encode("latin-1"))
    line = 3 if text == CSV else 2
    refused(path, f"line {line} is not UTF-8 text: {AS_UTF8}")


@pytest.mark.parametrize("line", [1, 2])
def test_a_number_of_5000_digits_is_refused_at_its_line(tmp_path, line):
    lines = JSON.splitlines()
    lines[line - 1] = lines[line - 1].replace(f'"q{line}"', f"1{'0' * 5000}")
    for text, name in (("\n".join(lines), "m.jsonl"), ("[" + ",\n".join(lines) + "]", "m.json")):
        caught = refused(table(tmp_path, text, name), f"line {line}: a whole number has more than 4,300 digits")
        assert "sys." not in str(caught)


@pytest.mark.parametrize("name", ["header.json", "summaries.json"])
def test_members_that_are_too_large_are_not_unpacked(tmp_path, monkeypatch, name):
    samples = [inspect_sample(q, epoch) for q in ("q1", "q2") for epoch in (1, 2)]
    members = {"header.json": inspect_header(), "summaries.json": samples}
    members[name] = json.dumps(members[name]) + " " * 100_000
    path = write_zip(tmp_path / "a.eval", members)
    monkeypatch.setattr("scorio.io._formats.inspect_header._MOST_BYTES", 50_000)

    def no_reading(*_, **__):
        raise AssertionError("it is unpacked")

    if name == "header.json":
        monkeypatch.setattr(zipfile.ZipExtFile, "read", no_reading)
    refused(path, rf"{name} unpacks to 100,\d+ bytes; the most that are read are 50,000")


@pytest.mark.parametrize("field", ["question", "model", "task", "cluster"])
def test_names_that_no_file_can_hold_are_refused_at_their_line(tmp_path, field):
    row = {"question": "q", "model": "m", "correct": 1} | {field: "x\udfff"}
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in (row | {field: "x", "question": "r"}, row)) + "\n")
    refused(path, r"line 2: the .* 'x\\udfff' holds half of a character")


# Decoding by msgspec and by the standard library.


LONG = "A text that nothing reads, as long as those of real samples. " * 50


@pytest.fixture(params=["msgspec", "the standard library"])
def decoder(request, monkeypatch):
    """Decode by one and by the other."""
    if request.param == "msgspec":
        pytest.importorskip("msgspec")
    else:
        monkeypatch.setattr(_files, "msgspec", None)
    return request.param


def logs(folder):
    """Write logs with every kind of score, missing outcomes, and samples without ids."""
    values = ["C", "I", 0.5, True, None, math.nan, {"a": 1, "b": 0}, ["C", "I"]]
    for form, value in enumerate(values):
        rows = [
            inspect_sample(name, epoch, value, input=[{"role": "user", "content": f"{name} {LONG}"}], events=[LONG])
            for name in ("q1", 2)
            for epoch in (1, 2)
        ]
        log = inspect_header(f"m-{form}", ids=["q1", 2], run=f"run-{form}", stats={"started_at": "?"})
        inspect_eval(folder / f"{form}.eval", rows, log)
        write_json(folder / f"{form}.json", log | {"samples": [row | {"id": f"{row['id']}"} for row in rows]})
    return sorted(folder.iterdir())


def described(path):
    try:
        return str(recognise(path))
    except OutcomeError as error:
        return str(error)


def test_logs_of_every_kind(tmp_path, monkeypatch):
    pytest.importorskip("msgspec")
    paths = logs(tmp_path)
    by_msgspec = list(map(described, paths))
    assert sum("OutcomeSet" in text for text in by_msgspec) >= len(paths) / 2
    monkeypatch.setattr(_files, "msgspec", None)
    assert list(map(described, paths)) == by_msgspec


def test_samples_of_another_task_are_not_decoded(decoder, tmp_path):
    inspect_eval(tmp_path / "other.eval", ["no sample"], inspect_header(task="words", run="2"))
    inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1)])
    assert recognise(tmp_path, task="sums").outcomes.models == ("lab/one",)
    with pytest.raises(OutcomeError, match=r"other\.eval"):
        recognise(tmp_path, task="words")
