"""Random files with known outcomes of tools that measure agents with and without a skill."""

from helpers.skill_files import (
    benchmark,
    benchmark_row,
    graded_run,
    validator_arm,
    validator_results,
    vally_run,
    vally_trial,
)
from helpers.truthful import NEVER, ODD, PLAIN, Case, counts_of, draw_world, shuffled, trials_of, truthful

_EVALS = ["eval-1", "eval-2", "eval-3", "eval 4", "eval-é", "e5", "01"]  # names that a folder may have


def expectations(rng, value):
    """Whether each of some expectations is met, for an outcome; a trial that was not graded has none."""
    if value is None:
        return rng.choice([[], [True, None]])
    others = [rng.random() < 0.5 for _ in range(rng.randint(0, 3))]
    return [True] * (1 + len(others)) if value else shuffled(rng, [False, *others])


@truthful("skill-creator")
def workspace(rng, folder):
    world = draw_world(rng, PLAIN, _EVALS)
    for arm, (run,) in world.items():
        for question, i, value in trials_of(run):
            timing = rng.choice([None, {"total_tokens": 9}, {"total_duration_seconds": 1.5}])
            graded_run(folder / question / arm / f"run-{i + 1}", expectations(rng, value), timing)
    return Case(folder, {None: counts_of(world)})


@truthful("skill-creator")
def summary(rng, folder):
    world = draw_world(rng, ODD, ODD)
    rows = [
        benchmark_row(0, arm, i, expectations(rng, value)) | {"eval_name": question}
        for arm, (run,) in world.items()
        for question, i, value in trials_of(run)
    ]
    benchmark(folder / "benchmark.json", shuffled(rng, rows))
    return Case(folder, {None: counts_of(world)})


@truthful("vally")
def vally(rng, folder):
    world = draw_world(rng, ODD, ODD)
    together = rng.random() < 0.5
    rows = {
        arm: [vally_trial(question, i, value, arm) for question, i, value in trials_of(run)]
        for arm, (run,) in world.items()
    }
    files = {"all": [row for own in rows.values() for row in own]} if together else rows
    for number, own in enumerate(files.values()):
        vally_run(folder / str(number), shuffled(rng, own))
    return Case(folder, {"migrate": counts_of(world)})


@truthful("skill-validator")
def validator(rng, folder):
    """One run of each scenario and arm."""
    names = rng.sample([name for name in ODD if name not in NEVER], rng.randint(1, 5))
    arms = {"baseline": "baseline", "skilledIsolated": "isolated", "skilledPlugin": "plugin"}
    truth, scenarios = {arm: {} for arm in arms.values()}, []
    for name in names:
        values = {key: rng.choice([0.0, 1.0, None]) for key in arms}
        made = {key: validator_arm([] if v is None else expectations(rng, v)) for key, v in values.items()}
        scenarios.append({"scenarioName": name} | made)
        for key, value in values.items():
            truth[arms[key]][name] = [value]
    path = validator_results(folder / "results.json", scenarios)
    return Case(path, {"assertion-quality": counts_of({arm: [own] for arm, own in truth.items()})})
