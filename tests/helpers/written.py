"""Small log files made by hand, as evaluation tools write them."""

import json
import zipfile


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
