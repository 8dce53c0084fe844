"""Random files with known outcomes: workbooks, reports, experiments, shared formats, and agents with a skill."""

import json

from helpers.tool_files import (
    benchmark,
    benchmark_row,
    bfcl_result,
    bfcl_run,
    eee_row,
    eee_run,
    eee_settings,
    graded_run,
    langfuse_item,
    langfuse_page,
    langfuse_score,
    langsmith_run,
    lmms_row,
    lmms_run,
    phoenix_annotation,
    phoenix_run,
    submission,
    submission_details,
    validator_arm,
    validator_results,
    vally_run,
    vally_trial,
)
from helpers.truthful import (
    BINARY,
    FREE,
    NEVER,
    ODD,
    PLAIN,
    WORDS,
    Case,
    answer_of,
    counts_of,
    draw_world,
    either,
    put_json,
    put_lines,
    samples_of,
    shuffled,
    trials_of,
    truthful,
)
from helpers.truthful_tables import put_csv, repeated, storable, writable
from helpers.written import mlflow_trace

# Workbooks and reports of tests and evaluations.


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


# Experiments of Phoenix, Langfuse and LangSmith, and scores of BFCL.


@truthful("phoenix")
def phoenix(rng, folder):
    """A file per experiment; a run without an outcome failed, or its evaluator did, said nothing, or was not asked."""
    world = draw_world(rng, PLAIN, ODD, FREE)
    others = rng.random() < 0.5
    for model, (run,) in world.items():
        rows = []
        for question, i, value in trials_of(run):
            how = rng.choice(["failed", "lost", "empty", "not asked"]) if value is None else "scored"
            word = {1.0: "correct", 0.0: "incorrect", 0.5: "partial"}.get(value)
            by_word = word is not None and rng.random() < 0.3
            given = phoenix_annotation("right", None if by_word else value, word, "quota" if how == "lost" else None)
            if how == "failed":
                given = phoenix_annotation("right", 1.0)
            notes = [] if how == "not asked" else [given]
            notes += [phoenix_annotation("length", 3.5)] if others else []
            rows.append(phoenix_run(question, i + 1, *notes, error="boom" if how == "failed" else None))
        put_json(rng, folder / f"{model}.json", shuffled(rng, rows))
    return Case(folder, {None: counts_of(world)}, {"score": "right"} if others else {})


@truthful("langfuse")
def langfuse(rng, folder):
    """Experiments in pages of the API, in lists or in lines; repeated trials are experiments of one model."""
    world = draw_world(rng, ODD, ODD, FREE, runs=2)
    others, items, named = rng.random() < 0.5, [], False
    for model, runs in world.items():
        for number, run in enumerate(runs):
            for question, i, value in trials_of(run):
                failed = value is None and rng.random() < 0.5
                kind = rng.choice([("NUMERIC", {}), ("CATEGORICAL", {"stringValue": f"{value!r}"})])
                scores = [] if value is None else [langfuse_score("right", value, kind[0], **kind[1])]
                scores += [langfuse_score("right", 1.0)] if failed else []
                scores += [langfuse_score("length", 3.5)] if others else []
                named = named or value is not None or failed
                name, level = f"{model} {number} {question} {i}", "ERROR" if failed else "DEFAULT"
                about = {"experiment": f"night {number}", "model": model, "level": level}
                items.append(langfuse_item(name, question, *shuffled(rng, scores), **about))
    items = shuffled(rng, items)
    cut = rng.randint(0, len(items)) if others else len(items)  # a page without a score is refused
    for i, part in enumerate(part for part in (items[:cut], items[cut:]) if part):
        how = rng.choice(["page", "list", "lines"])
        if how == "page":
            langfuse_page(folder / f"{i}.json", part)
        else:
            put = put_json if how == "list" else put_lines
            put(rng, folder / f"{i}.{'json' if how == 'list' else 'jsonl'}", part)
    truth = {None: counts_of(world)} if named and (others or any(item["scores"] for item in items)) else None
    return Case(folder, truth, {"score": "right"} if others else {})


