"""Random tables with known outcomes: text, Parquet, databases, data frames, exports, arrays, saved counts."""

import sqlite3
from collections import Counter
from contextlib import closing
from types import SimpleNamespace

import numpy as np

from helpers.truthful import (
    BINARY,
    FREE,
    GRADED,
    NEVER,
    ODD,
    PLAIN,
    WORDS,
    Case,
    answer_of,
    as_json,
    counts_of,
    draw_world,
    either,
    put_lines,
    put_text,
    samples_of,
    score_of,
    shuffled,
    trials_of,
    truthful,
)
from scorio import OutcomeMatrix, OutcomeSet
from scorio.io._tabular import duck

DELIMITERS = ",\t;|"
SPELLINGS = [
    {1.0: ["1", "1.0"], 0.0: ["0", "0.0"]},
    {1.0: ["true", "True", "TRUE"], 0.0: ["false", "False"]},
    {1.0: ["✓", "✅"], 0.0: ["✗", "❌"]},
    {1.0: ["100%"], 0.0: ["0%", "0.0%"]},
    {1.0: ["pass", "Passed", "yes", "C"], 0.0: ["fail", "FAILED", "no", "I", "N"]},
]
HALVES = NEVER[2:]  # of characters, which UTF-8 cannot hold


def draw_table(rng, models=ODD, questions=ODD):
    """Return the world, and the columns and rows of a table with one row per trial."""
    spelling = rng.choice([*SPELLINGS, None])
    world = draw_world(rng, models, questions, BINARY if spelling else rng.choice([GRADED, FREE]))
    tasked, numbered, has_model = rng.random() < 0.2, rng.random() < 0.6, rng.random() < 0.8
    if not has_model:
        world = {"m": [next(iter(world.values()))[0]]}
    names = {
        "question": rng.choice(["question", "id", "Problem ID"]),
        "outcome": rng.choice(["outcome", "passed" if spelling else "score"]),
    }
    names |= {"model": rng.choice(["model", "system"])} if has_model else {}
    names |= {"trial": rng.choice(["trial", "seed", "run_id"])} if numbered else {}
    names |= {"task": "task"} if tasked else {}
    table, clusters = [], rng.random() < 0.2
    names |= {"cluster": "cluster"} if clusters else {}
    for task in ["sums", "words"][: 1 + tasked]:
        for model, (run,) in world.items():
            for question, i, value in trials_of(run):
                text = rng.choice(["", "NA", "nan", "None"]) if value is None else None
                text = (
                    rng.choice(spelling[value]) if spelling and text is None else repr(value) if text is None else text
                )
                row = {"model": model, "task": task, "question": question, "trial": str(i), "outcome": text}
                table.append({name: (row | {"cluster": question})[role] for role, name in names.items()})
                score = score_of(question, i)
                kept = {"pred": answer_of(question, i, value) or "", "verifier": "" if score is None else repr(score)}
                table[-1] |= kept
    order = rng.sample(list(table[0]), len(table[0]))
    table = [{name: row[name] for name in order} | {"note": 'x,"y\nz'} for row in shuffled(rng, table)]
    truth = {task: counts_of(world) for task in (["sums", "words"] if tasked else [None])}
    samples = {task: samples_of(world, scored=True) for task in truth} if rng.random() < 0.5 else None
    kept = {"samples": samples, "keep": ("answers", "verifier")}
    return SimpleNamespace(world=world, names=names, rows=table, truth=truth, numbered=numbered, kept=kept)


def repeated(rng, drawn):
    """Have a trial there twice, sometimes: return whether the table must be refused."""
    if not drawn.numbered or rng.random() > 0.05:
        return False
    drawn.rows.append(dict(rng.choice(drawn.rows)))
    return True


def field(rng, text, mark, ends):
    """Return a field of CSV: texts that need quotes have them, others sometimes."""
    needs = text[:1] in (" ", "") or any(each in text for each in (mark, '"', "\n", "\r"))
    return '"' + text.replace('"', '""') + '"' if needs or rng.random() < ends else text


def put_csv(rng, path, table, mark=","):
    """Write a table with a delimiter, and any ends of lines."""
    ends, quoted = rng.choice(["\n", "\n", "\r\n"]), rng.choice([0.0, 0.3, 1.0])
    lines = [list(table[0]), *(list(row.values()) for row in table)]
    text = ends.join(mark.join(field(rng, each, mark, quoted) for each in line) for line in lines)
    return put_text(rng, path, text + rng.choice([ends, ends, "", ends * 3]))


