"""Saved counts as a Parquet table with one row per task, model and question, written and read by DuckDB.

Any tool can read the table; the header of ``_saved_content`` lies in the file's metadata, and its digest is compared
with the counts when scorio reads them.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError
from ._saved_content import SavedContent, check_version, damaged, decoded, encoded
from ._saved_layout import Arrays, check, narrow
from ._saved_text import from_text

KEY = "scorio.saved_counts"  # of the header in the file's metadata
_MOST_COLUMNS = 1000
_REALS = ("mean", "squares", "cubes")
_TEXTS = ("kind", "task", "model", "question")
_BROKEN = (KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError)


def to_parquet(path: Path, content: SavedContent) -> None:
    """Write a file."""
    if content.state is not None:
        raise OutcomeError("the state of an accumulator is saved as .npz")
    header, arrays = encoded(content)
    tasks = json.loads(header)["tasks"]
    width = max(about.get("categories", 0) for about in tasks)
    if width > _MOST_COLUMNS:
        raise OutcomeError(f"{width} categories are too many columns for Parquet: save as .npz")
    texts = dict[str, int]()
    columns = _columns(tasks, arrays, width, texts)
    numbered, values = _values(tasks, arrays)
    has_values = values.size > 0
    listed = 'l."values"' if has_values else "NULL::DOUBLE[]"
    joined = 'LEFT JOIN (SELECT row, list(value ORDER BY place) AS "values" FROM flat GROUP BY row) l USING (row)'
    nullable = ", ".join(_nullable(name) for name in columns if name != "row")
    named = ", ".join(f"every[{name}] AS {name}" for name in _TEXTS)
    with _connected(f"{path.name} cannot be written") as connection:
        connection.register("numbers", columns)  # no texts, which DuckDB takes with the help of pandas only
        connection.execute("CREATE TABLE texts AS SELECT ?::VARCHAR[] AS every", [[*texts]])
        connection.execute(f"CREATE TEMP VIEW counts AS SELECT numbers.* REPLACE ({named}) FROM numbers, texts")  # noqa: S608
        connection.register("flat", {"row": numbered, "place": np.arange(len(values)), "value": values})
        connection.execute(
            f'COPY (SELECT {nullable}, {listed} AS "values" FROM counts {joined if has_values else ""} ORDER BY row) '  # noqa: S608
            f"TO {_literal(str(path))} (FORMAT parquet, KV_METADATA {{{_literal(KEY)}: {_literal(header)}}})"
        )


def _nullable(name: str) -> str:
    """Return a column in SQL, null in rows of the other kind of outcomes."""
    if name.startswith(("count_", "prior_")):
        return f"CASE WHEN kind = 'counts' THEN {name} END AS {name}"
    return f"CASE WHEN kind = 'rewards' THEN {name} END AS {name}" if name in _REALS else f"counts.{name} AS {name}"


def _columns(
    tasks: Sequence[Mapping[str, Any]], arrays: Arrays, width: int, texts: dict[str, int]
) -> dict[str, NDArray[Any]]:
    """Return the columns of all tasks below one another; those of texts hold their places among ``texts``, from 1."""
    parts = [_task_columns(about, arrays, number, width, texts) for number, about in enumerate(tasks)]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return {"row": np.arange(len(columns["model"]))} | columns


def _task_columns(
    about: Mapping[str, Any], arrays: Arrays, number: int, width: int, texts: dict[str, int]
) -> dict[str, NDArray[Any]]:
    own = {name.partition("/")[2]: array for name, array in arrays.items() if name.startswith(f"{number}/")}
    models, count = about["models"], about["n_questions"]
    rows = len(models) * count
    labels = about["questions"] or range(count)
    questions = [label if isinstance(label, str) else json.dumps(label) for label in labels]
    counts = np.zeros((rows, width), np.int64)
    prior = np.zeros_like(counts)
    if about["kind"] == "counts":
        counts[:, : about["categories"]] = own["counts"].reshape(rows, -1)
        trials = counts.sum(axis=1)
        for i, each in zip(about["priors"], own.get("prior", ()), strict=True):
            prior[i * count : (i + 1) * count, : each.shape[1]] = each
    else:
        trials = own["trials"].ravel().astype(np.int64)
    planned = {None: own.get("planned", trials), "present": trials}.get(about["planned"], about["planned"])
    return {
        "kind": np.repeat(_places([about["kind"]], texts), rows),
        "task": np.repeat(_places([about["task"] or ""], texts), rows),
        "model": np.repeat(_places(models, texts), count),
        "question": np.tile(_places(questions, texts), len(models)),
        "trials": trials,
        "planned": np.broadcast_to(np.asarray(planned, np.int64).reshape(-1), rows).copy(),
        **{f"count_{j}": counts[:, j].copy() for j in range(width)},
        **{f"prior_{j}": prior[:, j].copy() for j in range(width)},
        **{name: own[name].ravel() if name in own else np.zeros(rows) for name in _REALS},
    }


def _places(names: Sequence[str], texts: dict[str, int]) -> NDArray[np.int64]:
    """Return the places of names among all texts, to which new ones are added."""
    return np.array([texts.setdefault(name, len(texts) + 1) for name in names], np.int64)


def _values(tasks: Sequence[Mapping[str, Any]], arrays: Arrays) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rewards that were kept, in order, and the row of each."""
    start, rows, values = 0, [np.zeros(0, np.int64)], [np.zeros(0)]
    for number, about in enumerate(tasks):
        count = about["n_questions"]
        kept = about.get("kept_values", ())
        rows += [np.repeat(np.arange(count) + start + i * count, arrays[f"{number}/trials"][i]) for i in kept]
        values.append(arrays.get(f"{number}/values", np.zeros(0)))
        start += count * len(about["models"])
    return np.concatenate(rows), np.concatenate(values)


