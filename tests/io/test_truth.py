"""Files of real tools against their true outcomes, if these files are there."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from scorio.io import recognise

LOGS = Path(__file__).parents[3] / "shared" / "logs" / "tools"
CASES = [
    # the folder, the arguments of read, and the part in brackets of the models that this reading is about
    ("bigcodebench", {}, ""),
    ("braintrust", {}, ""),
    ("cli-path", {}, ""),
    ("csv-with-readme", {}, ""),
    ("deepeval", {}, ""),
    ("dir-with-script", {"metric": "base"}, "base"),
    ("dir-with-script", {"metric": "plus"}, "plus"),
    ("evalscope", {}, ""),
    ("harbor", {}, ""),
    ("helm", {}, ""),
    ("inspect-args", {}, ""),
    ("inspect-score_on_error", {}, ""),
    ("inspect-temps", {}, ""),
    ("junit", {}, ""),
    ("langsmith", {"metric": "exact"}, ""),
    ("lighteval-aime", {}, ""),
    ("lighteval-gpass", {}, ""),
    ("livecodebench", {}, ""),
    ("lm_eval-shots", {}, ""),
    ("mlflow", {"metric": "exact/value"}, ""),
    ("openai-evals", {}, ""),
    ("opencompass", {"task": "add_n1"}, "add_n1"),
    ("opencompass", {"task": "add_n4"}, "add_n4"),
    ("promptfoo", {}, ""),
    ("promptfoo-arrays", {}, ""),
    ("swebench", {}, ""),
    ("terminal-bench", {}, ""),
    ("trl/chat", {"metric": "accuracy_reward"}, "chat"),
    ("trl/text", {"metric": "accuracy"}, "text"),
    ("verifiers-0.1.8", {"metric": "correct_answer"}, ""),
    ("verifiers-0.4", {"metric": "exact"}, ""),
    ("verl", {}, ""),
]
PARQUET = ("lighteval", "trl")


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


@pytest.mark.skipif(not LOGS.exists(), reason="the files of real tools are not there")
def test_data_sets_of_two_trainings_are_not_mixed():
    pytest.importorskip("duckdb")
    with pytest.raises(ValueError, match=r"'step 10 \[folder=text\]' has no question in common with"):
        recognise(LOGS / "trl", metric="accuracy_reward")
