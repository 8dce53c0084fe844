"""Sources of every kind that take a while to read, and the command line interrupted while it reads one of them."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.written import inspect_eval, inspect_header, inspect_sample, lm_eval_file, lm_eval_row
from scorio import OutcomeMatrix, OutcomeSet

CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a process in the background may have to ignore
import duckdb, numpy, scorio.io, scorio.cli._program
from scorio.cli import main
from scorio.cli._commands import models, pairs
print("started", file=sys.stderr, flush=True)
main()
"""
QUESTIONS = 50
ENDLESS_SQLITE = """CREATE VIEW t AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)
    SELECT 'z' AS model, 'q' || x AS question, 1 AS trial, 1 AS correct FROM r WHERE x < 0"""


class Slow(NamedTuple):
    """The options of the command line that read a source, and whether reading it ends."""

    options: tuple[str, ...] = ()
    ends: bool = True


def rows(size):
    return ((f"q{i % QUESTIONS}", i // QUESTIONS, i % 3 != 0) for i in range(size))


def csv(folder, size, blank="", note=""):
    lines = (f"z,{blank}{question},{trial},{int(passed)},{note}\n" for question, trial, passed in rows(size))
    Path(folder, "z.csv").write_text("model,question,trial,correct,note\n" + "".join(lines))
    return Slow()


def records(size):
    return [{"model": "z", "question": name, "trial": i, "correct": int(passed)} for name, i, passed in rows(size)]


def json_lines(folder, size):
    Path(folder, "z.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records(size)))
    return Slow()


def json_list(folder, size):
    Path(folder, "z.json").write_text(json.dumps(records(size // 3)))
    return Slow()


def in_duckdb(path, *statements):
    import duckdb

    with closing(duckdb.connect(str(path))) as connection:
        for statement in statements:
            connection.execute(statement)


def table_in_duckdb(size):
    return (
        f"SELECT 'z' AS model, 'q' || (i % {QUESTIONS}) AS question, i // {QUESTIONS} AS trial,"
        f" CAST(i % 3 != 0 AS INTEGER) AS correct, hash(i) AS other FROM range({size}) r(i)"
    )


def parquet(folder, size):
    in_duckdb(":memory:", f"COPY ({table_in_duckdb(10 * size)}) TO '{folder}/z.parquet'")
    return Slow()


def many_parquet(folder, size):
    for part in range(20):
        table = table_in_duckdb(size)
        part_of_it = f"SELECT * REPLACE (trial + {part * size} AS trial) FROM ({table})"
        in_duckdb(":memory:", f"COPY ({part_of_it}) TO '{folder}/z{part}.parquet'")
    return Slow()


def in_sqlite(folder, statement, values=()):
    with closing(sqlite3.connect(Path(folder, "z.sqlite"))) as connection:
        connection.execute(statement)
        connection.executemany("INSERT INTO t VALUES ('z', ?, ?, ?)", values) if values else None
        connection.commit()


def sqlite_table(folder, size):
    in_sqlite(folder, "CREATE TABLE t (model, question, trial, correct)", [*rows(size)])
    return Slow()


def sqlite_view(folder, size):
    in_sqlite(folder, ENDLESS_SQLITE)
    return Slow(("--table", "t"), ends=False)


def saved_counts(folder, size):
    counts = np.random.default_rng(0).integers(0, 3, size)
    matrix = OutcomeMatrix.from_counts(counts, 3)
    OutcomeSet({f"z{i}": matrix for i in range(4)}).save(Path(folder, "z.npz"))
    return Slow()


def array(folder, size):
    np.save(Path(folder, "z.npy"), np.random.default_rng(0).integers(0, 2, (2, QUESTIONS, size // 5)))
    return Slow()


def inspect(folder, size):
    samples = [inspect_sample(name, trial + 1, "C" if passed else "I") for name, trial, passed in rows(size // 4)]
    ids = [f"q{i}" for i in range(QUESTIONS)]
    inspect_eval(Path(folder, "z.eval"), samples, inspect_header("z", ids, size // 4 // QUESTIONS))
    return Slow()


def lm_eval(folder, size):
    lm_eval_file(Path(folder), [lm_eval_row(i, float(i % 3 != 0)) for i in range(size // 4)], model="z")
    return Slow()


KINDS = {
    "csv by rows": lambda folder, size: csv(folder, size // 2, blank=" "),
    "csv by DuckDB": lambda folder, size: csv(folder, 2 * size, note="x" * 50),
    "JSON lines": json_lines,
    "JSON list": json_list,
    "Parquet": parquet,
    "20 Parquet files": many_parquet,
    "SQLite table": sqlite_table,
    "SQLite view": sqlite_view,
    "saved counts": saved_counts,
    "array": array,
    "Inspect": inspect,
    "lm-eval": lm_eval,
}


def written(folder, kind, size):
    """Write a new and an old model, and a source of a kind that takes longer to read."""
    for model in ("new", "old"):
        lines = "".join(f"{model},q{i},1,{i % 2}\n" for i in range(QUESTIONS))
        Path(folder, f"{model}.csv").write_text(f"model,question,trial,correct\n{lines}")
    return KINDS[kind](folder, size)


class Run(NamedTuple):
    """A run of the command line: its exit code, its texts, and the seconds that it took, from the signal on if sent."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    was_sent: bool


def run(*args, moment=None, patience=60.0):
    """Run the command line; ``moment`` is when it is interrupted, in seconds after it began to read."""
    call = [sys.executable, "-c", CODE, *map(str, args)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr.readline() == "started\n"
            start = time.monotonic()
            was_sent = False
            if moment is not None:
                time.sleep(moment)
                was_sent = process.poll() is None
                start = time.monotonic()
                os.kill(process.pid, signal.SIGINT) if was_sent else None
            stdout, stderr = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
        return Run(process.returncode, stdout, stderr, time.monotonic() - start, was_sent)


def gate(folder, slow, *, skip_bad):
    """Return the call that gates the new model on the old one."""
    skip = ["--skip-bad"] if skip_bad else []
    return ["gate", folder, "-q", "--between", "new", "old", "--max-drop", "0.9", *slow.options, *skip]


def interrupted(call, moment):
    """Run the command line, and interrupt it at a moment, or before if it is over by then."""
    while not (done := run(*call, moment=moment)).was_sent:
        moment /= 2
    return done


def moments(seconds, count, seed=0):
    """Return moments all over a time."""
    chance = random.Random(seed)
    return [seconds * (i + chance.random()) / count for i in range(count)]
