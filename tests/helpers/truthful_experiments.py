"""Random exports of experiments of Phoenix and Langfuse, and scores of BFCL, with known outcomes."""

from helpers.experiments import (
    bfcl_result,
    bfcl_run,
    langfuse_item,
    langfuse_page,
    langfuse_score,
    langsmith_run,
    phoenix_annotation,
    phoenix_run,
)
from helpers.truthful import (
    FREE,
    NEVER,
    ODD,
    PLAIN,
    Case,
    counts_of,
    draw_world,
    put_json,
    put_lines,
    shuffled,
    trials_of,
    truthful,
)


@truthful("phoenix")
def phoenix(rng, folder):
    """A file per experiment; a run without an outcome failed, or its evaluator did, said nothing, or was not asked."""
    world = draw_world(rng, PLAIN, ODD, FREE)
    others = rng.random() < 0.5
    for model, (run,) in world.items():
        rows = []
        for question, i, value in trials_of(run):
            how = rng.choice(["failed", "lost", "empty", "not asked"]) if value is None else "scored"
            word = {1.0: "correct", 0.0: "incorrect", 0.5: "partial"}.get(value)
            by_word = word is not None and rng.random() < 0.3
            given = phoenix_annotation("right", None if by_word else value, word, "quota" if how == "lost" else None)
            if how == "failed":
                given = phoenix_annotation("right", 1.0)
            notes = [] if how == "not asked" else [given]
            notes += [phoenix_annotation("length", 3.5)] if others else []
            rows.append(phoenix_run(question, i + 1, *notes, error="boom" if how == "failed" else None))
        put_json(rng, folder / f"{model}.json", shuffled(rng, rows))
    return Case(folder, {None: counts_of(world)}, {"score": "right"} if others else {})


@truthful("langfuse")
def langfuse(rng, folder):
    """Experiments in pages of the API, in lists or in lines; repeated trials are experiments of one model."""
    world = draw_world(rng, ODD, ODD, FREE, runs=2)
    others, items, named = rng.random() < 0.5, [], False
    for model, runs in world.items():
        for number, run in enumerate(runs):
            for question, i, value in trials_of(run):
                failed = value is None and rng.random() < 0.5
                kind = rng.choice([("NUMERIC", {}), ("CATEGORICAL", {"stringValue": f"{value!r}"})])
                scores = [] if value is None else [langfuse_score("right", value, kind[0], **kind[1])]
                scores += [langfuse_score("right", 1.0)] if failed else []
                scores += [langfuse_score("length", 3.5)] if others else []
                named = named or value is not None or failed
                name, level = f"{model} {number} {question} {i}", "ERROR" if failed else "DEFAULT"
                about = {"experiment": f"night {number}", "model": model, "level": level}
                items.append(langfuse_item(name, question, *shuffled(rng, scores), **about))
    items = shuffled(rng, items)
    cut = rng.randint(0, len(items)) if others else len(items)  # a page without a score is refused
    for i, part in enumerate(part for part in (items[:cut], items[cut:]) if part):
        how = rng.choice(["page", "list", "lines"])
        if how == "page":
            langfuse_page(folder / f"{i}.json", part)
        else:
            put = put_json if how == "list" else put_lines
            put(rng, folder / f"{i}.{'json' if how == 'list' else 'jsonl'}", part)
    truth = {None: counts_of(world)} if named and (others or any(item["scores"] for item in items)) else None
    return Case(folder, truth, {"score": "right"} if others else {})


@truthful("langsmith")
def langsmith(rng, folder):
    """Runs of experiments, in a list, in lines, or below their examples; runs of parts of a task do not count."""
    world = draw_world(rng, ODD, ODD, FREE)
    others, rows = rng.random() < 0.5, []
    for model, (run,) in world.items():
        for question, i, value in trials_of(run):
            failed = value is None and rng.random() < 0.5
            word = {1.0: "correct", 0.0: "incorrect"}.get(value) if rng.random() < 0.3 else None
            given = {"right": 1.0} if failed else {} if value is None else {"right": value if word is None else word}
            about = {"error": "boom"} if failed else {}
            about["extra"] = {"metadata": {"model": model}}
            name = f"{model} {question} {i}"
            rows.append(
                langsmith_run(
                    name, question, f"session of {model}", given | ({"length": 3.5} if others else {}), **about
                )
            )
            if rng.random() < 0.2:
                rows.append(
                    langsmith_run(
                        f"part of {name}", question, f"session of {model}", {"right": 0.0}, parent_run_id=name
                    )
                )
    rows = shuffled(rng, rows)
    if rng.random() < 0.3:
        rows = [{"id": row["reference_example_id"], "inputs": row["inputs"], "runs": [row]} for row in rows]
    put_json(rng, folder / "runs.json", rows) if rng.random() < 0.5 else put_lines(rng, folder / "runs.jsonl", rows)
    return Case(folder, {None: counts_of(world)}, {"score": "right"} if others else {})


@truthful("bfcl")
def bfcl(rng, folder):
    """A category of each model: the score file lists wrong answers, and what was lost may be among them or not."""
    world = draw_world(rng, PLAIN, [name for name in ODD if ":" not in name and name not in NEVER])
    for model, (run,) in world.items():
        rows, wrong = [], []
        for question, own in run.items():
            del own[1:]
            lost = own[0] is None
            rows.append(
                bfcl_result(question, "Error during inference: 503" if lost else rng.choice(["f()", [["f()"]]]))
            )
            if own[0] == 0.0 or (lost and rng.random() < 0.5):
                wrong.append(question)
        bfcl_run(folder, "multiple", shuffled(rng, rows), wrong, model, group=rng.choice(["", "live"]))
    sources = [folder, str(folder / "score"), *([folder / "score" / model] if len(world) == 1 else [])]
    return Case(rng.choice(sources), {"multiple": counts_of(world)})