@truthful("langsmith")
def langsmith(rng, folder):
    """Runs of experiments, in a list, in lines, or below their examples; runs of parts of a task do not count."""
    world = draw_world(rng, ODD, ODD, FREE)
    others, rows = rng.random() < 0.5, []
    for model, (run,) in world.items():
        for question, i, value in trials_of(run):
            failed = value is None and rng.random() < 0.5
            word = {1.0: "correct", 0.0: "incorrect"}.get(value) if rng.random() < 0.3 else None
            given = {"right": 1.0} if failed else {} if value is None else {"right": value if word is None else word}
            about = {"error": "boom"} if failed else {}
            about["extra"] = {"metadata": {"model": model}}
            name = f"{model} {question} {i}"
            rows.append(
                langsmith_run(
                    name, question, f"session of {model}", given | ({"length": 3.5} if others else {}), **about
                )
            )
            if rng.random() < 0.2:
                rows.append(
                    langsmith_run(
                        f"part of {name}", question, f"session of {model}", {"right": 0.0}, parent_run_id=name
                    )
                )
    rows = shuffled(rng, rows)
    if rng.random() < 0.3:
        rows = [{"id": row["reference_example_id"], "inputs": row["inputs"], "runs": [row]} for row in rows]
    put_json(rng, folder / "runs.json", rows) if rng.random() < 0.5 else put_lines(rng, folder / "runs.jsonl", rows)
    return Case(folder, {None: counts_of(world)}, {"score": "right"} if others else {})


@truthful("bfcl")
def bfcl(rng, folder):
    """A category of each model: the score file lists wrong answers, and what was lost may be among them or not."""
    world = draw_world(rng, PLAIN, [name for name in ODD if ":" not in name and name not in NEVER])
    for model, (run,) in world.items():
        rows, wrong = [], []
        for question, own in run.items():
            del own[1:]
            lost = own[0] is None
            rows.append(
                bfcl_result(question, "Error during inference: 503" if lost else rng.choice(["f()", [["f()"]]]))
            )
            if own[0] == 0.0 or (lost and rng.random() < 0.5):
                wrong.append(question)
        bfcl_run(folder, "multiple", shuffled(rng, rows), wrong, model, group=rng.choice(["", "live"]))
    sources = [folder, str(folder / "score"), *([folder / "score" / model] if len(world) == 1 else [])]
    return Case(rng.choice(sources), {"multiple": counts_of(world)})


# Every Eval Ever, SWE-bench/experiments and lmms-eval.


@truthful("every-eval-ever")
def every_eval_ever(rng, folder):
    """A file per run; results with equal scores are one, others must be chosen from; trials have epochs or an order."""
    world = draw_world(rng, ODD, ODD, FREE, runs=2)
    twin, other, epochs = rng.random() < 0.3, rng.random() < 0.4, rng.random() < 0.5
    arguments = rng.choice([None, {"temperature": 0.5}])
    for number, (model, i, run) in enumerate(
        (model, i, run) for model, own in world.items() for i, run in enumerate(own)
    ):
        rows, is_named = [], False
        for question, trial, value in trials_of(run):
            answer = answer_of(question, trial, value)
            about = {
                "model": model,
                "run": i,
                "output": {"raw": [f"run {i}"]},
                "metadata": {"epoch": str(trial + 1)} if epochs else {},
            }
            final = {"turn_idx": 0, "source": "output.raw", "extracted_value": answer, "is_terminal": True}
            about["answer_attribution"] = [] if answer is None else [final]
            if value is None and is_named and rng.random() < 0.5:
                rows.append(eee_row(question, None, **about, error=None))  # no result scored it: its 0 means nothing
                continue
            is_named = True
            rows.append(eee_row(question, value, result="acc", **about))
            rows += [eee_row(question, value, result="stderr", **about)] * twin
            rows += [eee_row(question, 0.7, result="len", **about)] * other
        rows = shuffled(rng, rows) if epochs else rows
        eee_run(folder, rows, number, eee_settings(model, "sums", i, "acc", arguments))
    samples = {"sums": samples_of(world)} if rng.random() < 0.5 else None
    return Case(folder, {"sums": counts_of(world)}, {"score": "acc"} if other else {}, samples=samples)


@truthful("swe-bench")
def swe_bench_experiments(rng, folder):
    """A checkout with results of both kinds: what is in no other list failed, if all instances are listed."""
    every = rng.sample([name for name in ODD if name.strip() == name and "\n" not in name], 8)
    world = {model: [{q: [rng.choice(BINARY)] for q in every}] for model in rng.sample(PLAIN, rng.randint(1, 3))}
    is_listed, lacking = rng.random() < 0.8, False
    for model, (run,) in world.items():
        resolved = [q for q in every if run[q] == [1.0]]
        failed = [q for q in every if run[q] == [0.0]]
        if rng.random() < 0.3:
            submission_details(folder, "lite", model, resolved, failed)
            continue
        lacking = lacking or not is_listed
        cut, end = sorted((rng.randint(0, len(failed)), rng.randint(0, len(failed))))
        generated = shuffled(rng, [*resolved, *failed[cut:]]) if is_listed else ()
        submission(folder, "lite", model, shuffled(rng, resolved), failed[:cut], failed[cut:end], generated)
    return Case(folder / "evaluation", None if lacking else {"lite": counts_of(world)})


