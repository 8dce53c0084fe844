"""NeMo Evaluator: results of a benchmark, one line per repeat, with settings beside them."""

import pytest

from helpers.shared_formats import nemo_row, nemo_run, nemo_settings
from helpers.written import counts, write_json, write_lines
from scorio import OutcomeError, read
from scorio.io import recognise
from scorio.io._formats.nemo_evaluator import NemoEvaluatorFormat
from scorio.testing import check_format

ROWS = [nemo_row(0, 0, 1.0), nemo_row(0, 1, 0.0), nemo_row(1, 0, 1.0), nemo_row(1, 1, None)]
TRUTH = {"lab/m": {"0": [1.0, 0.0], "1": [1.0, None]}}


def test_the_contract(tmp_path):
    path = nemo_run(tmp_path / "sums", ROWS, nemo_settings(repeats=2))
    check_format(NemoEvaluatorFormat(), path, TRUTH)


def test_a_folder_of_runs_is_a_suite_of_models(tmp_path):
    for run, model in enumerate(("lab/m", "lab/n")):
        for task in ("sums", "words"):
            folder = tmp_path / str(run) / task
            nemo_run(folder, ROWS, nemo_settings(model, task, repeats=2))
            write_lines(folder / "trajectories.jsonl", [ROWS[0] | {"step_id": "1", "seed_metadata": {}}])
            write_lines(
                folder / "verified.jsonl", [{"problem_idx": 0, "repeat": 0, "reward": 1, "scoring_metadata": {}}]
            )
            write_json(folder / "runtime_stats.json", {"total_steps": 4})
    suite = read(tmp_path)
    assert (suite.tasks, suite.models) == (("sums", "words"), ("lab/m", "lab/n"))
    assert counts(suite["words"])["lab/n"] == {"0": [1, 1], "1": [0, 1]}
    assert suite["words"]["lab/n"].planned_trials.tolist() == [2, 2]
    reasons = recognise(tmp_path).skipped.values()
    assert sum("the progress of a run" in reason for reason in reasons) == 8
    assert sum("without trials" in reason for reason in reasons) == 4


def test_failures_of_machines_and_judges_are_missing_and_those_of_models_are_not(tmp_path):
    details = [
        {"error": "503", "error_category": "infra_error"},
        {"error": "disk", "error_category": "system"},
        {"judge": {"error": "no judge"}},
        {"error": "out of turns", "error_category": "graceful"},
    ]
    rows = [nemo_row(i, 0, 0.0, scoring_details=each) for i, each in enumerate(details)]
    matrix = read(nemo_run(tmp_path, rows, nemo_settings()))["lab/m"]
    assert matrix.trials.tolist() == [0, 0, 0, 1]
    assert matrix.planned_trials.tolist() == [1, 1, 1, 1]


def test_only_the_latest_settings_count(tmp_path):
    """The results of a benchmark that runs again in its folder are replaced, its settings are not."""
    write_json(tmp_path / "eval-20250101T000000Z-sums.json", nemo_settings("old", date="20250101T000000Z"))
    assert read(nemo_run(tmp_path, ROWS, nemo_settings(repeats=2))).models == ("lab/m",)


def test_shards_count_once(tmp_path):
    parts = [ROWS[:2], ROWS[2:]]
    for i, rows in enumerate(parts):
        shard = nemo_settings(repeats=2, shard={"idx": i, "total": 2, "range": [i, i + 1]})
        nemo_run(tmp_path / f"shard_{i}" / "sums", rows, shard)
    alone = counts(read(tmp_path))["lab/m"]
    nemo_run(tmp_path / "sums", ROWS, nemo_settings(repeats=2, n_shards=2))
    reading = recognise(tmp_path)
    assert counts(reading.outcomes)["lab/m"] == alone == {"0": [1, 1], "1": [0, 1]}
    assert sum("a part of a run that is merged" in reason for reason in reading.skipped.values()) == 2


def test_another_answer_to_a_question_of_one_number_is_refused(tmp_path):
    nemo_run(tmp_path / "a" / "sums", ROWS, nemo_settings(repeats=2))
    rows = [row | {"expected_answer": "5"} for row in ROWS]
    nemo_run(tmp_path / "b" / "sums", rows, nemo_settings("lab/n", repeats=2))
    with pytest.raises(OutcomeError, match="question '0'"):
        read(tmp_path)


def test_questions_and_clusters_by_metadata(tmp_path):
    rows = [row | {"metadata": {"id": f"item {row['problem_idx']}", "category": "c"}} for row in ROWS]
    path = nemo_run(tmp_path, rows, nemo_settings(repeats=2))
    outcomes = read(path, fields={"question": "id", "cluster": "category"})
    assert outcomes.questions == ("item 0", "item 1")
    assert outcomes.clusters == ("c", "c")
    assert outcomes.costs["lab/m"] == {"tokens": 28 / 3, "seconds": 2 / 3}  # with the trial that was lost
