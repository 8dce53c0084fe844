"""Reading outcomes: whatever holds them becomes category counts, or an OutcomeError that says where it cannot.

Native numbers of up to eight bytes go to the kernel as they lie in memory. Everything else (masked, nullable, object,
float16, long double, foreign byte order, unaligned) is turned into floats a block of rows at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ._kernels.tally import category_limit, scan
from .blocks import scan_blocks
from .errors import OutcomeError, ParameterError

Counts = NDArray[np.int64]
RAISE, OMIT, FAIL = 0, 1, 2
MOST_CATEGORIES = category_limit(1)
_MISSING = {"raise": RAISE, "omit": OMIT, "fail": FAIL}
_BLOCK_ENTRIES = 1 << 16
_FAULTY = 0.5  # stands for an entry that is no number, so that the kernel stops there


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths: row ``a`` is ``flat[offsets[a]:offsets[a + 1]]``."""

    flat: NDArray[Any]
    offsets: Counts


def missing_code(missing: str) -> int:
    """The kernel's code of a missing policy."""
    try:
        return _MISSING[missing]
    except (KeyError, TypeError, ValueError):
        raise ParameterError(f"missing must be 'raise', 'omit' or 'fail'; got {missing!r}") from None


def category_count(categories: int | None) -> int:
    """``categories`` as the kernel takes it, 0 for inferred."""
    if categories is None:
        return 0
    whole = isinstance(categories, (int, np.integer)) and not isinstance(categories, bool)
    if not whole or not 2 <= categories <= MOST_CATEGORIES:
        raise ParameterError(f"categories must be an integer from 2 to {MOST_CATEGORIES}; got {categories!r}")
    return int(categories)


def read(values: Any, categories: int = 0, missing: int = RAISE, name: str = "R") -> tuple[Counts, int | Counts]:
    """The counts (M, C+1) of a matrix of outcomes and how many trials were planned for each question."""
    if type(values) is np.ndarray and values.dtype.kind in "biuf" and values.ndim in (1, 2) and values.size:
        counts, _ = scan_blocks(values, categories, missing)
        if counts is not None:
            return (counts if missing != OMIT else _not_empty(counts, name)), values.shape[-1]
    table = as_table(values, name)
    _demand_trials(table, missing, name)
    return _not_empty(count(table, categories, missing, name), name), planned_trials(table)


def read_prior(prior: Any, questions: int, categories: int, missing: int) -> Counts:
    """The counts of R0, prior outcomes of the same questions; one dimension is cut evenly among them."""
    table = as_table(prior, "R0")
    if not isinstance(table, Ragged) and table.ndim == 1 and questions > 1:
        if table.size % questions:
            raise OutcomeError(f"R0 has {table.size} outcomes, which {questions} questions cannot share evenly")
        table = table.reshape(questions, -1)
    counts = count(table, categories, missing, "R0")
    if len(counts) != questions:
        raise OutcomeError(f"R0 has {len(counts)} questions, R has {questions}")
    return counts


def as_table(values: Any, name: str, entries: str = "whole numbers") -> NDArray[Any] | Ragged:
    """An array of one or two dimensions that holds numbers or objects, or rows of different lengths."""
    table = _as_array(values, name)
    kinds = table.flat.dtype if isinstance(table, Ragged) else table.dtype
    if kinds.kind not in "biufO":
        raise OutcomeError(f"{name} holds {kinds}: outcomes must be {entries}")
    if not isinstance(table, Ragged) and table.ndim == 0:
        what = repr(values) if values is None or isinstance(values, Real) else f"{type(values).__name__} object"
        raise OutcomeError(f"{name} must be an array, or lists, of questions x trials; got {what}")
    if not isinstance(table, Ragged) and table.ndim not in (1, 2):
        raise OutcomeError(f"{name} must have one or two dimensions, questions x trials; got {table.ndim}")
    return table


