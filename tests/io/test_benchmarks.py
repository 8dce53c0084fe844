"""Logs of benchmarks: EvalScope, OpenCompass, HELM, OpenAI evals, lmms-eval and Every Eval Ever, on files by hand."""

import pytest

from helpers.shared_formats import eee_row, eee_run, eee_settings, lmms_row, lmms_run
from helpers.tool_files import (
    evalscope_config,
    evalscope_reviews,
    evalscope_row,
    helm_row,
    helm_run,
    helm_stat,
    openai_log,
    opencompass_results,
)
from helpers.written import counts, refused
from scorio import read
from scorio.io import recognise


def test_answers_of_evalscope_that_failed_have_no_row_and_are_missing(tmp_path):
    rows = [evalscope_row(0, 0, 0, {"acc": 1.0}), evalscope_row(2, 0, 2, {"acc": 0.0})]
    failed = evalscope_row(3, 1, 1, {"acc": 0.0}, status="error")
    path = evalscope_reviews(tmp_path, [*rows, evalscope_row(2, 1, 0, {"acc": 1.0}), failed])
    assert counts(read(path)) == {"m": {"0": [1, 1], "1": [0, 1]}}
    assert read(path)["m"].planned_trials.tolist() == [3, 3]
    evalscope_config(tmp_path, repeats=4)
    assert read(path)["m"].planned_trials.tolist() == [4, 4]
    other = evalscope_reviews(tmp_path, rows[:1], model="other")
    assert read(other)["other"].planned_trials.tolist() == [1]
    assert "task 'mcq_main'" in str(recognise(other))


def test_the_main_score_of_evalscope_must_have_been_computed(tmp_path):
    row = evalscope_row(0, 0, 0, {"f1": 0.5, "em": 0.0}, main_score_name="Rouge-L-R")
    path = evalscope_reviews(tmp_path, [row])
    refused(path, "there are several metrics, 'f1', 'em'")
    assert read(path, score="f1")["m"].levels == (0.0, 0.5)
    empty = evalscope_reviews(tmp_path, [evalscope_row(0, 0, 0, {}, main_score_name="Rouge-L-R")])
    refused(empty, "no trial of .m. has an outcome")


LISTED = [{"pred": "1", "answer": "1", "correct": True}, {"pred": "1", "answer": "2", "correct": False}]
RENAMED = [{"example_abbr": "a", "pred": ["x"], "model_extract_correct": [False], "is_correct": [True]}]
CASCADE = [{"example_abbr": "a", "pred": ["x"], "model_extract_correct": [False], "cascade_correct": [True]}]
NUMBERED = {"type": "PPL", "0": {"predictions": "A", "references": "B", "correct": False}}


@pytest.mark.parametrize(
    ("details", "options", "truth"),
    [
        (RENAMED, {}, {"a": [0, 1]}),
        (CASCADE, {}, {"a": [0, 1]}),
        (RENAMED, {"score": "model_extract_correct"}, {"a": [1, 0]}),
        (NUMBERED, {}, {"0": [1, 0]}),
        (LISTED, {}, {"0": [0, 1], "1": [1, 0]}),
        ([{"example_abbr": "a", "pred": ["x"], "chrf": [0.25]}], {"score": "chrf"}, {"a": [0, 1]}),
    ],
)
def test_details_of_opencompass(details, options, truth, tmp_path):
    assert counts(read(opencompass_results(tmp_path, details), **options)) == {"m": truth}


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"type": "GEN", "0": {"prompt": "p", "predictions": "A"}}, "the evaluator stored no outcome per example"),
        ([{"example_abbr": "a", "pred": ["x"], "chrf": [0.25]}], 'score="chrf" reads another number'),
    ],
)
def test_details_of_opencompass_without_outcomes_are_refused(details, message, tmp_path):
    refused(opencompass_results(tmp_path, details), rf"add\.json: .*{message}")


def test_data_sets_of_opencompass_are_tasks(tmp_path):
    for dataset in ("add", "mul"):
        opencompass_results(tmp_path / "20260101_000000", LISTED, dataset=dataset)
    assert read(tmp_path).tasks == ("add", "mul")


EXACT = helm_stat(1.0)
OTHERS = [helm_stat(7, "num_output_tokens"), helm_stat(1.0, "exact_match@5"), helm_stat(0.5, "inference_runtime")]
LOST = [helm_row("a", 1, helm_stat(0.0, count=0)), helm_row("b", 0), helm_row("b", 1, helm_stat(2.0, count=2))]
SPLITS = [helm_row("a", 0, EXACT), helm_row("b", 0, helm_stat(0.0, split="valid"))]


@pytest.mark.parametrize(
    ("rows", "options", "truth"),
    [
        ([helm_row("a", 0, EXACT, *OTHERS)], {}, {"a": [0, 1]}),  # counts and the best of several are no outcomes
        (SPLITS, {"score": "test/exact_match"}, {"a": [0, 1]}),
        ([helm_row("a", 0, EXACT), *LOST], {}, {"a": [0, 1], "b": [0, 1]}),  # a statistic of no value is missing
    ],
)
def test_statistics_of_helm(rows, options, truth, tmp_path):
    assert counts(read(helm_run(tmp_path, rows), **options)) == {"org/m": truth}


