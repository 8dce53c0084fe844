"""Tables, logs and counts of many trials: time and memory.

    python benchmarks/scale.py                   # all
    python benchmarks/scale.py tables logs       # some; --part .1 takes a tenth of the rows
    python benchmarks/scale.py tables --page     # also into the pages of docs/

Figures of tables, folders and frames are of a process of its own: the least seconds of processor time of three turns
(of Spark, which works in another process, by the clock), and the most memory. The plain query groups by model,
question and outcome with the engine's own settings; it knows nothing of trials.
"""

import argparse
import functools
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from runner import fill

from scorio import Accumulator, OutcomeMatrix, OutcomeSet, RewardMatrix, read
from scorio.outcomes import SavedCounts

TURNS = 3
CHILD = """
import json, resource, sys, time, warnings
from pathlib import Path
import duckdb, numpy as np, scorio, scorio.io
from scorio import OutcomeSet

warnings.simplefilter("ignore")
job, path, *more = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")

def of(found):
    return sum(int(outcomes.trials.sum()) for outcomes in found.values())

def plain(name=path):
    connection.execute(f"SELECT model, question, correct, count(*) AS times FROM '{name}' GROUP BY ALL")
    return int(connection.fetchnumpy()["times"].sum())

def read(name=path):
    return of(scorio.read(name))

def mapped():
    return of(OutcomeSet(np.memmap(path, np.int8, "r", shape=tuple(json.loads(more[0])))))

def framed():
    keys, form = ["model", "question", "correct"], more[0]
    if form == "DuckDB":
        frame = connection.sql(f"SELECT * FROM '{path}'")
        own = lambda: connection.sql(f"SELECT {', '.join(keys)}, count(*) FROM '{path}' GROUP BY ALL").fetchall()
    elif form == "Polars":
        frame = connection.sql(f"SELECT * FROM '{path}'").pl()
        own = lambda: frame.group_by(keys).len()
    elif form == "Dask":
        import dask.dataframe
        frame = dask.dataframe.from_pandas(connection.sql(f"SELECT * FROM '{path}'").df(), npartitions=4)
        own = lambda: frame.groupby(keys).size().compute()
    else:
        from pyspark.sql import SparkSession
        frame = SparkSession.builder.master("local[2]").config("spark.log.level", "OFF").getOrCreate()
        frame = frame.read.parquet(path).cache()
        frame.count()
        own = lambda: frame.groupBy(*keys).count().collect()
    names = {"model": "model", "question": "question", "outcome": "correct", "trial": "trial"}
    return own, lambda: OutcomeSet.from_frame(frame, **names)

if "*" in path:  # what a first call loads is left out
    plain(path.replace("*", "000")), read(path.replace("*", "000"))
clock = time.perf_counter if more == ["Spark"] else time.process_time
jobs = framed() if job == "framed" else [globals()[job]]
for one in jobs:
    start = clock()
    found = one()
    seconds = clock() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": found if isinstance(found, int) else 0, "seconds": seconds, "most": most}))
"""


