"""Small files made by hand as SWE-bench/experiments and lmms-eval write."""

from helpers.written import write_json, write_lines


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
