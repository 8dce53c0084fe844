"""Random folders with known outcomes: files of several tools, models in paths, factors, runs that were tried again."""

from urllib.parse import quote

import numpy as np

from helpers.truthful import (
    BINARY,
    ODD,
    WORDS,
    Case,
    counts_of,
    draw_world,
    put_json,
    put_lines,
    shuffled,
    trials_of,
    truthful,
)
from helpers.truthful_tables import put_csv, writable
from helpers.written import inspect_header, inspect_sample


def long_rows(run, **columns):
    """Return a row per trial of a run."""
    return [
        {"question": question, "trial": str(i), **columns, "score": "" if value is None else repr(value)}
        for question, i, value in trials_of(run)
    ]


@truthful("table")
def called_by_paths(rng, folder):
    """The model is in the name of a folder, in percent encoding, by which the user names it."""
    world, models = draw_world(rng, [name for name in WORDS if name != "x" * 300]), {}
    for model, (run,) in world.items():
        inside, table = folder / f"model={quote(model, safe='')}", long_rows(run)
        if not writable(table):
            return called_by_paths(rng, folder / "again")
        models[f"*/{inside.name}/*"] = model
        put_csv(rng, inside / "part-0.csv", table)
    return Case(folder, {None: counts_of(world)}, {"model": models})


@truthful("table")
def factors(rng, folder):
    """Every model under each prompt is a row."""
    world = draw_world(rng, WORDS, WORDS)
    prompts = ["short", "01", "a b"][: rng.randint(1, 3)]
    named, table = {}, []
    for model, (run,) in world.items():
        for prompt in prompts:
            own = {q: [None if v is None else rng.choice(BINARY) for v in each] for q, each in run.items()}
            named[f"{model} [prompt={prompt}]" if len(prompts) > 1 else model] = [own]
            table += long_rows(own, model=model, prompt=prompt)
    path = put_csv(rng, folder / "m.csv", shuffled(rng, table))
    return Case(path, {None: counts_of(named)}, {"factors": ["prompt"]})


@truthful("table")
def unnamed_trials(rng, folder):
    """Rows are trials; two models stand in files of their own, which are named after them."""
    world = draw_world(rng, ["alpha", "b-2", "m.1"])
    for model, (run,) in world.items():
        table = [{name: row[name] for name in ("score", "question")} for row in long_rows(run)]
        if not writable(table):
            return unnamed_trials(rng, folder / "again")
        if rng.random() < 0.5:
            put_csv(rng, folder / f"{model}.csv", shuffled(rng, table))
        else:
            put_lines(rng, folder / f"{model}.jsonl", shuffled(rng, table))
    return Case(folder, {None: counts_of(world)})


@truthful("inspect")
def tried_again(rng, folder):
    """The log of a run, and of a retry: of each trial the last attempt with an outcome counts."""
    (model, (run,)), *_ = draw_world(rng, ODD, ODD, missing=False).items()
    epochs, truth = max(map(len, run.values())), {question: [] for question in run}
    attempts = rng.randint(2, 3)
    logs = [[] for _ in range(attempts)]
    for question in run:
        for epoch in range(1, epochs + 1):
            values = [rng.choice([None, 0.0, 1.0]) for _ in logs]
            for rows, value in zip(logs, values, strict=True):
                if value is not None or rng.random() < 0.5:
                    rows.append(inspect_sample(question, epoch, {None: None, 0.0: "I", 1.0: "C"}[value]))
            truth[question].append(next((value for value in reversed(values) if value is not None), None))
    names = rng.sample("abc", attempts)
    for i, (rows, name) in enumerate(zip(logs, names, strict=True)):
        header = inspect_header(model, list(run), epochs, "sums", "run", status="error")
        header["eval"] |= {"created": f"2026-01-0{i + 1}T00:00:00+00:00", "eval_id": f"id {i}"}
        put_json(rng, folder / f"{name}.json", header | {"samples": shuffled(rng, rows)})
    return Case(folder, {"sums": counts_of({model: [truth]})})


@truthful("arrays")
def several_tools(rng, folder):
    """Models in an array, a table, a log of Inspect and one of human-eval, on the same questions."""
    questions = rng.sample(WORDS, rng.randint(1, 4))
    world = {name: [{q: [rng.choice(BINARY) for _ in range(3)] for q in questions}] for name in ("a", "b", "c", "d")}
    tensor = np.array([[world["a"][0][q] for q in questions]])
    np.savez(folder / "array.npz", R=tensor, models=["a"], questions=questions)
    put_csv(rng, folder / "rows.csv", shuffled(rng, long_rows(world["b"][0], model="b")))
    header = inspect_header("c", questions, 3)
    header["eval"].pop("task")
    rows = [inspect_sample(q, i + 1, value) for q, i, value in trials_of(world["c"][0])]
    put_json(rng, folder / "log.json", header | {"samples": rows})
    rows = [{"task_id": q, "passed": bool(value), "result": ""} for q, _, value in trials_of(world["d"][0])]
    put_lines(rng, folder / "d_results.jsonl", rows)
    (folder / "notes.md").write_text("These are words.\n")
    return Case(folder, {None: counts_of(world)})


@truthful("table")
def parts_without_a_plan(rng, folder):
    """Trials of one model in several files add up, each file being trials of its own."""
    world = draw_world(rng, WORDS, WORDS, runs=3)
    for i, (model, runs) in enumerate(world.items()):
        for n, run in enumerate(runs):
            table = [
                {name: value for name, value in row.items() if name != "trial"} for row in long_rows(run, model=model)
            ]
            put_csv(rng, folder / f"{i}-{n}.csv", [{**row, "run of": f"{i} {n}"} for row in shuffled(rng, table)])
    return Case(folder, {None: counts_of(world)})
