"""The Inspect reader: archives, journals of killed runs, documents, and what a score may be."""

import json
import math
import sys
import zipfile

import pytest

from helpers.written import counts, inspect_eval, inspect_header, inspect_sample, refused, write_json, write_zip
from scorio import read
from scorio.errors import FilesWarning


def test_only_header_and_summaries_are_read(tmp_path):
    members = {
        "header.json": inspect_header(ids=["q1"], epochs=1),
        "summaries.json": [inspect_sample("q1", 1)],
        "samples/q1_epoch_1.json": "no JSON at all",
    }
    assert counts(read(write_zip(tmp_path / "a.eval", members))) == {"lab/one": {"q1": [0, 1]}}


def test_a_score_without_a_value_is_a_score(tmp_path):
    """A judge that failed throughout is there to be chosen, and nothing else is chosen in its place."""
    scores = {"match": {"value": "I"}, "judge": {"value": math.nan}}
    path = inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1) | {"scores": scores}])
    refused(path, r"several scores, 'match', 'judge': score=")
    refused(path, "no trial of 'lab/one' has an outcome", score="judge")
    valued = inspect_sample("q2", 1) | {"scores": {"judge": {"value": {"quality": 1}}}}
    failed = inspect_sample("q1", 1) | {"scores": {"judge": {"value": math.nan}}}
    assert counts(read(inspect_eval(path, [failed, valued]))) == {"lab/one": {"q1": [0, 0], "q2": [0, 1]}}


def test_an_ambiguous_key_is_refused(tmp_path):
    scores = {"a": {"value": {"x": 1}}, "b": {"value": {"x": 0}}}
    path = inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1) | {"scores": scores}])
    refused(path, "score='x' names 2 scores: 'a/x', 'b/x'", score="x")


def test_the_later_row_of_a_sample_stands(tmp_path):
    samples = [inspect_sample("q1", 1, "I"), inspect_sample("q1", 1, "C"), inspect_sample("q2", 1)]
    path = inspect_eval(tmp_path / "a.eval", samples)
    with pytest.warns(FilesWarning, match="1 scored row of 3 is left out: a later row has the same id and epoch"):
        assert counts(read(path))["lab/one"]["q1"] == [0, 1]


def test_a_sample_that_may_be_invalid_is_not_taken_for_a_valid_one(tmp_path):
    members = {"header.json": inspect_header(ids=["q1"], epochs=1, invalidated=True)}
    members["summaries.json"] = [inspect_sample("q1", 1)]
    refused(write_zip(tmp_path / "a.eval", members), "the archive lacks samples/q1_epoch_1.json, which says whether")


@pytest.mark.parametrize(
    ("model", "roles", "name"),
    [
        ("none/none", {"agent": {"model": "lab/one"}}, "lab/one"),
        ("none/none", {"agent": {"model": "lab/one"}, "user": {"model": "lab/two"}}, "agent=lab/one, user=lab/two"),
        ("none/none", None, "none/none"),
        ("lab/one", {"grader": {"model": "lab/two"}}, "lab/one"),
    ],
)
def test_roles_name_the_model_where_there_is_no_other(tmp_path, model, roles, name):
    header = inspect_header(model)
    header["eval"]["model_roles"] = roles
    assert read(inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1)], header)).models == (name,)


def test_the_log_s_own_clusters(tmp_path):
    header = inspect_header()
    header["eval"]["scorers"] = [{"name": "match", "metrics": [{"name": "stderr", "options": {"cluster": "topic"}}]}]
    samples = [inspect_sample(id, 1, metadata={"topic": "t"}) for id in ("q1", "q2")]
    assert read(inspect_eval(tmp_path / "a.eval", samples, header)).clusters == ("t", "t")


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (
            [inspect_sample("q1", 1, "wonderful")],
            r"sample 'q1', epoch 1: scores.match: 'wonderful' is not an outcome: .*levels=\{",
        ),
        ([inspect_sample("q1", 1, 10**400)], "sample 'q1', epoch 1: scores.match: an outcome is infinite"),
        ([inspect_sample("q1", 1, math.inf)], "sample 'q1', epoch 1: scores.match: an outcome is infinite"),
        ([inspect_sample("q1", "one")], "summaries.json: record 0: epoch must be a whole number; got 'one'"),
        ([inspect_sample(["q1"], 1)], "summaries.json: record 0: id must be a name or a whole number"),
        (["q1"], "summaries.json: record 0: it must be an object; got 'q1'"),
        ({}, "summaries.json: it must be a list"),
        ([inspect_sample("q1", 1) | {"scores": {"match": 1}}], "record 0: scores.match must be an object; got 1"),
    ],
)
def test_faults_are_named(tmp_path, samples, message):
    path = inspect_eval(tmp_path / "a.eval", samples)
    caught = refused(path, message)
    assert str(caught).startswith(f"{path}: ")
    assert "\n" not in str(caught)


