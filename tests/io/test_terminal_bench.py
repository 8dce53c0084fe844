"""terminal-bench: the results of a run, the same trials one by one, and the names in the metadata."""

from helpers.tool_files import terminal_bench_run, terminal_bench_trial
from helpers.written import counts, refused
from scorio import read
from scorio.io import recognise

TRIALS = [
    terminal_bench_trial(task, number, is_resolved)
    for task, number, is_resolved in [("a", 1, True), ("a", 2, False), ("b", 1, None), ("b", 2, True)]
]


def test_each_trial_counts_once(tmp_path):
    terminal_bench_run(tmp_path / "run-1", TRIALS)
    (tmp_path / "run-1" / "tb.lock").write_text('{"version": 1}')
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"terminus/gpt-x": {"a": [1, 1], "b": [0, 1]}}
    assert len(reading.skipped) == 6
    assert all("terminal-bench run" in reason for reason in reading.skipped.values())
    assert counts(read(tmp_path, missing="fail")) == {"terminus/gpt-x": {"a": [1, 1], "b": [1, 1]}}


def test_a_task_without_results_is_planned_if_all_tasks_are_listed(tmp_path):
    path = terminal_bench_run(tmp_path / "run-1", TRIALS[:2], task_ids=["a", "b"])
    matrix = read(path)["terminus/gpt-x"]
    assert dict(zip(matrix.questions, matrix.planned_trials.tolist(), strict=True)) == {"a": 2, "b": 2}
    path = terminal_bench_run(tmp_path / "run-2", TRIALS[:2], task_ids=["a", "b"], dataset_size=9)
    assert read(path).questions == ("a",)


def test_agents_and_settings_stay_apart(tmp_path):
    terminal_bench_run(tmp_path / "run-1", TRIALS)
    terminal_bench_run(tmp_path / "run-2", TRIALS, agent_name="codex")
    terminal_bench_run(tmp_path / "run-3", TRIALS, agent_name="codex", agent_kwargs={"effort": "high"})
    assert read(tmp_path).models == ("terminus/gpt-x", "codex/gpt-x [effort=unset]", "codex/gpt-x [effort=high]")


def test_another_task_of_one_name_is_refused(tmp_path):
    terminal_bench_run(tmp_path / "run-1", TRIALS)
    terminal_bench_run(tmp_path / "run-2", [trial | {"instruction": "do more"} for trial in TRIALS])
    refused(tmp_path, "question 'a' is another document")
