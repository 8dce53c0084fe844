"""OpenCompass: lists of outcomes per example, older details, and files without outcomes."""

import pytest

from helpers.tool_files import opencompass_results
from helpers.written import counts, refused, write_json
from scorio import read
from scorio.io import recognise

DETAILS = [
    {"example_abbr": "add_0", "G-Pass@2_0.5": 1.0, "pred": ["0", "x"], "answer": ["0", "0"], "correct": [True, False]},
    {"example_abbr": "add_1", "G-Pass@2_0.5": 0.0, "pred": ["x", None], "answer": ["2", "2"], "correct": [False, None]},
]


def test_data_sets_are_tasks_and_other_files_hold_no_outcomes(tmp_path):
    run = tmp_path / "20260101_000000"
    opencompass_results(run, DETAILS)
    opencompass_results(run, DETAILS[:1], dataset="mul")
    write_json(run / "predictions" / "m" / "add.json", {"0": {"origin_prompt": "p", "prediction": "x", "gold": "g"}})
    write_json(run / "results" / "m" / "bleu.json", {"bleu": 31.5})
    assert read(tmp_path).tasks == ("add", "mul")
    reading = recognise(tmp_path, task="add")
    assert counts(reading.outcomes) == {"m": {"add_0": [1, 1], "add_1": [1, 0]}}
    assert len(reading.skipped) == 2
    assert all("OpenCompass" in reason for reason in reading.skipped.values())


@pytest.mark.parametrize("name", ["is_correct", "cascade_correct"])
def test_other_names_of_outcomes(tmp_path, name):
    details = [{"example_abbr": "add_0", "pred": ["x"], "model_extract_correct": [False], name: [True]}]
    path = opencompass_results(tmp_path, details)
    assert counts(read(path)) == {"m": {"add_0": [0, 1]}}
    assert counts(read(path, score="model_extract_correct")) == {"m": {"add_0": [1, 0]}}


def test_older_details(tmp_path):
    numbered = {"type": "PPL", "0": {"predictions": "A", "references": "B", "correct": False}}
    assert counts(read(opencompass_results(tmp_path / "one", numbered))) == {"m": {"0": [1, 0]}}
    listed = [{"pred": "1", "answer": "1", "correct": True}, {"pred": "1", "answer": "2", "correct": False}]
    assert counts(read(opencompass_results(tmp_path / "two", listed))) == {"m": {"0": [0, 1], "1": [1, 0]}}


def test_details_without_outcomes_are_refused(tmp_path):
    details = {"type": "GEN", "0": {"prompt": "p", "predictions": "A", "references": "B"}}
    path = opencompass_results(tmp_path, details)
    refused(path, r"add\.json: the evaluator stored no outcome per example")
    scored = opencompass_results(tmp_path, [{"example_abbr": "a", "pred": ["x"], "chrf": [0.25]}])
    refused(scored, 'score="chrf" reads another number')
    assert read(scored, score="chrf")["m"].levels == (0.0, 0.25)


def test_runs_of_several_dates_add_up_and_copies_do_not(tmp_path):
    for date in ("20260101_000000", "20260102_000000"):
        opencompass_results(tmp_path / date, DETAILS)
    assert counts(read(tmp_path)) == {"m": {"add_0": [2, 2], "add_1": [2, 0]}}
    opencompass_results(tmp_path / "copy" / "20260101_000000", DETAILS)
    refused(tmp_path, "of one run twice")


def test_an_example_with_another_answer_is_another_question(tmp_path):
    opencompass_results(tmp_path, [{"pred": "1", "answer": "1", "correct": True}], model="a")
    opencompass_results(tmp_path, [{"pred": "1", "answer": "2", "correct": False}], model="b")
    refused(tmp_path, "question '0' is another document")
