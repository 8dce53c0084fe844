"""Many files of one layout counted by one query, in which their trials are checked as well.

Every fault is an ``OutcomeError`` without its place: the files are then read one by one, which names the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import OutcomeError
from .._files import LogFile
from . import duck, rows, sql
from .distinct_trials import Counted, check_distinct
from .path_columns import check_in_both
from .sql import DistinctRows

_FILE = 1 << 40  # more rows than a file has: the place of a row is the number of its file times this, plus its own


class Together(NamedTuple):
    """The distinct rows of many files in order, and the number of the first file that has each."""

    rows: DistinctRows
    files: Sequence[int]


def text_key(file: LogFile) -> tuple[Any, ...] | None:
    """Return what two files of text must have in common to be read by one query; None if DuckDB cannot read it."""
    if not rows.is_table(file) or not rows.is_plain(file):
        return None
    return ("json" if file.is_json else rows.delimiter(file), *rows.own_columns(file))


def count(
    paths: Sequence[Path], names: Sequence[str], trial: str | None, nested: Sequence[str], keys: int, *, by_file: bool
) -> Together:
    """Return the distinct rows of some columns of all files, whose first ``keys`` columns identify a question.

    ``by_file`` keeps the rows of different files apart. A trial that a question has twice is an error.
    """
    every = names if trial is None else [*names, trial]
    source, shown, in_both = _source(paths, every, nested)
    with duck.connected(*paths) as connection:
        check_in_both(connection, source, in_both)
        kinds = sql.described(
            connection, _source(paths[:1], every, nested).source, [duck.quoted(name) for name in every]
        )
        groups = sql.plain_keys([duck.quoted(name) for name in names], kinds[: len(names)])
        number = duck.file_number(paths)
        listed = [*(f"CAST({key} AS VARCHAR)" for key in groups), f"min({number} * {_FILE} + file_row_number) AS place"]
        listed.append("count(*)")
        checked = Counted(source, [*groups[:keys], *([number] if by_file else [])])
        if trial is not None:
            checked = checked.with_trial(duck.quoted(trial), kinds[-1][1])
        by = ", ".join([*groups, *([number] if by_file else [])])
        table = connection.execute(
            f"SELECT {', '.join([*listed, *checked.fingerprint])} FROM {source} GROUP BY {by} ORDER BY place"  # noqa: S608
        ).fetchall()
        if not table:
            raise OutcomeError("the files have no rows")
        *columns, places, times = [*zip(*table, strict=True)][: len(names) + 2]
        files = [place // _FILE - 1 for place in places]
        if trial is not None:
            cells = zip(*columns[:keys], *([[str(file + 1) for file in files]] if by_file else []), strict=True)
            check_distinct(connection, checked, [*cells], times, [row[-1] for row in table])
    made = [
        [*map(sql.spaced, values)] if name in shown else values for name, values in zip(names, columns, strict=True)
    ]
    _check_sure(paths[0], chain.from_iterable(map(set, made)))
    return Together(DistinctRows([""] * len(times), made, times, None), files)


def files_of_runs(paths: Sequence[Path], names: Sequence[str | None]) -> dict[tuple[str | None, ...], int]:
    """Return the number of files with each combination of values; a column None has the value None."""
    source = _source(paths, [name for name in names if name is not None], ()).source
    columns = ["NULL" if name is None else f"CAST({duck.quoted(name)} AS VARCHAR)" for name in names]
    listed = ", ".join([*columns, f"count(DISTINCT {duck.file_number(paths)})"])
    with duck.connected(*paths) as connection:
        found = connection.execute(f"SELECT {listed} FROM {source} GROUP BY ALL").fetchall()  # noqa: S608 - quoted
    return {tuple(values): files for *values, files in found}


def _source(paths: Sequence[Path], names: Sequence[str], nested: Sequence[str]) -> sql.TableInSql:
    """Return the files as a table in SQL."""
    if LogFile(paths[0]).head.startswith(b"PAR1"):
        return sql.parquet_source(paths, names, nested)
    return rows.text_source(paths, names)


def _check_sure(path: Path, values: Any) -> None:
    """Check that DuckDB and the standard library read the same in text files."""
    first = LogFile(path)
    if not first.head.startswith(b"PAR1"):
        unsure = rows.unsure_json if first.is_json else rows.unsure_csv
        if any(map(unsure, values)):
            raise OutcomeError("some values depend on their quotes")