def writable(rows_of_text):
    """Return whether a text file of UTF-8 without escapes can hold the rows."""
    return not any(bad in value for row in rows_of_text for value in row.values() for bad in HALVES)


@truthful("table")
def separated(rng, folder):
    drawn = draw_table(rng)
    if not writable(drawn.rows):
        return separated(rng, folder)
    is_wrong = repeated(rng, drawn)
    path = put_csv(rng, folder / f"m.{rng.choice(['csv', 'tsv'])}", drawn.rows, rng.choice(DELIMITERS))
    return Case(either(rng, path), None if is_wrong else drawn.truth, **drawn.kept)


@truthful("table")
def joined(rng, folder):
    """Two tables in one file: the second header must not be a row."""
    drawn = draw_table(rng)
    if not writable(drawn.rows):
        return joined(rng, folder)
    header = {name: rng.choice([name, name.upper(), f" {name} "]) for name in drawn.rows[0]}
    cut = rng.randint(0, len(drawn.rows))
    path = put_csv(rng, folder / "m.csv", [*drawn.rows[:cut], header, *drawn.rows[cut:]])
    return Case(path, None)


@truthful("table")
def parts(rng, folder):
    """Several files of one table, whose rows add up."""
    drawn = draw_table(rng)
    if not (writable(drawn.rows) and "model" in drawn.names and drawn.numbered):
        return parts(rng, folder)
    is_wrong = repeated(rng, drawn)
    cut = rng.randint(1, len(drawn.rows))
    for i, part in enumerate([drawn.rows[:cut], drawn.rows[cut:]]):
        if part:
            put_csv(rng, folder / f"{i}.csv", part)
    truth = None if is_wrong else drawn.truth
    return Case(rng.choice([folder, str(folder / "*.csv")]), truth, **drawn.kept)


def native(rng, name, value):
    """Return a value as JSON may hold it: numbers and truth values as such, if they are written in the same way."""
    if value in ("true", "false") and rng.random() < 0.5:
        return value == "true"
    if value in ("", "NA", "None", "nan") and name in ("outcome", "passed", "score"):
        return rng.choice([None, value])
    is_number = value.lstrip("-").replace(".", "", 1).isdigit() and value.isascii()
    number = (float(value) if "." in value else int(value)) if is_number else None
    return number if number is not None and repr(number) == value and rng.random() < 0.5 else value


@truthful("table")
def json_records(rng, folder):
    drawn = draw_table(rng)
    is_wrong = repeated(rng, drawn)
    table = [{name: native(rng, name, value) for name, value in row.items()} for row in drawn.rows]
    if rng.random() < 0.3:
        table = [{**row, "note": {"x": [1, {"y": None}]}} for row in table]
    is_list = rng.random() < 0.3
    path = (
        put_text(rng, folder / "m.json", as_json(rng, table, 1))
        if is_list
        else put_lines(rng, folder / "m.jsonl", table)
    )
    return Case(either(rng, path), None if is_wrong else drawn.truth, **drawn.kept)


@truthful("table")
def wide(rng, folder):
    """A table with one column per trial; shorter rows have missing trials."""
    world = draw_world(rng)
    most = max(len(own) for (run,) in world.values() for own in run.values())
    stem = rng.choice(["t", "trial_", "run "])
    table = []
    for model, (run,) in world.items():
        for question, own in run.items():
            own += [None] * (most - len(own))
            values = {f"{stem}{i + 1}": "" if value is None else repr(value) for i, value in enumerate(own)}
            table.append({"model": model, "question": question} | values)
    if not writable(table) or most < 2:
        return wide(rng, folder)
    path = put_csv(rng, folder / "m.csv", shuffled(rng, table), rng.choice(DELIMITERS))
    return Case(either(rng, path), {None: counts_of(world)})


@truthful("table")
def counted(rng, folder):
    """A table with the number of trials and of successes."""
    world = draw_world(rng, missing=False)
    table = [
        {
            "model": model,
            "question": q,
            "n": str(len(own)),
            "c": repr(sum(own)) if rng.random() < 0.3 else str(int(sum(own))),
        }
        for model, (run,) in world.items()
        for q, own in run.items()
    ]
    if not writable(table):
        return counted(rng, folder)
    if rng.random() < 0.1:
        table.append(rng.choice(table))
        world = None
    path = put_csv(rng, folder / "m.csv", shuffled(rng, table), rng.choice(DELIMITERS))
    return Case(path, world and {None: counts_of(world)})


