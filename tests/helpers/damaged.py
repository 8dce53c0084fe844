"""Damaged files of every format: each must be read, or refused in one line that says what is wrong."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
import tempfile
import warnings
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from helpers import tool_files
from helpers.written import (
    inspect_eval,
    inspect_header,
    inspect_sample,
    lm_eval_file,
    lm_eval_row,
    mlflow_trace,
    write_json,
    write_lines,
    write_workbook,
)
from scorio import OutcomeError, OutcomeSet, Suite, read
from scorio.errors import FilesWarning, PoolingWarning, QuestionsWarning, TrialsWarning
from scorio.io._format import ReaderError

MOST_EDITS = 4
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}), st.just([[{}]])
)
OF_DUCKDB = {
    "lighteval/m/details_t|0_2026-01-01T00-00-00.parquet": "SELECT {id: i, query: 'q'} AS doc,"
    " {'pass@k:k=1&n=2': 0.5::DOUBLE} AS metric, {text: ['a', 'b']} AS model_response FROM range(3) AS t(i)",
    "completions_00010.parquet": "SELECT 10 AS step, [{role: 'user', content: '1+1?'}] AS prompt, 'x' AS completion,"
    " i % 2 AS accuracy_reward FROM range(4) AS t(i)",
    "lists.parquet": "SELECT 'q' AS question, [true, false] AS graded, {x: 1} AS nested",
    "table.parquet": "SELECT 'q' || i AS question, i % 2 AS correct FROM range(9) AS t(i)",
}


_METR_RUN = {"task_family": "f", "alias": "m", "human_minutes": 2.5, "score_binarized": 1}


def written(folder):
    """Return a valid file of every format that can be written here."""
    samples = [inspect_sample(f"q{i}", 1, metadata={"cluster": i}) for i in range(3)]
    OutcomeSet({"m": [[0, 1], [1, 1]], "n": [[0, 0], [1, 0]]}, questions=["q1", "q2"]).save(folder / "counts.npz")
    np.savez(folder / "tensor.npz", R=np.eye(3)[None], models=["m"])
    (folder / "table.csv").write_text("model,question,trial,correct\na,q1,1,1\na,q2,1,0\n")
    (folder / "wide.csv").write_text("question,t1,t2\nq1,1,0\nq2,1,1\n")
    (folder / "counts.csv").write_text("question,n,c\nq1,5,3\nq2,4,4\n")
    with closing(sqlite3.connect(folder / "runs.sqlite")) as database:
        database.execute("CREATE TABLE runs (model, question, trial, correct)")
        database.executemany("INSERT INTO runs VALUES ('a', ?, 1, 1)", [("q1",), ("q2",)])
        database.commit()
    human_eval = [{"task_id": "a", "result": "passed", "passed": True}] * 3
    statuses = {"date": "", "hash": "", "eval": {"a": [{"base_status": "pass", "plus_status": None}]}}
    promptfoo = [tool_files.promptfoo_result(name, test="", variables={"q": 1}) for name in "abc"]
    info = {"num_trials": 1, "agent_info": {"llm": "m"}}
    simulations = [{"task_id": "a", "trial": 0, "reward_info": {"reward": 1.0}}]
    return [
        inspect_eval(folder / "a.eval", samples),
        write_json(folder / "a.json", inspect_header() | {"samples": samples}),
        lm_eval_file(folder / "m", [lm_eval_row(i) for i in range(3)]),
        write_lines(folder / "m_results.jsonl", human_eval),
        write_lines(folder / "runs.jsonl", [_METR_RUN | {"run_id": name, "task_id": name} for name in "abc"]),
        write_json(folder / "eval_results.json", statuses),
        write_json(folder / "tau.json", [tool_files.tau_row(0, 0, 1.0)]),
        write_json(folder / "tau2.json", {"info": info, "tasks": [{"id": "a"}], "simulations": simulations}),
        write_lines(folder / "promptfoo.jsonl", promptfoo),
        *_of_further_tools(folder),
        write_lines(folder / "table.jsonl", [{"question": f"q{i}", "correct": i % 2} for i in range(3)]),
        *(folder / name for name in ("counts.npz", "tensor.npz", "table.csv", "wide.csv", "counts.csv", "runs.sqlite")),
        *_of_tools(folder),
        *_parquets(folder),
    ]


def _of_further_tools(folder):
    """Write files of HELM, OpenAI evals, deepeval and JUnit XML, exports, and tables of nested columns and lists."""
    config = {"eval_spec": {"args": {"n": 1}}}
    helm = [tool_files.helm_row(name, 0, tool_files.helm_stat(1.0)) for name in "ab"]
    deepeval = [tool_files.deepeval_case("q")] * 2
    verl = [{"input": "1+1?", "output": "2", "score": 1.0, "step": 5, "acc": i > 0} for i in range(2)]
    braintrust = [{"input": {"q": 1}, "scores": {"exact": i % 2}, "error": None} for i in range(2)]
    weave = [
        {"op_name": "o", "inputs": {"model": "m", "example": {"id": "q"}}, "output": {"scores": {"exact": i > 0}}}
        for i in range(2)
    ]
    wandb = {"columns": ["model", "question", "correct"], "data": [["m", "q1", True], ["m", "q2", False]]}
    (folder / "junit.xml").write_text(
        '<testsuite><testcase classname="t" name="a[1-2]"/><testcase classname="t" name="a[2-2]"><failure/></testcase>'
        '<testcase name="b"><skipped/></testcase></testsuite>'
    )
    (folder / "langsmith.csv").write_text("example_id,error,feedback.exact\na,,True\na,boom,False\n")
    return [
        tool_files.helm_run(folder / "helm", helm),
        tool_files.deepeval_log(folder / "deepeval.json", deepeval, temperature=0),
        *_reports(folder),
        write_workbook(folder / "m.xlsx", {"Runs": [["question", "correct"], ["q1", 1], ["q2", 0]]}),
        write_json(folder / "braintrust.json", braintrust),
        write_json(folder / "wandb.json", wandb),
        write_lines(folder / "weave.jsonl", weave),
        write_json(folder / "lists.json", [{"item": 1, "graded_list": [True, False]}]),
        tool_files.openai_log(folder / "evals.jsonl", [("a", True), ("b", False)], config=config),
        write_lines(folder / "verl.jsonl", verl),
        *(folder / name for name in ("junit.xml", "langsmith.csv")),
    ]


def _reports(folder):
    results = {"exact": {"name": "exact", "value": True}}
    case = {"name": "q1", "inputs": "1+1", "assertions": results, "scores": {}, "labels": {}, "evaluator_failures": []}
    failed = {"name": "q2", "inputs": "1+2", "error_message": "503"}
    pytest_tests = [{"nodeid": "t.py::test_a[1-2]", "outcome": "passed"}]
    traces = [mlflow_trace(f"t{i}", "q1", {"exact": True}, request={"q": "1+1"}) for i in range(2)]
    exact, score = tool_files.phoenix_annotation("exact", 1.0), tool_files.langfuse_score("exact", True)
    items = [tool_files.langfuse_item(f"i{i}", "q1", score, model="m") for i in range(2)]
    return [
        write_json(folder / "phoenix.json", [tool_files.phoenix_run("e1", i, exact) for i in (1, 2)]),
        tool_files.langfuse_page(folder / "langfuse.json", items),
        write_json(
            folder / "langsmith.json", [tool_files.langsmith_run(f"r{i}", "q1", feedback={"exact": i}) for i in (0, 1)]
        ),
        tool_files.bfcl_run(folder / "bfcl", "multiple", ["multiple_0", "multiple_1"], ["multiple_1"]),
        write_lines(folder / "traces.jsonl", traces),
        write_json(folder / "experiment.json", {"name": "answer", "cases": [case], "failures": [failed]}),
        write_json(folder / "pytest.json", {"exitcode": 0, "root": "", "summary": {}, "tests": pytest_tests}),
    ]


def _of_tools(folder):
    rows = [tool_files.verifiers_row(i, True) for i in range(2)]
    examples = [{"example_abbr": "a_0", "pred": ["1"], "answer": ["1"], "correct": [True]}]
    reviews = [tool_files.evalscope_row(i, 0, i, {"acc": 1.0}) for i in range(2)]
    return [
        tool_files.harbor_trial(folder / "job", "a"),
        tool_files.terminal_bench_run(folder / "run", [tool_files.terminal_bench_trial("a", 1, True)]),
        tool_files.verifiers_run(folder / "sums--m" / "0", rows),
        tool_files.verifiers_traces(folder / "words", [tool_files.verifiers_episode("1", "a")]),
        tool_files.opencompass_results(folder, examples),
        write_lines(folder / "reviews" / "m" / "mcq_main.jsonl", reviews),
        write_json(folder / "m" / "codegeneration_2_0.2_eval_all.json", [tool_files.livecodebench_row("7", [True])]),
        write_json(
            folder / "m--main--bigcodebench-hard--vllm-0-1-x_eval_results.json",
            tool_files.bigcodebench_results({"a": ["pass"]}),
        ),
        write_json(folder / "lab" / "results.json", {"no_generation": ["a"], "generated": ["b"], "resolved": ["b"]}),
        *_of_shared_formats(folder),
        tool_files.graded_run(folder / "eval-1" / "with_skill" / "run-1", [True, False]),
        tool_files.vally_run(folder / "plugin", [tool_files.vally_trial("first", i, i % 2) for i in range(2)]),
        tool_files.validator_results(
            folder / "validator" / "results.json",
            [{"scenarioName": "first", "baseline": tool_files.validator_arm([True])}],
        ),
        write_json(folder / "m.run-1.json", tool_files.swe_bench_report(resolved=["a"], error=["b"])),
    ]


def _of_shared_formats(folder):
    rows = [tool_files.eee_row(f"q{i}", i % 2, result="acc") for i in range(3)]
    tool_files.submission_details(folder, "lite", "agent", ["a"], ["b"])
    return [
        tool_files.eee_run(folder / "eee", rows),
        folder / "evaluation" / "lite" / "agent" / "per_instance_details.json",
        tool_files.lmms_run(folder / "lmms", [tool_files.lmms_row(i, i % 2) for i in range(3)]),
    ]


def _parquets(folder):
    if importlib.util.find_spec("duckdb") is None:
        return
    import duckdb

    for name, select in OF_DUCKDB.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        duckdb.sql(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
        yield path


@cache
def valid():
    """Return the content of the valid files by name."""
    with tempfile.TemporaryDirectory() as folder:
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in written(Path(folder))}


@cache
def needed():
    """Return the content of the files that valid files need, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        _ = list(written(Path(folder)))
        paths = Path(folder).rglob("*_result.json")  # the answers of BFCL, beside the score files
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def placed(folder, name, content):
    """Write a file, and those that it needs; return its path."""
    beside = name.replace("score", "result")
    for each, data in {beside: needed().get(beside), name: content}.items():
        path = Path(folder, each)
        if data is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return path


