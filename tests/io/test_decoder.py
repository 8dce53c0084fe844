"""Logs decoded by msgspec and by the standard library: the same results, the same errors."""

import json
import math
from typing import Any, TypedDict

import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample, write_json
from scorio import OutcomeError
from scorio.io import _files, recognise
from scorio.io._tabular import rows

LONG = "A text that nothing reads, as long as those of real samples. " * 50


class Row(TypedDict, total=False):
    """A shape that leaves out the key "skipped"."""

    id: Any
    scores: dict[str, Any] | None


@pytest.fixture(params=["msgspec", "the standard library"])
def decoder(request, monkeypatch):
    """Decode by one and by the other."""
    if request.param == "msgspec":
        pytest.importorskip("msgspec")
    else:
        monkeypatch.setattr(_files, "msgspec", None)
    return request.param


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"id": 1, "skipped": [{"a": null}]}', {"id": 1}),
        ('{"id": NaN, "scores": null}', {"id": math.nan, "scores": None}),
        ('{"id": 123456789012345678901234567890}', {"id": 123456789012345678901234567890}),
        ('{"id": 1.0, "scores": {"é": "\\u00e9"}}', {"id": 1.0, "scores": {"é": "é"}}),
        ('{"scores": [1]}', {"scores": [1]}),
        ('{"id": 1e400}', {"id": math.inf}),
        ("[]", []),
        ('{"id": 1, "scores": {"a": 1, "a": 0}, "\\u0069d": 2}', {"id": 2, "scores": {"a": 0}}),
    ],
)
def test_values(decoder, text, value):
    found = _files.decoded(text.encode(), Row)
    kept = {key: part for key, part in found.items() if key != "skipped"} if isinstance(found, dict) else found
    assert repr(kept) == repr(value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"id": 1, "skipped": "\xff"}', "not UTF-8 text: save the file as UTF-8"),
        (b'{"id": 1, "skipped": yes}', "not JSON at line 1, column 22"),
        (b'{"id": 1, "skipped": [1,]}', "not JSON at line 1, column 2[45]"),
        (b'{"id": 1, "skipped": "a', "the JSON ends in the middle"),
        (b'{"id": ' + b"[" * 100_000, "the JSON is nested too deeply|the JSON ends in the middle"),
    ],
)
def test_damage(decoder, content, message):
    with pytest.raises(OutcomeError, match=message):
        _files.decoded(content, Row)


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


def test_msgspec_decodes_what_is_read(tmp_path, monkeypatch):
    """Neither a whole document nor a summary is decoded by the standard library."""
    pytest.importorskip("msgspec")
    monkeypatch.setattr(_files, "_DECODER", None)
    samples = [inspect_sample("q1", 1, events=[LONG])]
    for path in (inspect_eval(tmp_path / "a.eval", samples), write_json(tmp_path / "a.json", log_of(samples))):
        assert recognise(path).outcomes.models == ("lab/one",)


def test_large_logs_are_not_tried_as_tables(tmp_path, monkeypatch):
    """Logs in a folder, as large as tables that one query counts: the standard library decodes none of them."""
    pytest.importorskip("msgspec")
    for name in ("a", "b"):
        write_json(tmp_path / f"{name}.json", log_of([inspect_sample(name, 1, events=[LONG])]) | {"eval": header(name)})
    monkeypatch.setattr(rows, "LARGE", 1)
    monkeypatch.setattr(_files, "_DECODER", None)
    assert recognise(tmp_path).outcomes.questions == ("a", "b")


def header(question):
    return inspect_header(ids=[question], run=f"run-{question}")["eval"]


def log_of(samples):
    return inspect_header() | {"samples": samples}


@pytest.mark.parametrize("form", ["eval", "json"])
def test_samples_of_another_task_are_not_decoded(decoder, tmp_path, form):
    other = tmp_path / f"other.{form}"
    if form == "eval":
        inspect_eval(other, ["no sample"], inspect_header(task="words", run="2"))
    else:
        start = json.dumps(inspect_header(task="words", run="2"))
        other.write_text(start[:-1] + ', "samples": no JSON at all}')
    inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1)])
    assert recognise(tmp_path, task="sums").outcomes.models == ("lab/one",)
    with pytest.raises(OutcomeError, match=rf"other\.{form}"):
        recognise(tmp_path, task="words")
