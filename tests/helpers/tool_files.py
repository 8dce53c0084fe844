"""Small files made by hand, as the tools for agents, code and rollouts write them."""

from helpers.written import write_json, write_lines


def harbor_trial(job, trial, task="hello", reward=1.0, model="gpt-x", agent="terminus-2", **more):
    """Write the result of one trial of Harbor, with its configuration beside it."""
    config = {"trial_name": trial, "trials_dir": job.name, "agent": {"name": agent, "model_name": model, "kwargs": {}}}
    result = {
        "id": f"id of {trial}",
        "task_name": task,
        "trial_name": trial,
        "source": "tb2",
        "task_checksum": f"hash of {task}",
        "config": config | {"timeout_multiplier": 1.0, "environment": {"override_cpus": None}},
        "agent_info": {"name": agent, "version": "1", "model_info": {"name": model, "provider": "lab"}},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": None,
    }
    write_json(job / trial / "config.json", config)
    return write_json(job / trial / "result.json", result | more)


def terminal_bench_trial(task, number, is_resolved, run="run-1"):
    name = f"{task}.{number}-of-2.{run}"
    return {"trial_name": name, "task_id": task, "instruction": f"do {task}", "is_resolved": is_resolved}


def terminal_bench_run(folder, trials, metadata=None, **names):
    """Write the results of a run of terminal-bench, with its metadata and the files of the trials."""
    about = {"run_id": folder.name, "agent_name": "terminus", "model_name": "gpt-x", "dataset_name": "core"}
    about |= {"n_attempts": 2, "task_ids": None, "dataset_size": 2, "agent_kwargs": {}}
    if metadata is None:
        write_json(folder / "run_metadata.json", about | names)
    for trial in trials:
        write_json(folder / trial["task_id"] / trial["trial_name"] / "results.json", trial)
    log = {"id": "1", "results": trials, "n_resolved": 1, "accuracy": 0.5, "resolved_ids": [], "unresolved_ids": []}
    return write_json(folder / "results.json", log)


def verifiers_row(example, correct, **more):
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"{example}+{example}"}]
    row = {"example_id": example, "prompt": prompt, "completion": [], "task": "default", "reward": 0.1 + correct}
    return row | {"generation_ms": 2.5, "total_ms": 8.5, "correct_answer": float(correct), "fmt": 0.5} | more


def verifiers_run(folder, rows, model="lab/m", **more):
    """Write the rollouts of verifiers below 0.4, with their metadata."""
    about = {"env_id": "sums", "env_args": {}, "model": model, "rollouts_per_example": 2}
    about |= {"num_examples": len({row.get("example_id") for row in rows})}
    about |= {"sampling_args": {"n": 1, "temperature": 1.0}, "time_ms": 12.5}
    if model is not None:
        write_json(folder / "metadata.json", about | more)
    return write_lines(folder / "results.jsonl", rows)


def verifiers_trace(exact=1.0, style=0.0, agent="agent", model=None, **more):
    rewards = {"exact": None} if exact is None else {"exact": {"score": exact, "weight": 1.0}}
    if style is not None and exact is not None:
        rewards["style"] = {"score": style, "weight": 0.2}
    config = {} if model is None else {"model": model}
    return {
        "agent": {"name": agent, "config": config},
        "rewards": rewards,
        "metrics": {"length": 5.0},
        "ok": True,
    } | more


def verifiers_nodes(*texts):
    """Return the messages of a trace: a question, an example of an answer that was given, and what the model wrote."""
    given = [("user", "1+1"), ("assistant", "an example")]
    nodes = [{"parent": None, "message": {"role": role, "content": text}, "sampled": False} for role, text in given]
    for text in texts:
        nodes.append({"parent": len(nodes) - 1, "message": {"role": "assistant", "content": text}, "sampled": True})
        nodes.append({"parent": len(nodes) - 1, "message": {"role": "tool", "content": "done"}, "sampled": False})
    return nodes


def verifiers_episode(id, key, traces=None, ok=True, run="run-1"):
    task = {"type": "Words", "data": {"idx": 0}, "key": key, "hash": f"hash of {key}"}
    row = {"id": id, "env": {"id": "words"}, "task": task, "run": {"type": "eval", "id": run}, "ok": ok, "errors": []}
    return row | {"traces": [verifiers_trace()] if traces is None else traces}


def verifiers_traces(folder, episodes, config=None):
    """Write the episodes of verifiers since 0.4, with the resolved configuration."""
    settings = {"model": "lab/m", "num_rollouts": 2, "env": {"id": "", "agent": {"max_turns": None, "harness": None}}}
    settings["sampling"] = {"temperature": None}
    write_json(folder / "configs" / "resolved" / "eval.json", settings | (config or {}))
    return write_lines(folder / "traces.jsonl", episodes)


def opencompass_results(folder, details, model="m", dataset="add"):
    """Write the results of OpenCompass for one model and data set."""
    return write_json(folder / "results" / model / f"{dataset}.json", {"accuracy": 50.0, "details": details})


def evalscope_row(index, group, generation, value, **more):
    score = {"value": value, "status": "success", "main_score_name": "acc", "prediction": "A"} | more
    sample = {"score": score, "sample_id": index, "group_id": group, "sample_metadata": {"id": f"name {group}"}}
    if generation is not None:
        sample["generation_index"] = generation
    return {"index": index, "target": ["A"], "messages": [], "sample_score": sample}


def livecodebench_row(question, grades, **more):
    row = {"question_id": question, "contest_id": "w1", "difficulty": "easy", "output_list": ["o"] * len(grades)}
    return row | {"graded_list": grades, "pass@1": sum(map(bool, grades)) / len(grades), "metadata": []} | more


def bigcodebench_results(statuses):
    answers = {
        question: [{"task_id": question, "solution": "x", "status": status, "details": {}} for status in row]
        for question, row in statuses.items()
    }
    return {"date": "2026-01-01 10:00", "eval": answers}


def swe_bench_report(**ids):
    names = ("submitted", "completed", "incomplete", "empty_patch", "resolved", "unresolved", "error")
    return {"total_instances": 4, "schema_version": 2} | {f"{name}_ids": ids.get(name, []) for name in names}
