"""Damaged files of every format: a clear error or a reading, never anything else."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
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

JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}), st.just([[{}]])
)


def written(folder):
    """A valid file of every format, by name."""
    samples = [inspect_sample(f"q{i}", 1, metadata={"cluster": i}) for i in range(3)]
    np.savez(folder / "tensor.npz", R=np.eye(3)[None], models=["m"])
    (folder / "table.csv").write_text("model,question,trial,correct\na,q1,1,1\na,q2,1,0\n")
    return {
        "inspect": inspect_eval(folder / "a.eval", samples),
        "inspect json": write_json(folder / "a.json", inspect_header() | {"samples": samples}),
        "lm-eval": lm_eval_file(folder / "m", [lm_eval_row(i) for i in range(3)]),
        "human-eval": write_lines(
            folder / "m_results.jsonl", [{"task_id": "a", "result": "passed", "passed": True}] * 3
        ),
        "evalplus": write_json(
            folder / "eval_results.json",
            {"date": "", "hash": "", "eval": {"a": [{"base_status": "pass", "plus_status": None}]}},
        ),
        "tau": write_json(folder / "tau.json", [{"task_id": 0, "trial": 0, "reward": 1.0, "info": {}}]),
        "tau2": write_json(
            folder / "tau2.json",
            {
                "info": {"num_trials": 1, "agent_info": {"llm": "m"}},
                "tasks": [{"id": "a"}],
                "simulations": [{"task_id": "a", "trial": 0, "reward_info": {"reward": 1.0}}],
            },
        ),
        "table": folder / "table.csv",
        "json lines": write_lines(folder / "table.jsonl", [{"question": f"q{i}", "correct": i % 2} for i in range(3)]),
        "tensor": folder / "tensor.npz",
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return written(tmp_path_factory.mktemp("valid"))


FORMATS = [
    "inspect",
    "inspect json",
    "lm-eval",
    "human-eval",
    "evalplus",
    "tau",
    "tau2",
    "table",
    "json lines",
    "tensor",
]


def read_or_refuse(path):
    try:
        assert isinstance(read(path), OutcomeSet)
    except OutcomeError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", FORMATS)
def test_they_are_valid_before(files, name):
    assert read(files[name]).n_questions >= 1


@pytest.mark.parametrize("name", FORMATS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_bytes(files, name, data, tmp_path):
    content = bytearray(files[name].read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.sampled_from([start, start + 1, start + 8, len(content)]))
        content[start:end] = data.draw(st.binary(max_size=4))
    path = tmp_path / files[name].name
    path.write_bytes(content)
    read_or_refuse(path)


def places(value, path=()):
    """Where the parts of a JSON value stand."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, part in inner:
        yield from places(part, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("name", ["inspect json", "lm-eval", "human-eval", "evalplus", "tau", "tau2", "json lines"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)
@given(data=st.data())
def test_parts_of_another_kind(files, name, data, tmp_path):
    import json

    lines = [json.loads(line) for line in files[name].read_text().splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        spot = data.draw(st.sampled_from(list(places(lines))[1:]))
        try:
            lines = replaced(lines, spot, data.draw(JUNK))
        except (KeyError, IndexError, TypeError):
            continue
    read_or_refuse(write_lines(tmp_path / files[name].name, lines))


def test_depths_are_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(OutcomeError, match="not JSON|nested too deeply"):
        read(path)
    path.write_text('{"eval": {"model": "m", "scorers": ' + "[" * 900 + "]" * 900 + '}, "samples": []}')
    read_or_refuse(path)


def test_numbers_of_any_length(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text('{"question": 1' + "0" * 5000 + ', "correct": 1}\n{"question": 2, "correct": 1}\n')
    with pytest.raises(OutcomeError, match="not JSON: Exceeds the limit"):
        read(path)
