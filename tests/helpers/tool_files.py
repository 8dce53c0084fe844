"""Small files made by hand, as the tools for agents, code, benchmarks, experiments and shared results write them."""

import uuid

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


# Phoenix, LangSmith, Langfuse and BFCL.


_TIME = "2026-01-01T00:00:00+00:00"


def phoenix_annotation(name, score=None, label=None, error=None):
    about = {"annotator_kind": "CODE", "explanation": None, "trace_id": None, "metadata": {}}
    return {
        "name": name,
        "label": label,
        "score": score,
        "error": error,
        "start_time": _TIME,
        "end_time": _TIME,
    } | about


def phoenix_run(example, repetition, *annotations, error=None, **more):
    """Return a run of an experiment as ``/v1/experiments/ID/json`` has it."""
    row = {"example_id": example, "repetition_number": repetition, "input": {"q": example}}
    row |= {"reference_output": {"a": "A"}, "output": None if error else {"a": "B"}, "error": error}
    row |= {"latency_ms": 500.0, "start_time": _TIME, "end_time": _TIME, "trace_id": "t"}
    return row | {"prompt_token_count": 5, "completion_token_count": 2, "annotations": list(annotations)} | more


def langsmith_run(name, question, session="s1", feedback=None, **more):
    """A run as ``client.list_runs`` of LangSmith returns it; ``feedback`` has a number or a word by name."""
    stats = {
        key: {"n": 1, "avg": None, "values": {value: 1}}
        if isinstance(value, str)
        else {"n": 1, "avg": value, "values": {}}
        for key, value in (feedback or {}).items()
    }
    row = {"id": name, "name": "target", "run_type": "chain", "session_id": session, "parent_run_id": None}
    row |= {"reference_example_id": question, "inputs": {"q": question}, "outputs": {"a": "x"}, "error": None}
    return row | {"feedback_stats": stats, "prompt_tokens": 3, "completion_tokens": 2, "extra": {"metadata": {}}} | more


def langfuse_score(name, value, kind="NUMERIC", **more):
    return {
        "dataType": kind,
        "id": f"s {name}",
        "name": name,
        "value": value,
        "source": "API",
        "timestamp": _TIME,
    } | more


def langfuse_item(name, question, *scores, experiment="gull v1", model=None, **more):
    """Return an item of an experiment as ``experiments.list_items(fields="scores,experimentMetadata")`` has it."""
    row = {"id": name, "traceId": f"trace {name}", "startTime": _TIME, "endTime": _TIME, "level": "DEFAULT"}
    row |= {"experimentId": "e", "experimentName": experiment, "experimentItemId": question, "scores": list(scores)}
    return row | ({} if model is None else {"experimentMetadata": {"model": model}}) | more


def bfcl_wrong(question, model="lab_m", **more):
    row = {"id": question, "model_name": model, "test_category": "c", "valid": False, "error": ["x"], "prompt": {}}
    return row | more


def bfcl_result(question, answer="f()", **more):
    return {"id": question, "result": answer, "input_token_count": 10, "output_token_count": 5, "latency": 1.5} | more


def bfcl_run(root, category, questions, wrong, model="lab_m", version="BFCL_v4", group="live", **header):
    """Write the result file and the score file of a category; questions are names, or rows of the result file."""
    rows = [each if isinstance(each, dict) else bfcl_result(each) for each in questions]
    right = len(rows) - len(wrong)
    summary = {"accuracy": right / len(rows), "correct_count": right, "total_count": len(rows)} | header
    write_lines(root / "result" / model / group / f"{version}_{category}_result.json", rows)
    failures = [each if isinstance(each, dict) else bfcl_wrong(each, model) for each in wrong]
    return write_lines(root / "score" / model / group / f"{version}_{category}_score.json", [summary, *failures])


def langfuse_page(path, items):
    """Write a page of items, as the API returns it."""
    return write_json(path, {"data": items, "meta": {"cursor": None}})


