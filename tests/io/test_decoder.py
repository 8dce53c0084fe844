"""Logs decoded by msgspec and by the standard library: the same results, the same errors."""

import math

import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample, write_json
from scorio import OutcomeError
from scorio.io import _files, recognise

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
