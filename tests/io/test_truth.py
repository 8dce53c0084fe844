"""Files of real tools against their true outcomes, if these files are there."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from scorio.io import recognise

LOGS = Path(__file__).parents[3] / "shared" / "logs" / "tools"
LOGS3 = LOGS.with_name("tools3")
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
PARQUET = ("lighteval", "trl")
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


@pytest.mark.skipif(not LOGS.exists(), reason="the files of real tools are not there")
@pytest.mark.parametrize(("folder", "options", "part"), CASES)
def test_the_outcomes_of_a_tool_are_the_truth(folder, options, part):
    if folder.startswith(PARQUET):
        pytest.importorskip("duckdb")
    if folder.startswith("inspect") and sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    truth = json.loads((LOGS / "truth.json").read_text())[folder.partition("/")[0]]
    suffix = f" [{part}]" if part else ""
    expected = {
        model.removesuffix(suffix): {question: Counter(values) for question, values in questions.items()}
        for model, questions in truth.items()
        if model.endswith(suffix)
    }
    assert trials(recognise(LOGS / folder, **options)) == expected


@pytest.mark.skipif(not LOGS3.exists(), reason="the files of today's tools are not there")
@pytest.mark.parametrize(("key", "options", "names", "start"), TODAY)
def test_the_outcomes_of_today_s_tools_are_the_truth(key, options, names, start):
    if key.startswith("inspect") and sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    truth = json.loads((LOGS3 / "truth.json").read_text())[key]
    if "task" in options:
        truth = {model: questions for model, questions in truth.items() if model.endswith(f"[{options['task']}]")}
    found = trials(recognise(LOGS3 / key.partition(" ")[0], **options))
    found = {
        names.get(name, name): {of_request(q.removeprefix(start)): n for q, n in own.items()}
        for name, own in found.items()
    }
    assert found == {model: {q: Counter(own) for q, own in questions.items()} for model, questions in truth.items()}


@pytest.mark.skipif(not LOGS.exists(), reason="the files of real tools are not there")
def test_data_sets_of_two_trainings_are_not_mixed():
    pytest.importorskip("duckdb")
    with pytest.raises(ValueError, match=r"'step 10 \[folder=text\]' has no question in common with"):
        recognise(LOGS / "trl", score="accuracy_reward")
