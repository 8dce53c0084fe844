"""Logs of benchmarks, on files by hand: EvalScope, OpenCompass, HELM, OpenAI evals, lmms-eval, of code, and others."""

import itertools
import math

import pytest

from helpers.tool_files import (
    bigcodebench_results,
    eee_row,
    eee_run,
    eee_settings,
    evalscope_config,
    evalscope_reviews,
    evalscope_row,
    helm_row,
    helm_run,
    helm_stat,
    livecodebench_row,
    lmms_row,
    lmms_run,
    openai_log,
    opencompass_results,
)
from helpers.written import counts, refused, write_json, write_lines, write_rows
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


# Benchmarks of code, whose names hold models and settings.


def completions(*passed):
    return [{"task_id": "T/0", "completion": "pass", "result": "passed", "passed": one} for one in passed]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("samples.jsonl_results.jsonl", "folder"),
        ("gpt-4_results.jsonl", "gpt-4"),
        ("m.v2-samples_results.jsonl", "m.v2"),
    ],
)
def test_the_path_names_the_model(tmp_path, name, model):
    assert read(write_lines(tmp_path / "folder" / name, completions(True))).models == (model,)


def test_files_of_one_model_add_up_and_copies_are_refused(tmp_path):
    first, second, copy = (
        write_lines(tmp_path / str(i) / "m_results.jsonl", completions(right))
        for i, right in enumerate((True, False, True))
    )
    refused([first, second], "do not say whether they are of one model")
    assert counts(read([first, second], model="m")) == {"m": {"T/0": [1, 1]}}
    refused([first, copy], "has trial 0 of one run twice", model="m")
    assert counts(read([first, first])) == {"m": {"T/0": [0, 1]}}


def test_unscored_completions_and_problems_are_refused_by_name_and_skipped_in_folders(tmp_path):
    write_lines(tmp_path / "m_results.jsonl", completions(True))
    for row in ({"task_id": "T/0", "completion": "pass"}, {"task_id": "T/0", "prompt": "def", "test": "assert"}):
        path = write_lines(tmp_path / "other.jsonl", [row, row])
        refused(path, r"read their \*_results.jsonl")
        assert counts(read(tmp_path)) == {"m": {"T/0": [0, 1]}}


def test_a_table_that_knows_its_models_is_a_table(tmp_path):
    both = [row | {"model": name} for name in "ab" for row in completions(True, name == "b")]
    path = write_lines(tmp_path / "m_results.jsonl", both)
    assert counts(read(path, score="passed")) == {"a": {"T/0": [1, 1]}, "b": {"T/0": [0, 2]}}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"task_id": "T/0", "passed": "perhaps"}, "passed: 'perhaps' is not an outcome"),
        ({"task_id": "T/0"}, "it has no 'passed'"),
        ({"task_id": "T/0", "passed": 2}, "passed must be true or false; got 2"),
        ({"passed": True}, "task_id must be a name or a whole number; got None"),
    ],
)
def test_faults_of_results_are_named(row, message, tmp_path):
    path = write_lines(tmp_path / "m_results.jsonl", [*completions(True), row])
    refused(path, f"m_results.jsonl: line 2: {message}")


def test_questions_about_one_problem(tmp_path):
    tests = [livecodebench_row("7", [i > 0], test_id=i) for i in range(2)]
    path = write_json(tmp_path / "m" / "testoutputprediction_1_0.2_eval_all.json", tests)
    assert read(path).questions == ("7/0", "7/1")
    programs = [livecodebench_row("7", [i > 0], id=f"sample_{i}") for i in range(2)]
    path = write_json(tmp_path / "m" / "codeexecution_1_0.2_eval_all.json", programs)
    assert read(path).questions == ("sample_0", "sample_1")
    assert "task 'codeexecution'" in str(recognise(path))


def test_halves_of_bigcodebench_are_tasks_and_statuses_are_checked(tmp_path):
    name = "lab--m--main--bigcodebench-hard-{}--vllm-0.8-3-sanitized_calibrated_eval_results.json"
    results = bigcodebench_results({"B/0": ["pass", "fail", "timeout"], "B/1": ["pass", None, "pass"]})
    for half in ("complete", "instruct"):
        write_json(tmp_path / name.format(half), results)
    assert read(tmp_path).tasks == ("bigcodebench-hard-complete", "bigcodebench-hard-instruct")
    assert counts(read(tmp_path, task="*-complete")) == {"lab/m": {"B/0": [2, 1], "B/1": [0, 2]}}
    assert read(write_json(tmp_path / "m_eval_results.json", results)).models == ("m",)
    path = write_json(tmp_path / name.format("x"), bigcodebench_results({"B/0": ["pass", "maybe"]}))
    refused(path, "B/0: record 1: status must be one of pass, fail, timeout; got 'maybe'")


# Details of lighteval, in Parquet files with nested columns.


AIME = "details_aime|0_2026-01-01T00-00-00.000001.parquet"


