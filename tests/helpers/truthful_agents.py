"""Random logs with known outcomes: tools for agents, generated code and rollouts, and reports of tests."""

from xml.sax.saxutils import escape, quoteattr

from helpers import tool_files
from helpers.truthful import (
    BLANKS,
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
    put_text,
    samples_of,
    score_of,
    shuffled,
    trials_of,
    truthful,
)
from helpers.written import write_json


def as_flag(value):
    return None if value is None else bool(value)


@truthful("human-eval")
def human_eval(rng, folder):
    world = draw_world(rng, PLAIN, ODD)
    for model, (run,) in world.items():
        rows = [{"task_id": q, "passed": as_flag(value), "result": "?"} for q, _, value in trials_of(run)]
        path = put_lines(rng, folder / f"{model}_results.jsonl", shuffled(rng, rows))
    return Case(either(rng, path) if len(world) == 1 else folder, {None: counts_of(world)})


@truthful("bigcodebench")
def bigcodebench(rng, folder):
    world = draw_world(rng, PLAIN, ODD)
    word = {1.0: ["pass"], 0.0: ["fail", "timeout"], None: [None]}
    for model, (run,) in world.items():
        statuses = {q: [rng.choice(word[value]) for value in own] for q, own in run.items()}
        put_json(rng, folder / f"{model}_eval_results.json", tool_files.bigcodebench_results(statuses))
    return Case(folder, {None: counts_of(world)})


@truthful("evalplus")
def evalplus(rng, folder):
    world, suite = draw_world(rng, PLAIN, ODD, values=(0.0, 1.0, 2.0)), rng.choice(["base", "plus"])
    for model, (run,) in world.items():
        results = {}
        for question, own in run.items():
            pairs = [(rng.choice(["fail", "timeout"]), rng.choice(["pass", "fail"])) for _ in own]
            for i, value in enumerate(own):
                if value is None:
                    pairs[i] = (None, rng.choice([None, "pass"])) if suite == "plus" else (None, "pass")
                elif value:
                    plus = "pass" if value == 1.0 or suite == "plus" else "fail"
                    pairs[i] = ("pass", plus)
                elif suite == "plus" and rng.random() < 0.5:
                    pairs[i] = (rng.choice(["pass", None]), "fail")
            results[question] = [{"base_status": base, "plus_status": plus} for base, plus in pairs]
            own[:] = [value if value is None else min(value, 1.0) for value in own]
        put_json(rng, folder / f"{model}_eval_results.json", {"date": "x", "hash": "y", "eval": results})
    return Case(folder, {None: counts_of(world)}, {"score": suite})


@truthful("livecodebench")
def livecodebench(rng, folder):
    world = draw_world(rng, PLAIN, ODD)
    for model, (run,) in world.items():
        rows = [tool_files.livecodebench_row(q, [as_flag(value) for value in own]) for q, own in run.items()]
        named = rng.random() < 0.5
        name = "Scenario.codegeneration_4_0.2_eval_all.json" if named else f"{model}_eval_all.json"
        put_json(rng, folder / model / name, shuffled(rng, rows))
        if not named:
            world[model] = [run, {}]
    if all(len(runs) == 1 for runs in world.values()):
        return Case(folder, {"codegeneration": counts_of(world)})
    if all(len(runs) == 2 for runs in world.values()):
        return Case(folder, {None: counts_of(world)})
    tasks = {"codegeneration": 1, "no task": 2}
    worlds = {task: {m: runs for m, runs in world.items() if len(runs) == size} for task, size in tasks.items()}
    return Case(folder, {task: counts_of(each) for task, each in worlds.items()})


