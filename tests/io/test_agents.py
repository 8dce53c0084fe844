"""Logs of agents, on files by hand: Harbor, terminal-bench, SWE-bench, tau-bench, verifiers, METR; and with skills."""

import json
from shutil import copytree, rmtree

import numpy as np
import pytest

from helpers.tool_files import (
    benchmark,
    benchmark_row,
    graded_run,
    harbor_trial,
    submission,
    submission_details,
    swe_bench_report,
    tau_row,
    terminal_bench_run,
    terminal_bench_trial,
    validator_arm,
    validator_results,
    vally_run,
    vally_trial,
    verifiers_episode,
    verifiers_row,
    verifiers_run,
    verifiers_trace,
    verifiers_traces,
)
from helpers.written import counts, quietly, refused, write_json
from scorio import AvgMetric, OutcomeError, read
from scorio.curves import horizon
from scorio.io import recognise

MODEL = "terminus-2/lab/gpt-x"


def planned(matrix):
    return dict(zip(matrix.questions, matrix.planned_trials.tolist(), strict=True))


def test_a_trial_of_harbor_that_was_not_verified_is_missing_even_if_the_tool_counts_zero(tmp_path):
    lost = {"exception_info": {"exception_type": "AgentTimeoutError"}}
    path = [harbor_trial(tmp_path / "job", f"t{i}", reward=reward, **lost) for i, reward in enumerate((1.0, None))]
    assert counts(read(path)) == {MODEL: {"hello": [0, 1]}}
    assert counts(read(path, missing="fail")) == {MODEL: {"hello": [1, 1]}}
    harbor_trial(tmp_path / "job", "t9", verifier_result={"rewards": None})
    assert planned(read(tmp_path)[MODEL]) == {"hello": 3}
    write_json(tmp_path / "job" / "config.json", {"job_name": "job", "n_attempts": 5, "agents": [], "datasets": []})
    assert planned(read(tmp_path)[MODEL]) == {"hello": 5}


def test_agents_of_one_model_are_two_models(tmp_path):
    harbor_trial(tmp_path / "job", "a")
    harbor_trial(tmp_path / "job", "b", agent="claude-code")
    harbor_trial(tmp_path / "job", "c", agent_info={"name": "codex", "version": "1", "model_info": None})
    harbor_trial(tmp_path / "job", "d", model=None, agent_info={"name": "oracle", "version": "1"})
    assert read(tmp_path).models == (MODEL, "claude-code/lab/gpt-x", "codex/gpt-x", "oracle")


def test_a_task_without_results_is_planned_if_all_tasks_are_listed(tmp_path):
    trials = [terminal_bench_trial("a", i, i == 1) for i in (1, 2)]
    path = terminal_bench_run(tmp_path / "run-1", trials, task_ids=["a", "b"])
    assert planned(read(path)["terminus/gpt-x"]) == {"a": 2, "b": 2}
    path = terminal_bench_run(tmp_path / "run-2", trials, task_ids=["a", "b"], dataset_size=9)
    assert read(path).questions == ("a",)
    terminal_bench_run(tmp_path / "run-3", trials, agent_name="codex")
    terminal_bench_run(tmp_path / "run-4", trials, agent_name="codex", agent_kwargs={"effort": "high"})
    assert read(tmp_path).models == ("terminus/gpt-x", "codex/gpt-x [effort=unset]", "codex/gpt-x [effort=high]")


REPORT = swe_bench_report(
    resolved=["a-1"], unresolved=["b-2"], error=["c-3"], empty_patch=["d-4"], incomplete=["e-5"], completed=["a-1"]
)


@pytest.mark.parametrize(
    ("more", "truth", "options"),
    [
        ({}, {"a-1": [0, 1], "b-2": [1, 0], "c-3": [1, 0], "d-4": [1, 0], "e-5": [0, 0]}, {}),
        ({}, {"a-1": [0, 1], "b-2": [1, 0], "c-3": [1, 0], "d-4": [1, 0], "e-5": [1, 0]}, {"missing": "fail"}),
        ({"infra_failure_ids": ["c-3"]}, {"c-3": [0, 0]}, {}),
        ({"pending_ids": ["f-6"], "submitted_ids": ["a-1", "g-7"]}, {"e-5": [0, 0], "f-6": [0, 0], "g-7": [0, 0]}, {}),
    ],
)
def test_failures_of_the_infrastructure_are_missing(more, truth, options, tmp_path):
    matrix = read(write_json(tmp_path / "lab__m-4.1.run-1.json", REPORT | more), **options)["lab/m-4.1"]
    assert counts({"m": matrix})["m"].items() >= truth.items()
    assert set(planned(matrix).values()) == {1}


