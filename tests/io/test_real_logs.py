"""Files of real tools against the outcomes that they are known to hold, where these files are there."""

import csv
import itertools
import json
import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from helpers.samples import answer_counts
from helpers.written import counts
from scorio import PassAtK, PassHatK, VoteAtK, read
from scorio.io import recognise

SHARED = Path(__file__).parents[3] / "shared" / "logs"
LOGS, LOGS3 = SHARED / "tools", SHARED / "tools3"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the real logs are not there")

QUESTIONS = [f"q0{i}" for i in range(1, 7)]
PASSAGES = ("passage0", "passage0", "passage1", "passage1", "passage2", "passage2")
TRIALS = {
    "model-a": ["11111", "10110", "00100", "11011", "00000", "10011"],
    "model-b": ["11101", "00100", "00000", "10010", "01000", "11111"],
}
NAMES = {"*model-a.csv": "model-a", "*model-b.csv": "model-b"}
SAME = [  # what holds these trials, the arguments of read, how models are called, and the clusters
    ("inspect/binary_eval", {}, "mockllm/{}", PASSAGES),
    ("inspect/binary_json", {}, "mockllm/{}", PASSAGES),
    ("lm_eval", {"filter": "strict-match", "fields": {"question": "qid"}}, "{}", ("0", "0", "1", "1", "2", "2")),
    ("long/long_binary.csv", {}, "{}", PASSAGES),
    ("long/long_no_trial.csv", {}, "{}", PASSAGES),
    ("long/long_binary_shuffled_bool.parquet", {}, "{}", PASSAGES),
    ("long/counts.csv", {}, "{}", None),
    ("long/tensor.npz", {}, "{}", None),
    ("long/wide_*.csv", {"model": NAMES}, "{}", None),
]


def demand_packages(name):
    """Skip what needs a package that is not there."""
    if name.endswith("parquet") or name.startswith(("lighteval", "trl")):
        pytest.importorskip("duckdb")
    if name.startswith("inspect") and sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")


@pytest.mark.parametrize(("path", "options", "name", "clusters"), SAME)
def test_the_same_trials_in_every_form(path, options, name, clusters):
    demand_packages(path)
    outcomes = read(str(SHARED / path), **options)
    assert outcomes.models == tuple(name.format(model) for model in TRIALS)
    for model, rows in TRIALS.items():
        matrix = outcomes[name.format(model)]
        truth = {q: [row.count("0"), row.count("1")] for q, row in zip(QUESTIONS, rows, strict=True)}
        assert dict(zip(matrix.questions, matrix.counts.tolist(), strict=True)) == truth
        assert matrix.completeness == 1.0
        assert PassAtK(2).score(matrix) == pytest.approx({"model-a": 0.7, "model-b": 7 / 12}[model])
        if clusters is not None:
            of_question = dict(zip(QUESTIONS, clusters, strict=True))
            assert dict(zip(matrix.questions, matrix.clusters, strict=True)) == of_question


def test_inspect_gaps_are_missing_not_wrong():
    demand_packages("inspect")
    matrix = read(SHARED / "inspect" / "gaps")["mockllm/model-a"]
    gone = {("q03", 2), ("q01", 5), ("q05", 4)}
    truth = {}
    for question, row in zip(QUESTIONS, TRIALS["model-a"], strict=True):
        kept = [value for epoch, value in enumerate(row, 1) if (question, epoch) not in gone]
        truth[question] = [kept.count("0"), kept.count("1")]
    assert counts({"m": matrix}) == {"m": truth}
    assert matrix.completeness == pytest.approx(27 / 30)


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("lm_eval", {}, "several filters, 'strict-match'"),
        ("long/long_graded.csv", {}, "may be the outcome, 'grade', 'score'"),
        ("long/long_graded.jsonl", {}, "may be the outcome, 'grade', 'score'"),
        ("long/long_graded_categorical.parquet", {}, "may be the outcome, 'grade', 'score'"),
        ("tools/trl", {"score": "accuracy_reward"}, r"'step 10 \[folder=text\]' has no question in common with"),
    ],
)
def test_what_has_to_be_chosen(path, options, message):
    demand_packages("trl" if "trl" in path else path)
    with pytest.raises(ValueError, match=message):
        read(SHARED / path, **options)
    if "graded" in path:
        letters, scores = (read(SHARED / path, score=metric) for metric in ("grade", "score"))
        assert letters == scores
        assert letters["model-a"].levels == (0.0, 0.5, 1.0)


