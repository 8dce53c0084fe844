"""Random workbooks and reports of tests and evaluations with known outcomes."""

import json

from helpers.truthful import (
    ODD,
    PLAIN,
    WORDS,
    Case,
    counts_of,
    draw_world,
    either,
    put_json,
    put_lines,
    shuffled,
    trials_of,
    truthful,
)
from helpers.truthful_tables import put_csv, repeated, storable, writable
from helpers.written import mlflow_trace


@truthful("excel")
def workbook(rng, folder):
    """A table as a sheet, its numbers as numbers or texts."""
    import openpyxl

    drawn = storable(rng)
    if any(ord(each) < ord(" ") and each not in "\t\n" for row in drawn.rows for text in row.values() for each in text):
        return workbook(rng, folder)  # what a sheet cannot hold
    is_wrong = repeated(rng, drawn)

    def cell(text):
        if text and text.isascii() and text.isdecimal() and str(int(text)) == text and rng.random() < 0.7:
            return int(text)
        return None if text == "" and rng.random() < 0.5 else text

    rows = [[cell(name) for name in drawn.rows[0]], *([cell(text) for text in row.values()] for row in drawn.rows)]
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    sheet, above = book.create_sheet("Runs"), 1 + rng.randint(0, 2)
    for number, row in enumerate(rows, above):
        for column, value in enumerate(row, 1):
            place = sheet.cell(number, column, value)
            if isinstance(value, str):
                place.data_type = "s"  # also of what begins as a formula does
    book.save(folder / "m.xlsx")
    options = rng.choice([{}, {"table": "Runs"}])
    return Case(either(rng, folder / "m.xlsx"), None if is_wrong else drawn.truth, options)


def one_run(rng, questions):
    """Return a world of one model with one run."""
    world = draw_world(rng, ["m", "n", "o"], questions)
    return {"m": next(iter(world.values()))}


@truthful("pydantic-evals")
def experiment(rng, folder):
    """A report with several evaluators, of which one is read; cases without a result failed, or their evaluator did."""
    world = one_run(rng, ODD)
    trials = shuffled(rng, trials_of(world["m"][0]))
    others, cases, failures = rng.random() < 0.5, [], []
    for question, i, value in trials:
        case = {
            "name": f"{question} [{i + 1}/4]",
            "inputs": {"q": question},
            "metadata": None,
            "source_case_name": question,
        }
        if value is None and rng.random() < 0.5:
            failures.append(case | {"error_message": "RuntimeError: 503", "error_stacktrace": ""})
            continue
        result = {} if value is None else {"right": {"name": "right", "value": bool(value), "reason": None}}
        lost = [] if result else [{"name": "right", "error_message": "quota", "error_stacktrace": ""}]
        scores = {"length": {"name": "length", "value": 3.5}} if others else {}
        case |= {
            "assertions": result,
            "scores": scores,
            "labels": {"tone": {"value": "dry"}},
            "evaluator_failures": lost,
        }
        cases.append(case | {"output": "x", "metrics": {}, "attributes": {}, "task_duration": 0.25})
    report = {"name": "answer", "cases": cases, "failures": failures, "dataset_name": rng.choice([None, "quiz"])}
    path = put_json(rng, folder / "m.json", report)
    read = any(case["assertions"] for case in cases)
    return Case(either(rng, path), {None: counts_of(world)} if read else None, {"score": "right"} if others else {})


def drawn_tests(rng):
    """Return a world of tests, whose names are plain, and its cases: the name, and passed, failed or something else."""
    world = one_run(rng, WORDS)
    words = {1.0: "passed", 0.0: "failed", None: "skipped"}
    return world, [(f"t.py::test_it<{question}>", words[value]) for question, _, value in trials_of(world["m"][0])]


def of_tests(world):
    return {None: {"m": {f"t.py::test_it<{question}>": each for question, each in counts_of(world)["m"].items()}}}


@truthful("pytest-json")
def pytest_report(rng, folder):
    world, cases = drawn_tests(rng)
    words = {"skipped": ["skipped", "error", "xfailed"], "passed": ["passed", "xpassed"], "failed": ["failed"]}
    tests = [{"nodeid": name, "outcome": rng.choice(words[word]), "keywords": []} for name, word in cases]
    report = {"created": 1.5, "exitcode": 1, "root": "/", "environment": {}, "summary": {}, "tests": tests}
    return Case(either(rng, put_json(rng, folder / "m.json", report)), of_tests(world))


def drawn_traces(rng, world, *, others):
    """Return the traces of runs: one without an outcome failed, or its scorer failed, or was not asked."""
    traces = []
    for model, (run,) in world.items():
        for question, i, value in trials_of(run):
            name, more = f"{model}/{question}/{i}", {"style": 0.5} if others else {}
            how = rng.choice(["failed", "not asked", "lost"]) if value is None else "scored"
            shown = {"failed": {"right": False}, "not asked": {}, "lost": {"right": None}}
            given = {"right": bool(value)} if how == "scored" else shown[how]
            trace = mlflow_trace(name, question, given | more, model, "ERROR" if how == "failed" else "OK")
            if how == "scored" and rng.random() < 0.2:
                overridden = {"assessment_name": "right", "feedback": {"value": not value}, "valid": False}
                trace["assessments"].insert(0, overridden)
            traces.append(trace)
    return shuffled(rng, traces)


@truthful("mlflow-traces")
def traces(rng, folder):
    """Traces of several runs, as CSV, in which their column ``trace`` is JSON, as JSON lines or as a JSON list."""
    world = draw_world(rng, PLAIN, ODD)
    others = rng.random() < 0.5
    table = drawn_traces(rng, world, others=others)
    named = any(
        each["assessment_name"] == "right" for row in table if row["state"] == "OK" for each in row["assessments"]
    )
    texts = [{name: str(value) for name, value in row.items()} | {"trace": json.dumps({"info": row})} for row in table]
    form = rng.choice(["csv", "lines", "list"])
    if form == "csv" and writable(texts):
        path = put_csv(rng, folder / "m.csv", texts)
    else:
        path = put_json(rng, folder / "m.json", table) if form == "list" else put_lines(rng, folder / "m.jsonl", table)
    truth = {None: counts_of(world)} if named else None
    return Case(either(rng, path), truth, {"score": "right"} if others else {})