def test_reports_of_the_first_version(tmp_path):
    """All instances are generated or not, and what was not resolved is wrong."""
    report = {"no_generation": ["c"], "generated": ["a", "b"], "no_apply": ["b"], "resolved": ["a"]}
    path = write_json(tmp_path / "20240402_agent" / "results" / "results.json", report)
    assert counts(read(path)) == {"20240402_agent": {"a": [0, 1], "b": [1, 0], "c": [1, 0]}}
    write_json(path, {"no_generation": ["c"], "no_logs": [], "resolved": ["a"]})
    refused(path, "it lists only the resolved instances")


def test_a_checkout_of_experiments_needs_the_list_of_all_instances(tmp_path):
    path = submission(tmp_path, "lite", "20240620_agent", ["a"], ["c"], ["d"])
    assert str(path) in str(refused(tmp_path, "results.json: it lists only the resolved"))
    submission(tmp_path, "lite", "20240620_agent", ["a"], ["c"], ["d"], list("abde"))
    truth = {"20240620_agent": {"a": [0, 1], "b": [1, 0], "c": [1, 0], "d": [1, 0], "e": [1, 0]}}
    assert counts(read(tmp_path / "evaluation")) == truth


def test_submissions_with_details_have_all_instances_and_splits_are_tasks(tmp_path):
    path = submission_details(tmp_path, "bash-only", "mini", ["a"], ["b"])
    submission(tmp_path, "bash-only", "agent", ["b"])
    refused(tmp_path, "it lists only the resolved")
    assert counts(read(path)) == {"mini": {"a": [0, 1], "b": [1, 0]}}
    assert read(path).costs["mini"] == {"dollars": 0.25}
    submission(tmp_path, "bash-only", "agent", ["b"], generated=["a", "b"])
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"mini": {"a": [0, 1], "b": [1, 0]}, "agent": {"a": [1, 0], "b": [0, 1]}}
    assert {source.run.task for source in reading.sources} == {"bash-only"}
    submission(tmp_path, "test", "agent", ["x"], generated=["x", "y"])
    assert read(tmp_path).tasks == ("bash-only", "test")


def test_the_file_name_of_tau_bench_tells_the_model(tmp_path):
    name = "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1120.json"
    assert read(write_json(tmp_path / name, [tau_row(0, 0, 1.0)])).models == ("gpt-4o",)


def test_success_is_a_reward_of_one_or_the_reward_itself(tmp_path):
    rewards = [1.0, 1.0 + 5e-7, 0.999, 0.0]
    path = write_json(tmp_path / "m.json", [tau_row(0, n, reward) for n, reward in enumerate(rewards)])
    assert counts(read(path)) == {"m": {"0": [2, 2]}}
    assert read(path, score="reward")["m"].levels == tuple(sorted(rewards))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (tau_row(0, 0, 1.0), "question '0' of 'm' has trial 0 of one run twice"),
        *((tau_row(0, 1, reward), "m.json: result 1: a reward must be a number; got") for reward in (None, "1", True)),
    ],
)
def test_faults_of_tau_bench(tmp_path, row, message):
    refused(write_json(tmp_path / "m.json", [tau_row(0, 0, 1.0), row]), message)


def simulation(task, trial, reward, reason="user_stop"):
    row = {"id": f"{task}-{trial}", "task_id": task, "trial": trial, "termination_reason": reason}
    return row | {"reward_info": None if reward is None else {"reward": reward}}


def tau2(simulations, **more):
    info = {"num_trials": 2, "agent_info": {"llm": "agent-a"}, "environment_info": {"domain_name": "mock"}}
    log = {"timestamp": "2026-01-01", "info": info, "tasks": [{"id": task} for task in ("t1", "t2")]}
    return log | {"simulations": simulations} | more


