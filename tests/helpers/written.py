"""Small log files made by hand, as evaluation tools write them."""

import csv
import json
import sqlite3
import warnings
import zipfile
from contextlib import closing

import pytest

from scorio import OutcomeError, read


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_zip(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, (str, bytes)) else json.dumps(content))
    return path


def inspect_header(model="lab/one", ids=("q1", "q2"), epochs=2, task="sums", run="run-1", **more):
    dataset = {"samples": len(ids), "sample_ids": list(ids)}
    return (
        {"version": 2, "status": "success"}
        | more
        | {"eval": {"model": model, "task": task, "task_id": run, "dataset": dataset, "config": {"epochs": epochs}}}
    )


def inspect_sample(name, epoch, value="C", scorer="match", **more):
    scores = {} if value is None else {scorer: {"value": value, "answer": "4"}}
    return {"id": name, "epoch": epoch, "scores": scores, "metadata": {}} | more


def inspect_eval(path, samples, header=None):
    header = header or inspect_header()
    return write_zip(path, {"header.json": header, "summaries.json": samples})


def inspect_log(path, letters, model="lab/one", task="sums", run="run-1", scorer="match", **spec):
    """Write a log of questions with a letter for each epoch, a blank for none; ``spec`` is of the evaluation."""
    header = inspect_header(model, list(letters), max(map(len, letters.values())), task, run)
    header["eval"] |= spec
    cells = [(name, epoch, letter) for name, row in letters.items() for epoch, letter in enumerate(row, 1)]
    samples = [inspect_sample(name, epoch, None if letter == " " else letter, scorer) for name, epoch, letter in cells]
    return inspect_eval(path, samples, header)


def lm_eval_row(doc, value=1.0, name="none", metric="acc", resps=(("yes",),), **more):
    about = {"doc_id": doc, "doc": {"qid": f"q{doc}"}, "resps": [list(one) for one in resps], "filter": name}
    return about | {"metrics": [metric], "doc_hash": f"hash {doc}", metric: value} | more


def lm_eval_file(folder, rows, task="sums", date="2026-01-01T00-00-00.000001", model=None):
    if model is not None:
        log = {"results": {}, "configs": {}, "versions": {}, "model_name": model}
        write_json(folder / f"results_{date}.json", log)
    return write_lines(folder / f"samples_{task}_{date}.jsonl", rows)


def quietly(source, **options):
    """Read a source of which nothing is to be said."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read(source, **options)


def refused(source, message, *, by=OutcomeError, **options):
    """Check that a source is not read, and that the error says why in one line; return the error."""
    with pytest.raises(by, match=message) as caught:
        read(source, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def counts(outcomes):
    """Return the counts of every model by question."""
    return {name: dict(zip(R.questions, R.counts.tolist(), strict=True)) for name, R in outcomes.items()}


LONG = "model,question,trial,correct\na,q1,1,1\na,q1,2,0\na,q2,1,1\na,q2,2,1\nb,q1,1,0\nb,q1,2,0\nb,q2,1,1\nb,q2,2,0\n"


def table(folder, text, name="m.csv"):
    """Write a table and return its path."""
    path = folder / name
    path.write_text(text)
    return path


def write_workbook(path, sheets, merged=()):
    """Write a workbook of sheets, which are rows by name; some cells of the last one are ``merged``."""
    book = pytest.importorskip("openpyxl").Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    for place in merged:
        sheet.merge_cells(place)
    book.save(path)
    return path


def mlflow_trace(name, question, feedback, run="r1", state="OK", **more):
    """Return a trace as mlflow exports it, with feedback of several names, and an expectation, which is none."""
    given = [{"assessment_name": key, "feedback": {"value": value}, "valid": True} for key, value in feedback.items()]
    expected = {"assessment_name": "expected_response", "expectation": {"value": "A"}, "valid": True}
    about = {"mlflow.source.type": "LOCAL"} | ({} if run is None else {"mlflow.sourceRun": run})
    return {
        "trace_id": name,
        "state": state,
        "request": question,
        "trace_metadata": about,
        "assessments": [*given, expected],
    } | more


NIGHTLY = [f"q{i}" for i in range(8)]  # the questions of dated logs


def dated_log(folder, date, solved, epochs=6, model="lab/m", **about):
    """Write a log of a run of that date, in which the first epochs of every question are solved."""
    letters = dict.fromkeys(NIGHTLY, "".join("C" if epoch < solved else "I" for epoch in range(epochs)))
    about = {"created": f"{date}T10:00:00+00:00", "eval_id": f"eval {date}"} | about
    return inspect_log(folder / f"{date[::-1]}.eval", letters, model, run=f"run {date}", **about)


def write_rows(path, rows):
    """Write records as a table of the kind that the ending of the path names, and return the path."""
    rows = list(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        return write_table(path, rows[0], [row.values() for row in rows])
    if path.suffix in (".json", ".jsonl"):
        return (write_json if path.suffix == ".json" else write_lines)(path, rows)
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"CREATE TABLE runs ({', '.join(rows[0])})")
            places = ", ".join("?" * len(rows[0]))
            database.executemany(f"INSERT INTO runs VALUES ({places})", [[*row.values()] for row in rows])
            database.commit()
        return path
    pytest.importorskip("duckdb")
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist(rows), path)
    return path


def write_table(path, head, lines):
    """Write a CSV file with these columns, and return its path."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *lines])
    return path
