"""The readers of tau-bench and tau2."""

import pytest

from helpers.written import counts, refused, write_json
from scorio import read


def result(task, trial, reward):
    return {"task_id": task, "trial": trial, "reward": reward, "info": {}, "traj": []}


def test_the_tool_s_file_name_tells_the_model(tmp_path):
    name = "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1120.json"
    assert read(write_json(tmp_path / name, [result(0, 0, 1.0)])).models == ("gpt-4o",)


def test_success_is_a_reward_of_one_or_the_reward_itself(tmp_path):
    rewards = [1.0, 1.0 + 5e-7, 0.999, 0.0]
    path = write_json(tmp_path / "m.json", [result(0, n, reward) for n, reward in enumerate(rewards)])
    assert counts(read(path)) == {"m": {"0": [2, 2]}}
    assert read(path, score="reward")["m"].levels == tuple(sorted(rewards))


def test_tasks_of_two_domains_are_not_one(tmp_path):
    for domain in ("airline", "retail"):
        rows = [result(0, 0, 1.0) | {"info": {"task": {"user_id": f"{domain}_mia"}}}, result(1, 0, 0.0)]
        write_json(tmp_path / f"gpt-{domain}.json", rows)
    refused(tmp_path, r"question '0' is another document in .*retail.json than in .*airline.json")


def test_a_trial_twice_is_refused(tmp_path):
    path = write_json(tmp_path / "m.json", [result(0, 0, 1.0), result(0, 0, 1.0)])
    refused(path, "question '0' of 'm' has trial 0 of one run twice")


@pytest.mark.parametrize("reward", [None, "1", True])
def test_a_reward_is_a_number(tmp_path, reward):
    path = write_json(tmp_path / "m.json", [result(0, 0, 1.0), result(0, 1, reward)])
    refused(path, "m.json: result 1: a reward must be a number; got")


def simulation(task, trial, reward, **more):
    return {"id": f"{task}-{trial}", "task_id": task, "trial": trial, "termination_reason": "user_stop"} | {
        "reward_info": None if reward is None else {"reward": reward},
        **more,
    }


def tau2(simulations, tasks=("t1", "t2"), trials=2):
    info = {"num_trials": trials, "agent_info": {"llm": "agent-a"}, "environment_info": {"domain_name": "mock"}}
    tasks = [{"id": task} for task in tasks]
    return {"timestamp": "2026-01-01", "info": info, "tasks": tasks, "simulations": simulations}


@pytest.mark.parametrize(
    ("reason", "reward"),
    [("infrastructure_error", None), ("infrastructure_error", 0.0), ("context_window_exceeded", 0.0)],
)
def test_what_the_tool_does_not_evaluate_is_missing(tmp_path, reason, reward):
    runs = [simulation("t1", 0, 1.0), simulation("t1", 1, reward, termination_reason=reason)]
    runs += [simulation("t2", 0, 0.0), simulation("t2", 1, 0.5)]
    path = write_json(tmp_path / "results.json", tau2(runs))
    matrix = read(path)["agent-a"]
    assert counts({"it": matrix}) == {"it": {"t1": [0, 1], "t2": [2, 0]}}
    assert matrix.completeness == 0.75
    assert read(path, score="reward")["agent-a"].levels == (0.0, 0.5, 1.0)


def test_simulations_in_a_folder(tmp_path):
    runs = [simulation(task, trial, float(trial)) for task in ("t1", "t2") for trial in (0, 1)]
    log = tau2([]) | {"simulation_index": [{"id": run["id"]} for run in runs]}
    write_json(tmp_path / "results.json", log)
    for run in runs:
        write_json(tmp_path / "simulations" / f"{run['id']}.json", run)
    assert counts(read(tmp_path)) == {"agent-a": {"t1": [1, 1], "t2": [1, 1]}}
    refused(tmp_path / "simulations" / "t1-0.json", "one simulation of a tau2 run")
    write_json(tmp_path / "simulations" / "old.json", runs[0])
    refused(tmp_path, "1 files in simulations/ do not belong to this run: 'old'")
    write_json(tmp_path / "results.json", log | {"simulation_index": None})
    refused(tmp_path, "question 't1' of 'agent-a' has trial 0 of one run twice")
    write_json(tmp_path / "results.json", log)
    (tmp_path / "simulations" / "old.json").unlink()
    (tmp_path / "simulations" / "t1-0.json").unlink()
    refused(tmp_path, "1 of 4 simulations are not in simulations/: 't1-0'")
