"""Harbor: one file per trial, agents with their models, and files beside the results."""

from helpers.tool_files import harbor_trial
from helpers.written import counts, refused, write_json
from scorio import read
from scorio.io import recognise

MODEL = "terminus-2/lab/gpt-x"


def trials(job, rewards=(1.0, 0.0, None), **more):
    return [harbor_trial(job, f"hello__{i}", reward=reward, **more) for i, reward in enumerate(rewards)]


def test_other_files_of_a_job_hold_no_trials(tmp_path):
    job = tmp_path / "job"
    trials(job, (1.0,))
    write_json(job / "result.json", {"id": "1", "n_total_trials": 1, "stats": {}, "trial_results": []})
    write_json(job / "config.json", {"job_name": "job", "n_attempts": 3, "agents": [], "datasets": []})
    write_json(job / "hello__0" / "verifier" / "reward.json", {"reward": 0.5})
    write_json(job / "hello__0" / "agent" / "logs" / "trajectory.json", {"steps": []})
    (job / "hello__0" / "trial.log").write_text("question,correct\nq1,1\n")
    reading = recognise(job)
    assert counts(reading.outcomes) == {MODEL: {"hello": [0, 1]}}
    assert reading.outcomes[MODEL].planned_trials.tolist() == [3]
    assert len(reading.skipped) == 6
    assert all("Harbor" in reason for reason in reading.skipped.values())


def test_a_trial_that_was_not_verified_is_missing_even_if_the_tool_counts_zero(tmp_path):
    path = trials(tmp_path / "job", (1.0, None), exception_info={"exception_type": "AgentTimeoutError"})
    assert counts(read(path)) == {MODEL: {"hello": [0, 1]}}
    assert counts(read(path, missing="fail")) == {MODEL: {"hello": [1, 1]}}
    harbor_trial(tmp_path / "job", "hello__9", verifier_result={"rewards": None})
    assert read(tmp_path)[MODEL].planned_trials.tolist() == [3]


def test_agents_of_one_model_are_two_models(tmp_path):
    harbor_trial(tmp_path / "job", "a")
    harbor_trial(tmp_path / "job", "b", agent="claude-code")
    harbor_trial(tmp_path / "job", "c", agent_info={"name": "codex", "version": "1", "model_info": None})
    harbor_trial(tmp_path / "job", "d", model=None, agent_info={"name": "oracle", "version": "1"})
    assert read(tmp_path).models == (MODEL, "claude-code/lab/gpt-x", "codex/gpt-x", "oracle")


def test_other_settings_of_the_agent_are_other_conditions(tmp_path):
    for i, effort in enumerate(("low", "high")):
        agent = {"name": "terminus-2", "kwargs": {"effort": effort}, "override_timeout_sec": 60.0}
        harbor_trial(tmp_path / f"job-{i}", f"a{i}", config={"agent": agent})
    assert read(tmp_path).models == (f"{MODEL} [effort=low]", f"{MODEL} [effort=high]")


def test_another_version_of_a_task_is_refused(tmp_path):
    harbor_trial(tmp_path / "job", "a")
    harbor_trial(tmp_path / "job", "b", task_checksum="another")
    refused(tmp_path, "question 'hello' is another document")
