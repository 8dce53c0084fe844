"""Random logs with known outcomes, as Inspect, lm-evaluation-harness, promptfoo and others write them."""

import json
from fractions import Fraction
from math import ceil, comb, nan

from helpers.truthful import (
    BINARY,
    FREE,
    GRADED,
    ODD,
    PLAIN,
    WORDS,
    Case,
    answer_of,
    counts_of,
    draw_world,
    either,
    padded,
    put_json,
    put_lines,
    samples_of,
    score_of,
    shuffled,
    trials_of,
    truthful,
)
from helpers.written import inspect_header, lm_eval_row, write_json, write_lines, write_zip

LETTERS = {1.0: ["C", 1, True, "yes", 1.0], 0.0: ["I", 0, False, "no", "N"], 0.5: ["P", 0.5, "0.5"], None: [nan, None]}


def inspect_rows(rng, run, task_ids, scorer):
    """Return samples of a run: some trials that are missing have no sample, others no score or an invalid one."""
    rows = []
    for question, i, value in trials_of(run):
        if value is None and rng.random() < 0.3:
            continue
        row = {"id": task_ids[question], "epoch": i + 1, "input": f"asks {question!r}"}
        score = {"value": rng.choice(LETTERS.get(value, [value])), "answer": answer_of(question, i, value)}
        row["scores"] = {scorer: score}
        if value is None:
            kind = rng.randrange(3)
            row["scores"] = {scorer: score} if kind == 0 else rng.choice([{}, None])
            if kind == 1:
                row |= {"scores": {scorer: {"value": "C"}}, "invalidation": {"reason": "leaked"}}
        if rng.random() < 0.05 and value is not None:
            rows.append(row | {"scores": {scorer: {"value": rng.choice(["C", "I"])}}})  # it was run again
            rows.append(row)
        else:
            rows.insert(rng.randint(0, len(rows)) if not _repeated(rows) else len(rows), row)
    return rows


def _repeated(rows):
    return len({(row["id"], row["epoch"]) for row in rows}) < len(rows)


def draw_inspect(rng):
    """Return logs of several models, and their truth."""
    numbered = rng.random() < 0.3
    questions = [str(i) for i in range(1, 9)] if numbered else ODD
    values = rng.choice([BINARY, BINARY, (0.0, 0.5, 1.0)])
    world = padded(draw_world(rng, ODD, questions, values, runs=2))
    scorer, tasks = rng.choice(["match", "judge/é"]), rng.random() < 0.2
    several = rng.random() < 0.2
    truth, logs, samples = {}, [], {}
    for task in ["sums", "words"][: 1 + tasks]:
        truth[task], samples[task] = counts_of(world), samples_of(world)
        for model, runs in world.items():
            for number, run in enumerate(runs):
                ids = {question: int(question) if numbered else question for question in run}
                rows = inspect_rows(rng, run, ids, scorer)
                if several:
                    rows = [
                        row | {"scores": row["scores"] and row["scores"] | {"other": {"value": "C"}}} for row in rows
                    ]
                epochs = len(next(iter(run.values())))
                header = inspect_header(model, list(ids.values()), epochs, task, f"{task} {model!r} {number}")
                logs.append((header, rows))
    known = any(row["scores"] and scorer in row["scores"] for _, rows in logs for row in rows)
    more = {"samples": samples if rng.random() < 0.5 else None}
    return logs, truth, {"score": scorer} if several and known else {}, more


@truthful("inspect")
def inspect_json(rng, folder):
    logs, truth, options, more = draw_inspect(rng)
    for i, (header, rows) in enumerate(logs):
        put_json(rng, folder / f"{i}.json", header | {"samples": rows})
    return Case(either(rng, folder / "0.json") if len(logs) == 1 else folder, truth, options, **more)


@truthful("inspect")
def inspect_eval_archive(rng, folder):
    logs, truth, options, more = draw_inspect(rng)
    for i, (header, rows) in enumerate(logs):
        is_killed = rng.random() < 0.2 and not any("invalidation" in row for row in rows)
        members = {"header.json": header | {"invalidated": True}, "summaries.json": rows}
        if is_killed:
            cut = rng.randint(0, len(rows))
            members = {"_journal/start.json": {"version": 2, "eval": header["eval"]}}
            members |= {f"_journal/summaries/{n}.json": part for n, part in ((2, rows[:cut]), (10, rows[cut:]))}
        names = "".join(str(row["id"]) for row in rows)
        is_text = names == names.encode(errors="ignore").decode()
        for row in rows if is_text else ():
            members[f"samples/{row['id']}_epoch_{row['epoch']}.json"] = row
        if is_text and not is_killed:  # the mark is in the sample alone
            plain = [{key: value for key, value in row.items() if key != "invalidation"} for row in rows]
            members["summaries.json"] = plain
        write_zip(folder / f"{i}.eval", members)
    return Case(either(rng, folder / "0.eval") if len(logs) == 1 else folder, truth, options, **more)


