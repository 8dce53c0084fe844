"""Results as data: dictionaries, strict JSON, data frames and HTML for notebooks, the same methods for every result."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args

from .table import Column, Table
from .words import unknown

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


class Exports:
    """A result that can be exported; a class says what its dictionary, its rows and its table are."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON: NaN and infinity become None."""
        named = cast("Any", self)
        names = [field.name for field in dataclasses.fields(named) if field.repr]
        values: dict[str, Any] = strict({name: getattr(named, name) for name in names})
        return values

    def to_json(self, indent: int | None = None) -> str:
        """Return all values and parameters as strict JSON."""
        return json.dumps(strict(self.to_dict()), indent=indent, allow_nan=False, ensure_ascii=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the rows as a data frame of ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default the one in use."""
        return frame(self._records(), backend)

    def _records(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of the data frame."""
        return [self.to_dict()]

    def _display_table(self) -> Table:
        """Return the table that a notebook shows: by default a sentence, and every value by name."""
        cells = [[name, _text(value)] for name, value in self._records()[0].items() if value is not None]
        return Table(str(self), [Column("name"), Column("value")], cells)

    def _repr_html_(self) -> str:
        return self._display_table().html()


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def strict(value: Any) -> Any:
    """Return the value as what JSON has: None for NaN and infinity, lists for arrays, text for anything unknown.

    >>> import numpy as np
    >>> strict({"n": np.arange(2), "sd": float("nan"), 3: (True, None)})
    {'n': [0, 1], 'sd': None, '3': [True, None]}
    """
    if value is None or isinstance(value, (bool, int, str, float)):
        return None if isinstance(value, float) and not math.isfinite(value) else value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        return strict(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): strict(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [strict(part) for part in value]
    return str(value)


def frame(records: Sequence[Mapping[str, Any]], backend: Backend | None = None) -> Any:
    """Return a data frame with one row per record; all records have the same names."""
    try:
        import narwhals as nw
    except ImportError:
        raise ImportError('a data frame needs narwhals: pip install "scorio[frames]"') from None
    if backend is not None and backend not in BACKENDS:
        raise ValueError(unknown("backend", backend, BACKENDS))
    columns = {name: [record[name] for record in records] for name in records[0]}
    return nw.from_dict(columns, backend=cast("Any", backend or _in_use())).to_native()


def _in_use() -> Backend:
    """Return the data frame library that is imported already, else one that is installed."""
    for is_available in (lambda name: name in sys.modules, importlib.util.find_spec):
        for name in BACKENDS:
            if is_available(name):
                return name
    raise ImportError("a data frame needs pandas, polars or pyarrow: none is installed")