def test_statistics_of_helm_that_are_refused(tmp_path):
    refused(helm_run(tmp_path, SPLITS), "several statistics, 'test/exact_match', 'valid/exact_match'")
    mean = helm_run(tmp_path, [helm_row("a", 0, helm_stat(1.0, count=2))])
    refused(mean, "record 0: stats 0: 'test/exact_match' is a mean over 2 values, sum 1.0")


def test_two_runs_of_openai_evals_are_said_to_be_added_up(tmp_path):
    for run in ("r1", "r2"):
        openai_log(tmp_path / f"{run}.jsonl", [("a", run == "r1")], run)
    reading = recognise(tmp_path)
    assert (counts(reading.outcomes), reading.runs) == ({"gpt": {"a": [1, 1]}}, {"gpt": 2})
    assert "2 runs of 'gpt' added up" in str(reading)


def test_metrics_of_lmms_eval(tmp_path):
    path = lmms_run(tmp_path, [lmms_row(0, {"score": 0.5, "category": "art"}, metric="mmmu_acc")])
    assert read(path)[tmp_path.name].levels == (0.0, 0.5)
    refused(lmms_run(tmp_path, [lmms_row(0, [0.5, 1.0])]), "an outcome must be a number")
    refused(lmms_run(tmp_path, [lmms_row(0, 1.0)], model="m", repeats=4), "each document was asked 4 times")


# Every Eval Ever


def test_epochs_are_trials_in_any_order(tmp_path):
    rows = [eee_row("q1", score, metadata={"epoch": epoch}) for score, epoch in ((1.0, "2"), (0.0, "1"))]
    assert counts(read(eee_run(tmp_path, rows)))["lab/m"] == {"q1": [1, 1]}
    refused(eee_run(tmp_path, [*rows, eee_row("q1", 1.0, metadata={"epoch": "1"})]), "twice")


def test_epochs_that_were_reduced_are_refused(tmp_path):
    """The converter of Inspect (0.3.0) writes the mean over the epochs of a question in the line of each epoch."""
    about = {"stop_reason": "stop"}
    rows = [eee_row(q, mean, metadata=about | {"epoch": i}) for q, mean in (("q1", 0.5), ("q2", 1.0)) for i in "12"]
    refused(eee_run(tmp_path, rows), "every epoch of a question has one score")
    one = [row for row in rows if row["metadata"]["epoch"] == "1"]
    assert read(eee_run(tmp_path, one))["lab/m"].trials.tolist() == [1, 1]
    rows[0]["evaluation"] = {"score": 1.0, "is_correct": True}
    rows[1]["evaluation"] = {"score": 0.0, "is_correct": False}
    assert counts(read(eee_run(tmp_path, rows)))["lab/m"] == {"q1": [1, 1], "q2": [0, 2]}


def test_results_with_equal_scores_are_one_and_others_are_chosen(tmp_path):
    """Inspect's converter writes a line per metric of a scorer, all with the score of the sample."""
    rows = [eee_row(q, score, result=name) for q, score in (("q1", 1.0), ("q2", 0.0)) for name in ("acc", "stderr")]
    assert counts(read(eee_run(tmp_path, rows)))["lab/m"] == {"q1": [0, 1], "q2": [1, 0]}
    rows += [eee_row("q1", 0.25, result="f1"), eee_row("q2", 0.5, result="f1")]
    path = eee_run(tmp_path, rows)
    refused(path, "there are several results, 'acc', 'f1'")
    assert read(path, score="f1")["lab/m"].levels == (0.25, 0.5)
    assert counts(read(path, score="f1/is_correct"))["lab/m"] == {"q1": [1, 0], "q2": [1, 0]}


def test_what_no_result_scored_is_missing(tmp_path):
    """The converter of lm-eval writes a score of 0 where it found none, in a line without a result."""
    matrix = read(eee_run(tmp_path, [eee_row("q1", 1.0, result="acc"), eee_row("q2", 0.0)]))["lab/m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[0, 1], [0, 0]], [1, 1])
    both = [eee_row("q1", 1.0, result="acc"), eee_row("q2", 0.0, result="acc"), eee_row("q1", 0.5, result="f1")]
    assert read(eee_run(tmp_path, both), score="f1")["lab/m"].planned_trials.tolist() == [1, 1]


def test_a_lower_score_that_is_better_is_refused(tmp_path):
    settings = eee_settings(result="loss", lower_is_better=True)
    path = eee_run(tmp_path, [eee_row("q1", 0.25, result="loss")], settings=settings)
    refused(path, "a lower score of 'loss' is better")
    assert counts(read(path, score="is_correct"))["lab/m"] == {"q1": [1, 0]}


def test_costs_answers_and_clusters(tmp_path):
    about = {"token_usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}}
    about |= {"performance": {"latency_ms": 500.0}, "metadata": {"cluster": "c"}}
    final = {"turn_idx": 0, "source": "output.raw", "extraction_method": "none", "extracted_value": "4"}
    path = eee_run(tmp_path, [eee_row("q1", 1.0, answer_attribution=[final | {"is_terminal": True}], **about)])
    outcomes = read(path, keep="answers")
    assert outcomes.costs["lab/m"] == {"seconds": 0.5, "input_tokens": 5.0, "output_tokens": 2.0}
    assert outcomes.clusters == ("c",)
    assert outcomes["lab/m"].answers == ("4",)