@truthful("tau-bench")
def tau_bench(rng, folder):
    world = draw_world(rng, PLAIN, ODD, FREE, missing=False)
    score = rng.choice([None, "reward", "success"])
    for model, (run,) in world.items():
        rows = [{"task_id": q, "trial": i, "reward": value, "info": {}} for q, i, value in trials_of(run)]
        put_json(rng, folder / f"{model}.json", shuffled(rng, rows))
        if score != "reward":
            run |= {q: [float(value == 1.0) for value in own] for q, own in run.items()}
    return Case(folder, {None: counts_of(world)}, {"score": score} if score else {})


@truthful("tau2")
def tau2(rng, folder):
    world = draw_world(rng, ODD, ODD, FREE)
    score = rng.choice([None, "reward"])
    for number, (model, (run,)) in enumerate(world.items()):
        most, rows = max(map(len, run.values())), []
        for question, i, value in trials_of(run):
            row = {"task_id": question, "trial": i, "reward_info": None if value is None else {"reward": value}}
            if value is None and rng.random() < 0.5:
                row |= {"reward_info": {"reward": 1.0}, "termination_reason": "infrastructure_error"}
            if value is not None or rng.random() < 0.7:
                rows.append(row | {"id": f"s{len(rows)}"})
        rows, beside = shuffled(rng, rows), rng.random() < 0.3
        info = {"num_trials": most, "agent_info": {"llm": model}, "environment_info": {"domain_name": "shop"}}
        log = {"info": info, "tasks": [{"id": q} for q in run], "timestamp": f"t{number}"}
        log |= {"simulation_index": [{"id": row["id"]} for row in rows]} if beside else {"simulations": rows}
        for row in rows if beside else ():
            put_json(
                rng,
                folder / str(number) / "simulations" / f"{row['id']}.json",
                row | {"termination_reason": row.get("termination_reason", "done")},
            )
        put_json(rng, folder / str(number) / "results.json", log)
        run |= padded({model: [run]})[model][0]
        if score is None:
            run |= {q: [value if value is None else float(value == 1.0) for value in own] for q, own in run.items()}
    return Case(folder, {"shop": counts_of(world)}, {"score": score} if score else {})


def xml_safe(names):
    return [name for name in names if name.isprintable() or name in BLANKS]


@truthful("junit")
def junit(rng, folder):
    """Repeats have the names of pytest-repeat; tests of other names may be there several times."""
    names = [name for name in xml_safe(ODD) if "[" not in name]
    world = draw_world(rng, PLAIN, names)
    marks = {1.0: [""], 0.0: ["<failure/>", "<failure>no</failure>"], None: ["<error/>", "<skipped/>"]}
    for model, (run,) in world.items():
        cases, repeated = [], rng.random() < 0.5
        for question, i, value in trials_of(run):
            many = len(run[question])
            name = f"{question}[{i + 1}-{many}]" if repeated and many > 1 else question
            cases.append(f"<testcase classname='t' name={quoteattr(name)}>{rng.choice(marks[value])}</testcase>")
        text = f"<testsuites><testsuite name='{escape('a&b')}'>{''.join(shuffled(rng, cases))}</testsuite></testsuites>"
        put_text(rng, folder / f"{model}.xml", f'<?xml version="1.0" encoding="utf-8"?>\n{text}')
    named = {model: [{f"t::{q}": own for q, own in run.items()}] for model, (run,) in world.items()}
    return Case(folder, {None: counts_of(named)})


@truthful("harbor")
def harbor(rng, folder):
    world, several = draw_world(rng, WORDS, ODD, GRADED), rng.random() < 0.3
    planned = rng.random() < 0.5
    for i, (model, (run,)) in enumerate(world.items()):
        job, most = folder / f"job{i}", max(map(len, run.values()))
        for n, (question, _, value) in enumerate(trials_of(run)):
            verified = {"verifier_result": {"rewards": {"reward": value, "style": 0.5}}} if several else {}
            verified = {} if value is None else verified
            tool_files.harbor_trial(job, f"t{n}", question, value, model, "agent", **verified)
        write_json(job / "config.json", {"n_attempts": most if planned else None, "agents": []})
        if planned:
            run |= padded({model: [run]})[model][0]
    named = {f"agent/lab/{model}": runs for model, runs in world.items()}
    return Case(folder, {"tb2": counts_of(named)}, {"score": "reward"} if several else {})


