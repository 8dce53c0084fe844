"""Compare reading 1,000 Inspect logs with decoding the same files into msgspec structs and doing nothing else.

python benchmarks/logs.py --logs 1000 --samples 50 --epochs 4

Archives and JSON documents are written as Inspect writes them: a document holds the messages and events of each sample.
The decoder alone opens each file, and decodes what holds the outcomes into structs. The ratios are of one run.
"""

import argparse
import json
import resource
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from timing import interleaved

import scorio
from scorio.io import _files

LONG = "The answer follows from the two numbers of the question, which are added. " * 4


class Score(msgspec.Struct):
    """The score of a sample."""

    value: Any


class Sample(msgspec.Struct):
    """A sample, or its summary."""

    id: str | int
    epoch: int
    scores: dict[str, Score]


class Spec(msgspec.Struct):
    """What was evaluated."""

    model: str
    task: str
    task_id: str


class Log(msgspec.Struct):
    """A log, or its header."""

    eval: Spec
    samples: list[Sample] = []


def header(number, samples, epochs):
    ids = [f"q{i:03}" for i in range(samples)]
    spec = {"eval_id": f"e{number}", "run_id": f"r{number}", "created": f"2026-11-20T10:{number % 60:02}:00+00:00"}
    spec |= {
        "task": "addition",
        "task_id": f"t{number}",
        "task_version": 0,
        "task_args": {},
        "model": f"m-{number % 10}",
    }
    spec |= {"dataset": {"name": "addition", "samples": samples, "sample_ids": ids}, "config": {"epochs": epochs}}
    results = {"total_samples": samples * epochs, "completed_samples": samples * epochs, "scores": []}
    return {"version": 2, "status": "success", "eval": spec, "plan": {"name": "plan", "steps": []}, "results": results}


def summary(number, i, epoch):
    usage = {f"m-{number % 10}": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}
    score = {"value": "CI"[(number + i * epoch) % 3 == 0], "answer": str(2 * i), "explanation": LONG, "history": []}
    sample = {"id": f"q{i:03}", "epoch": epoch, "input": f"What is {i}+{i}? {LONG}", "target": str(2 * i)}
    sample |= {"metadata": {"cluster": f"passage{i // 2}", "category": "easy"}, "scores": {"includes": score}}
    sample |= {"model_usage": usage, "total_time": 0.347, "working_time": 0.339, "uuid": f"u{number}-{i}-{epoch}"}
    return sample | {"started_at": "2026-11-20T10:00:00+00:00", "retries": 0, "completed": True, "message_count": 2}


def whole(sample):
    messages = [{"id": f"m{i}", "content": LONG, "source": "generate", "role": "assistant"} for i in range(2)]
    events = [{"uuid": f"v{i}", "event": "model", "input": messages, "working_start": 0.1} for i in range(6)]
    return sample | {"messages": messages, "events": events, "store": {}, "attachments": {}}


def write(folder, form, logs, samples, epochs):
    for number in range(logs):
        head = header(number, samples, epochs)
        rows = [summary(number, i, epoch) for epoch in range(1, epochs + 1) for i in range(samples)]
        path = folder / f"2026-11-20T10-00-00_addition_{number:04}.{form}"
        if form == "json":
            path.write_text(json.dumps(head | {"samples": list(map(whole, rows))}), encoding="utf-8")
            continue
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for row in rows:
                archive.writestr(f"samples/{row['id']}_epoch_{row['epoch']}.json", json.dumps(whole(row)))
            archive.writestr("summaries.json", json.dumps(rows))
            archive.writestr("header.json", json.dumps(head))


def decoded_alone(paths):
    log, rows = msgspec.json.Decoder(Log), msgspec.json.Decoder(list[Sample])
    decoded = []
    for path in paths:
        if path.suffix == ".json":
            decoded.append(log.decode(path.read_bytes()))
        else:
            with zipfile.ZipFile(path) as archive:
                decoded.append((log.decode(archive.read("header.json")), rows.decode(archive.read("summaries.json"))))
    return decoded


def by_the_standard_library(folder):
    with patch.object(_files, "msgspec", None):
        return scorio.read(folder)


def report(form, options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, form, options.logs, options.samples, options.epochs)
        paths = sorted(folder.iterdir())
        jobs = {
            "msgspec alone": lambda: decoded_alone(paths),
            "scorio": lambda: scorio.read(folder),
            "scorio, n_jobs=2": lambda: scorio.read(folder, n_jobs=2),
            "scorio, task not wanted": lambda: scorio.io._collect.collect(
                folder, None, scorio.io.Request(task="other"), None, skip_bad=False
            ),
            "scorio, standard library": lambda: by_the_standard_library(folder),
        }
        assert scorio.read(folder) == by_the_standard_library(folder)
        size = sum(path.stat().st_size for path in paths)
        print(f"{len(paths)} .{form} logs of {options.samples} x {options.epochs} samples, {size / 1e6:.0f} MB")
        times = interleaved(jobs, options.rounds)
        for job, seconds in times.items():
            print(f"  {job:26} {seconds:7.2f} s  {seconds / times['msgspec alone']:6.2f} x msgspec alone", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=1_000)
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--forms", nargs="+", default=["eval", "json"])
    options = parser.parse_args()
    for form in options.forms:
        report(form, options)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    print(f"peak memory of this process: {peak:.0f} MB")


if __name__ == "__main__":
    main()
