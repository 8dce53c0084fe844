"""The lm-evaluation-harness reader: filters, metrics, repeats, names of models."""

import json

import pytest

from helpers.written import counts, lm_eval_file, lm_eval_row, refused
from scorio import read

DATES = [f"2026-01-01T00-00-0{i}.000001" for i in range(2)]
FILTERS = [lm_eval_row(0, value, name) for name, value in (("strict", 0.0), ("loose", 1.0))]
CORPUS = lm_eval_row(0) | {"metrics": ["acc", "bleu", "word_perplexity"], "bleu": ["a", "b"]}
OLDER = {name: value for name, value in lm_eval_row(0).items() if name not in ("metrics", "doc_hash")}
UNSCORED = [lm_eval_row(0, None, metric="bypass")]
FOUR = {"resps": (("a", "b", "c", "d"),), "filtered_resps": [["a", "b", "c", "d"]], "metric": "exact_match"}
REPEATS = [lm_eval_row(3, value, resps=[("yes", "no", "yes")]) for value in (1.0, [1, 0])]
NUMBERS = [lm_eval_row(0, resps=[("1", "0", "1")])]


def is_yes(response):
    return response == "yes"


@pytest.mark.parametrize(
    ("rows", "options", "truth"),
    [
        (FILTERS, {"filter": "strict"}, {"0": [1, 0]}),
        (FILTERS, {"filter": "loose"}, {"0": [0, 1]}),
        ([CORPUS], {}, {"0": [0, 1]}),  # metrics of a corpus are no outcomes
        ([OLDER], {}, {"0": [0, 1]}),  # older files list no metrics
        (UNSCORED, {"grade": is_yes}, {"0": [0, 1]}),
        ([lm_eval_row(0, 0.75, **FOUR), lm_eval_row(1, 0.0, **FOUR)], {}, {"0": [1, 3], "1": [4, 0]}),
        *(([row], {"grade": is_yes}, {"3": [1, 2]}) for row in REPEATS),
        # a grade takes the row only if it must
        (REPEATS[:1], {"grade": lambda response, row: response == "no" and row["doc_id"] == 3}, {"3": [2, 1]}),
        (NUMBERS, {"grade": float}, {"0": [1, 2]}),
        (NUMBERS, {"grade": lambda response, strict=True: strict and float(response)}, {"0": [1, 2]}),
    ],
)
def test_rows_that_are_read(rows, options, truth, tmp_path):
    assert counts(read(lm_eval_file(tmp_path, rows, model="m"), **options)) == {"m": truth}


def of_two(value, metric, filtered):
    """A row with one number about two responses."""
    return [lm_eval_row(0, value, metric=metric, resps=(("a", "b"),), filtered_resps=[filtered])]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (FILTERS, {}, r"several filters, 'strict', 'loose': filter=\"strict\" chooses the first"),
        (FILTERS, {"filter": "none"}, "unknown filter 'none'. Choose from: strict, loose"),
        ([lm_eval_row(0), [1]], {}, "line 2: an object was expected"),
        ([lm_eval_row(0), lm_eval_row(1, metric="em")], {}, "several metrics"),
        ([lm_eval_row(0), lm_eval_row(1, metric="em")], {"score": "acc"}, "line 2: the row has no 'acc'"),
        ([lm_eval_row(0) | {"resps": "yes"}], {}, "line 1: resps must be a list of lists"),
        (UNSCORED, {}, r"nothing was scored \(--predict_only\): grade="),
        *(
            ([row], {}, r"line 1: the outcome of each trial was not stored: 3 responses, and 'acc' is .*: grade=")
            for row in REPEATS
        ),
        *(
            (of_two(*number), {}, "the outcome of each trial was not stored: 2 responses")
            for number in (
                (0.6, "exact_match", ["a", "b"]),
                (0.5, "acc", ["a", "b"]),
                (1.0, "exact_match", "a"),
                (2.0, "pass@1", ["a", "b"]),
            )
        ),
    ],
)
def test_rows_that_are_refused(rows, options, message, tmp_path):
    refused(lm_eval_file(tmp_path, rows, model="m"), message, **options)


def test_another_run_s_results_name_no_model(tmp_path):
    lm_eval_file(tmp_path / "here", [lm_eval_row(0)], date=DATES[1])
    lm_eval_file(tmp_path / "here", [lm_eval_row(0)], date=DATES[0], model="org/other")
    assert sorted(read(tmp_path).models) == ["here", "org/other"]


def test_older_files_are_lists_with_line_breaks(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps([OLDER | {"doc_id": i} for i in range(2)], indent=2))
    assert counts(read(path, model="m")) == {"m": {"0": [0, 1], "1": [0, 1]}}


def test_results_hold_no_outcomes_and_are_not_passed_over(tmp_path):
    path = lm_eval_file(tmp_path, [lm_eval_row(0)], model="m")
    results = next(tmp_path.glob("results_*.json"))
    refused(results, "results file has only means: run with --log_samples")
    results.write_text(results.read_text()[:20])
    refused(path, "half-written")


def test_metrics_with_the_same_outcomes_are_one(tmp_path):
    about = {"metric": "bayes", "resps": (("a", "b"),), "other": [0, 0]}
    rows = [lm_eval_row(doc, [1, doc], bayes_sd=[1, doc], **about) for doc in range(2)]
    lm_eval_file(tmp_path / "m", [row | {"metrics": ["bayes", "bayes_sd"]} for row in rows])
    assert counts(read(tmp_path)) == {"m": {"0": [1, 1], "1": [0, 2]}}
    assert counts(read(tmp_path, score="bayes_sd")) == counts(read(tmp_path))
    lm_eval_file(tmp_path / "m", [row | {"metrics": ["bayes", "bayes_sd", "other"]} for row in rows])
    refused(tmp_path, "several metrics, 'bayes', 'other'")
