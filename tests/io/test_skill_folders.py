"""Runs with and without a skill: skill-creator, Vally and the skill validator of dotnet/skills, jobs of Harbor."""

import pytest

from helpers.skill_files import (
    benchmark,
    benchmark_row,
    graded_run,
    validator_arm,
    validator_results,
    vally_run,
    vally_trial,
)
from helpers.tool_files import harbor_trial
from helpers.written import counts, refused, write_json
from scorio import AvgMetric, OutcomeError, read
from scorio.io import recognise

ARMS = {"with_skill": ([True, True], [True, False]), "without_skill": ([False, True], [False, False])}


def workspace(folder):
    for eval_name in ("eval-1", "eval-two"):
        for arm, runs in ARMS.items():
            for run, met in enumerate(runs, 1):
                timing = {"total_tokens": 100 * run, "total_duration_seconds": 9.0, "executor_duration_seconds": 2.0}
                graded_run(folder / eval_name / arm / f"run-{run}", met, timing)
        write_json(folder / eval_name / "eval_metadata.json", {"eval_id": 1, "eval_name": "x", "prompt": "p"})
    return folder


def test_a_workspace_of_skill_creator_has_an_arm_as_model_an_eval_as_question_and_a_run_as_trial(tmp_path):
    reading = recognise(workspace(tmp_path))
    assert counts(reading.outcomes) == {
        "with_skill": {"eval-1": [1, 1], "eval-two": [1, 1]},
        "without_skill": {"eval-1": [2, 0], "eval-two": [2, 0]},
    }
    assert {format for _, format in {(s.path, s.format) for s in reading.sources}} == {"skill-creator"}
    assert reading.outcomes.costs["with_skill"] == {"seconds": 2.0, "tokens": 150.0}
    share = read(tmp_path, score="share")
    assert [AvgMetric().score(share[arm]) for arm in ARMS] == pytest.approx([0.75, 0.25])


def test_a_run_without_a_folder_of_its_own_is_one_run(tmp_path):
    graded_run(tmp_path / "eval-1" / "with_skill", [True])
    graded_run(tmp_path / "eval-1" / "old_skill", [False])
    assert counts(read(tmp_path)) == {"with_skill": {"eval-1": [0, 1]}, "old_skill": {"eval-1": [1, 0]}}


def test_iterations_of_a_skill_are_different_models(tmp_path):
    for number in (1, 2):
        workspace(tmp_path / f"iteration-{number}")
    assert "with_skill [iteration=iteration-2]" in read(tmp_path).models


def test_a_benchmark_is_read_alone_and_is_a_summary_beside_its_runs(tmp_path):
    runs = [(arm, run, met) for arm, runs in ARMS.items() for run, met in enumerate(runs, 1)]
    rows = [benchmark_row(number, *run) for number in (1, 2) for run in runs]
    alone = benchmark(tmp_path / "alone" / "benchmark.json", rows)
    assert not any(read(alone).costs.values())  # the tool writes 0 for what it does not know
    found = {arm: {f"eval-{i}": [2 - solved, solved] for i in (1, 2)} for arm, solved in zip(ARMS, (1, 0), strict=True)}
    assert counts(read(alone)) == found
    benchmark(workspace(tmp_path / "full") / "benchmark.json", rows)
    reading = recognise(tmp_path / "full")
    assert counts(reading.outcomes)["with_skill"] == {"eval-1": [1, 1], "eval-two": [1, 1]}
    assert any("summary of runs" in reason for reason in reading.skipped.values())


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


def test_jobs_of_harbor_with_and_without_a_skill_are_two_models(tmp_path):
    for job, skills in (("with", ["pdf"]), ("without", [])):
        agent = {"name": "terminus-2", "skills": skills}
        for i in range(3):
            harbor_trial(tmp_path / job, f"t{i}", config={"agent": agent}, id=f"{job}{i}")
    outcomes = read(tmp_path)
    assert sorted(outcomes.models) == [
        'terminus-2/lab/gpt-x [skills=["pdf"]]',
        "terminus-2/lab/gpt-x [skills=unset]",
    ]
    assert [outcomes[model].trials.tolist() for model in outcomes.models] == [[3], [3]]