def _as_array(values: Any, name: str) -> NDArray[Any] | Ragged:
    if isinstance(values, np.ma.MaskedArray):
        return values
    if isinstance(values, (list, tuple)):
        if any(isinstance(row, np.ma.MaskedArray) for row in values):
            return _ragged(values, name)
        try:
            array = np.asarray(values)
        except ValueError:
            return _ragged(values, name)
    else:
        array = np.asarray(values)
    if array.dtype.kind == "O" and array.ndim == 1 and any(_is_row(entry) for entry in array):
        return _ragged(array, name)
    return array


def _is_row(entry: Any) -> bool:
    if isinstance(entry, (str, bytes, np.generic)):
        return False
    return isinstance(entry, Sequence) or hasattr(entry, "__array__")


def _ragged(rows: Any, name: str) -> Ragged:
    for a, row in enumerate(rows):
        if not _is_row(row):
            raise OutcomeError(f"{name}[{a}] is {row!r}: where one row is a sequence of outcomes, every row must be")
    try:
        arrays = [row if isinstance(row, np.ma.MaskedArray) else np.asarray(row) for row in rows]
        offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
        masked = any(isinstance(row, np.ma.MaskedArray) for row in arrays)
        filled = [row for row in arrays if len(row)]
        join = np.ma.concatenate if masked else np.concatenate
        flat = join(filled) if filled else np.zeros(0)
    except (ValueError, TypeError):
        raise OutcomeError(f"{name}: every row must be a sequence of whole numbers") from None
    if flat.ndim != 1:
        raise OutcomeError(f"{name}: every row must be a flat sequence of whole numbers")
    return Ragged(flat, offsets)


def n_rows(table: NDArray[Any] | Ragged) -> int:
    """How many questions there are."""
    if isinstance(table, Ragged):
        return len(table.offsets) - 1
    return len(table) if table.ndim == 2 else 1


def planned_trials(table: NDArray[Any] | Ragged) -> int | Counts:
    """How many trials are written down for each question, present or marked missing."""
    if isinstance(table, Ragged):
        return np.diff(table.offsets)
    return int(table.shape[-1])


def _demand_trials(table: NDArray[Any] | Ragged, missing: int, name: str) -> None:
    if isinstance(table, Ragged):
        empty = np.flatnonzero(np.diff(table.offsets) == 0)
        if empty.size and missing != OMIT:
            raise OutcomeError(f'{name}[{empty[0]}] has no trial; missing="omit" keeps such a question, unscored')
    elif table.size == 0:
        raise OutcomeError(f"{name} has no {'question' if table.ndim == 2 and not len(table) else 'trial'}")


def _not_empty(counts: Counts, name: str) -> Counts:
    if not counts.any():
        raise OutcomeError(f"{name} has no trial: every one is missing")
    return counts


def count(table: NDArray[Any] | Ragged, categories: int, missing: int, name: str) -> Counts:
    """The category counts of every row."""
    if isinstance(table, Ragged):
        counts, row = _scan(table.flat, categories, missing, table.offsets)
    elif table.size == 0:
        return np.zeros((n_rows(table), categories or 2), np.int64)
    else:
        counts, row = _scan(table, categories, missing, None)
    if counts is None:
        _raise_first_fault(table, row, categories, missing, name)
    return counts


def _scan(array: NDArray[Any], categories: int, missing: int, offsets: Counts | None) -> tuple[Counts | None, int]:
    """Count an array as it is where the kernel can read it, else in blocks of floats."""
    if array.dtype.kind != "O" and not isinstance(array, np.ma.MaskedArray):
        counts, row = scan_blocks(array, categories, missing, offsets)
        if counts is not None or row >= 0:
            return counts, row
    if array.ndim == 1:
        return scan(*_floats(array, categories, missing), offsets)
    return _scan_blocks(array, categories, missing)