@truthful("lmms-eval")
def lmms_eval(rng, folder):
    """A file per run; a metric is a number, or an object with the score; others must be chosen from."""
    world = draw_world(rng, PLAIN, [name for name in ODD if name not in NEVER], FREE, runs=2)
    other, nested, is_named = rng.random() < 0.4, rng.random() < 0.4, rng.random() < 0.5
    for model, runs in world.items():
        for i, run in enumerate(runs):
            rows = []
            for question, own in run.items():
                del own[1:]
                value = {"score": own[0], "id": 7} if nested else own[0]
                answer = answer_of(question, 0, own[0])
                row = lmms_row(question, value, answer=answer, input=f"run {i}")
                rows.append(row | ({"other": 0.5} if other else {}))
            named = model if is_named else None
            lmms_run(folder / model, shuffled(rng, rows), date=f"2026010{i + 1}_000000", model=named)
    samples = {"mmmu_val": samples_of(world)} if rng.random() < 0.5 else None
    return Case(folder, {"mmmu_val": counts_of(world)}, {"score": "exact_match"} if other else {}, samples=samples)


# Agents with and without a skill.


_EVALS = ["eval-1", "eval-2", "eval-3", "eval 4", "eval-é", "e5", "01"]  # names that a folder may have


def expectations(rng, value):
    """Whether each of some expectations is met, for an outcome; a trial that was not graded has none."""
    if value is None:
        return rng.choice([[], [True, None]])
    others = [rng.random() < 0.5 for _ in range(rng.randint(0, 3))]
    return [True] * (1 + len(others)) if value else shuffled(rng, [False, *others])


@truthful("skill-creator")
def workspace(rng, folder):
    world = draw_world(rng, PLAIN, _EVALS)
    for arm, (run,) in world.items():
        for question, i, value in trials_of(run):
            timing = rng.choice([None, {"total_tokens": 9}, {"total_duration_seconds": 1.5}])
            graded_run(folder / question / arm / f"run-{i + 1}", expectations(rng, value), timing)
    runs = {arm: run for arm, (run,) in world.items()}
    for run in runs.values():  # what another arm was run for, and this one was not, is missing
        for question, values in run.items():
            values += [None] * (max(len(other.get(question, ())) for other in runs.values()) - len(values))
    return Case(folder, {folder.name: counts_of(world)})


@truthful("skill-creator")
def summary(rng, folder):
    world = draw_world(rng, ODD, ODD)
    rows = [
        benchmark_row(0, arm, i, expectations(rng, value)) | {"eval_name": question}
        for arm, (run,) in world.items()
        for question, i, value in trials_of(run)
    ]
    benchmark(folder / "benchmark.json", shuffled(rng, rows))
    return Case(folder, {"pdf": counts_of(world)})


@truthful("vally")
def vally(rng, folder):
    world = draw_world(rng, ODD, ODD)
    together = rng.random() < 0.5
    rows = {
        arm: [vally_trial(question, i, value, arm) for question, i, value in trials_of(run)]
        for arm, (run,) in world.items()
    }
    files = {"all": [row for own in rows.values() for row in own]} if together else rows
    for number, own in enumerate(files.values()):
        vally_run(folder / str(number), shuffled(rng, own))
    return Case(folder, {"migrate": counts_of(world)})


@truthful("skill-validator")
def validator(rng, folder):
    """One run of each scenario and arm."""
    names = rng.sample([name for name in ODD if name not in NEVER], rng.randint(1, 5))
    arms = {"baseline": "baseline", "skilledIsolated": "isolated", "skilledPlugin": "plugin"}
    truth, scenarios = {arm: {} for arm in arms.values()}, []
    for name in names:
        values = {key: rng.choice([0.0, 1.0, None]) for key in arms}
        made = {key: validator_arm([] if v is None else expectations(rng, v)) for key, v in values.items()}
        scenarios.append({"scenarioName": name} | made)
        for key, value in values.items():
            truth[arms[key]][name] = [value]
    path = validator_results(folder / "results.json", scenarios)
    return Case(path, {"assertion-quality": counts_of({arm: [own] for arm, own in truth.items()})})
