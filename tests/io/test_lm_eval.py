"""The lm-evaluation-harness reader: filters, metrics, repeats, names of models, runs that add up."""

import json

import pytest

from helpers.written import counts, lm_eval_file, lm_eval_row, refused
from scorio import read

DATES = [f"2026-01-01T00-00-0{i}.000001" for i in range(5)]


def test_another_run_s_results_name_no_model(tmp_path):
    lm_eval_file(tmp_path / "here", [lm_eval_row(0)], date=DATES[1])
    lm_eval_file(tmp_path / "here", [lm_eval_row(0)], date=DATES[0], model="org/other")
    assert sorted(read(tmp_path).models) == ["here", "org/other"]


def test_a_filter_is_chosen(tmp_path):
    rows = [lm_eval_row(0, value, name) for name, value in (("strict", 0.0), ("loose", 1.0))]
    path = lm_eval_file(tmp_path, rows)
    refused(path, r"several filters, 'strict', 'loose': filter=\"strict\" chooses the first")
    found = {name: list(counts(read(path, filter=name, model="m"))["m"]["0"]) for name in ("strict", "loose")}
    assert found == {"strict": [1, 0], "loose": [0, 1]}
    refused(path, "unknown filter 'none'. Choose from: strict, loose", filter="none")


def test_metrics_of_a_corpus_are_not_outcomes(tmp_path):
    row = lm_eval_row(0) | {"metrics": ["acc", "bleu", "word_perplexity"], "bleu": ["a", "b"]}
    assert counts(read(lm_eval_file(tmp_path, [row]), model="m")) == {"m": {"0": [0, 1]}}


def test_older_files_list_no_metrics(tmp_path):
    row = {name: value for name, value in lm_eval_row(0).items() if name not in ("metrics", "doc_hash")}
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps([row | {"doc_id": i} for i in range(2)], indent=2))
    assert counts(read(path, model="m")) == {"m": {"0": [0, 1], "1": [0, 1]}}
    assert counts(read(lm_eval_file(tmp_path, [row]), model="m")) == {"m": {"0": [0, 1]}}


@pytest.mark.parametrize("value", [1.0, [1, 0]])
def test_repeats_without_their_outcomes_need_a_score(tmp_path, value):
    path = lm_eval_file(tmp_path, [lm_eval_row(3, value, resps=[("yes", "no", "yes")])])
    refused(path, r"line 1: the outcome of each trial was not stored: 3 responses, and 'acc' is .*: grade=")
    assert counts(read(path, grade=lambda response: response == "yes", model="m")) == {"m": {"3": [1, 2]}}
    graded = read(path, grade=lambda response, row: response == "no" and row["doc_id"] == 3, model="m")
    assert counts(graded) == {"m": {"3": [2, 1]}}


@pytest.mark.parametrize("score", [float, lambda response, strict=True: strict and float(response)])
def test_a_score_takes_the_row_only_if_it_must(tmp_path, score):
    path = lm_eval_file(tmp_path, [lm_eval_row(0, resps=[("1", "0", "1")])])
    assert counts(read(path, grade=score, model="m")) == {"m": {"0": [1, 2]}}


def test_rows_that_are_not_what_they_should_be(tmp_path):
    path = lm_eval_file(tmp_path, [lm_eval_row(0), [1]])
    refused(path, "line 2: an object was expected")
    path = lm_eval_file(tmp_path, [lm_eval_row(0), lm_eval_row(1, metric="em")])
    refused(path, "several metrics")
    refused(path, "line 2: the row has no 'acc'", score="acc")
    path = lm_eval_file(tmp_path, [lm_eval_row(0) | {"resps": "yes"}])
    refused(path, "line 1: resps must be a list of lists")


def test_predictions_without_scores(tmp_path):
    path = lm_eval_file(tmp_path, [lm_eval_row(0, None, metric="bypass")], model="m")
    refused(path, r"nothing was scored \(--predict_only\): grade=")
    assert counts(read(path, grade=lambda response: response == "yes")) == {"m": {"0": [0, 1]}}


def test_aggregates_hold_no_outcomes(tmp_path):
    lm_eval_file(tmp_path, [lm_eval_row(0)], model="m")
    results = next(tmp_path.glob("results_*.json"))
    refused(results, "results file has only means: run with --log_samples")


def test_a_damaged_results_file_is_not_passed_over(tmp_path):
    path = lm_eval_file(tmp_path, [lm_eval_row(0)], model="m")
    results = next(tmp_path.glob("results_*.json"))
    results.write_text(results.read_text()[:20])
    refused(path, "half-written")


def test_a_share_of_the_filtered_responses_is_a_count(tmp_path):
    repeats = {"resps": (("a", "b", "c", "d"),), "filtered_resps": [["a", "b", "c", "d"]], "metric": "exact_match"}
    path = lm_eval_file(tmp_path, [lm_eval_row(0, 0.75, **repeats), lm_eval_row(1, 0.0, **repeats)], model="m")
    assert counts(read(path)) == {"m": {"0": [1, 3], "1": [4, 0]}}


@pytest.mark.parametrize(
    ("value", "metric", "filtered"),
    [
        (0.6, "exact_match", ["a", "b"]),
        (0.5, "acc", ["a", "b"]),
        (1.0, "exact_match", "a"),
        (2.0, "pass@1", ["a", "b"]),
    ],
)
def test_another_number_about_several_responses_is_refused(tmp_path, value, metric, filtered):
    row = lm_eval_row(0, value, metric=metric, resps=(("a", "b"),), filtered_resps=[filtered])
    refused(lm_eval_file(tmp_path, [row], model="m"), "the outcome of each trial was not stored: 2 responses")


def test_metrics_with_the_same_outcomes_are_one(tmp_path):
    """The package's own plug-in logs the outcomes under the name of each of its numbers."""
    resps = (("a", "b"),)
    rows = [
        lm_eval_row(doc, [1, doc], metric="bayes", resps=resps, bayes_sd=[1, doc], other=[0, 0])
        | {"metrics": ["bayes", "bayes_sd"]}
        for doc in range(2)
    ]
    lm_eval_file(tmp_path / "m", rows)
    assert counts(read(tmp_path)) == {"m": {"0": [1, 1], "1": [0, 2]}}
    assert counts(read(tmp_path, score="bayes_sd")) == counts(read(tmp_path))
    lm_eval_file(tmp_path / "m", [row | {"metrics": ["bayes", "bayes_sd", "other"]} for row in rows])
    refused(tmp_path, "several metrics, 'bayes', 'other'")
