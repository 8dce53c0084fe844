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


def evalscope_reviews(folder, rows, model="m", task="mcq_main"):
    return write_lines(folder / "reviews" / model / f"{task}.jsonl", rows)


def evalscope_config(folder, repeats=2, temperature=0.5):
    """Write the settings of EvalScope, which are YAML."""
    text = f"""api_url: null
datasets:
- mcq
eval_backend: Native
evalscope_version: 1.14.1
generation_config:
  batch_size: 8
  temperature: {temperature}
  top_p: null
model: some/m
model_id: m
repeats: {repeats}
"""
    folder.joinpath("configs").mkdir(parents=True)
    folder.joinpath("configs", "task_config.yaml").write_text(text)


def helm_stat(value, name="exact_match", split="test", count=1):
    return {"name": {"name": name, "split": split}, "count": count, "sum": value}


def helm_row(question, trial, *stats):
    return {"instance_id": question, "train_trial_index": trial, "stats": list(stats)}


def helm_run(folder, rows, **adapter):
    """Write the statistics of a run of HELM, with its settings."""
    settings = {"model": "org/m", "num_train_trials": 2} | adapter
    write_json(folder / "run_spec.json", {"name": "mmlu:subject=x,model=org_m", "adapter_spec": settings})
    return write_json(folder / "per_instance_stats.json", rows)


def openai_log(path, samples, run="r1", config=None):
    """Write the events of a run of OpenAI evals: whether the answer to each sample was right."""
    spec = {"completion_fns": ["gpt"], "eval_name": "sums.dev", "run_id": run, "run_config": config or {}}
    rows = [{"sample_id": name, "type": "match", "data": {"correct": right}} for name, right in samples]
    return write_lines(path, [{"spec": spec}, *rows, {"final_report": {"accuracy": 0.5}}])


def deepeval_case(name, text="1+1", success=True):
    metric = {"name": "Exact", "success": success, "score": float(success)}
    return {"name": name, "input": text, "metricsData": [metric]}


def deepeval_log(path, cases, **settings):
    return write_json(path, {"testCases": cases, "hyperparameters": {"model": "m", **settings}})


def promptfoo_result(id, model="m", test="t", variables=None, prompt="Say {{q}}", success=True, reason=0, **more):
    """Return a result of promptfoo; the reason 2 is an error of the provider."""
    row = {"id": id, "provider": {"id": "echo", "label": model}, "prompt": {"raw": prompt, "label": prompt}}
    row |= {"promptIdx": 0, "testIdx": 0, "testCase": {"description": test} if test else {}}
    row |= {"vars": variables or {"q": "1"}, "success": success, "score": 1.25, "failureReason": reason}
    return row | {"namedScores": {} if reason == 2 else {"exact": float(success)}} | more


def promptfoo_document(rows, **config):
    results = {"version": 3, "timestamp": "", "prompts": [], "results": rows}
    return {"evalId": "eval-1", "results": results, "config": config}


def tau_row(task_id, trial, reward, **info):
    return {"task_id": task_id, "trial": trial, "reward": reward, "info": info, "traj": []}


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