def child(*arguments):
    """What the turn of a process that worked least says of its jobs."""
    turns = []
    for _ in range(TURNS):
        done = subprocess.run([sys.executable, "-c", CHILD, *map(str, arguments)], check=True, stdout=subprocess.PIPE)
        turns.append([json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")])
    return min(turns, key=lambda turn: turn[-1]["seconds"])


def table_of(path, rows, questions, form="parquet", trial="i // {each}"):
    """A table of so many trials of 20 models, equally many of each question of each model."""
    import duckdb

    each = 20 * questions
    columns = f"'model-' || (i % 20) AS model, 'question-' || ((i // 20) % {questions}) AS question"
    named = f", ({trial.format(each=each)}) AS trial" if trial else ""
    outcome = "(hash(i) % 3 = 0)::TINYINT AS correct"
    query = f"SELECT {columns}{named}, {outcome} FROM range({rows}) r(i)"
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT {form})")
    return path


def beside(name, path, rows):
    """A line about a path: the plain query beside the reader."""
    [plain], [mine] = child("plain", path), child("read", path)
    assert plain["rows"] == mine["rows"] == rows
    ratio, memory = mine["seconds"] / plain["seconds"], f"{plain['most']:.0f} MB, {mine['most']:.0f} MB"
    return f"| {name} | {plain['seconds']:.2f} s | {mine['seconds']:.2f} s | {ratio:.2f} | {memory} |"


BESIDE = "plain query | `scorio.read` | ratio | most memory of both |\n|---|---|---|---|---|"


def tables(part, folder):
    """Tables of 10^7 and 10^8 trials, and a mapped tensor of 2 x 10^9."""
    yield f"| rows and file | {BESIDE}"
    for name, size, form, trial in (
        ("10^7, parquet", 10**7, "parquet", ""),
        ("10^7, parquet, trials told apart", 10**7, "parquet", "i // {each}"),
        ("10^8, parquet", 10**8, "parquet", ""),
        ("10^8, parquet, trials told apart", 10**8, "parquet", "i // {each}"),
    ):
        rows = int(size * part)
        path = table_of(folder / f"table.{name.split(', ')[1]}", rows, 500, form, trial)
        yield beside(name, path, rows)
    shape, path = [20, int(100_000 * part), 1000], folder / "tensor.bin"
    with path.open("wb") as stream:
        stream.truncate(int(np.prod(shape)))
    [found] = child("mapped", path, json.dumps(shape))
    yield f"\nA mapped int8 tensor of {shape}: {found['seconds']:.1f} s, at most {found['most']:.0f} MB."


FOLDERS = {  # files, rows per file, questions, and the name of a trial
    "30 daily files of 10^6 rows": (30, 1_000_000, 500, "{file} * 100 + i // 10000"),
    "200 files of 5,000 rows": (200, 5_000, 50, "{file} * 5 + i // 1000"),
    "10 files, words as names of trials": (10, 1_000_000, 500, "'trial of day {file}, number ' || (i // 10000)"),
    "10 files, every row a name of its own": (10, 1_000_000, 500, "'rollout ' || ({file} * 1000000 + i)"),
}


def many_files(part, folder):
    """Folders of many Parquet files."""
    yield f"| folder | {BESIDE}"
    for number, (name, (files, size, questions, trial)) in enumerate(FOLDERS.items()):
        place, rows = folder / str(number), int(size * part)
        place.mkdir()
        for file in range(files):
            table_of(place / f"{file:03}.parquet", rows, questions, trial=trial.format(file=file))
        yield beside(name, f"{place}/*.parquet", files * rows)


def trial_columns(part, folder):
    """Data frames of 10^7 rows with a trial column, by engine."""
    yield "| engine | its own group-by | `from_frame(.., trial=)` | ratio | more memory |\n|---|---|---|---|---|"
    path = table_of(folder / "frame.parquet", int(10**7 * part), 500)
    for engine in ("DuckDB", "Polars", "Dask", "Spark"):
        own, mine = child("framed", path, engine)
        took = f"{own['seconds']:.2f} s | {mine['seconds']:.2f} s | {mine['seconds'] / own['seconds']:.2f}"
        yield f"| {engine} | {took} | {mine['most'] - own['most']:.0f} MB |"


def best(job, turns=TURNS):
    """The least seconds of processor time of a job, and its last result."""
    times = []
    for _ in range(turns):
        start = time.process_time()
        result = job()
        times.append(time.process_time() - start)
    return min(times), result


def saved_counts(part, folder):
    """Saved counts of 100 models x 2,000 questions x 16 trials."""
    rng, models = np.random.default_rng(0), max(2, int(100 * part))
    labels, names = [f"question-{i:05}" for i in range(2000)], [f"model-{i:03}" for i in range(models)]
    right = rng.random((models, 2000, 16)) < rng.beta(1, 1, (models, 2000, 1))
    gaps = np.where(rng.random(right.shape) < 0.1, np.nan, right)
    grades = rng.integers(0, 5, right.shape) / 4
    about = {"models": names, "questions": labels}
    kinds = {
        "binary": OutcomeSet(right, **about),
        "binary, with missing trials": OutcomeSet(gaps, **about, missing="omit"),
        "rewards of 5 levels": OutcomeSet(
            {n: OutcomeMatrix.from_rewards(x, questions=labels) for n, x in zip(names, grades, strict=True)}
        ),
        "continuous rewards, moments only": OutcomeSet(
            {n: RewardMatrix(rng.random((2000, 16)), questions=labels, keep_values=False) for n in names}
        ),
    }
    yield f"| {models} models x 2,000 questions x 16 trials | size | save | load |\n|---|---|---|---|"
    for kind, outcomes in kinds.items():
        path = folder / "counts.npz"
        save, load = best(functools.partial(outcomes.save, path))[0], best(lambda p=path: OutcomeSet.load(p), 20)[0]
        assert OutcomeSet.load(path) == outcomes
        yield f"| {kind} | {path.stat().st_size / 1e6:.2f} MB | {1e3 * save:.0f} ms | {1e3 * load:.1f} ms |"
    for i in range(30):
        SavedCounts(kinds["binary"], part=f"night {i}").save(folder / f"night-{i:02}.npz")
    nights = sorted(folder.glob("night-*.npz"))
    merging, reading = best(lambda: SavedCounts.load(nights[0]).merge(*nights[1:]))[0], best(lambda: read(nights))[0]
    yield f"\n30 such files of binary outcomes: {1e3 * merging:.0f} ms to merge, {1e3 * reading:.0f} ms to read."


def accumulator(part, _):
    """One step of an accumulator: 512 of 4,096 questions x 16 trials."""
    labels, blocks = [f"question-{i}" for i in range(4096)], max(2, int(20 * part))
    draws = {
        "0 and 1": lambda rng: rng.integers(0, 2, (512, 16)).astype(float),
        "5 levels": lambda rng: rng.integers(0, 5, (512, 16)) / 4,
        "continuous": lambda rng: rng.random((512, 16)),
    }
    cases: list[tuple[str, str, dict[str, bool]]]
    cases = [("0 and 1", "0 and 1", {}), ("rewards of 5 levels", "5 levels", {}), ("continuous", "continuous", {})]
    cases += [("continuous rewards, not kept", "continuous", {"keep_values": False})]
    yield "| 512 questions x 16 trials per step | step | `outcomes` |\n|---|---|---|"
    for title, kind, options in cases:
        rng, log, times = np.random.default_rng(0), Accumulator(**options), []
        for _ in range(blocks):
            steps = [([labels[i] for i in rng.choice(4096, 512, replace=False)], draws[kind](rng).astype(np.float32))
                     for _ in range(20)]  # fmt: skip
            start = time.process_time()
            for questions, values in steps:
                log.add(questions, values)
            times.append((time.process_time() - start) / 20)
        assert int(log.outcomes.trials.sum()) == blocks * 20 * 512 * 16
        everything = best(lambda log=log: log.outcomes, 5)[0]
        yield f"| {title} | {1e6 * min(times):.0f} us | {1e3 * everything:.1f} ms |"


LONG = "The answer follows from the two numbers of the question, which are added. " * 4


def written_logs(folder, form, logs, samples, epochs):
    """Logs as Inspect writes them: a document holds the messages and events of each sample."""
    for number in range(logs):
        about = {"eval_id": f"e{number}", "run_id": f"r{number}", "created": f"2026-11-20T10:{number % 60:02}:00+00:00"}
        about |= {"task": "addition", "task_id": f"t{number}", "task_version": 0, "task_args": {}}
        about |= {"model": f"m-{number % 10}", "config": {"epochs": epochs}}
        ids = [f"q{i:03}" for i in range(samples)]
        about["dataset"] = {"name": "addition", "samples": samples, "sample_ids": ids}
        head: dict[str, Any] = {"version": 2, "status": "success", "eval": about, "plan": {"name": "plan", "steps": []}}
        head["results"] = {"total_samples": samples * epochs, "completed_samples": samples * epochs, "scores": []}
        rows = []
        for epoch in range(1, epochs + 1):
            for i, name in enumerate(ids):
                score = {"value": "CI"[(number + i * epoch) % 3 == 0], "answer": str(2 * i), "explanation": LONG}
                row = {"id": name, "epoch": epoch, "input": f"What is {i}+{i}? {LONG}", "target": str(2 * i)}
                rows.append(row | {"scores": {"includes": score}, "metadata": {}, "uuid": f"u{number}-{i}-{epoch}"})
        messages = [{"id": f"m{i}", "content": LONG, "source": "generate", "role": "assistant"} for i in range(2)]
        events = [{"uuid": f"v{i}", "event": "model", "input": messages, "working_start": 0.1} for i in range(6)]
        whole = [row | {"messages": messages, "events": events, "store": {}} for row in rows]
        path = folder / f"2026-11-20T10-00-00_addition_{number:04}.{form}"
        if form == "json":
            path.write_text(json.dumps(head | {"samples": whole}), encoding="utf-8")
            continue
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for row in whole:
                archive.writestr(f"samples/{row['id']}_epoch_{row['epoch']}.json", json.dumps(row))
            archive.writestr("summaries.json", json.dumps(rows))
            archive.writestr("header.json", json.dumps(head))


def logs(part, folder):
    """1,000 Inspect logs of 50 x 4 samples beside msgspec's decoding of the same files into structs."""
    import msgspec

    score = msgspec.defstruct("Score", [("value", Any)])
    sample = msgspec.defstruct("Sample", [("id", str), ("epoch", int), ("scores", dict[str, score])])
    spec = msgspec.defstruct("Spec", [("model", str), ("task", str), ("task_id", str)])
    document, rows = msgspec.defstruct("Log", [("eval", spec), ("samples", list[sample], [])]), list[sample]

    def alone(paths):
        for path in paths:
            if path.suffix == ".json":
                msgspec.json.decode(path.read_bytes(), type=document)
            else:
                with zipfile.ZipFile(path) as archive:
                    msgspec.json.decode(archive.read("header.json"), type=document)
                    msgspec.json.decode(archive.read("summaries.json"), type=rows)

    for form in ("eval", "json"):
        place = folder / form
        place.mkdir()
        written_logs(place, form, max(2, int(1000 * part)), 50, 4)
        least = best(lambda place=place: alone(sorted(place.iterdir())))[0]
        mine = best(lambda place=place: read(place))[0]
        yield f".{form}: msgspec alone {least:.2f} s, scorio {mine:.2f} s, {mine / least:.2f} times"


JOBS = {  # with the page and the mark of their table
    tables: ("RESULTS.md", "tables"),
    many_files: ("RESULTS.md", "many files"),
    trial_columns: ("RESULTS.md", "trial columns"),
    saved_counts: ("RESULTS.md", "saved counts"),
    accumulator: ("RESULTS.md", "steps"),
    logs: None,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join(job.__name__ for job in JOBS))
    parser.add_argument("--part", type=float, default=1.0, help="the part of the rows")
    parser.add_argument("--page", action="store_true", help="write the tables into RESULTS.md")
    options = parser.parse_args()
    for job, place in JOBS.items():
        if options.names and job.__name__ not in options.names:
            continue
        lines = []
        with tempfile.TemporaryDirectory() as folder:
            for line in job(options.part, Path(folder)):
                print(line, flush=True)
                lines.append(line)
        if options.page and place:
            fill(*place, "\n".join(lines))


if __name__ == "__main__":
    main()