@pytest.mark.parametrize(
    ("reason", "reward"),
    [("infrastructure_error", None), ("infrastructure_error", 0.0), ("context_window_exceeded", 0.0)],
)
def test_what_tau2_does_not_evaluate_is_missing(tmp_path, reason, reward):
    runs = [simulation("t1", 0, 1.0), simulation("t1", 1, reward, reason)]
    runs += [simulation("t2", 0, 0.0), simulation("t2", 1, 0.5)]
    path = write_json(tmp_path / "results.json", tau2(runs))
    matrix = read(path)["agent-a"]
    assert counts({"it": matrix}) == {"it": {"t1": [0, 1], "t2": [2, 0]}}
    assert matrix.completeness == 0.75
    assert read(path, score="reward")["agent-a"].levels == (0.0, 0.5, 1.0)


def test_simulations_in_a_folder(tmp_path):
    runs = [simulation(task, trial, float(trial)) for task in ("t1", "t2") for trial in (0, 1)]
    log = tau2([], simulation_index=[{"id": run["id"]} for run in runs])
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


ROWS = [verifiers_row(0, True), verifiers_row(0, False), verifiers_row(1, True), verifiers_row(1, False, error="lost")]


def test_rollouts_of_two_models_in_files_of_one_name_stay_apart(tmp_path):
    for model in ("lab/a", "lab/b"):
        verifiers_run(tmp_path / f"sums--{model.replace('/', '--')}" / "0a1b2c3d", ROWS, model=model)
    assert read(tmp_path).models == ("lab/a", "lab/b")
    refused(tmp_path, "is a name for one model, the files hold 'lab/a', 'lab/b'", model="m")