def test_human_eval_is_ragged():
    outcomes = read(SHARED / "human_eval")
    for model in TRIALS:
        lines = (SHARED / "human_eval" / f"{model}_samples.jsonl_results.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        truth = {row["task_id"]: [0, 0] for row in rows}
        for row in rows:
            truth[row["task_id"]][row["passed"]] += 1
        assert counts(outcomes)[model] == truth
        assert outcomes[model].trials.tolist() == [5, 5, 5, 3, 5]


def test_tau_bench():
    path = SHARED / "tau" / "tau_bench_gpt-4o-airline_slim.json"
    outcomes = read(path, model="gpt-4o")
    rewards = {}
    for row in json.loads(path.read_text()):
        rewards.setdefault(str(row["task_id"]), []).append(row["reward"])
    assert counts(outcomes)["gpt-4o"] == {task: [row.count(0.0), row.count(1.0)] for task, row in rewards.items()}
    assert PassHatK(1).score(outcomes["gpt-4o"]) == pytest.approx(sum(map(sum, rewards.values())) / 200)


def test_tau2_infrastructure_errors_are_missing():
    path = SHARED / "tau" / "tau2_mock_agent-b_results.json"
    matrix = read(path)["agent-b"]
    log = json.loads(path.read_text())
    lost = [run for run in log["simulations"] if run["reward_info"] is None]
    assert len(lost) == 1
    assert matrix.completeness == pytest.approx(14 / 15)
    assert matrix.counts.sum() == 14
    assert matrix.successes.sum() == sum(
        abs(run["reward_info"]["reward"] - 1) < 1e-6 for run in log["simulations"] if run["reward_info"]
    )


@pytest.mark.parametrize("name", ["long_ragged.csv", "long_ragged_null_int8.parquet"])
def test_ragged_tables(name):
    demand_packages(name)
    truth = {}
    with (SHARED / "long" / "long_ragged.csv").open() as stream:
        for row in csv.DictReader(stream):
            if row["correct"]:
                truth.setdefault(row["model"], {}).setdefault(row["question"], [0, 0])[int(float(row["correct"]))] += 1
    outcomes = read(SHARED / "long" / name)
    assert counts(outcomes) == truth
    assert outcomes["model-a"].completeness < 1


CASES = [
    # the folder, the arguments of read, and the part in brackets of the models that this reading is about
    ("bigcodebench", {}, ""),
    ("braintrust", {}, ""),
    ("cli-path", {}, ""),
    ("csv-with-readme", {}, ""),
    ("deepeval", {}, ""),
    ("dir-with-script", {"score": "base"}, "base"),
    ("dir-with-script", {"score": "plus"}, "plus"),
    ("evalscope", {}, ""),
    ("harbor", {}, ""),
    ("helm", {}, ""),
    ("inspect-args", {}, ""),
    ("inspect-score_on_error", {}, ""),
    ("inspect-temps", {}, ""),
    ("junit", {}, ""),
    ("langsmith", {"score": "exact"}, ""),
    ("lighteval-aime", {}, ""),
    ("lighteval-gpass", {}, ""),
    ("livecodebench", {}, ""),
    ("lm_eval-shots", {}, ""),
    ("mlflow", {"score": "exact/value"}, ""),
    ("openai-evals", {}, ""),
    ("opencompass", {"task": "add_n1"}, "add_n1"),
    ("opencompass", {"task": "add_n4"}, "add_n4"),
    ("promptfoo", {}, ""),
    ("promptfoo-arrays", {}, ""),
    ("swebench", {}, ""),
    ("terminal-bench", {}, ""),
    ("trl/chat", {"score": "accuracy_reward"}, "chat"),
    ("trl/text", {"score": "accuracy"}, "text"),
    ("verifiers-0.1.8", {"score": "correct_answer"}, ""),
    ("verifiers-0.4", {"score": "exact"}, ""),
    ("verl", {}, ""),
]
MODELS = {"nps2sorb [name=acme/gull, p=0.4]": "acme/gull", "nps2sorb [name=acme/tern, p=0.6]": "acme/tern"}
OLD, NEW = "hpbhprii [prompt_hash=18f8d419]", "hpbhprii [prompt_hash=43f92fd8]"
RUNS = "3c1c452dbc1f4bb489b64e7b771f6076", "fdaf5f2af5034befb0f91860453f7291"
TODAY = [
    # the key of the truth, the arguments of read, and the names that differ: of models, and what questions begin with
    ("inspect-several-scorers", {"score": "exactly"}, {}, ""),
    ("inspect-several-scorers (half)", {"score": "half"}, {}, ""),
    (
        "inspect-scorer-args",
        {},
        {
            "mockllm/heron [strict=true]": "mockllm/heron [strict]",
            "mockllm/heron [strict=false]": "mockllm/heron [lenient]",
        },
        "",
    ),
    (
        "inspect-metadata",
        {"factors": "prompt_version"},
        {f"mockllm/heron [prompt_version={name}]": f"mockllm/heron [{name}]" for name in ("v1", "v2")},
        "",
    ),
    ("inspect-rescored", {"score": "right"}, {}, ""),
    ("inspect-edited", {}, {}, ""),
    ("inspect-eval-set", {}, {}, ""),
    ("inspect-errors", {}, {}, ""),
    ("inspect-unfinished", {}, {}, ""),
    ("inspect-limit-then-all", {}, {}, ""),
    ("lm_eval-group", {"task": "tiny_add"}, {old: f"{new} [tiny_add]" for old, new in MODELS.items()}, ""),
    ("lm_eval-group", {"task": "tiny_sub"}, {old: f"{new} [tiny_sub]" for old, new in MODELS.items()}, ""),
    ("lm_eval-plugin", {}, {"hpbhprii": "acme/tern"}, ""),
    ("lm_eval-other-prompt", {}, {OLD: "acme/tern [old]", NEW: "acme/tern [new]"}, ""),
    ("lm_eval-limit-then-all", {}, {"hpbhprii": "acme/tern"}, ""),
    ("hf-leaderboard-v2", {"score": "acc_norm"}, {"acme__tern": "tern"}, ""),
    ("promptfoo-sets", {}, {name: f"{name} [short: p1.txt: Q: {{{{q}}}}]" for name in ("heron", "egret")}, ""),
    ("promptfoo-best", {}, {}, ""),
    ("mlflow-traces-all", {"score": "exact"}, {RUNS[0]: "gull", RUNS[1]: "tern"}, ""),
    ("pydantic-evals", {}, {}, ""),
    ("phoenix-experiment", {}, {}, ""),
    ("bfcl-score", {}, {}, ""),
    ("pytest-json", {}, {}, "test_llm.py::"),
    ("livebench-judgment", {}, {}, ""),
    ("people-wide-runs", {}, {}, ""),
    ("people-yes-no", {}, {}, ""),
    ("people-percent", {}, {}, ""),
    ("people-xlsx", {}, {}, ""),
    ("people-long-metrics", {"score": "accuracy"}, {}, ""),
    (
        "people-prompt-column",
        {"factors": "temperature"},
        {f"{name} [temperature={i}.0]": f"{name} [{i}]" for name in ("tern", "gull") for i in (0, 1)},
        "",
    ),
]


def trials(reading):
    """Return the number of trials by reward, per model and question; None counts missing trials."""
    found = {}
    for name, matrix in reading.outcomes.items():
        levels = matrix.levels or (0.0, 1.0)
        rows = zip(matrix.questions, matrix.counts.tolist(), matrix.planned_trials.tolist(), strict=True)
        found[without_key(name)] = {
            question: +Counter(dict(zip(levels, counts, strict=True)) | {None: planned - sum(counts)})
            for question, counts, planned in rows
        }
    return found


def of_request(question):
    """Return a question such as "{'question': 'a', 'trial': 1}" as truth.json has it."""
    return re.sub(r"^\{'question': '(.*)', 'trial': (\d+)\}$", r"\1|\2", question)


def without_key(name):
    """Return a name such as 'm [prompt=Say]' as truth.json has it, with the values alone."""
    return re.sub(r"\[(prompt)=", "[", name)


@pytest.mark.parametrize(("folder", "options", "part"), CASES)
def test_the_outcomes_of_a_tool_are_the_truth(folder, options, part):
    demand_packages(folder)
    truth = json.loads((LOGS / "truth.json").read_text())[folder.partition("/")[0]]
    suffix = f" [{part}]" if part else ""
    expected = {
        model.removesuffix(suffix): {question: Counter(values) for question, values in questions.items()}
        for model, questions in truth.items()
        if model.endswith(suffix)
    }
    assert trials(recognise(LOGS / folder, **options)) == expected


@pytest.mark.parametrize(("key", "options", "names", "start"), TODAY)
def test_the_outcomes_of_today_s_tools_are_the_truth(key, options, names, start):
    demand_packages(key)
    truth = json.loads((LOGS3 / "truth.json").read_text())[key]
    if "task" in options:
        truth = {model: questions for model, questions in truth.items() if model.endswith(f"[{options['task']}]")}
    found = trials(recognise(LOGS3 / key.partition(" ")[0], **options))
    found = {
        names.get(name, name): {of_request(q.removeprefix(start)): n for q, n in own.items()}
        for name, own in found.items()
    }
    assert found == {model: {q: Counter(own) for q, own in questions.items()} for model, questions in truth.items()}


# Votes of EvalScope: the rule that it documents, and what Vote@k makes of it.


def first_of_most(answers, outcomes, k):
    """The rule of EvalScope's vote@k: of the first k, the most frequent; ties by first place."""
    first = [answer for answer in answers[:k] if answer is not None]
    if not first:
        return 0.0
    chosen = max(first, key=first.count)
    return float(any(o for a, o in zip(answers[:k], outcomes[:k], strict=True) if a == chosen))


def answers_and_outcomes(matrix):
    """Return the answers and outcomes of each question."""
    known = matrix.trial_columns.answers
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    for row in range(matrix.n_questions):
        here = np.flatnonzero(rows == row)
        codes = known.of_trial[here]
        yield [known.labels[i] if i >= 0 else None for i in codes], outcomes[here].tolist()


def test_a_vote_is_the_mean_of_the_tools_rule_over_all_orders_of_the_samples():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = read(LOGS / "evalscope", keep="answers")
    for matrix in models.values():
        for k in range(1, matrix.min_trials + 1):
            ours = VoteAtK(k).per_question(matrix)
            for row, (answers, outcomes) in enumerate(answers_and_outcomes(matrix)):
                orders = itertools.permutations(range(len(answers)))
                theirs = [first_of_most([answers[i] for i in o], [outcomes[i] for i in o], k) for o in orders]
                assert ours[row] == pytest.approx(np.mean(theirs), abs=1e-12)
            if k == matrix.min_trials:  # all samples: the same number wherever there is no tie
                tied = [len(c) > 1 and sorted(c.values())[-2] == max(c.values()) for c in answer_counts(matrix)]
                assert {ours[i] for i in np.flatnonzero(~np.array(tied))} <= {0.0, 1.0}
