"""A model none of whose trials has an outcome is left out, and this is said."""

import pytest

from helpers.command import run
from helpers.written import LONG, counts, refused, table
from scorio import diagnose, read
from scorio.errors import TrialsWarning
from scorio.io import recognise


def three_models(folder):
    """Two models, and one none of whose trials has an outcome."""
    return table(folder, f"{LONG}dead,q1,1,\ndead,q1,2,NA\ndead,q2,1,\ndead,q2,2,\n")


def test_a_model_without_outcomes_is_left_out(tmp_path):
    path = three_models(tmp_path)
    reading = recognise(path)
    assert counts(reading.outcomes) == counts(read(table(tmp_path, LONG, "good.csv")))
    assert reading.bad_models == {"dead": "none of 4 trials has an outcome"}
    assert "model 'dead': left out, none of 4 trials has an outcome" in str(reading)
    with pytest.warns(TrialsWarning, match="model 'dead' is left out: none of 4 trials has an outcome"):
        assert read(path).models == ("a", "b")
    assert "left out dead: none of 4 trials has an outcome\n" in run("score", path).stderr
    assert "dead is left out: none of 4 trials has an outcome" in run("doctor", path).stdout
    assert diagnose(reading).finding("missing trials").models == ("dead",)


def test_a_model_without_outcomes_that_is_asked_for_or_fails(tmp_path):
    path = three_models(tmp_path)
    refused(path, "no trial of 'dead' has an outcome", only=["dead", "a"])
    refused(path, "no trial of 'dead' has an outcome", only="dea*")
    assert read(path, missing="fail")["dead"].counts.tolist() == [[2, 0], [2, 0]]
    refused(path, "no trial of 'dead' has an outcome", missing="raise")


def test_a_model_without_outcomes_in_one_task(tmp_path):
    rows = ["task,model,question,correct", "x,a,q1,1", "x,b,q1,0", "y,a,q1,", "y,b,q1,1"]
    reading = recognise(table(tmp_path, "\n".join(rows)))
    assert {task: models.models for task, models in reading.outcomes.items()} == {"x": ("a", "b"), "y": ("b",)}
    assert reading.bad_models == {"a": "task y: none of 1 trial has an outcome"}
