"""Settings beside logs that are damaged: the logs are read, or refused in one line."""

import json

import pytest

from helpers.damaged import places, replaced
from helpers.tool_files import (
    harbor_trial,
    terminal_bench_run,
    terminal_bench_trial,
    verifiers_episode,
    verifiers_row,
    verifiers_run,
    verifiers_traces,
)
from helpers.written import write_json
from scorio import OutcomeError, OutcomeSet, read

JUNK = [None, True, -1, 0.5, "", "x", [], [[]], {}, {"a": {}}]


def harbor(folder):
    write_json(folder / "config.json", {"n_attempts": 2, "agents": []})
    harbor_trial(folder, "a")
    return folder / "config.json"


def terminal_bench(folder):
    terminal_bench_run(folder, [terminal_bench_trial("a", 1, True)], task_ids=["a", "b"], dataset_version="1")
    return folder / "run_metadata.json"


def verifiers(folder):
    verifiers_run(folder, [verifiers_row(0, True)])
    return folder / "metadata.json"


def traces(folder):
    verifiers_traces(folder, [verifiers_episode("1", "a")], {"env": {"agent": {"max_turns": 3}, "taskset": {}}})
    return folder / "configs" / "resolved" / "eval.json"


@pytest.mark.parametrize("write", [harbor, terminal_bench, verifiers, traces])
def test_damaged_settings(tmp_path, write):
    path = write(tmp_path / "run")
    assert read(tmp_path).n_questions >= 1
    valid = json.loads(path.read_text())
    damaged = [json.dumps(replaced(valid, place, junk)) for place in places(valid) for junk in JUNK]
    for content in [*damaged, "", "{", '{"a": 1}\n{"a": 2}\n', "\xff"]:
        path.write_text(content, encoding="latin-1")
        try:
            assert isinstance(read(tmp_path), OutcomeSet)
        except OutcomeError as error:
            assert "\n" not in str(error)
