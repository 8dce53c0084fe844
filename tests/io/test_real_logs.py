"""Real files of each tool against the outcomes they are known to hold."""

import csv
import json
import sys
from pathlib import Path

import pytest

from scorio import PassAtK, PassHatK, read

LOGS = Path(__file__).parents[3] / "shared" / "logs"
pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the real logs are not there")

QUESTIONS = [f"q0{i}" for i in range(1, 7)]
PASSAGES = ("passage0", "passage0", "passage1", "passage1", "passage2", "passage2")
TRIALS = {
    "model-a": ["11111", "10110", "00100", "11011", "00000", "10011"],
    "model-b": ["11101", "00100", "00000", "10010", "01000", "11111"],
}
SUCCESSES = {name: [row.count("1") for row in rows] for name, rows in TRIALS.items()}


def demand_zstandard():
    if sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")


def by_question(matrix):
    return dict(zip(matrix.questions, matrix.counts.tolist(), strict=True))


def demand_truth(outcomes, model, name):
    matrix = outcomes[name]
    assert [by_question(matrix)[question] for question in QUESTIONS] == [[5 - c, c] for c in SUCCESSES[model]]
    assert matrix.completeness == 1.0


@pytest.mark.parametrize("folder", ["binary_eval", "binary_json"])
def test_inspect(folder):
    if folder == "binary_eval":
        demand_zstandard()
    outcomes = read(LOGS / "inspect" / folder)
    assert outcomes.models == ("mockllm/model-a", "mockllm/model-b")
    assert outcomes.clusters == PASSAGES
    for model in TRIALS:
        demand_truth(outcomes, model, f"mockllm/{model}")


def test_inspect_gaps_are_missing_not_wrong():
    demand_zstandard()
    matrix = read(LOGS / "inspect" / "gaps")["mockllm/model-a"]
    gone = {("q03", 2), ("q01", 5), ("q05", 4)}
    truth = {}
    for question, row in zip(QUESTIONS, TRIALS["model-a"], strict=True):
        kept = [value for epoch, value in enumerate(row, 1) if (question, epoch) not in gone]
        truth[question] = [kept.count("0"), kept.count("1")]
    assert by_question(matrix) == truth
    assert matrix.completeness == pytest.approx(27 / 30)


def test_lm_eval_adds_up_five_runs():
    outcomes = read(LOGS / "lm_eval", filter="strict-match", fields={"question": "qid"})
    assert outcomes.models == ("model-a", "model-b")
    assert outcomes.clusters == ("0", "0", "1", "1", "2", "2")
    for model in TRIALS:
        demand_truth(outcomes, model, model)


def test_lm_eval_filters_must_be_chosen():
    with pytest.raises(ValueError, match=r"several filters, 'strict-match'"):
        read(LOGS / "lm_eval")


def test_human_eval_is_ragged():
    outcomes = read(LOGS / "human_eval")
    for model in TRIALS:
        lines = (LOGS / "human_eval" / f"{model}_samples.jsonl_results.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        truth = {row["task_id"]: [0, 0] for row in rows}
        for row in rows:
            truth[row["task_id"]][row["passed"]] += 1
        assert by_question(outcomes[model]) == truth
        assert outcomes[model].trials.tolist() == [5, 5, 5, 3, 5]


def test_tau_bench():
    path = LOGS / "tau" / "tau_bench_gpt-4o-airline_slim.json"
    outcomes = read(path, model="gpt-4o")
    rewards = {}
    for row in json.loads(path.read_text()):
        rewards.setdefault(str(row["task_id"]), []).append(row["reward"])
    counts = by_question(outcomes["gpt-4o"])
    assert counts == {task: [row.count(0.0), row.count(1.0)] for task, row in rewards.items()}
    assert PassHatK(1).score(outcomes["gpt-4o"]) == pytest.approx(sum(map(sum, rewards.values())) / 200)


def test_tau2_infrastructure_errors_are_missing():
    path = LOGS / "tau" / "tau2_mock_agent-b_results.json"
    matrix = read(path)["agent-b"]
    log = json.loads(path.read_text())
    lost = [run for run in log["simulations"] if run["reward_info"] is None]
    assert len(lost) == 1
    assert matrix.completeness == pytest.approx(14 / 15)
    assert matrix.counts.sum() == 14
    assert matrix.successes.sum() == sum(
        abs(run["reward_info"]["reward"] - 1) < 1e-6 for run in log["simulations"] if run["reward_info"]
    )


@pytest.mark.parametrize(
    "name", ["long_binary.csv", "long_no_trial.csv", "counts.csv", "tensor.npz", "long_binary_shuffled_bool.parquet"]
)
def test_tables_and_tensors(name):
    if name.endswith("parquet"):
        pytest.importorskip("duckdb")
    outcomes = read(LOGS / "long" / name)
    for model in TRIALS:
        demand_truth(outcomes, model, model)
        assert PassAtK(2).score(outcomes[model]) == pytest.approx({"model-a": 0.7, "model-b": 7 / 12}[model])
    if name.startswith("long"):
        assert dict(zip(outcomes.questions, outcomes.clusters, strict=True)) == dict(
            zip(QUESTIONS, PASSAGES, strict=True)
        )


def test_wide_tables_have_a_model_each():
    outcomes = read(LOGS / "long" / "wide_*.csv", model={"*model-a.csv": "model-a", "*model-b.csv": "model-b"})
    for model in TRIALS:
        demand_truth(outcomes, model, model)


@pytest.mark.parametrize("name", ["long_ragged.csv", "long_ragged_null_int8.parquet"])
def test_ragged_tables(name):
    if name.endswith("parquet"):
        pytest.importorskip("duckdb")
    truth = {}
    with (LOGS / "long" / "long_ragged.csv").open() as stream:
        for row in csv.DictReader(stream):
            if row["correct"]:
                truth.setdefault(row["model"], {}).setdefault(row["question"], [0, 0])[int(float(row["correct"]))] += 1
    outcomes = read(LOGS / "long" / name)
    assert {model: by_question(matrix) for model, matrix in outcomes.items()} == truth
    assert outcomes["model-a"].completeness < 1


@pytest.mark.parametrize("name", ["long_graded.csv", "long_graded.jsonl", "long_graded_categorical.parquet"])
def test_letters_and_scores_agree(name):
    if name.endswith("parquet"):
        pytest.importorskip("duckdb")
    with pytest.raises(ValueError, match=r"may be the outcome, 'grade', 'score'"):
        read(LOGS / "long" / name)
    letters, scores = (read(LOGS / "long" / name, score=metric) for metric in ("grade", "score"))
    assert letters == scores
    assert letters["model-a"].levels == (0.0, 0.5, 1.0)
