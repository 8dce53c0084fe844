"""Columns of lists: the outcomes of all trials of a question in one row."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._validate import shown
from . import sql
from .database import DatabaseTable

_FIRST_ROWS = 20  # rows that show whether a column holds lists


def lists_of_flags(file: LogFile) -> list[str]:
    """Return the columns that hold a list of truth values in each of the first rows."""
    kinds = _kinds(file)
    if kinds is not None:
        return [name for name, kind in kinds.items() if kind == "BOOLEAN[]"]
    if not file.is_json:
        return []
    first = [row for _, row in itertools.islice(file.records(), _FIRST_ROWS)]
    return [name for name in first[0] if all(_is_list_of_flags(row.get(name)) for row in first)] if first else []


def holds_lists(file: LogFile, name: str) -> bool:
    """Return whether the first value of a column is a list."""
    kinds = _kinds(file)
    if kinds is not None:
        return kinds.get(name, "").endswith("]")
    values = (row.get(name) for _, row in itertools.islice(file.records(), _FIRST_ROWS)) if file.is_json else ()
    return isinstance(next((value for value in values if value is not None), None), list)


def _kinds(file: LogFile) -> Mapping[str, str] | None:
    """Return the types of the columns, where a file has types."""
    if isinstance(file, DatabaseTable):
        return file.kinds
    return sql.kinds(file.path) if file.head.startswith(b"PAR1") else None


def as_text(value: Any) -> str:
    """Return one outcome of a list as text."""
    if isinstance(value, (list, dict)):
        raise OutcomeError(f"an outcome in a list must be a plain value; got {shown(value)}")
    return value if isinstance(value, str) else json.dumps(value)


def _is_list_of_flags(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, bool) for each in value)