def test_a_run_without_a_score_is_all_missing(tmp_path):
    failed = inspect_eval(tmp_path / "1.eval", [inspect_sample("q1", 1, None)])
    refused(failed, "1.eval: no trial of 'lab/one' has an outcome")
    good = inspect_eval(tmp_path / "2.eval", [inspect_sample("q1", 1)], inspect_header(run="run-2"))
    assert read(tmp_path)["lab/one"].completeness == 1 / 8
    assert read([failed, good]) == read(tmp_path)


def test_a_log_without_samples(tmp_path):
    for path in (write_json(tmp_path / "a.json", inspect_header()), inspect_eval(tmp_path / "a.eval", [])):
        refused(path, "the log holds no samples: it was written without them")


def test_a_stopped_run_without_samples_is_all_missing(tmp_path):
    for path in (
        write_json(tmp_path / "a.json", inspect_header(status="started")),
        inspect_eval(tmp_path / "b.eval", [], inspect_header(run="run-2", status="error")),
    ):
        refused(path, "no trial of 'lab/one' has an outcome")
    inspect_eval(tmp_path / "c.eval", [inspect_sample("q1", 1)], inspect_header(run="run-3"))
    assert read(tmp_path)["lab/one"].planned_trials.tolist() == [6, 6]


def test_a_truncated_archive(tmp_path):
    path = inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1)])
    whole = path.read_bytes()
    for end in (len(whole) - 1, len(whole) // 2, 40):
        path.write_bytes(whole[:end])
        refused(path, "a truncated or damaged zip archive")


def test_archives_cannot_explode(tmp_path, monkeypatch):
    monkeypatch.setattr("scorio.io._files.LARGEST", 10_000)
    path = write_zip(tmp_path / "a.eval", {"header.json": inspect_header(), "summaries.json": " " * 20_000 + "[]"})
    refused(path, "summaries.json unpacks to 20,002 bytes, which makes more than 10,000")


def test_a_member_that_lies_about_its_size_is_damaged(tmp_path):
    path = write_zip(tmp_path / "a.eval", {"header.json": inspect_header(), "summaries.json": " " * 20_000 + "[]"})
    data = path.read_bytes()
    assert data.count((20_002).to_bytes(4, "little")) == 2
    path.write_bytes(data.replace((20_002).to_bytes(4, "little"), (5).to_bytes(4, "little")))
    refused(path, "a truncated or damaged zip archive")


def test_paths_in_archives_are_only_names(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    members = {"header.json": inspect_header(epochs=1), "summaries.json": [inspect_sample("q1", 1)]}
    read(write_zip(inside / "a.eval", members | {"../escaped.json": "{}", "/etc/escaped": "x"}))
    assert [path.name for path in tmp_path.rglob("*")] == ["inside", "a.eval"]


def zstandard():
    if sys.version_info >= (3, 14):
        return zipfile
    return pytest.importorskip("backports.zstd.zipfile")


def test_members_packed_with_zstandard(tmp_path):
    module = zstandard()
    path = tmp_path / "a.eval"
    with module.ZipFile(path, "w", module.ZIP_ZSTANDARD) as archive:
        archive.writestr("header.json", json.dumps(inspect_header(epochs=1)))
        archive.writestr("summaries.json", json.dumps([inspect_sample("q1", 1)]))
    assert counts(read(path)) == {"lab/one": {"q1": [0, 1], "q2": [0, 0]}}
    data = bytearray(path.read_bytes())
    data[45:60] = bytes(15)
    path.write_bytes(data)
    refused(path, "a truncated or damaged zip archive")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the standard library reads Zstandard")
def test_the_missing_extra_is_named(tmp_path, monkeypatch):
    path = inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1)])
    data = path.read_bytes()
    path.write_bytes(data.replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x00\x00\x5d\x00"))  # method 8 becomes 93
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    refused(path, "pip install backports.zstd")