# Every Eval Ever, SWE-bench/experiments and lmms-eval.


def eee_row(question, score, model="lab/m", task="sums", run="1", result=None, **more):
    """Return a line of a file of samples, as version 0.3.0 writes it; a score of None is a trial that failed."""
    row = {"schema_version": "0.3.0", "evaluation_id": f"{task}/{model}/{run}", "model_id": model}
    row |= {"evaluation_name": task, "evaluation_result_id": result, "sample_id": question, "sample_hash": None}
    row |= {"interaction_type": "single_turn", "input": {"raw": question, "reference": [""]}, "messages": None}
    row |= {"output": {"raw": ["4"]}, "answer_attribution": [], "token_usage": None, "performance": None}
    value = 0.0 if score is None else score
    row |= {"evaluation": {"score": value, "is_correct": value == 1.0}, "metadata": None}
    return row | {"error": "503" if score is None else None} | more


def eee_settings(model="lab/m", task="sums", run="1", result=None, arguments=None, **metric):
    """Return a file of settings with one result."""
    about = {"evaluation_result_id": result, "evaluation_name": task, "score_details": {"score": 0.5}}
    about |= {"source_data": {"dataset_name": task, "source_type": "other"}}
    about |= {"metric_config": {"lower_is_better": False} | metric}
    about |= {"generation_config": {"generation_args": arguments or {}}}
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{task}/{model}/{run}",
        "retrieved_timestamp": "1",
        "source_metadata": {"source_type": "evaluation_run", "source_organization_name": "us"},
        "eval_library": {"name": "x", "version": "1"},
        "model_info": {"name": model, "id": model},
        "evaluation_results": [about],
    }


def eee_run(folder, rows, number=0, settings=None):
    """Write a file of samples, and the settings beside it."""
    name = str(uuid.UUID(int=number, version=4))
    if settings is not None:
        write_json(folder / f"{name}.json", settings)
    return write_lines(folder / f"{name}_samples.jsonl", rows)


def submission(root, split, name, resolved, no_generation=(), no_logs=(), generated=()):
    """Write a submission of SWE-bench/experiments, with what lies beside its results."""
    folder = root / "evaluation" / split / name
    lists = {"no_generation": [*no_generation], "no_logs": [*no_logs], "resolved": [*resolved]}
    lists |= {"generated": [*generated]} if generated else {}
    path = write_json(folder / "results" / "results.json", lists)
    write_json(folder / "results" / "resolved_by_repo.json", {"django/django": {"resolved": 1, "total": 2}})
    write_json(folder / "results" / "resolved_by_time.json", {"2020": {"resolved": 1, "total": 2}})
    (folder / "metadata.yaml").write_text(f"info:\n  name: {name}\nassets:\n  logs: s3://x\n")
    (folder / "README.md").write_text("# An agent\n")
    return path


def submission_details(root, split, name, resolved, failed):
    """Write a submission of mini-SWE-agent, which has all instances."""
    details = {each: {"resolved": each in resolved, "cost": 0.25, "api_calls": 3} for each in (*resolved, *failed)}
    return write_json(root / "evaluation" / split / name / "per_instance_details.json", details)


def lmms_row(document, value, metric="exact_match", answer="A", **more):
    """Return a line of samples as lmms-eval 0.7.3 writes it for a document with one request."""
    row = {
        "doc_id": document,
        "target": "A",
        "filtered_resps": answer,
        "token_counts": [None],
        "doc_hash": f"h{document}",
    }
    return row | {metric: value, "input": "What is it?"} | more


def lmms_run(folder, rows, task="mmmu_val", date="20260101_120000", model=None, **config):
    if model is not None:
        results = {
            "results": {},
            "configs": {task: {"task": task} | config},
            "versions": {task: 0},
            "n-shot": {task: 0},
        }
        write_json(folder / f"{date}_results.json", results | {"model_name": model})
    return write_lines(folder / f"{date}_samples_{task}.jsonl", rows)


