"""Tables and tensors larger than memory: ``python benchmarks/tables.py``, with ``--write`` into ``docs/scaling.md``.

Every figure is of a process of its own: seconds at work, which others on the machine do not lengthen, the most memory
it held, and how much more that was than before. It needs Linux, whose ``/proc`` tells the memory. The plain query
groups the same columns of the same file by DuckDB with its own settings, and fetches the counts; it and ``scorio.read``
take turns, and the turn that worked least counts. Files are made by DuckDB in a temporary folder.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np
from marked import fill

MODELS, QUESTIONS = 20, 500
MOST_TRIALS = 10_000  # of a question, that have numbers
TENSOR = (20, 100_000, 1000)
FORMATS = {"parquet": "parquet", "jsonl": "json", "csv": "csv"}

MEASURED = """
import json, re, sys, time
from pathlib import Path
import duckdb, numpy as np, scorio

job, path = sys.argv[1:3]

def plain():
    connection = duckdb.connect().execute("SET enable_progress_bar = false")
    connection.execute(f"SELECT model, question, correct, count(*) AS times FROM '{path}' GROUP BY ALL")
    return int(connection.fetchnumpy()["times"].sum())

def read():
    return sum(int(outcomes.trials.sum()) for outcomes in scorio.read(path).values())

def mapped():
    models = scorio.OutcomeSet(np.memmap(path, np.int8, "r", shape=tuple(json.loads(sys.argv[3]))))
    return sum(int(outcomes.trials.sum()) for outcomes in models.values())

def memory(what):
    return int(re.search(what + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

Path("/proc/self/clear_refs").write_text("5")  # forget the peak of the imports
before, start = memory("VmRSS"), time.process_time()
rows = globals()[job]()
seconds, most = time.process_time() - start, memory("VmHWM")
print(json.dumps({"rows": rows, "seconds": seconds, "most": most, "extra": most - before}))
"""


def measured(job, path, *arguments):
    """What one process says of itself."""
    command = [sys.executable, "-c", MEASURED, job, str(path), *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def written(folder, kind, rows, *, trial):
    """A table with so many trials, equally many of each question of each model."""
    path = folder / f"{rows}{'-trial' * trial}.{kind}"
    each = rows // (MODELS * QUESTIONS)
    columns = [
        f"'model-' || (i // {each * QUESTIONS}) AS model",
        f"'question-' || ((i // {each}) % {QUESTIONS}) AS question",
        f"hash(i) % 100 < (i // {each}) % 100 AS correct",
        *([f"(i % {each})::SMALLINT AS trial"] if trial else []),
    ]
    with duckdb.connect(config={"memory_limit": "2GB", "temp_directory": str(folder / "spill")}) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"COPY (SELECT {', '.join(columns)} FROM range({rows}) r(i)) TO '{path}' (FORMAT {FORMATS[kind]})"
        )
    return path


def best(turns):
    """The turn that worked least."""
    return min(turns, key=lambda turn: turn["seconds"])


def table_line(folder, kind, rows, turns, *, trial):
    """A line about one file: the plain query beside the reader."""
    path = written(folder, kind, rows, trial=trial)
    took = [(measured("plain", path), measured("read", path)) for _ in range(turns)]
    assert {turn["rows"] for pair in took for turn in pair} == {rows}
    plain, read = map(best, zip(*took, strict=True))
    most = max(turn["most"] for _, turn in took)
    path.unlink()
    size = f"10^{len(str(rows)) - 1}"
    return (
        f"| {size} | {kind}{', trials told apart' * trial} | {plain['seconds']:.2f} s | {read['seconds']:.2f} s |"
        f" {read['seconds'] / plain['seconds']:.2f} | {most:.0f} MB |"
    )


def tensor_line(folder):
    """A sentence about a tensor in a file."""
    path = folder / "tensor.bin"
    with path.open("wb") as stream:
        stream.truncate(int(np.prod(TENSOR)))
    found = measured("mapped", path, json.dumps(TENSOR))
    path.unlink()
    assert found["rows"] == np.prod(TENSOR)
    shape = " x ".join(f"{size:,}" for size in TENSOR)
    return (
        f"A mapped int8 tensor of {shape}, {np.prod(TENSOR):.0e} entries in all: {found['seconds']:.1f} s,"
        f" {found['extra']:.0f} MB more than before."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parquet", type=int, nargs="*", default=[10**7, 10**8], help="rows of each Parquet file")
    parser.add_argument("--text", type=int, default=10**7, help="rows of the JSON lines and CSV files")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/scaling.md")
    asked = parser.parse_args()
    lines = ["| rows | file | plain query | `scorio.read` | ratio | most memory |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rows in asked.parquet:
            named = [False, True] if rows <= MODELS * QUESTIONS * MOST_TRIALS else [False]
            lines += [table_line(folder, "parquet", rows, asked.turns, trial=trial) for trial in named]
        lines += [table_line(folder, kind, asked.text, asked.turns, trial=True) for kind in ("jsonl", "csv")]
        lines += ["", tensor_line(folder)]
    print("\n".join(lines))
    if asked.write:
        fill("scaling.md", "tables", "\n".join(lines))


if __name__ == "__main__":
    main()