@truthful("lm-eval")
def lm_eval_runs(rng, folder):
    """One file per run; a metric may be a list with one value per response."""
    values = rng.choice([BINARY, GRADED, FREE])
    world = draw_world(rng, PLAIN, WORDS, values, runs=2)
    options = {"fields": {"question": "name"}}
    metric, name, several = rng.choice(["acc", "exact_match"]), rng.choice(["none", "strict"]), rng.random() < 0.3
    for number, (model, runs) in enumerate(world.items()):
        if rng.random() < 0.5 and len(runs) > 1:
            runs[:] = [{q: [value for run in runs for value in run.get(q, [])][:1] for q in runs[0]}]
        for i, run in enumerate(runs):
            for own in run.values():
                del own[1 if number % 2 else len(own) :]
            date = f"2026-01-0{i + 1}T00-00-00.00000{number}"
            rows = [lm_eval_sample(n, q, own, metric, name) for n, (q, own) in enumerate(run.items())]
            if several:
                rows += [row | {"filter": "other", metric: 1.0} for row in rows]
            put_lines(rng, folder / model / f"samples_sums_{date}.jsonl", shuffled(rng, rows))
            results = {"results": {}, "configs": {}, "versions": {}, "model_name": model}
            if rng.random() < 0.7:
                put_json(rng, folder / model / f"results_{date}.json", results)
    options |= {"score": metric} | ({"filter": name} if several else {})
    samples = {"sums": samples_of(world, scored=True)} if rng.random() < 0.5 else None
    return Case(folder, {"sums": counts_of(world)}, options, samples=samples, keep=("answers", "judge"))


def lm_eval_sample(number, question, own, metric, name):
    value = [nan if each is None else each for each in own]
    row = lm_eval_row(number, value[0] if len(own) == 1 else value, name, metric, [["yes"] * len(own)])
    answers = [answer_of(question, i, each) for i, each in enumerate(own)]
    scores = [score_of(question, i) for i in range(len(own))]
    row |= {"filtered_resps": answers if len(own) == 1 else [answers], "metrics": [metric, "judge"]}
    return row | {"doc": {"name": question}, "doc_hash": question, "judge": scores[0] if len(own) == 1 else scores}


@truthful("promptfoo")
def promptfoo_results(rng, folder):
    world = draw_world(rng, ODD, ODD, BINARY, runs=1)
    by_score, described = rng.random() < 0.3, rng.random() < 0.7
    rows = []
    for model, (run,) in world.items():
        for question, i, value in trials_of(run):
            success = bool(value) if not by_score else rng.random() < 0.5
            row = {"provider": rng.choice([{"id": "p", "label": model}, {"id": model}]), "prompt": {"label": "Say"}}
            row |= {"success": success, "failureReason": 2 if value is None else 0, "promptIdx": 0, "testIdx": 0}
            row |= {"namedScores": {"exact": 0 if value is None else value}, "vars": {"q": question}}
            row |= {"response": {"output": answer_of(question, i, value)}}
            row["namedScores"] |= {"judge": score_of(question, i)}
            rows.append(
                row | {"testCase": {"description": question} if described else {}, "id": f"{model!r} {len(rows)}"}
            )
    rows = shuffled(rng, rows)
    samples = samples_of(world, scored=True)
    if not described:
        samples = {
            m: {json.dumps({"q": q}, ensure_ascii=False): each for q, each in own.items()} for m, own in samples.items()
        }
        world = {
            m: [{json.dumps({"q": q}, ensure_ascii=False): own for q, own in run.items()} for run in runs]
            for m, runs in world.items()
        }
    if rng.random() < 0.1 and rows:
        rows.append(rng.choice(rows))
    is_twice = len({row["id"] for row in rows}) < len(rows) and rows[-1]["failureReason"] != 2
    options = {"score": "exact"} if by_score else {}
    source = (
        put_lines(rng, folder / "out.jsonl", rows)
        if rng.random() < 0.5
        else put_json(rng, folder / "out.json", {"results": {"version": 3, "results": rows}})
    )
    if is_twice:
        return Case(source, None, options)
    if len({row["id"] for row in rows}) < len(rows):
        rows.pop()
    samples = {None: samples} if rng.random() < 0.5 else None
    return Case(either(rng, source), {None: counts_of(world)}, options, samples=samples, keep=("answers", "judge"))


@truthful("deepeval")
def deepeval_runs(rng, folder):
    world = draw_world(rng, ODD, ODD, BINARY)
    by_score = rng.random() < 0.3
    for i, (model, (run,)) in enumerate(world.items()):
        cases = []
        for question, _, value in trials_of(run):
            metric = {"name": "Exact", "success": bool(value), "score": value}
            if value is None:
                metric |= rng.choice([{"error": "boom"}, {"skipped": True}])
            case = {"name": question, "input": f"asks {question!r}", "metricsData": [metric]}
            if value is None and rng.random() < 0.3:
                case["metricsData"] = []
            if rng.random() < 0.3:
                case["metricsData"].append({"name": "Other", "success": True, "score": 1.0})
            cases.append(case)
        cases.sort(key=lambda case: not case["metricsData"])
        log = {"testCases": cases, "hyperparameters": {"model": model}}
        put_json(rng, folder / f"{i}.json", rng.choice([log, {"testRunData": log}]))
    several = any(len(case["metricsData"]) for case in cases)
    return Case(folder, {None: counts_of(world)}, {"score": "Exact/score" if by_score else "Exact"} if several else {})