def test_rollouts_of_early_versions_repeat_the_examples_in_turn_and_number_them_wrongly(tmp_path):
    rows = [verifiers_row(example, example == 0, id=i // 2) for i, example in enumerate((0, 1, 0, 1))]
    for row in rows:
        del row["example_id"]
    path = verifiers_run(tmp_path / "sums--lab--m" / "0a1b2c3d", rows, env="sums", env_id=None, num_examples=-1)
    assert counts(quietly(path, score="correct_answer")) == {"lab/m": {"0+0": [0, 2], "1+1": [2, 0]}}
    assert len(recognise(tmp_path).skipped) == 1


def test_an_only_reward_is_read_without_its_weight(tmp_path):
    trace = verifiers_trace(rewards={"style": {"score": 1.0, "weight": 0.2}})
    path = verifiers_traces(tmp_path, [verifiers_episode("1", "a", [trace])])
    assert counts(read(path)) == {"lab/m": {"a": [0, 1]}}


def test_a_time_out_that_was_graded_counts(tmp_path):
    trace = verifiers_trace(0.0, None, is_timeout=True, stop_condition="timeout")
    path = verifiers_traces(tmp_path, [verifiers_episode("1", "a", [trace]), verifiers_episode("2", "a", [], ok=False)])
    matrix = read(path, score="exact")["lab/m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 0]], [2])


def test_one_of_several_agents_is_chosen(tmp_path):
    traces = [verifiers_trace(1.0, None, "proposer"), verifiers_trace(0.0, None, "solver", model="lab/n")]
    path = verifiers_traces(tmp_path, [verifiers_episode("1", "a", traces)])
    assert counts(read(path, filter="proposer")) == {"lab/m": {"a": [0, 1]}}
    assert counts(read(path, filter="solver")) == {"lab/n": {"a": [1, 0]}}
    refused(path, "there are several agents, 'proposer', 'solver'")
    twice = verifiers_traces(tmp_path, [verifiers_episode("1", "a", traces[:1] * 2)])
    refused(twice, "line 1: one agent has 2 traces in one episode")


def test_a_run_that_has_just_begun_has_no_episodes(tmp_path):
    begun = verifiers_traces(tmp_path / "new", [])
    verifiers_traces(tmp_path / "old", [verifiers_episode("1", "a")])
    reading = recognise(tmp_path)
    assert reading.outcomes.models == ("lab/m",)
    assert reading.skipped[begun] == "no episode of the verifiers run has finished yet"
    refused(begun, r"traces\.jsonl: no episode of the verifiers run has finished yet")


# Runs with and without a skill.


ARMS = {"with_skill": ([True, True], [True, False]), "without_skill": ([False, True], [False, False])}


def workspace(folder):
    for eval_name in ("eval-1", "eval-two"):
        for arm, runs in ARMS.items():
            for run, met in enumerate(runs, 1):
                timing = {"total_tokens": 100 * run, "total_duration_seconds": 9.0, "executor_duration_seconds": 2.0}
                graded_run(folder / eval_name / arm / f"run-{run}", met, timing)
        about = {"eval_id": 1, "eval_name": f"{eval_name} in words", "prompt": f"do {eval_name}", "assertions": []}
        write_json(folder / eval_name / "eval_metadata.json", about)
    write_json(folder / "feedback.json", {"reviews": [{"run_id": "eval-1", "feedback": ""}], "status": "complete"})
    return folder


def of_both(wrong, right):
    return {f"{name} in words": [wrong, right] for name in ("eval-1", "eval-two")}


def test_a_workspace_of_skill_creator_has_an_arm_as_model_an_eval_as_question_and_a_run_as_trial(tmp_path):
    reading = recognise(workspace(tmp_path))
    assert counts(reading.outcomes) == {"with_skill": of_both(1, 1), "without_skill": of_both(2, 0)}
    assert {format for _, format in {(s.path, s.format) for s in reading.sources}} == {"skill-creator"}
    assert reading.outcomes.costs["with_skill"] == {"seconds": 2.0, "tokens": 150.0}
    assert not reading.outcomes["with_skill"].trial_columns.runs  # a run of an eval is a trial
    share = read(tmp_path, score="share")
    assert [AvgMetric().score(share[arm]) for arm in ARMS] == pytest.approx([0.75, 0.25])


def test_a_run_without_a_folder_of_its_own_is_one_run_and_its_assertions_are_those_of_agentskills(tmp_path):
    for arm, key, met in (("with_skill", "assertion_results", True), ("old_skill", "expectations", False)):
        timing = {"total_tokens": 9, "duration_ms": 1500}
        graded_run(tmp_path / "eval-1" / arm, [], timing, **{key: [{"text": "a", "passed": met}]})
    outcomes = read(tmp_path)
    assert counts(outcomes) == {"with_skill": {"eval-1": [0, 1]}, "old_skill": {"eval-1": [1, 0]}}
    assert outcomes.costs["with_skill"]["seconds"] == 1.5


def test_one_run_that_is_recorded_twice_is_counted_once(tmp_path):
    copytree(workspace(tmp_path / "w") / "eval-1", tmp_path / "w" / "in words")
    copytree(tmp_path / "w", tmp_path / "w" / "backup")
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"with_skill": of_both(1, 1), "without_skill": of_both(2, 0)}
    assert sum("a copy of a run" in reason for reason in reading.skipped.values()) == 4 + 12
    graded_run(tmp_path / "w" / "in words" / "with_skill" / "run-1", [False])
    refused(tmp_path, "'eval-1 in words' of 'with_skill' has trial 'run-1' of one run twice")


def test_two_skills_in_one_folder_are_two_tasks(tmp_path):
    for skill in ("pdf", "xlsx"):
        workspace(tmp_path / f"{skill}-workspace" / "iteration-1")
        benchmark(tmp_path / "alone" / f"{skill}.json", [benchmark_row(1, "a", 1, [True])], skill)
    for path in tmp_path.glob("xlsx-workspace/**/timing.json"):
        write_json(path, {"total_tokens": 7})
    assert read(tmp_path / "*-workspace").tasks == ("pdf", "xlsx")
    assert read(tmp_path / "alone").tasks == ("pdf", "xlsx")


def test_a_run_without_a_grade_and_a_run_of_one_arm_only_are_missing(tmp_path):
    (workspace(tmp_path) / "eval-1" / "with_skill" / "run-1" / "grading.json").unlink()
    rmtree(tmp_path / "eval-two" / "without_skill" / "run-2")
    outcomes = read(tmp_path)
    assert {arm: model.trials.tolist() for arm, model in outcomes.items()} == {
        "with_skill": [1, 2],
        "without_skill": [2, 1],
    }
    assert [model.completeness for model in outcomes.values()] == [0.75, 0.75]


def test_the_newest_iteration_is_read_unless_another_is_named(tmp_path):
    for number in (2, 10):
        workspace(tmp_path / f"iteration-{number}")
        benchmark(tmp_path / "alone" / f"iteration-{number}" / "benchmark.json", [benchmark_row(1, "a", 1, [True])])
    reading = recognise(tmp_path)
    assert {"10" if "iteration-10" in str(source.path) else "2" for source in reading.sources} == {"10"}
    assert sum("of an older iteration than iteration-10" in why for why in reading.skipped.values()) == 8 + 1
    assert counts(read(tmp_path / "iteration-2"))["with_skill"] == of_both(1, 1)
    assert "with_skill [iteration=iteration-2]" in read(tmp_path / "iteration-*", factors="iteration").models


def test_a_benchmark_is_read_alone_and_is_a_summary_beside_its_runs(tmp_path):
    runs = [(arm, run, met) for arm, runs in ARMS.items() for run, met in enumerate(runs, 1)]
    rows = [benchmark_row(number, *run) for number in (1, 2) for run in runs]
    alone = benchmark(tmp_path / "alone" / "benchmark.json", rows)
    assert not any(read(alone).costs.values())  # the tool writes 0 for what it does not know
    found = {arm: {f"eval-{i}": [2 - solved, solved] for i in (1, 2)} for arm, solved in zip(ARMS, (1, 0), strict=True)}
    assert counts(read(alone)) == found
    benchmark(workspace(tmp_path / "full") / "benchmark.json", rows)
    reading = recognise(tmp_path / "full")
    assert counts(reading.outcomes)["with_skill"] == of_both(1, 1)
    assert any("summary of runs" in reason for reason in reading.skipped.values())


def test_a_benchmark_without_expectations_has_counts_and_its_tokens_may_be_characters(tmp_path):
    row = benchmark_row(1, "a", 1, [True, False], time_seconds=9.0, tokens=12_450)
    path = benchmark(tmp_path / "benchmark.json", [row | {"expectations": []}])
    assert read(path).costs["a"] == {"seconds": 9.0}
    assert counts(read(path)) == {"a": {"eval-1": [1, 0]}}
    assert AvgMetric().score(read(path, score="share")["a"]) == 0.5
    most = {"passed": 2**53, "total": 2**53}  # which must not fill the memory
    assert counts(read(benchmark(path, [row | {"expectations": [], "result": most}]))) == {"a": {"eval-1": [0, 1]}}
    refused(benchmark(path, [row | {"expectations": [], "result": most | {"total": 1}}]), "expectations cannot be met")
    table = write_json(tmp_path / "table" / "benchmark.json", [{"question": "q", "model": "a", "correct": 1}])
    assert counts(read(table.parent)) == {"a": {"q": [0, 1]}}


@pytest.mark.parametrize(
    "content", [[{"text": "a", "passed": True}], {"expectations": [{"text": "a"}]}, {"claims": []}]
)
def test_a_grading_is_never_a_table_of_assertions(tmp_path, content):
    write_json(tmp_path / "eval-1" / "with_skill" / "grading.json", content)
    with pytest.raises(OutcomeError):
        read(tmp_path)


def test_trials_of_vally(tmp_path):
    for variant in ("baseline", "plugin"):
        values = [1, 0, None] if variant == "baseline" else [1, 1, 1]
        rows = [vally_trial("first", i, v, variant, used=i * (variant == "plugin")) for i, v in enumerate(values)]
        vally_run(tmp_path / variant, rows)
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"baseline": {"first": [1, 1]}, "plugin": {"first": [0, 3]}}
    assert reading.outcomes.costs["plugin"] == pytest.approx({"tokens": 100.0, "seconds": 2.5, "skill_used": 2 / 3})
    assert len(reading.skipped) == 4
    rows = [vally_trial("s", 0, 1, skill="eval", experiment={"evalFile": f"tests/p/{s}/eval.yaml"}) for s in "ab"]
    assert read(vally_run(tmp_path / "two", rows)).tasks == ("a", "b")


def test_results_of_the_skill_validator(tmp_path):
    scenario = {"scenarioName": "first", "baseline": validator_arm([True, False], False)}
    scenario |= {"skilledIsolated": validator_arm([True, True]), "skilledPlugin": validator_arm([False, False])}
    scenario |= {"skillActivationIsolated": {"activated": True}, "perRunScores": [0.5]}
    old = {"scenarioName": "second", "baseline": validator_arm([]), "withSkill": validator_arm([True])}
    path = validator_results(tmp_path / "results.json", [scenario, old])
    outcomes = read(path)
    assert counts(outcomes) == {
        "baseline": {"first": [1, 0], "second": [0, 0]},
        "isolated": {"first": [0, 1], "second": [0, 1]},
        "plugin": {"first": [1, 0], "second": [0, 0]},
    }
    assert AvgMetric().score(read(path, score="share")["baseline"], too_few="omit") == 0.5
    several = validator_results(tmp_path / "several.json", [scenario | {"perRunScores": [0.1, 0.2]}])
    refused(several, "what each of several runs did is not stored")
    ungraded = validator_results(tmp_path / "ungraded.json", [{"scenarioName": "first", "baseline": validator_arm([])}])
    refused(ungraded, 'no scenario has assertions: score="completed" reads whether the agent completed')
    assert counts(read(ungraded, score="completed")) == {"baseline": {"first": [0, 1]}}


def test_compared_runs_of_dotnet_skills_are_trials_of_both_arms(tmp_path):
    graded = [{"baselinePassed": i < 1, "treatmentPassed": True, "errored": False} for i in range(3)]
    arms = dict.fromkeys(("baseline", "skilledIsolated", "skilledPlugin"), validator_arm([]))
    scenarios = [{"scenarioName": "first", "trials": graded} | arms, {"scenarioName": "2", "trials": graded[:1]} | arms]
    results = validator_results(tmp_path / "results.json", scenarios)
    verdict = json.loads(results.read_text())["verdicts"][0]
    write_json(tmp_path / "assertion-quality" / "verdict.json", verdict)
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {
        "baseline": {"first": [2, 1], "2": [0, 1]},
        "isolated": {"first": [0, 3], "2": [0, 1]},
    }
    assert len(reading.skipped) == 1
    scenarios[1:] = []
    assert not any(read(validator_results(tmp_path / "means.json", scenarios)).costs.values())


def test_jobs_of_harbor_with_and_without_a_skill_are_two_models(tmp_path):
    for job, skills in (("with", ["pdf"]), ("without", [])):
        agent = {"name": "terminus-2", "skills": skills}
        for i in range(3):
            harbor_trial(tmp_path / job, f"t{i}", config={"agent": agent}, id=f"{job}{i}")
    outcomes = read(tmp_path)
    assert not any(outcomes[model].trial_columns.runs for model in outcomes.models)
    assert sorted(outcomes.models) == ['terminus-2/lab/gpt-x [skills=["pdf"]]', "terminus-2/lab/gpt-x [skills=unset]"]
    assert [outcomes[model].trials.tolist() for model in outcomes.models] == [[3], [3]]


def test_jobs_of_skillevaluator_are_told_apart_by_their_copies_of_the_tasks(tmp_path):
    for arm, reward in (("with", 1.0), ("without", 0.0)):
        for skill in ("pdf", "xlsx"):
            config = {"task": {"path": f"/tasks/codex/{arm}/case-1"}, "agent": {}}
            about = {"source": None, "task_checksum": f"{skill} {arm}", "config": config, "id": f"{skill} {arm}"}
            harbor_trial(tmp_path / f"{skill}-codex-{arm}", "t", "case-1", reward, agent="codex", **about)
    outcomes = read(tmp_path)
    assert outcomes.tasks == ("pdf", "xlsx")
    assert counts(outcomes["pdf"]) == {
        "codex/lab/gpt-x [skills=with]": {"case-1": [0, 1]},
        "codex/lab/gpt-x [skills=without]": {"case-1": [1, 0]},
    }


# METR's runs, with the minutes that a person needs.


METR = {"alias": "m", "model": "m-2025", "task_family": "f", "human_minutes": 4.0, "score_cont": 0.5, "tokens_count": 7}


def write_runs(folder, *rows, name="runs.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(METR | row) + "\n" for row in rows))
    return path


def of_metr(task, number, score, **more):
    return {"task_id": task, "run_id": f"{task}-{number}", "score_binarized": score} | more


def test_runs_by_model_task_and_family(tmp_path):
    rows = [of_metr("a", 1, 1), of_metr("a", 2, 0), of_metr("b", 1, 0, human_minutes=30, task_family="g")]
    path = write_runs(
        tmp_path, *rows, of_metr("a", 3, 1, alias="n"), of_metr("b", 4, 1, alias="n", human_minutes=30, task_family="g")
    )
    reading = recognise(path, keep=["human_minutes", "score_cont"])
    outcomes = reading.outcomes
    assert reading.sources[0].format == "metr-runs"
    assert (outcomes.models, outcomes.questions, outcomes.clusters) == (("m", "n"), ("a", "b"), ("f", "g"))
    assert (outcomes["m"].successes.tolist(), outcomes["m"].trials.tolist()) == ([1, 0], [2, 1])
    assert outcomes["n"].successes.tolist() == [1, 1]
    assert outcomes["m"].scores == ("human_minutes", "score_cont")
    assert outcomes.costs["m"]["tokens"] == 7
    assert read(path, score="score_cont")["m"].is_continuous or read(path, score="score_cont")["m"].levels


def test_a_run_is_not_counted_twice(tmp_path):
    write_runs(tmp_path, of_metr("a", 1, 1), of_metr("b", 1, 0))
    write_runs(tmp_path, of_metr("a", 1, 1), name="more.jsonl")
    refused(tmp_path, "a-1")
    write_runs(tmp_path, of_metr("a", 2, 0), name="more.jsonl")
    assert read(tmp_path)["m"].trials.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([of_metr("a", 1, 1), of_metr("a", 2, 1, human_minutes=5.0)], "two different questions are called 'a'"),
        ([of_metr("a", 1, 1), {"run_id": "2", "score_binarized": 0}], "line 2: task_id must be a name"),
        ([of_metr("a", 1, 1, alias=None, model=None)], "line 1: alias must be a name"),
        ([of_metr("a", 1, "maybe")], "line 1: .*'maybe'"),
        ([of_metr("a", 1, 1), of_metr("a", 2, 1, task_family="g")], "question 'a' is in two clusters"),
    ],
)
def test_faults_say_where_they_are(rows, message, tmp_path):
    refused(write_runs(tmp_path, *rows), message)


