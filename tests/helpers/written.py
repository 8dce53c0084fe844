"""Small log files made by hand, as evaluation tools write them."""

import csv
import json
import re
import zipfile
from xml.sax.saxutils import escape as _escape


def escape(text):
    """Return text as XML holds it: characters that it cannot hold are written as workbooks write them."""
    control = re.compile(r"[\x00-\x08\x0b-\x1f]|_x[0-9A-Fa-f]{4}_")
    text = control.sub(lambda match: "".join(f"_x{ord(each):04X}_" for each in match[0]), text)
    return _escape(text, {'"': "&quot;"})


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_zip(path, members):
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


def lm_eval_row(doc, value=1.0, name="none", metric="acc", resps=(("yes",),), **more):
    about = {"doc_id": doc, "doc": {"qid": f"q{doc}"}, "resps": [list(one) for one in resps], "filter": name}
    return about | {"metrics": [metric], "doc_hash": f"hash {doc}", metric: value} | more


def lm_eval_file(folder, rows, task="sums", date="2026-01-01T00-00-00.000001", model=None):
    if model is not None:
        log = {"results": {}, "configs": {}, "versions": {}, "model_name": model}
        write_json(folder / f"results_{date}.json", log)
    return write_lines(folder / f"samples_{task}_{date}.jsonl", rows)


def counts(outcomes):
    """Return the counts of every model by question."""
    return {name: dict(zip(R.questions, R.counts.tolist(), strict=True)) for name, R in outcomes.items()}


LONG = "model,question,trial,correct\na,q1,1,1\na,q1,2,0\na,q2,1,1\na,q2,2,1\nb,q1,1,0\nb,q1,2,0\nb,q2,1,1\nb,q2,2,0\n"


def table(folder, text, name="m.csv"):
    """Write a table and return its path."""
    path = folder / name
    path.write_text(text)
    return path


def column_letters(number):
    """Return the letters of a column of a sheet, whose first is 1."""
    rest, letter = divmod(number - 1, 26)
    return (column_letters(rest) if rest else "") + chr(65 + letter)


def sheet_xml(rows, merged=()):
    """Return a sheet whose cells are texts, numbers, truth values, None, or a type and the XML inside of a cell."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for column, value in enumerate(row, 1):
            if value is None:
                continue
            place = f"{column_letters(column)}{number}"
            if isinstance(value, tuple):
                kind, inside = value
            elif isinstance(value, bool):
                kind, inside = "b", f"<v>{int(value)}</v>"
            elif isinstance(value, str):
                kind, inside = "inlineStr", f"<is><t>{escape(value)}</t></is>"
            else:
                kind, inside = "n", f"<v>{value!r}</v>"
            cells.append(f'<c r="{place}" t="{kind}">{inside}</c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    ends = "".join(f'<mergeCell ref="{each}"/>' for each in merged)
    merges = f"<mergeCells>{ends}</mergeCells>" if ends else ""
    return f"<worksheet><sheetData>{''.join(lines)}</sheetData>{merges}</worksheet>"


def write_workbook(path, sheets, strings=None, target="worksheets/sheet{}.xml"):
    """Write a workbook of sheets, which are XML by name; ``strings`` are the entries of its shared texts."""
    names = "".join(f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>' for i, name in enumerate(sheets, 1))
    places = [target.format(i) for i in range(1, len(sheets) + 1)]
    relations = "".join(
        f'<Relationship Id="rId{i}" Type="t/worksheet" Target="{place}"/>' for i, place in enumerate(places, 1)
    )
    members = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns:r="urn:r"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>",
    }
    for place, content in zip(places, sheets.values(), strict=True):
        members[place.lstrip("/") if place.startswith("/") else f"xl/{place}"] = content
    if strings is not None:
        members["xl/sharedStrings.xml"] = f"<sst>{''.join(f'<si>{each}</si>' for each in strings)}</sst>"
    return write_zip(path, members)


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
    folder.mkdir(exist_ok=True)
    names = [(name, epoch) for name in NIGHTLY for epoch in range(epochs)]
    samples = [inspect_sample(name, epoch + 1, "C" if epoch < solved else "I") for name, epoch in names]
    header = inspect_header(model, NIGHTLY, epochs, "sums", f"run {date}")
    header["eval"] |= {"created": f"{date}T10:00:00+00:00", "eval_id": f"eval {date}"} | about
    return inspect_eval(folder / f"{date[::-1]}.eval", samples, header)


def write_table(path, head, lines):
    """Write a CSV file with these columns, and return its path."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *lines])
    return path
