"""The lm-evaluation-harness plug-in: its functions here, and in the real tool with its dummy model."""

import json
import math
import pickle
import subprocess
import sys

import pytest

from scorio import BayesMetric, OutcomeError, OutcomeMatrix, ParameterError, PassAtK, read
from scorio.integrations.lm_eval import aggregate, measured, same_text, trials

RIGHT = [[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]]
OUTCOMES = OutcomeMatrix(RIGHT)


def aggregated(rows, metrics, **options):
    documents = [measured(row, metrics, **options) for row in rows]
    return {name: aggregate([document[name] for document in documents]) for name in documents[0]}


def test_each_metric_has_its_sd_and_bounds_beside_it():
    found = aggregated(RIGHT, ["bayes", "pass@2"])
    for name, metric in (("bayes", BayesMetric()), ("pass@2", PassAtK(2))):
        _, sd, lower, upper = metric.interval(OUTCOMES)
        mine = [found[name], *(found[f"{name}_{what}"] for what in ("sd", "lower", "upper", "completeness"))]
        assert mine == pytest.approx([metric.score(OUTCOMES), sd, lower, upper, 1.0], rel=1e-12)


def test_options_of_the_interval_are_passed_on():
    found = aggregated(RIGHT, "pass@2", confidence=0.5, prior="jeffreys")
    assert found["pass@2_lower"] == pytest.approx(PassAtK(2).interval(OUTCOMES, 0.5, prior="jeffreys").lo)


def test_missing_trials_are_missing_and_too_few_make_nan():
    rows = [[1, None, 0, 1], [None] * 4, [1, 1, 1, 1]]
    found = aggregated(rows, ["pass@4", "pass@3"], too_few="omit")
    assert (found["pass@4"], found["pass@3"], found["pass@4_completeness"]) == (1.0, 1.0, 7 / 12)
    assert math.isnan(aggregated(rows, "pass@4")["pass@4"])
    assert math.isnan(aggregated(RIGHT, "pass@5")["pass@5"])
    assert math.isnan(aggregated([[None]], "bayes", too_few="omit")["bayes"])


def test_a_threshold_makes_a_success_and_rewards_stay_rewards():
    found = aggregated([[0.5, 1.0], [0.25, 0.0]], ["pass@1", "bayes"], success=0.5, levels=(0.75,))
    assert found["pass@1"] == 0.5
    counts = [[0, 0, 1, 0, 1], [1, 1, 0, 0, 0]]
    matrix = OutcomeMatrix.from_counts(counts, levels=(0.0, 0.25, 0.5, 0.75, 1.0))
    assert found["bayes"] == BayesMetric().score(matrix)


def test_rewards_beyond_one_make_their_own_scale():
    assert aggregated([[4, 10], [7, 7]], "max@2")["max@2"] == 8.5
    assert aggregated([[7, 7], [7, 7]], "avg")["avg"] == 7.0


def test_outcomes_are_plain_lists_to_json_and_survive_pickling():
    outcomes = measured([1, 0], "pass@2")["pass@2_sd"]
    assert json.dumps(outcomes) == "[1.0, 0.0]"
    again = pickle.loads(pickle.dumps(outcomes))
    assert (again, again.number, again.measure) == (outcomes, "sd", outcomes.measure)


def test_responses_are_compared_as_text_or_by_the_user_s_own_score():
    assert trials(["42"], [[" 42\n", "41"]])["avg"] == [1.0, 0.0]
    assert trials([42], [["a", "bb"]], score=lambda gold, response: len(response))["avg"] == [1.0, 2.0]
    assert same_text("a", "A") == 0.0


def test_errors_say_what_to_do():
    with pytest.raises(OutcomeError, match="take_first_k"):
        trials(["42"], ["42"])
    with pytest.raises(ParameterError, match="items must be outcomes"):
        aggregate([1.0, 0.0])


TASK = """
task: parity
custom_dataset: !function grading.documents
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["END"]}
repeats: 4
filter_list:
  - name: every
    filter:
      - {function: custom, filter_fn: !function grading.answers}
metric_list:
  - metric: !function scorio.integrations.lm_eval.trials
    aggregation: !function scorio.integrations.lm_eval.aggregate
    higher_is_better: true
    metrics: ["bayes", "pass@2"]
"""
OWN = """
include: parity.yaml
task: own
process_results: !function grading.process_results
metric_list:
  - {metric: "passhat@2", aggregation: !function scorio.integrations.lm_eval.aggregate, higher_is_better: true}
  - {metric: "passhat@2_upper", aggregation: !function scorio.integrations.lm_eval.aggregate, higher_is_better: true}
"""
GRADING = """
from datasets import Dataset
from scorio.integrations.lm_eval import measured

RIGHT = {right}

def documents(**_):
    rows = [dict(question=f"question {{i}}", answer="yes", row=i) for i in range(len(RIGHT))]
    return dict(test=Dataset.from_list(rows))

def answers(resps, docs):  # the dummy model says "lol" to everything; here is what it should have said
    assert all(list(each) == ["lol"] * 4 for each in resps)
    return [["yes" if right else "no" for right in RIGHT[doc["row"]]] for doc in docs]

def process_results(doc, results):
    found = measured([response == doc["answer"] for response in results[0]], "passhat@2")
    return {{name: found[name] for name in ("passhat@2", "passhat@2_upper")}}
"""


@pytest.mark.tools
def test_the_real_tool_reports_them(tmp_path):
    pytest.importorskip("lm_eval")
    (tmp_path / "grading.py").write_text(GRADING.format(right=RIGHT))
    (tmp_path / "parity.yaml").write_text(TASK)
    (tmp_path / "own.yaml").write_text(OWN)
    command = "-m lm_eval run --model dummy --tasks parity,own --include_path . --log_samples --output_path out"
    environment = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, *command.split()], cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    [results] = tmp_path.glob("out/**/results_*.json")
    found = json.loads(results.read_text())["results"]
    for name, metric in (("bayes", BayesMetric()), ("pass@2", PassAtK(2))):
        _, sd, lower, upper = metric.interval(OUTCOMES)
        mine = [found["parity"][f"{name}{what},every"] for what in ("", "_sd", "_lower", "_upper")]
        assert mine == pytest.approx([metric.score(OUTCOMES), sd, lower, upper], rel=1e-12)
    assert found["own"]["passhat@2,every"] == pytest.approx((1 / 2 + 0 + 1) / 3)
    [samples] = tmp_path.glob("out/**/samples_parity_*.jsonl")
    assert [json.loads(line)["pass@2"] for line in samples.read_text().splitlines()] == RIGHT
    [written] = read(tmp_path / "out", task="parity", score="pass@2").values()
    assert written.counts.tolist() == OUTCOMES.counts.tolist()