# Agents with and without a skill.


def graded_run(folder, met, timing=None, **more):
    """Write a run of skill-creator: its grading, with timings beside it and an output that looks like a table."""
    rows = [{"text": f"expectation {i}", "passed": passed, "evidence": "seen"} for i, passed in enumerate(met)]
    summary = {"passed": sum(map(bool, met)), "failed": 0, "total": len(met), "pass_rate": 0.5}
    (folder / "outputs").mkdir(parents=True, exist_ok=True)
    (folder / "outputs" / "table.csv").write_text("question,correct\nq1,1\nq2,0\n")
    write_json(folder / "outputs" / "metrics.json", {"tool_calls": {"Read": 5}, "total_tool_calls": 5})
    if timing is not None:
        write_json(folder / "timing.json", timing)
    return write_json(folder / "grading.json", {"expectations": rows, "summary": summary} | more)


def benchmark_row(eval_id, arm, run, met, **result):
    rows = [{"text": "x", "passed": passed, "evidence": ""} for passed in met]
    result = {
        "pass_rate": 0.5,
        "passed": sum(map(bool, met)),
        "total": len(met),
        "time_seconds": 0.0,
        "tokens": 0,
    } | result
    about = {"eval_id": eval_id, "configuration": arm, "run_number": run, "result": result}
    return about | {"expectations": rows, "notes": []}


def benchmark(path, rows, skill="pdf"):
    """Write the summary of skill-creator."""
    summary = {arm: {"pass_rate": {"mean": 0.5}} for arm in ("with_skill", "without_skill")}
    return write_json(path, {"metadata": {"skill_name": skill}, "runs": rows, "run_summary": summary, "notes": []})


def vally_trial(stimulus, number, passed, variant="baseline", skill="migrate", model="gpt-x", used=0, **more):
    """Return a line of Vally; a trial whose ``passed`` is None was not graded."""
    grade = None if passed is None else {"name": "trajectory-grade", "passed": bool(passed), "score": float(passed)}
    tokens = {"inputTokens": 90, "outputTokens": 10, "totalTokens": 100}
    metrics = {"tokenUsage": tokens, "wallTimeMs": 2500, "skillActivationCount": used, "errorCount": 0}
    row = {"type": "trial-result", "itemId": f"{skill}::{variant}::{model}::{stimulus}::trial-{number}"}
    row |= {"evalName": skill, "variant": variant, "stimulus": stimulus, "model": model, "status": "success"}
    return row | {"gradeResult": grade, "trajectory": {"metrics": metrics}, "experiment": {"runId": "r1"}} | more


def vally_run(folder, rows):
    """Write the results of a variant, with the settings and the events of a trial beside them."""
    settings = {"type": "experiment-run-summary", "experiment": "skills", "configHash": "1", "evalHash": "2"}
    write_lines(folder / "run-summary.jsonl", [settings, settings])
    event = {"type": "tool_call", "timestamp": "2026-07-31", "data": {}, "turn": 0}
    write_lines(folder / "migrate" / "first" / "0" / "events.jsonl", [event, event])
    return write_lines(folder / "results.jsonl", rows)


def validator_arm(met, completed=True):
    rows = [{"assertion": {"type": 6}, "passed": passed, "message": ""} for passed in met]
    metrics = {"tokenEstimate": 100, "wallTimeMs": 2500, "assertionResults": rows, "taskCompleted": completed}
    return {"metrics": metrics, "judgeResult": {"overallScore": 3.5}}


def validator_results(path, scenarios, skill="assertion-quality"):
    verdict = {"skillName": skill, "passed": False, "scenarios": scenarios, "overallImprovementScore": 0.1}
    about = {"model": "gpt-x", "judgeModel": "gpt-x", "timestamp": "2026-07-10T18:09:26Z"}
    return write_json(path, about | {"verdicts": [verdict]})
