"""A leaderboard as data: a data frame of any library, or strict JSON."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
import sys
from collections.abc import Sequence
from typing import Any, Literal

from ..errors import ParameterError
from ..interval import BoundsLike
from .settings import Settings
from .standing import Row, Standing

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")


def json_text(standings: Sequence[Standing], settings: Settings, indent: int | None) -> str:
    """Parameters, metrics and rows; no NaN and no infinity."""
    content = {
        "settings": dataclasses.asdict(settings) | {"bounds": _bounds(settings.bounds)},
        "n_questions": standings[0].n_questions,
        "metrics": {
            str(each.metric): {
                "metric": repr(each.metric),
                "rank_error": each.posterior.error,
                "rows": [row._asdict() for row in each.rows],
            }
            for each in standings
        },
    }
    return json.dumps(content, indent=indent, allow_nan=False, ensure_ascii=False)


def _bounds(bounds: BoundsLike) -> Any:
    """Bounds without infinities: there None means no bound."""
    return [bound if math.isfinite(bound) else None for bound in bounds] if isinstance(bounds, tuple) else bounds


def frame(rows: Sequence[Row], backend: Backend | None) -> Any:
    """One row a model and metric."""
    try:
        import narwhals as nw
    except ImportError:
        raise ImportError('a data frame needs narwhals: pip install "scorio[frames]"') from None
    chosen = _in_use() if backend is None else backend
    if chosen not in BACKENDS:
        raise ParameterError(f"backend must be one of {BACKENDS}; got {backend!r}")
    columns = dict(zip(Row._fields, map(list, zip(*rows, strict=True)), strict=True))
    return nw.from_dict(columns, backend=chosen).to_native()


def _in_use() -> Backend:
    """The data frame library that is imported already, else one that is installed."""
    for found in (lambda name: name in sys.modules, importlib.util.find_spec):
        for name in BACKENDS:
            if found(name):
                return name
    raise ImportError("a data frame needs pandas, polars or pyarrow: none is installed")
