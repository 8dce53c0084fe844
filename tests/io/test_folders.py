"""Other files beside tables and logs: scripts, notes, means, and results of a similar shape."""

import pytest

from helpers.written import counts, refused, write_json
from scorio import read
from scorio.io import recognise

SCRIPT = "import os, sys\n\nfor name in sys.argv:\n    print(name)\n"


def test_a_script_beside_tables_is_skipped(tmp_path):
    (tmp_path / "runs.csv").write_text("model,question,trial,plus\na,q1,1,1\n")
    (tmp_path / "run.py").write_text(SCRIPT)
    (tmp_path / "README.md").write_text("# Notes, first run\n\nAll is well.\n")
    reading = recognise(tmp_path, score="plus")
    assert counts(reading.outcomes) == {"a": {"q1": [0, 1]}}
    assert set(reading.skipped.values()) == {"text that is not a table"}
    refused(tmp_path / "run.py", "run.py: no column of questions was found")


def test_a_mean_over_trials_is_not_a_trial(tmp_path):
    path = write_json(tmp_path / "m.json", [{"question_id": 1, "graded_list": [True, False], "pass@1": 0.5}] * 2)
    refused(path, "record 0: 'pass@1' is a mean over trials, .* in 'graded_list'", score="pass@1", format="table")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("eval-set.json", '{"eval_set_id": "x", "tasks": []}', "Inspect's list of the logs"),
        ("logs.json", '{"a.eval": {"eval": {"model": "m"}, "status": "success"}}', "Inspect's list of the logs"),
        ("results.json", '{"config_general": {}, "results": {}, "versions": {}}', "lighteval's results file"),
        (
            "out.html",
            "<!DOCTYPE html>\n<html><title>promptfoo</title></html>",
            "it is a web page: have the tool export",
        ),
    ],
)
def test_companions_are_named(tmp_path, name, content, reason):
    (tmp_path / "runs.csv").write_text("model,question,trial,correct\na,q1,1,1\n")
    (tmp_path / name).write_text(content)
    assert recognise(tmp_path).skipped[tmp_path / name].startswith(reason)


def test_damaged_files_are_skipped_and_listed(tmp_path):
    (tmp_path / "a.csv").write_text("model,question,trial,correct\na,q1,1,1\n")
    (tmp_path / "b.csv").write_text("model,question,trial,correct\nb,q")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "other.csv").write_text("x,y\n1,2\n")
    reading = recognise(tmp_path, skip_bad=True)
    assert reading.outcomes.models == ("a",)
    assert [path.name for path in reading.bad] == ["b.csv", "empty.jsonl", "other.csv"]
    assert reading.skipped[tmp_path / "b.csv"] == "line 2 has 2 fields where the header has 4"
    assert read([tmp_path / "a.csv", tmp_path / "b.csv"], skip_bad=True).models == ("a",)
    refused(tmp_path / "b.csv", "no file holds outcomes; .*b.csv: line 2 has 2 fields", skip_bad=True)