def test_metrs_fit_is_a_ridge_on_runs(tmp_path):
    """The fit by run with METR's weights, minimised by scipy, is the one by task of ``fit="metr"``."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(0)
    minutes = np.round(2.0 ** rng.uniform(0.0, 9.0, 40), 2)
    family, runs = rng.integers(0, 12, 40), rng.integers(1, 6, 40)
    rows, x, y, w = [], [], [], []
    for task in range(40):
        for number in range(runs[task]):
            score = int(rng.random() < 1 / (1 + minutes[task] / 20))
            about = {"human_minutes": float(minutes[task]), "task_family": f"f{family[task]}"}
            rows.append(of_metr(f"t{task}", number, score, **about))
            x.append(np.log2(minutes[task]))
            y.append(score)
            w.append(1 / (runs[task] * np.sqrt((family == family[task]).sum())))
    x, y, w = np.array(x), np.array(y), np.array(w) / sum(w)

    def loss(b):
        eta = b[0] + b[1] * x
        return w @ (np.logaddexp(0.0, eta) - y * eta) + 0.05 * b[1] ** 2

    a, b = minimize(loss, np.zeros(2), tol=1e-13).x
    found = horizon("pass@1", read(write_runs(tmp_path, *rows), keep="human_minutes"), "human_minutes", fit="metr")
    assert found.of("m", 0.5).extrapolated == pytest.approx(2 ** (-a / b), rel=1e-4)
    assert found.of("m", 0.8).extrapolated == pytest.approx(2 ** ((np.log(4) - a) / b), rel=1e-4)