def lines_of(content):
    """Return the JSON values of a file, one per line; None for other files."""
    try:
        return [json.loads(line) for line in content.decode().splitlines()]
    except ValueError:
        return None


@st.composite
def other_bytes(draw):
    """Draw a file with some bytes lost or changed."""
    name = draw(st.sampled_from(list(valid())))
    content = bytearray(valid()[name])
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.sampled_from([start, start + 1, start + 8, len(content)]))
        content[start:end] = draw(st.binary(max_size=4))
    return name, bytes(content)


@st.composite
def other_parts(draw):
    """Draw a file of JSON with some parts replaced by values of other kinds."""
    name = draw(st.sampled_from([name for name, content in valid().items() if lines_of(content)]))
    lines = lines_of(valid()[name])
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        spot = draw(st.sampled_from(list(places(lines))[1:] or [(0,)]))
        lines = replaced(lines, spot, draw(JUNK))
    return name, "".join(json.dumps(line) + "\n" for line in lines).encode()


def places(value, path=()):
    """Yield the places of the parts of a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, part in inner:
        yield from places(part, (*path, key))


def replaced(value, path, new):
    """Return the value with another part at a place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def damaged_file(file):
    """Read a file, perhaps with a warning about what was left out or pooled, or get an error of one line."""
    name, content = file
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        for left_out_or_pooled in (FilesWarning, PoolingWarning, QuestionsWarning, TrialsWarning):
            warnings.simplefilter("ignore", left_out_or_pooled)
        path = placed(folder, name, content)
        try:
            assert isinstance(read(path), (OutcomeSet, Suite))
        except OutcomeError as error:
            assert "\n" not in str(error)
            assert not isinstance(error, ReaderError)


def file_of_other_parts(file):
    """Read a file that is still JSON, or get an error of one line."""
    damaged_file(file)


PROPERTIES = {damaged_file: (other_bytes(),), file_of_other_parts: (other_parts(),)}
