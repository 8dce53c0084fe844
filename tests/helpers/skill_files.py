"""Small files made by hand as tools write them that measure agents with and without a skill."""

from helpers.written import write_json, write_lines


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


def benchmark(path, rows):
    """Write the summary of skill-creator."""
    summary = {arm: {"pass_rate": {"mean": 0.5}} for arm in ("with_skill", "without_skill")}
    return write_json(path, {"metadata": {"skill_name": "pdf"}, "runs": rows, "run_summary": summary, "notes": []})


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
