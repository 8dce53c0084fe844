"""lmms-eval: samples with one line per document, and MLE-bench: reports with one entry per attempt."""

import pytest

from helpers.shared_formats import lmms_row, lmms_run, mle_report, mle_reports
from helpers.written import counts
from scorio import OutcomeError, read
from scorio.io._formats.lmms_eval import LmmsEvalFormat
from scorio.io._formats.mle_bench import MleBenchFormat
from scorio.testing import check_format

ROWS = [lmms_row(0, 1.0), lmms_row(1, 0.0)]
REPORTS = [mle_report("a", 1.0), mle_report("a", 0.0), mle_report("b", None)]


def test_the_contract_of_lmms_eval(tmp_path):
    path = lmms_run(tmp_path, ROWS, model="lab/vl")
    check_format(LmmsEvalFormat(), path, {"lab/vl": {"0": [1.0], "1": [0.0]}})


def test_metrics_that_are_objects_hold_a_score(tmp_path):
    path = lmms_run(tmp_path, [lmms_row(0, {"score": 0.5, "category": "art"}, metric="mmmu_acc")])
    assert read(path)[tmp_path.name].levels == (0.0, 0.5)
    with pytest.raises(OutcomeError, match="an outcome must be a number"):
        read(lmms_run(tmp_path, [lmms_row(0, [0.5, 1.0])]))


def test_outcomes_of_several_responses_together_are_refused(tmp_path):
    with pytest.raises(OutcomeError, match="each document was asked 4 times"):
        read(lmms_run(tmp_path, ROWS, model="m", repeats=4))


def test_the_contract_of_mle_bench(tmp_path):
    path = mle_reports(tmp_path / "aide" / "2026-01-01T00-00-00-GMT_grading_report.json", REPORTS)
    check_format(MleBenchFormat(), path, {"aide": {"a": [1.0, 0.0], "b": [0.0]}})


def test_groups_of_runs_of_mle_bench_get_names(tmp_path):
    """A group has the name of its folder, which is another one for every seed."""
    for seed in (1, 2):
        mle_reports(tmp_path / f"run-group_{seed}" / f"{seed}_grading_report.json", REPORTS[seed:])
    outcomes = read(tmp_path, model={"*run-group*": "aide"})
    assert counts(outcomes) == {"aide": {"a": [1, 0], "b": [2, 0]}}
    valid = read(tmp_path / "run-group_1", score="valid_submission")
    assert counts(valid) == {"run-group_1": {"a": [0, 1], "b": [1, 0]}}
    with pytest.raises(OutcomeError, match="unknown score 'score'"):
        read(tmp_path, score="score")