def from_parquet(path: Path) -> SavedContent:
    """Return the content of a file."""
    source = f"read_parquet({_literal(str(path))}, file_row_number = true, hive_partitioning = false)"
    with _connected("the saved counts are damaged") as connection:
        keys = f"SELECT value FROM parquet_kv_metadata({_literal(str(path))}) WHERE key = {_literal(KEY)}::BLOB"  # noqa: S608
        header = connection.execute(keys).fetchone()
        if header is None:
            raise OutcomeError("this Parquet file holds no saved counts", hint="scorio.read reads tables of outcomes")
        try:
            parsed = from_text(bytes(header[0]))
            check_version(parsed)
            texts = ("kind", "task", "model", "question", "values", "file_row_number")
            columns = f"SELECT * EXCLUDE ({', '.join(map(_quoted, texts[:-1]))}) FROM {source}"  # noqa: S608
            table = connection.execute(f"{columns} ORDER BY file_row_number").fetchnumpy()
            rewards = f'SELECT unnest("values") AS value FROM {source}'  # noqa: S608
            values = connection.execute(rewards).fetchnumpy()["value"]
            arrays = _arrays(parsed["tasks"], table, np.asarray(values, np.float64))
        except OutcomeError as error:
            raise damaged(error.text()) from None
        except _BROKEN as error:
            raise damaged(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}") from None
    return decoded(parsed, arrays)


def _arrays(tasks: Sequence[Mapping[str, Any]], table: Mapping[str, Any], values: NDArray[np.float64]) -> Arrays:
    """Return the arrays of all tasks from the columns of the table."""
    arrays: Arrays = {}
    start = used = 0
    for number, about in enumerate(tasks):
        models, count = len(about["models"]), about["n_questions"]
        check(type(count) is int and 0 < count * models <= len(table["trials"]), "rows are missing")
        rows, shape = slice(start, start + models * count), (models, count)
        start += models * count
        if about["kind"] == "counts":
            own = {"counts": _wide(table, "count", rows, (*shape, about["categories"]))}
            if about["priors"]:
                own["prior"] = _wide(table, "prior", rows, (*shape, about["categories"]))[about["priors"]]
                own["prior"] = narrow(own["prior"])
        else:
            own = {"trials": _whole(table["trials"][rows]).reshape(shape)}
            own |= {name: np.ma.filled(table[name][rows], np.nan).reshape(shape) for name in _REALS}
            if about["kept_values"]:
                size = int(own["trials"][about["kept_values"]].sum())
                own["values"] = values[used : used + size]
                used += size
        if about["planned"] is None:
            own["planned"] = _whole(table["planned"][rows]).reshape(shape)
        arrays |= {f"{number}/{name}": array for name, array in own.items()}
    check(start == len(table["trials"]) and used == len(values), "the table has another number of rows than stated")
    return arrays


def _wide(table: Mapping[str, Any], name: str, rows: slice, shape: tuple[int, ...]) -> NDArray[Any]:
    columns = [table[f"{name}_{j}"][rows] for j in range(shape[-1])]
    return _whole(np.ma.stack(columns, axis=-1)).reshape(shape)


def _whole(numbers: Any) -> NDArray[Any]:
    filled = np.ma.filled(numbers, -1)
    check(filled.dtype.kind in "iu" and (filled >= 0).all(), "a count is missing or below 0")
    return narrow(filled)


@contextmanager
def _connected(problem: str) -> Iterator[Any]:
    """Open a database in memory; its errors become one line."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise OutcomeError("Parquet files need DuckDB", hint='pip install "scorio[tables]"') from None
    try:
        with duckdb.connect(":memory:") as connection:
            connection.execute("SET enable_progress_bar = false")
            yield connection
    except (duckdb.Error, RuntimeError, UnicodeError) as error:
        raise OutcomeError(f"{problem}: {str(error).partition(chr(10))[0]}") from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
