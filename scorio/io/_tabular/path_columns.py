"""Columns in a path (Hive partitions): a file in the folders ``model=a/task=b`` has the columns model and task.

Writers of such folders encode ``=`` in a value, so a folder whose name has several ``=`` is an ordinary one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ...errors import OutcomeError
from .._files import LogFile
from . import duck

_FOLDER = re.compile(r"([^=]+)=([^=]*)")
_MISSING = "__HIVE_DEFAULT_PARTITION__"  # how the value of a missing cell is written


def path_columns(path: Path) -> dict[str, str | None]:
    """Return the values of the columns in a file's path, as the path is given.

    >>> path_columns(Path("runs/model=gpt%2Fx/task=__HIVE_DEFAULT_PARTITION__/part-0.parquet"))
    {'model': 'gpt/x', 'task': None}
    """
    values: dict[str, str | None] = {}
    for folder in path.parts[:-1]:
        if match := _FOLDER.fullmatch(folder):
            name, text = map(_decoded, match.groups())
            value = None if text == _MISSING else text
            if values.setdefault(name, value) != value:
                problem = f"its path has column {name!r} twice, as {values[name]!r} and as {value!r}"
                raise OutcomeError(problem, hint="read a folder below the first of them, or rename one")
    return values


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise OutcomeError(f"the name of folder {text!r} is not UTF-8 text in percent encoding") from None


def all_columns(own: Sequence[str], path: Path) -> list[str]:
    """Return the columns of a file, and those of its path that the file does not have itself."""
    return [*own, *(name for name in path_columns(path) if name not in own)]


def identity(file: LogFile) -> str:
    """Return a text that is equal for two copies of a file in folders of the same columns."""
    values = path_columns(file.path)
    return f"{file.digest} {sorted(values.items())}" if values else file.digest


def completed(
    path: Path, names: Sequence[str], own: Sequence[str], row: Sequence[str | None]
) -> tuple[str | None, ...]:
    """Return all of the named values of a row, of which ``own`` columns are in the file itself."""
    outside, inside = path_columns(path), dict(zip(own, row, strict=True))
    for name in outside.keys() & inside.keys():
        _check_equal(name, inside[name], outside[name])
    return tuple(inside[name] if name in inside else outside[name] for name in names)


def in_sql(paths: Sequence[Path], names: Iterable[str]) -> dict[str, str]:
    """Return the SQL of those of the names that are columns of the paths."""
    every = [path_columns(path) for path in paths]
    known = [name for name in dict.fromkeys(names) if name in every[0]]
    return {name: duck.by_file(paths, [values[name] for values in every]) for name in known}


def check_in_both(connection: Any, source: str, in_both: Mapping[str, str]) -> None:
    """Check that some columns of a table in SQL have the values of other SQL in all rows."""
    for name, outside in in_both.items():
        inside = f"CAST({duck.quoted(name)} AS VARCHAR)"
        where = f"{inside} IS DISTINCT FROM {outside}"
        query = f"SELECT {inside}, {outside} FROM {source} WHERE {where} LIMIT 1"  # noqa: S608 - names are quoted
        for values in connection.execute(query).fetchall():
            try:
                _check_equal(name, *values)
            except OutcomeError as error:  # a reading row by row also knows the line
                raise duck.NotThisWayError(error.problem, hint=error.hint) from None


def _check_equal(name: str, inside: str | None, outside: str | None) -> None:
    if inside != outside:
        values = f"{_shown(inside)} in the file, and {_shown(outside)} in its path"
        hint = "rename the folder, or leave the column out of the file"
        raise OutcomeError(f"column {name!r} is {values}", hint=hint)


def _shown(value: str | None) -> str:
    return "missing" if value is None else repr(value)