@truthful("table")
def lists(rng, folder):
    """JSON with a list of outcomes per question."""
    world = draw_world(rng, values=rng.choice([BINARY, GRADED]))
    table = [
        {"model": model, "question": q, "score": [None if v is None else rng.choice([v, repr(v)]) for v in own]}
        for model, (run,) in world.items()
        for q, own in run.items()
    ]
    return Case(either(rng, put_lines(rng, folder / "m.jsonl", shuffled(rng, table))), {None: counts_of(world)})


def exported(rng, folder, question, outcome, failed, extra):
    """Write the export of a tool: one row per trial, and a mark where a run failed."""
    world = draw_world(rng, PLAIN, ODD)
    world = {"m": [next(iter(world.values()))[0]]}
    table = []
    for q, _, value in trials_of(world["m"][0]):
        text = rng.choice(["True", "False"]) if value is None else str(value > 0)
        table.append({question: q, outcome: text, failed[0]: failed[1] if value is None else failed[2]} | extra)
    if not writable(table):
        return exported(rng, folder, question, outcome, failed, extra)
    path = put_csv(rng, folder / "m.csv", shuffled(rng, table))
    return Case(path, {None: counts_of(world)})


EXPORTS = [  # of LangSmith, MLflow and Braintrust
    ("example_id", "feedback.exact", ("error", "boom", ""), {"inputs.q": "x"}),
    ("request", "exact/value", ("state", "ERROR", "OK"), {"trace_id": "t", "expected_r/value": "4"}),
    ("input", "scores.exact", ("error", "boom", ""), {"id": "x"}),
]
for columns in EXPORTS:
    truthful("table")(lambda rng, folder, columns=columns: exported(rng, folder, *columns))


@truthful("table")
def trainings(rng, folder):
    """The completions of verl and TRL: the step of the training is the model."""
    world = draw_world(rng, ["5", "10", "20"], WORDS, FREE, missing=False)
    tool = rng.choice(["verl", "trl"])
    table = [
        {"step": int(step), "input": q, "output": "x", "score": value}
        if tool == "verl"
        else {"step": int(step), "prompt": q, "completion": "x", "exact_reward": value}
        for step, (run,) in world.items()
        for q, _, value in trials_of(run)
    ]
    source = put_lines(rng, folder / "completions" / "m.jsonl", shuffled(rng, table))
    return Case(source, {None: counts_of({f"step {step}": runs for step, runs in world.items()})})


def typed(rng, drawn):
    """Return SQL types for the columns, and the values as Python has them."""
    kinds, columns = {}, {}
    for name in drawn.rows[0]:
        texts = [row[name] for row in drawn.rows]
        kinds[name], columns[name] = "VARCHAR", texts
        if name == drawn.names["outcome"]:
            texts = [None if text in ("", "NA", "nan", "None") else text for text in texts]
            columns[name] = texts
            known = [text for text in texts if text is not None]
            if all(text.lower() in ("true", "false") for text in known):
                kinds[name] = "BOOLEAN"
            elif all(text in ("0", "1", "0.0", "1.0") for text in known):
                kinds[name] = rng.choice(["TINYINT", "UBIGINT", "INTEGER", "FLOAT", "DECIMAL(4, 1)", "DOUBLE"])
            elif all(text[:1] in "-0123456789" and text[-1:] != "%" for text in known):
                kinds[name] = "DOUBLE"
        elif name == drawn.names.get("trial"):
            kinds[name] = rng.choice(["INTEGER", "BIGINT", "USMALLINT", "VARCHAR"])
        elif all(text.isascii() and text.isdecimal() and str(int(text)) == text for text in texts):
            kinds[name] = rng.choice(["INTEGER", "VARCHAR"])
    return kinds, columns


def duck_rows(connection, kinds, columns):
    """Make a table of these columns in DuckDB."""
    made = ", ".join(f"{duck.quoted(name)} {kind}" for name, kind in kinds.items())
    connection.execute(f"CREATE TABLE runs ({made})")
    marks = ", ".join(f"CAST(? AS {kind})" for kind in kinds.values())
    for values in zip(*columns.values(), strict=True):
        connection.execute(f"INSERT INTO runs VALUES ({marks})", list(values))


def storable(rng, **names):
    """Draw a table whose texts a database can hold."""
    while True:
        drawn = draw_table(rng, **names)
        if not any(bad in value for row in drawn.rows for value in row.values() for bad in ("\0", *HALVES)):
            return drawn


