"""Random files with known outcomes: Every Eval Ever, SWE-bench/experiments, lmms-eval."""

from helpers.shared_formats import (
    eee_row,
    eee_run,
    eee_settings,
    lmms_row,
    lmms_run,
    submission,
    submission_details,
)
from helpers.truthful import (
    BINARY,
    FREE,
    NEVER,
    ODD,
    PLAIN,
    Case,
    answer_of,
    counts_of,
    draw_world,
    samples_of,
    shuffled,
    trials_of,
    truthful,
)


@truthful("every-eval-ever")
def every_eval_ever(rng, folder):
    """A file per run; results with equal scores are one, others must be chosen from; trials have epochs or an order."""
    world = draw_world(rng, ODD, ODD, FREE, runs=2)
    twin, other, epochs = rng.random() < 0.3, rng.random() < 0.4, rng.random() < 0.5
    arguments = rng.choice([None, {"temperature": 0.5}])
    for number, (model, i, run) in enumerate(
        (model, i, run) for model, own in world.items() for i, run in enumerate(own)
    ):
        rows, is_named = [], False
        for question, trial, value in trials_of(run):
            answer = answer_of(question, trial, value)
            about = {
                "model": model,
                "run": i,
                "output": {"raw": [f"run {i}"]},
                "metadata": {"epoch": str(trial + 1)} if epochs else {},
            }
            final = {"turn_idx": 0, "source": "output.raw", "extracted_value": answer, "is_terminal": True}
            about["answer_attribution"] = [] if answer is None else [final]
            if value is None and is_named and rng.random() < 0.5:
                rows.append(eee_row(question, None, **about, error=None))  # no result scored it: its 0 means nothing
                continue
            is_named = True
            rows.append(eee_row(question, value, result="acc", **about))
            rows += [eee_row(question, value, result="stderr", **about)] * twin
            rows += [eee_row(question, 0.7, result="len", **about)] * other
        rows = shuffled(rng, rows) if epochs else rows
        eee_run(folder, rows, number, eee_settings(model, "sums", i, "acc", arguments))
    samples = {"sums": samples_of(world)} if rng.random() < 0.5 else None
    return Case(folder, {"sums": counts_of(world)}, {"score": "acc"} if other else {}, samples=samples)


@truthful("swe-bench")
def swe_bench_experiments(rng, folder):
    """A checkout with results of both kinds: what is in no other list failed, if all instances are listed."""
    every = rng.sample([name for name in ODD if name.strip() == name and "\n" not in name], 8)
    world = {model: [{q: [rng.choice(BINARY)] for q in every}] for model in rng.sample(PLAIN, rng.randint(1, 3))}
    is_listed, lacking = rng.random() < 0.8, False
    for model, (run,) in world.items():
        resolved = [q for q in every if run[q] == [1.0]]
        failed = [q for q in every if run[q] == [0.0]]
        if rng.random() < 0.3:
            submission_details(folder, "lite", model, resolved, failed)
            continue
        lacking = lacking or not is_listed
        cut, end = sorted((rng.randint(0, len(failed)), rng.randint(0, len(failed))))
        generated = shuffled(rng, [*resolved, *failed[cut:]]) if is_listed else ()
        submission(folder, "lite", model, shuffled(rng, resolved), failed[:cut], failed[cut:end], generated)
    return Case(folder / "evaluation", None if lacking else {"lite": counts_of(world)})


@truthful("lmms-eval")
def lmms_eval(rng, folder):
    """A file per run; a metric is a number, or an object with the score; others must be chosen from."""
    world = draw_world(rng, PLAIN, [name for name in ODD if name not in NEVER], FREE, runs=2)
    other, nested, is_named = rng.random() < 0.4, rng.random() < 0.4, rng.random() < 0.5
    for model, runs in world.items():
        for i, run in enumerate(runs):
            rows = []
            for question, own in run.items():
                del own[1:]
                value = {"score": own[0], "id": 7} if nested else own[0]
                answer = answer_of(question, 0, own[0])
                row = lmms_row(question, value, answer=answer, input=f"run {i}")
                rows.append(row | ({"other": 0.5} if other else {}))
            named = model if is_named else None
            lmms_run(folder / model, shuffled(rng, rows), date=f"2026010{i + 1}_000000", model=named)
    samples = {"mmmu_val": samples_of(world)} if rng.random() < 0.5 else None
    return Case(folder, {"mmmu_val": counts_of(world)}, {"score": "exact_match"} if other else {}, samples=samples)
