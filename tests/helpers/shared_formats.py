"""Small files made by hand as Every Eval Ever, SWE-bench/experiments and lmms-eval write."""

import uuid

from helpers.written import write_json, write_lines


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
