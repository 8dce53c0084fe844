"""Small exports of Phoenix, Langfuse and BFCL made by hand, as these tools write them."""

from helpers.written import write_json, write_lines

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
