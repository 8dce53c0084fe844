"""Damaged files of every format, and what must hold of them: a reading or one line that says what is wrong."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from scorio import OutcomeError, OutcomeSet, read
from written import (
    inspect_eval,
    inspect_header,
    inspect_sample,
    lm_eval_file,
    lm_eval_row,
    write_json,
    write_lines,
)

MOST_EDITS = 4
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}), st.just([[{}]])
)
OF_DUCKDB = {
    "lighteval/m/details_t|0_2026-01-01T00-00-00.parquet": "SELECT {id: i, query: 'q'} AS doc,"
    " {'pass@k:k=1&n=2': 0.5::DOUBLE} AS metric, {text: ['a', 'b']} AS model_response FROM range(3) AS t(i)",
    "table.parquet": "SELECT 'q' || i AS question, i % 2 AS correct FROM range(9) AS t(i)",
}


def written(folder):
    """A valid file of every format that can be written here."""
    samples = [inspect_sample(f"q{i}", 1, metadata={"cluster": i}) for i in range(3)]
    np.savez(folder / "tensor.npz", R=np.eye(3)[None], models=["m"])
    (folder / "table.csv").write_text("model,question,trial,correct\na,q1,1,1\na,q2,1,0\n")
    (folder / "wide.csv").write_text("question,t1,t2\nq1,1,0\nq2,1,1\n")
    (folder / "counts.csv").write_text("question,n,c\nq1,5,3\nq2,4,4\n")
    human_eval = [{"task_id": "a", "result": "passed", "passed": True}] * 3
    statuses = {"date": "", "hash": "", "eval": {"a": [{"base_status": "pass", "plus_status": None}]}}
    info = {"num_trials": 1, "agent_info": {"llm": "m"}}
    simulations = [{"task_id": "a", "trial": 0, "reward_info": {"reward": 1.0}}]
    return [
        inspect_eval(folder / "a.eval", samples),
        write_json(folder / "a.json", inspect_header() | {"samples": samples}),
        lm_eval_file(folder / "m", [lm_eval_row(i) for i in range(3)]),
        write_lines(folder / "m_results.jsonl", human_eval),
        write_json(folder / "eval_results.json", statuses),
        write_json(folder / "tau.json", [{"task_id": 0, "trial": 0, "reward": 1.0, "info": {}}]),
        write_json(folder / "tau2.json", {"info": info, "tasks": [{"id": "a"}], "simulations": simulations}),
        write_lines(folder / "table.jsonl", [{"question": f"q{i}", "correct": i % 2} for i in range(3)]),
        *(folder / name for name in ("tensor.npz", "table.csv", "wide.csv", "counts.csv")),
        *_parquets(folder),
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
    """The content of the valid files, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in written(Path(folder))}


def lines_of(content):
    """The JSON values of a file, a line each; None of other files."""
    try:
        return [json.loads(line) for line in content.decode().splitlines()]
    except ValueError:
        return None


@st.composite
def other_bytes(draw):
    """A file with some bytes lost, doubled or changed."""
    name = draw(st.sampled_from(list(valid())))
    content = bytearray(valid()[name])
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.sampled_from([start, start + 1, start + 8, len(content)]))
        content[start:end] = draw(st.binary(max_size=4))
    return name, bytes(content)


@st.composite
def other_parts(draw):
    """A file of JSON with some of its parts of another kind."""
    name = draw(st.sampled_from([name for name, content in valid().items() if lines_of(content)]))
    lines = lines_of(valid()[name])
    for _ in range(draw(st.integers(1, MOST_EDITS))):
        spot = draw(st.sampled_from(list(places(lines))[1:] or [(0,)]))
        lines = replaced(lines, spot, draw(JUNK))
    return name, "".join(json.dumps(line) + "\n" for line in lines).encode()


def places(value, path=()):
    """Where the parts of a JSON value stand."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, part in inner:
        yield from places(part, (*path, key))


def replaced(value, path, new):
    """The value with another part at a place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def damaged_file(file):
    """Read it, or be told in one line why not."""
    name, content = file
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        try:
            assert isinstance(read(path), OutcomeSet)
        except OutcomeError as error:
            assert "\n" not in str(error)


def file_of_other_parts(file):
    """The same of a file that is JSON still."""
    damaged_file(file)


PROPERTIES = {damaged_file: (other_bytes(),), file_of_other_parts: (other_parts(),)}
