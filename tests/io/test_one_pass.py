"""A folder of logs is read in one pass: every file is opened to see what it is, and its samples are decoded once."""

import builtins
import io
from collections import Counter

import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample, write_json
from scorio import Suite, read
from scorio.io._files import Archive, LogFile


@pytest.fixture
def logs(tmp_path):
    """Return a folder with an archive and a document of each of three tasks and two models."""
    for task in ("a", "b", "c"):
        for model in ("one", "two"):
            samples = [inspect_sample(f"q{i}", 1) for i in range(300)]
            header = inspect_header(model, [f"q{i}" for i in range(300)], 1, task, f"{task}-{model}")
            inspect_eval(tmp_path / f"{task}-{model}.eval", samples, header)
            header = inspect_header(model, [f"q{i}" for i in range(300)], 1, task, f"{task}-{model}-again")
            write_json(tmp_path / f"{task}-{model}.json", header | {"samples": samples})
    return tmp_path


def test_samples_are_decoded_once(logs, monkeypatch):
    decoded = Counter()
    member, content = Archive.member, LogFile.content
    monkeypatch.setattr(Archive, "member", lambda self, name, *most: decoded.update([id(self)]) or member(self, name))
    monkeypatch.setattr(LogFile, "content", lambda self: decoded.update([self.path]) or content(self))
    suite = read(logs)
    assert isinstance(suite, Suite)
    assert suite["a"]["one"].trials.sum() == 600
    archives = {key: count for key, count in decoded.items() if isinstance(key, int)}
    assert sum(archives.values()) == 2 * 6  # the header and the summaries of each archive
    documents = {key: count for key, count in decoded.items() if key not in archives}
    assert documents == dict.fromkeys(logs.glob("*.json"), 1)


def test_files_are_opened_a_few_times(logs, monkeypatch):
    opened = Counter()
    first = io.open

    def counted(file, *arguments, **options):
        opened[str(file)] += str(file).startswith(str(logs))
        return first(file, *arguments, **options)

    monkeypatch.setattr(io, "open", counted)
    monkeypatch.setattr(builtins, "open", counted)
    read(logs)
    assert {path for path, count in opened.items() if count} == {str(path) for path in logs.iterdir()}
    assert max(opened.values()) <= 3  # twice for its first bytes, once for its content