def details(path, rows):
    """A details file of rows (id, metrics by name, number of responses)."""
    duckdb = pytest.importorskip("duckdb")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for id, metrics, texts in rows:
        metric = ", ".join(f"'{name}': {'NULL' if value is None else value}::DOUBLE" for name, value in metrics.items())
        response = ", ".join(["'x'"] * texts)
        lines.append(f"({{'id': '{id}', 'query': 'q'}}, {{{metric}}}, {{'text': [{response}]::VARCHAR[]}})")
    table = f"SELECT * FROM (VALUES {', '.join(lines)}) AS t(doc, metric, model_response)"
    duckdb.sql(f"COPY ({table}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize(
    "metric",
    ["pass@k:k=1&n=4", "pass@k:n=4&k=1", "gpqa_pass@k:k=1&n=4", "avg@n:n=4", "pass@1:4_samples", "codegen_pass@1:4"],
)
def test_counts_from_a_mean_over_samples(tmp_path, metric):
    path = details(tmp_path / AIME, [(str(i), {metric: i / 4}, 4) for i in (3, 1, 0, 4)])
    outcomes = read(path, model="m")
    assert counts(outcomes) == {"m": {str(i): [4 - i, i] for i in (0, 1, 3, 4)}}
    assert outcomes.questions == ("0", "1", "3", "4")


def test_pass_at_1_is_picked_among_others(tmp_path):
    metrics = {"pass@k:k=1&n=2": 0.5, "pass@k:k=2&n=2": 1.0, "maj@n:n=2": 1.0}
    path = details(tmp_path / AIME, [("0", metrics, 2)])
    assert read(path) == read(path, score="pass@k:k=1&n=2")
    assert counts(read(path, score="pass@k:k=1&n=2", model="m")) == {"m": {"0": [1, 1]}}
    for several in ("pass@k:k=2&n=2", "maj@n:n=2"):
        refused(path, "document '0': .* is about several samples together", score=several)


def test_of_two_metrics_with_the_same_numbers_one_is_read(tmp_path):
    same = details(tmp_path / "a" / AIME, [(str(i), {"pass@k:k=1&n=4": i / 4, "avg@n:n=4": i / 4}, 4) for i in (1, 3)])
    assert counts(read(same, model="m")) == {"m": {"1": [3, 1], "3": [1, 3]}}
    other = details(tmp_path / "b" / AIME, [("0", {"pass@k:k=1&n=1": 1.0, "avg@n:n=4": 1.0}, 4)])
    refused(other, r"several metrics, 'pass@k:k=1&n=1', 'avg@n:n=4': score=\"pass@k:k=1&n=1\" chooses the first")


@pytest.mark.parametrize("n", [8, 16, 64])
def test_equal_shares_may_differ_in_the_last_digit(tmp_path, n):
    """Pass@1 is written as 1 - comb(n - c, 1) / comb(n, 1) by a product, which rounds otherwise than c / n."""
    shares = {c: 1.0 - math.prod(1.0 - 1.0 / (i + 1) for i in range(n - c, n)) for c in range(n + 1)}
    rows = [(str(c), {f"pass@k:k=1&n={n}": share, f"avg@n:n={n}": c / n}, n) for c, share in shares.items()]
    assert any(share != c / n for c, share in shares.items())
    assert counts(read(details(tmp_path / AIME, rows), model="m"))["m"] == {str(c): [n - c, c] for c in shares}


def test_missing_responses_and_metrics_are_missing(tmp_path):
    rows = [("0", {"pass@k:k=1&n=4": 0.25}, 3), ("1", {"pass@k:k=1&n=4": None}, 4)]
    matrix = read(details(tmp_path / AIME, rows))[tmp_path.name]
    assert counts({"m": matrix}) == {"m": {"0": [2, 1], "1": [0, 0]}}
    assert matrix.planned_trials.tolist() == [4, 4]


def test_the_missing_extra_is_named(tmp_path, monkeypatch):
    path = details(tmp_path / AIME, [("0", {"acc": 1.0}, 1)])
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    refused(path, "pip install duckdb")


def test_columns_that_were_written_as_text(tmp_path):
    path = write_rows(tmp_path / AIME, [dict.fromkeys(("doc", "metric", "model_response"), "{}")])
    refused(path, "the columns 'doc', 'metric', 'model_response' are VARCHAR: the tool failed")


def g_pass(k, n, c):
    """G-Pass@k of c successes in n samples for the tool's five thresholds, by enumeration."""
    draws = [sum(draw) for draw in itertools.combinations([1] * c + [0] * (n - c), k)]
    least = {threshold: max(math.ceil(k * threshold), 1) for threshold in (0.0, 0.25, 0.5, 0.75, 1.0)}
    return {f"g-pass@{k}_{t}": sum(hits >= least[t] for hits in draws) / len(draws) for t in least}


@pytest.mark.parametrize(("k", "n"), [(4, 8), (2, 5)])
def test_g_pass_determines_the_number_of_successes(tmp_path, k, n):
    rows = [(str(c), {**g_pass(k, n, c), f"mg-pass@{k}": 0.5}, n) for c in range(n + 1)]
    path = details(tmp_path / AIME, rows)
    assert counts(read(path, model="m")) == {"m": {str(c): [n - c, c] for c in range(n + 1)}}
    assert read(path) == read(path, score=f"g-pass@{k}_0.5")
    refused(path, "is about several samples together", score=f"mg-pass@{k}")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (g_pass(2, 2, 0) | {"g-pass@2_1.0": 0.5}, "no number of successes of 2 samples gives the values of"),
        ({"g-pass@2_1.0": 0.0}, "do not determine the successes of 2 samples: 0 or 1"),
        ({"g-pass@4_1.0": 0.0}, "G-Pass@4 needs 4 samples, but there are 2"),
        ({"em": 1.0}, "'em' is one number about 2 samples"),
    ],
)
def test_numbers_that_determine_nothing(tmp_path, values, message):
    refused(details(tmp_path / AIME, [("0", values, 2)]), f"document '0': .*{message}")
