"""Folders of many Parquet files: ``python benchmarks/many_files.py``, with ``--write`` into ``docs/scaling.md``.

Every figure is of a process of its own, which has read one file before: seconds of processor time, and the most memory
of the process as ``resource.getrusage`` tells it. The plain query groups by model, question and outcome with DuckDB's
own settings; it knows nothing of trials. It and ``scorio.read`` take turns, and the turn that worked least counts.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
from marked import fill

MEASURED = """
import json, resource, sys, time
import duckdb, scorio, scorio.io

job, path = sys.argv[1:]

def plain(pattern="*.parquet"):
    connection = duckdb.connect().execute("SET enable_progress_bar = false")
    connection.execute(f"SELECT model, question, correct, count(*) AS times FROM '{path}/{pattern}' GROUP BY ALL")
    return int(connection.fetchnumpy()["times"].sum())

def read(pattern="*.parquet"):
    return sum(int(outcomes.trials.sum()) for outcomes in scorio.io.read(f"{path}/{pattern}").values())

globals()[job]("000.parquet")
start, clock = time.process_time(), time.perf_counter()
rows = globals()[job]()
seconds, wall = time.process_time() - start, time.perf_counter() - clock
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"rows": rows, "seconds": seconds, "wall": wall, "most": most}))
"""
FOLDERS = {  # files, rows per file, questions, and the name of a trial
    "30 daily files of 10^6 rows": (30, 1_000_000, 500, "{file} * 100 + i // 10000"),
    "200 files of 5,000 rows": (200, 5_000, 50, "{file} * 5 + i // 1000"),
    "10 files, words as names of trials": (10, 1_000_000, 500, "'trial of day {file}, number ' || (i // 10000)"),
    "10 files, every row a name of its own": (10, 1_000_000, 500, "'rollout ' || ({file} * 1000000 + i)"),
}


def written(folder, files, rows, questions, trial):
    """A folder of so many files of 20 models."""
    folder.mkdir()
    for file in range(files):
        columns = f"'model-' || (i % 20) AS model, 'question-' || ((i // 20) % {questions}) AS question"
        outcome = f"(hash(i + {file}) % 3 = 0)::TINYINT AS correct"
        duckdb.sql(
            f"COPY (SELECT {columns}, {trial.format(file=file)} AS trial, {outcome} FROM range({rows}) r(i)) "
            f"TO '{folder}/{file:03}.parquet' (FORMAT parquet)"
        )
    return folder


def measured(job, folder):
    """What one process says of itself."""
    command = [sys.executable, "-c", MEASURED, job, str(folder)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def best(folder, turns):
    """The turn of each job that worked least."""
    runs = [[measured(job, folder) for job in ("plain", "read")] for _ in range(turns)]
    return [min(column, key=lambda run: run["seconds"]) for column in zip(*runs, strict=True)]


def table(turns):
    """The rows of the table in Markdown."""
    yield "| folder | plain query | `scorio.read` | ratio | most memory of both |"
    yield "|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as temporary:
        for i, (name, shape) in enumerate(FOLDERS.items()):
            folder = written(Path(temporary, str(i)), *shape)
            plain, read = best(folder, turns)
            assert plain["rows"] == read["rows"] == shape[0] * shape[1]
            ratio = read["seconds"] / plain["seconds"]
            memory = f"{plain['most']:.0f} MB, {read['most']:.0f} MB"
            yield f"| {name} | {plain['seconds']:.2f} s | {read['seconds']:.2f} s | {ratio:.2f} | {memory} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table into docs/scaling.md")
    parser.add_argument("--turns", type=int, default=3, help="turns of every job (default: 3)")
    options = parser.parse_args()
    lines = []
    for line in table(options.turns):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        fill("scaling.md", "many files", "\n".join(lines))


if __name__ == "__main__":
    main()