@truthful("openai-evals")
def openai_evals(rng, folder):
    world = draw_world(rng, ODD, ODD, BINARY, runs=2)
    by_metric = rng.random() < 0.3
    for m, (model, runs) in enumerate(world.items()):
        for i, run in enumerate(runs):
            spec = {"completion_fns": [model], "eval_name": "sums", "run_id": f"{m} {i}", "run_config": {}}
            events = []
            for question, own in run.items():
                if all(value is None for value in own):
                    own[1:] = []
                    events.append({"sample_id": question, "type": "sampling", "data": {}})
                    continue
                for value in own:
                    data = (
                        {"score": value, "tokens": "7"}
                        if by_metric
                        else {"correct": None if value is None else value > 0}
                    )
                    events.append({"sample_id": question, "type": "metrics" if by_metric else "match", "data": data})
            report = [{"final_report": {"accuracy": 0.5}}]
            put_lines(rng, folder / f"{m}_{i}.jsonl", [{"spec": spec}, *shuffled(rng, events), *report])
    return Case(folder, {"sums": counts_of(world)}, {})


@truthful("helm")
def helm_runs(rng, folder):
    world = draw_world(rng, ODD, ODD, GRADED)
    named = rng.random() < 0.5
    for i, (model, (run,)) in enumerate(world.items()):
        most = max(map(len, run.values()))
        rows = []
        for question, trial, value in trials_of(run):
            stat = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": value}
            stats = [stat | {"count": 0, "sum": 0}] if value is None else [stat]
            stats += [{"name": {"name": "num_output_tokens", "split": "test"}, "count": 1, "sum": 5}]
            row = {"instance_id": question, "train_trial_index": trial, "stats": stats}
            rows.append(row)
            if rng.random() < 0.1:
                other = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": 0.0}
                rows.append(row | {"perturbation": {"name": "typos"}, "stats": [other]})
        if named:
            run |= padded({model: [run]})[model][0]
        write_json(folder / f"run {i}" / "per_instance_stats.json", shuffled(rng, rows))
        adapter = {"model": model} | ({"num_train_trials": most} if named else {})
        put_json(rng, folder / f"run {i}" / "run_spec.json", {"name": "sums:", "adapter_spec": adapter})
    return Case(folder, {"sums": counts_of(world)}, {})


def g_pass(n, c, k, threshold):
    least = max(ceil(k * threshold), 1)
    return float(Fraction(sum(comb(c, j) * comb(n - c, k - j) for j in range(least, k + 1)), comb(n, k)))


@truthful("lighteval")
def lighteval_details(rng, folder):
    """The number of successes is behind a mean over samples, or behind G-Pass at several thresholds."""
    import duckdb

    n, date = rng.choice([1, 2, 4, 8]), "2026-01-01T00-00-00"
    world, asked = {}, rng.sample(WORDS, 3)
    by_g_pass = n == 8 and rng.random() < 0.5
    name = rng.choice([f"pass@k:k=1&n={n}", f"avg@n:n={n}", f"avg@{n}", f"pass@1:{n}_samples"]) if n > 1 else "em"
    for model in rng.sample(PLAIN, rng.randint(1, 2)):
        run, rows = {}, []
        for question in asked:
            c, is_lost = rng.randint(0, n), rng.random() < 0.1
            run[question] = [None] * n if is_lost else [1.0] * c + [0.0] * (n - c)
            metrics = {f"g-pass@4_{t}": g_pass(n, c, 4, t) for t in (0.25, 0.5, 1.0)} if by_g_pass else {name: c / n}
            metrics = dict.fromkeys(metrics) if is_lost else metrics
            rows.append({"doc": {"id": question}, "metric": metrics, "model_response": {"text": ["x"] * n}})
        world[model] = [run]
        lines = write_lines(folder / "rows.jsonl", shuffled(rng, rows))
        path = folder / "details" / model / date / f"details_sums|0_{date}.parquet"
        path.parent.mkdir(parents=True)
        kinds = ", ".join(f'"{key}" DOUBLE' for key in rows[0]["metric"])
        columns = (
            f"{{doc: 'STRUCT(id VARCHAR)', metric: 'STRUCT({kinds})', model_response: 'STRUCT(\"text\" VARCHAR[])'}}"
        )
        duckdb.sql(
            f"COPY (SELECT * FROM read_json('{lines}', format='newline_delimited', columns={columns})) TO '{path}'"
        )
        lines.unlink()
    return Case(folder, {"sums|0": counts_of(world)}, {})
