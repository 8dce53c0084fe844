"""lmms-eval: samples with one line per document."""

from helpers.shared_formats import lmms_row, lmms_run
from helpers.written import refused
from scorio import read

ROWS = [lmms_row(0, 1.0), lmms_row(1, 0.0)]


def test_metrics_that_are_objects_hold_a_score(tmp_path):
    path = lmms_run(tmp_path, [lmms_row(0, {"score": 0.5, "category": "art"}, metric="mmmu_acc")])
    assert read(path)[tmp_path.name].levels == (0.0, 0.5)
    refused(lmms_run(tmp_path, [lmms_row(0, [0.5, 1.0])]), "an outcome must be a number")


def test_outcomes_of_several_responses_together_are_refused(tmp_path):
    refused(lmms_run(tmp_path, ROWS, model="m", repeats=4), "each document was asked 4 times")