@truthful("terminal-bench")
def terminal_bench(rng, folder):
    world, planned = draw_world(rng, ODD, ODD), rng.random() < 0.5
    for i, (model, (run,)) in enumerate(world.items()):
        trials = [tool_files.terminal_bench_trial(q, n, as_flag(v), f"run{i}") for q, n, v in trials_of(run)]
        log = {"id": str(i), "results": shuffled(rng, trials), "n_resolved": 1, "accuracy": 0.5}
        about = {"run_id": f"run{i}", "agent_name": "terminus", "model_name": model, "dataset_name": "core"}
        about["n_attempts"] = max(map(len, run.values())) if planned else None
        put_json(rng, folder / f"run{i}" / "results.json", log)
        put_json(rng, folder / f"run{i}" / "run_metadata.json", about)
        if planned:
            run |= padded({model: [run]})[model][0]
    return Case(folder, {"core": counts_of({f"terminus/{model}": runs for model, runs in world.items()})})


@truthful("metr-runs")
def metr_runs(rng, folder):
    world, by_file = draw_world(rng, ODD, ODD, missing=False), rng.random() < 0.3
    families, numbered, rows = rng.random() < 0.7, rng.random() < 0.8, []
    for model, (run,) in world.items():
        own = []
        for n, (question, number, value) in enumerate(trials_of(run)):
            row = {"task_id": question, "alias": model, "human_minutes": len(question) + 0.5, "judge": 1}
            row |= {"score_binarized": int(value), "score_cont": score_of(question, number)}
            row |= {"task_family": question[:1]} if families else {}
            own.append(row | ({"run_id": f"{model} {n}"} if numbered else {}))
        rows += own
        if by_file:
            put_lines(rng, folder / f"{len(rows)}.jsonl", shuffled(rng, own))
    if not by_file:
        put_lines(rng, folder / "runs.jsonl", rows if numbered else shuffled(rng, rows))
    return Case(folder, {None: counts_of(world)})


@truthful("swe-bench")
def swe_bench(rng, folder):
    """A report is one trial of each of its instances."""
    world = draw_world(rng, ["alpha", "b__two", "m.1"], ODD, runs=3)
    lists = {1.0: ["resolved"], 0.0: ["unresolved", "empty_patch", "error"], None: ["incomplete", "submitted"]}
    for model, runs in world.items():
        for i, run in enumerate(runs):
            ids = {}
            for question, own in run.items():
                del own[1:]
                ids.setdefault(rng.choice(lists[own[0]]), []).append(question)
            put_json(rng, folder / f"{model}.run-{i}.json", tool_files.swe_bench_report(**ids))
    return Case(folder, {None: counts_of({model.replace("__", "/"): runs for model, runs in world.items()})})


@truthful("verifiers")
def verifiers(rng, folder):
    world, by_function = draw_world(rng, ODD, ODD, GRADED), rng.random() < 0.5
    for i, (model, (run,)) in enumerate(world.items()):
        rows = []
        for question, number, value in trials_of(run):
            row = tool_files.verifiers_row(question, True) | {"prompt": [{"role": "user", "content": question}]}
            row |= {"completion": [{"role": "assistant", "content": answer_of(question, number, value)}]}
            row |= {"judge": score_of(question, number)}
            row |= {"correct_answer": value, "reward": 0.3} if by_function else {"reward": value}
            row |= {"error": "boom", "reward": 0.0} if value is None and rng.random() < 0.5 else {}
            rows.append(row | ({"metrics": {"style": 1.0}} if rng.random() < 0.3 else {}))
        rollouts = max(map(len, run.values()))
        tool_files.verifiers_run(
            folder / f"sums--m{i}" / "0", shuffled(rng, rows), model, rollouts_per_example=rollouts
        )
        run |= padded({model: [run]})[model][0]
    samples = {"sums": samples_of(world, scored=True)} if rng.random() < 0.5 else None
    options = {"score": "correct_answer"} if by_function else {}
    return Case(folder, {"sums": counts_of(world)}, options, samples=samples, keep=("answers", "judge"))