@truthful("table")
def parquet(rng, folder):
    import duckdb

    drawn = storable(rng)
    is_wrong = repeated(rng, drawn)
    with duckdb.connect() as connection:
        duck_rows(connection, *typed(rng, drawn))
        packed = rng.choice(["snappy", "zstd", "uncompressed"])
        connection.execute(f"COPY runs TO '{folder / 'm.parquet'}' (FORMAT parquet, COMPRESSION {packed})")
    return Case(either(rng, folder / "m.parquet"), None if is_wrong else drawn.truth, **drawn.kept)


@truthful("database")
def sqlite_file(rng, folder):
    drawn = storable(rng)
    is_wrong = repeated(rng, drawn)
    with closing(sqlite3.connect(folder / "m.sqlite")) as connection:
        connection.execute(f"CREATE TABLE runs ({', '.join(map(duck.quoted, drawn.rows[0]))})")
        marks = ", ".join("?" * len(drawn.rows[0]))
        values = [[None if value == "" else native_number(rng, value) for value in row.values()] for row in drawn.rows]
        connection.executemany(f"INSERT INTO runs VALUES ({marks})", values)
        connection.commit()
    options = rng.choice([{}, {"table": "runs"}, {"query": "SELECT * FROM runs"}])
    return Case(folder / "m.sqlite", None if is_wrong else drawn.truth, options, **drawn.kept)


def native_number(rng, value):
    number = native(rng, "", value)
    return number if type(number) in (int, float) else value


@truthful("table")
def frames(rng, folder):
    """A data frame of pandas, Polars or PyArrow; nulls are missing trials."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    drawn = storable(rng)
    if "task" in drawn.names:
        return frames(rng, folder)
    _, columns = typed(rng, drawn)
    make = rng.choice([pd.DataFrame, pl.DataFrame, pa.table])
    roles = {
        role: drawn.names[role] for role in ("question", "outcome", "model", "trial", "cluster") if role in drawn.names
    }
    frame = make(columns)
    truth = drawn.truth if "model" in roles else {None: {"model-0": drawn.truth[None]["m"]}}

    def read(frame):
        return SimpleNamespace(outcomes=OutcomeSet.from_frame(frame, **roles, missing="omit"))

    return Case(frame, truth)


@truthful("arrays")
def arrays(rng, folder):
    models, questions = rng.sample(WORDS, rng.randint(1, 3)), rng.sample(WORDS, rng.randint(1, 4))
    values = rng.choice([[0, 1], [0, 1, np.nan], [0, 0.25, 0.5, 1, np.nan]])
    tensor = np.array([[[rng.choice(values) for _ in range(5)] for _ in questions] for _ in models], float)
    is_whole = not np.isnan(tensor).any() and set(values) == {0, 1}
    kind = rng.choice(["i1", "u1", ">i4", "?", "f4", "f8"]) if is_whole else rng.choice(["f4", "f8", ">f8"])
    rows_of = [[Counter(None if np.isnan(v) else float(v) for v in row) for row in table] for table in tensor]
    tensor = np.asfortranarray(tensor.astype(kind)) if rng.random() < 0.3 else tensor.astype(kind)
    path = folder / "m.npz"
    if rng.random() < 0.3:
        path = folder / "m.npy"
        np.save(path, tensor)
        models = ["m"] if len(models) == 1 else [f"model-{i}" for i in range(len(models))]
        questions = [str(i) for i in range(len(questions))]
    else:
        (np.savez if rng.random() < 0.5 else np.savez_compressed)(path, R=tensor, models=models, questions=questions)
    truth = {m: dict(zip(questions, row, strict=True)) for m, row in zip(models, rows_of, strict=True)}
    return Case(either(rng, path), {None: truth})


@truthful("saved-counts")
def saved_counts(rng, folder):
    world = draw_world(rng, values=rng.choice([BINARY, GRADED]), questions=[*WORDS], models=ODD)
    questions = list(dict.fromkeys(q for (run,) in world.values() for q in run))
    if not all(any(v is not None for own in run.values() for v in own) for (run,) in world.values()):
        return saved_counts(rng, folder)
    tables = {model: [run.get(q, []) for q in questions] for model, (run,) in world.items()}
    try:
        outcomes = OutcomeSet(
            {m: OutcomeMatrix.from_rewards(t, missing="omit", questions=questions) for m, t in tables.items()}
        )
    except ValueError:  # models with other levels are no set
        return saved_counts(rng, folder)
    outcomes.save(folder / "m.npz")
    truth = {m: {q: Counter(run.get(q, [])) for q in questions} for m, (run,) in world.items()}
    return Case(either(rng, folder / "m.npz"), {None: truth})