def _scan_blocks(matrix: NDArray[Any], categories: int, missing: int) -> tuple[Counts | None, int]:
    step = max(1, _BLOCK_ENTRIES // matrix.shape[1])
    parts: list[Counts] = []
    for start in range(0, len(matrix), step):
        counts, row = scan(*_floats(matrix[start : start + step], categories, missing))
        if counts is None:
            return None, start + row
        parts.append(counts)
    return stack(parts), -1


def stack(parts: Sequence[Counts]) -> Counts:
    """Counts below one another, as wide as the widest."""
    width = max(part.shape[1] for part in parts)
    return np.concatenate([widen(part, width) for part in parts])


def widen(counts: Counts, width: int) -> Counts:
    """The same counts with categories added that never occur."""
    if counts.shape[1] == width:
        return counts
    wide = np.zeros((len(counts), width), np.int64)
    wide[:, : counts.shape[1]] = counts
    return wide


def _floats(block: NDArray[Any], categories: int, missing: int) -> tuple[NDArray[np.float64], int, int]:
    """A block as the kernel reads it: floats, with NaN where a trial is missing; and the two codes to scan it with."""
    data = np.asarray(block)
    if data.dtype.kind == "O":
        floats = np.fromiter(map(_number, data.flat), np.float64, data.size).reshape(data.shape)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            floats = data.astype(np.float64)
        floats[(floats != data) & ~np.isnan(data)] = _FAULTY
    if not isinstance(block, np.ma.MaskedArray):
        return floats, categories, missing
    if missing != OMIT:
        floats[np.isnan(floats)] = 0.0 if missing == FAIL else _FAULTY
    floats[np.ma.getmaskarray(block)] = np.nan
    return floats, categories, OMIT


def is_missing(value: Any) -> bool:
    """Whether an entry marks a trial that has no outcome: None, NaN, a nullable column's NA or a masked entry."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value  # noqa: PLR0124 - the only test every Real passes


def _number(value: Any) -> float:
    if is_missing(value):
        return math.nan
    if not isinstance(value, (Real, np.bool_)):
        return _FAULTY
    try:
        number = float(value)
    except OverflowError:
        return math.inf
    return number if number == value else _FAULTY


def _raise_first_fault(table: NDArray[Any] | Ragged, start: int, categories: int, missing: int, name: str) -> NoReturn:
    array = table.flat if isinstance(table, Ragged) else table
    truths = array.dtype.kind == "b"
    limit = 2 if truths else categories or category_limit(n_rows(table))
    for index, value in _entries(table, start):
        reason = _fault(value, limit, told=truths or categories > 0, missing=missing)
        if reason:
            raise OutcomeError(f"{name}[{index}] is {reason}")
    raise OutcomeError(f"{name} changed while it was read")


def _entries(table: NDArray[Any] | Ragged, start: int) -> Iterator[tuple[str, Any]]:
    """Every entry from row ``start`` on that is not masked, with its index in words."""
    if isinstance(table, Ragged):
        rows = [table.flat[low:high] for low, high in itertools.pairwise(table.offsets)]
    else:
        rows = list(table) if table.ndim == 2 else [table]
    matrix = isinstance(table, Ragged) or table.ndim == 2
    for a, row in enumerate(rows[start:], start):
        data = np.asarray(row.view(np.uint8) if row.dtype.kind == "b" else row)
        for j in np.flatnonzero(~np.ma.getmaskarray(row)):
            yield f"{a}, {j}" if matrix else str(j), data[j]


def _fault(value: Any, limit: int, *, told: bool, missing: int) -> str | None:
    """What is wrong with an entry, if anything is."""
    if is_missing(value):
        if missing != RAISE:
            return None
        mark = "NaN" if isinstance(value, Real) else value
        how = 'pass missing="omit" to leave it out or missing="fail" to count it as category 0'
        return f"{mark}: a trial without an outcome; {how}"
    shown = str(value) if isinstance(value, Real) else repr(value)
    if not _is_whole(value):
        return f"{shown}: outcomes must be whole numbers"
    if value < 0:
        return f"{value}: outcomes start at 0"
    if int(value) < limit:
        return None
    allowed = f"only categories 0..{limit - 1} are allowed"
    remedy = f"above 0..{limit - 1}, pass categories=..., or real rewards to OutcomeMatrix.from_rewards"
    return f"{value}: {allowed if told else remedy}"


def _is_whole(value: Any) -> TypeGuard[Integral]:
    if not isinstance(value, (Real, np.bool_)):
        return False
    with np.errstate(invalid="ignore"):
        return bool((value.item() if isinstance(value, np.generic) else value) % 1 == 0)