@truthful("verifiers-traces")
def verifiers_traces(rng, folder):
    world, has_judge = draw_world(rng, ODD, ODD, GRADED), rng.random() < 0.3
    for i, (model, (run,)) in enumerate(world.items()):
        episodes = []
        for n, (question, number, value) in enumerate(trials_of(run)):
            is_lost = value is None and rng.random() < 0.5
            trace = tool_files.verifiers_trace(0.5 if is_lost else value, None, ok=not is_lost)
            trace["metrics"] = {"judge": score_of(question, number)}
            said = answer_of(question, number, value)
            trace |= {"root_reply": said} if said and rng.random() < 0.3 else {}
            trace["nodes"] = tool_files.verifiers_nodes("first", "other" if "root_reply" in trace else said)
            traces = [trace, tool_files.verifiers_trace(1.0, None, "judge")] if has_judge else [trace]
            episodes.append(tool_files.verifiers_episode(str(n), question, traces, run=f"run{i}"))
        config = {"model": model, "num_rollouts": max(map(len, run.values()))}
        tool_files.verifiers_traces(folder / str(i), shuffled(rng, episodes), config)
        run |= padded({model: [run]})[model][0]
    options = {"filter": "agent", "score": "exact"} if has_judge else {"score": "exact"}
    samples = {"words": samples_of(world, scored=True)} if rng.random() < 0.5 else None
    return Case(folder, {"words": counts_of(world)}, options, samples=samples, keep=("answers", "judge"))


@truthful("opencompass")
def opencompass(rng, folder):
    world, score = draw_world(rng, PLAIN, ODD), rng.choice([None, "is_correct", "right"])
    name = score or rng.choice(["correct", "is_correct"])
    for model, (run,) in world.items():
        details = []
        for question, own in run.items():
            values = [value if value is None else rng.choice([bool(value), value]) for value in own]
            answers = [answer_of(question, i, value) for i, value in enumerate(own)]
            entry = {"example_abbr": question, "pred": answers, "answer": [question]}
            details.append(entry | {name: values[0] if len(values) == 1 and rng.random() < 0.5 else values})
            if score == "right":
                details[-1] |= {"correct": True}
        tool_files.opencompass_results(folder / "20260101_000000", shuffled(rng, details), model)
    samples = {"add": samples_of(world)} if rng.random() < 0.5 else None
    return Case(folder, {"add": counts_of(world)}, {"score": score} if score else {}, samples=samples)


@truthful("evalscope")
def evalscope(rng, folder):
    world, several = draw_world(rng, PLAIN, ODD, GRADED), rng.random() < 0.3
    for model, (run,) in world.items():
        rows, numbered = [], rng.random() < 0.7
        for question, i, value in trials_of(run):
            row = tool_files.evalscope_row(len(rows), question, i if numbered else None, {"acc": value, "f1": 0.5})
            if value is None and rng.random() < 0.5:
                row["sample_score"]["score"] |= {"status": "error", "value": {"acc": 1.0}}
            if several:
                row["sample_score"]["score"] |= {"main_score_name": "f1"}
            row["sample_score"]["score"]["extracted_prediction"] = answer_of(question, i, value)
            row["target"] = question
            rows.append(row)
        put_lines(rng, folder / "reviews" / model / "mcq_main.jsonl", shuffled(rng, rows))
        run |= padded({model: [run]})[model][0]
    samples = {"mcq_main": samples_of(world)} if rng.random() < 0.5 else None
    return Case(folder, {"mcq_main": counts_of(world)}, {"score": "acc"} if several else {}, samples=samples)
