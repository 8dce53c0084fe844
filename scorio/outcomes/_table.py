"""Arrays, lists and rows of different lengths as one kind of table: questions x trials, with words as rewards."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Counts
from .._base.words import shorten
from ..errors import OutcomeError, Remedy
from ._outcome_values import OMIT, ColumnReader, is_number

_KINDS = {"S": "bytes", "c": "complex numbers", "M": "dates", "m": "durations", "V": "records of several fields"}
_HINTS = {"S": "numpy.asarray(R).astype(int) makes numbers of bytes such as b'1'"}  # by the kind of numpy's type
_NUMBERS_AS_TEXT = "numpy.asarray(R, dtype=float) makes numbers of them; scorio.read reads tables, where all is text"
_WORDS = "outcomes are numbers throughout, or C/P/I/N, or words such as pass/fail, true/false and yes/no"
_NARROW = ("bfloat16", "float8")
_USER_DEFINED = 2  # ``isbuiltin`` of types that numpy does not know, such as bfloat16; a float holds each number
_ARROW = ("__arrow_c_array__", "__arrow_c_stream__")
_PROTOCOLS = ("detach", "__cuda_array_interface__", "__dlpack__", *_ARROW)


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths: row ``a`` is ``flat[offsets[a]:offsets[a + 1]]``."""

    flat: NDArray[Any]
    offsets: Counts


Table = NDArray[Any] | Ragged


def as_table(values: Any, name: str, entries: str = "whole numbers") -> Table:
    """Return an array of one or two dimensions that holds numbers, text or objects, or rows of different lengths."""
    if isinstance(values, (str, bytes, PathLike)):
        hint = "scorio.read reads files; outcomes are an array, or lists, of questions x trials"
        raise OutcomeError(f"{name} is text, {shorten([values])}", hint=hint)
    table = _as_array(values, name)
    kinds = table.flat.dtype if isinstance(table, Ragged) else table.dtype
    if kinds.kind not in "biufOUT":
        what = _KINDS.get(kinds.kind, str(kinds))
        raise OutcomeError(f"{name} holds {what}: outcomes must be {entries}", hint=_HINTS.get(kinds.kind))
    if not isinstance(table, Ragged) and table.ndim == 0:
        content = repr(values) if values is None or isinstance(values, Real) else f"{type(values).__name__} object"
        in_list = f"wrap it in list(): list({name})" if isinstance(values, Iterator) else None
        raise OutcomeError(f"{name} must be an array, or lists, of questions x trials; got {content}", hint=in_list)
    if not isinstance(table, Ragged) and table.ndim not in (1, 2):
        raise OutcomeError(f"{name} must have one or two dimensions, questions x trials; got {table.ndim}")
    return table


def _as_array(values: Any, name: str) -> Table:
    if isinstance(values, np.ma.MaskedArray):
        return values
    if isinstance(values, (list, tuple)):
        if any(isinstance(row, np.ma.MaskedArray) for row in values):
            return _ragged(values, name)
        try:
            array = as_numpy(values)
        except ValueError:
            return _ragged(values, name)
    else:
        array = as_numpy(values)
    if array.dtype.kind == "O" and array.ndim == 1 and any(is_row(entry) for entry in array):
        return _ragged(array, name)
    return array


def is_row(entry: Any) -> bool:
    """Return whether an entry is itself a sequence of outcomes."""
    if isinstance(entry, (str, bytes, np.generic)) or getattr(entry, "ndim", 1) == 0:
        return False
    return isinstance(entry, Sequence) or hasattr(entry, "__array__")


def is_flat(values: Any) -> bool:
    """Return whether values are a list or an array of one dimension, with one outcome per entry."""
    if isinstance(values, (list, tuple)):
        return not any(isinstance(entry, Mapping) or is_row(entry) for entry in values)
    return as_numpy(values).ndim == 1


def _ragged(rows: Any, name: str) -> Ragged:
    for a, row in enumerate(rows):
        if not is_row(row):
            raise OutcomeError(f"{name}[{a}] is {row!r}: where one row is a sequence of outcomes, every row must be")
    try:
        arrays = [row if isinstance(row, np.ma.MaskedArray) else as_numpy(row) for row in rows]
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


def n_rows(table: Table) -> int:
    """Return the number of questions."""
    if isinstance(table, Ragged):
        return len(table.offsets) - 1
    return len(table) if table.ndim == 2 else 1


def planned_trials(table: Table) -> int | Counts:
    """Return how many trials are written down for each question, present or marked missing."""
    if isinstance(table, Ragged):
        return np.diff(table.offsets)
    return int(table.shape[-1])


def check_trials(table: Table, missing: int, name: str) -> None:
    """Check that every question has a trial; with ``missing="omit"``, rows of different lengths may be empty."""
    if isinstance(table, Ragged):
        empty = np.flatnonzero(np.diff(table.offsets) == 0)
        if empty.size and missing != OMIT:
            keep = Remedy("missing", "omit", "keeps such a question, unscored")
            raise OutcomeError(f"{name}[{empty[0]}] has no trial", remedies=[keep])
    elif table.size == 0:
        raise OutcomeError(f"{name} has no {'question' if table.ndim == 2 and not len(table) else 'trial'}")


def place(table: Table, entry: int) -> str:
    """Return the index of an entry, in row order, in words."""
    if isinstance(table, Ragged):
        row = int(np.searchsorted(table.offsets, entry, "right")) - 1
        return f"{row}, {entry - table.offsets[row]}"
    return str(entry) if table.ndim == 1 else "{}, {}".format(*divmod(entry, table.shape[1]))


def rewards_of_words(table: Table, name: str) -> Table | None:
    """Return the table with the reward of each word, NaN where an outcome is missing; None for a table of numbers."""
    array = table.flat if isinstance(table, Ragged) else table
    kinds: set[type] = set(map(type, np.asarray(array).flat)) if array.dtype.kind in "OUT" else set()
    if not any(issubclass(kind, str) for kind in kinds):
        return None
    hidden = np.ma.getmaskarray(array).ravel()
    reader, rewards = ColumnReader(), np.full(array.size, np.nan)
    values = np.asarray(array).ravel().tolist()
    for i in sorted(np.flatnonzero(~hidden).tolist(), key=lambda i: _is_number_as_text(values[i])):  # words first
        value = values[i]
        try:
            rewards[i] = _reward(value, reader)
        except OutcomeError as error:
            where = f"{name}[{place(table, i)}]"
            hint = error.hint if error.hint == _NUMBERS_AS_TEXT else _WORDS
            raise OutcomeError(error.problem, where=where, hint=hint) from None
    shaped = rewards.reshape(array.shape)
    if isinstance(array, np.ma.MaskedArray):
        shaped = np.ma.array(shaped, mask=np.ma.getmaskarray(array))
    return Ragged(shaped, table.offsets) if isinstance(table, Ragged) else shaped


def _reward(value: Any, reader: ColumnReader) -> float:
    if _is_number_as_text(value):
        raise OutcomeError(f"{value!r} is a number written as text", hint=_NUMBERS_AS_TEXT)
    number = reader(value)
    return np.nan if number is None else number


def _is_number_as_text(value: Any) -> bool:
    return isinstance(value, str) and is_number(value) and value.strip().lower() != "nan"


# Arrays of other libraries as numpy arrays: PyTorch, JAX, CuPy, Arrow, and all that speak DLPack.


@lru_cache
def is_number_type(dtype: np.dtype[Any]) -> bool:
    """Return whether numpy itself knows these numbers."""
    return dtype.kind in "biuf" and dtype.isbuiltin != _USER_DEFINED


def as_numpy(values: Any) -> NDArray[Any]:
    """Return ``np.asarray(values)``, also of what numpy refuses.

    Arrays on another device are copied, gradients are left out, and bfloat16 and float8 become float32. Lists may hold
    such arrays. Rows of different lengths are a ValueError, as they are for numpy.
    """
    try:
        array = np.asarray(_on_host(values))
    except (TypeError, RuntimeError):  # a list holds arrays that numpy cannot read
        if not isinstance(values, (list, tuple)):
            raise
        array = np.asarray(_each_on_host(values))
    if (
        array.dtype.kind == "O"
        and isinstance(values, (list, tuple))
        and any(_is_foreign(type(entry)) for entry in values)
    ):
        array = np.asarray(_each_on_host(values))
    return array.astype(np.float32) if array.dtype.isbuiltin == _USER_DEFINED else array


def _each_on_host(values: Any) -> Any:
    is_list = isinstance(values, (list, tuple))
    return [_each_on_host(value) for value in values] if is_list else np.asarray(_on_host(values))


def _is_foreign(kind: type) -> bool:
    return not issubclass(kind, (np.ndarray, np.generic, Mapping)) and any(hasattr(kind, name) for name in _PROTOCOLS)


def _on_host(values: Any) -> Any:
    """Return an array of another library in a form that ``np.asarray`` reads; anything else as it is."""
    kind = type(values)
    if not _is_foreign(kind):
        return values
    try:
        return _copied(values)
    except (TypeError, BufferError, RuntimeError, ImportError) as error:
        hint = "convert it with numpy first"
        raise OutcomeError(f"a {kind.__name__} cannot be copied to a numpy array: {error}", hint=hint) from None


def _copied(values: Any) -> Any:
    if hasattr(values, "detach"):  # PyTorch
        tensor = values.detach().cpu()
        return tensor.float() if any(name in str(tensor.dtype) for name in _NARROW) else tensor
    if hasattr(values, "__cuda_array_interface__"):  # CuPy; Numba
        return values.get() if hasattr(values, "get") else values.copy_to_host()
    if hasattr(values, "__array__"):
        return values
    if hasattr(values, "__dlpack__"):
        try:
            return np.from_dlpack(values)
        except (BufferError, RuntimeError):  # it is on another device
            return np.from_dlpack(values, device="cpu", copy=True)
    arrow = import_module("pyarrow")
    return (arrow.array if hasattr(values, _ARROW[0]) else arrow.chunked_array)(values)


# Outcomes by name: mappings from questions to their trials, and single runs with labels.


def row_labels(frame: Any) -> list[Any] | None:
    """Return the labels of a pandas index; None for one that numbers the rows."""
    index = getattr(frame, "index", None)
    return None if index is None or callable(index) or type(index).__name__ == "RangeIndex" else list(index)


def single_run(results: Any, questions: Any) -> tuple[Any, Any]:
    """Return rows of one trial, from one outcome per question, and the labels of the questions."""
    if isinstance(results, Mapping):
        if questions is not None:
            raise OutcomeError("questions are labeled twice", hint="leave out questions, which the outcomes name")
        results, questions = list(results.values()), list(results)
    elif questions is None:
        questions = row_labels(results)
    try:
        table = results if isinstance(results, np.ma.MaskedArray) else as_numpy(results)
    except ValueError:
        table = np.zeros((0, 0))  # rows of different lengths
    if table.ndim != 1:
        problem = "a single run has one outcome per question, in a flat list"
        raise OutcomeError(problem, hint="pass questions x trials to OutcomeMatrix")
    return table.reshape(-1, 1), questions


def check_no_suite(values: Any) -> None:
    """Check that outcomes are those of one task."""
    if getattr(type(values), "_holds_tasks", False):
        hint = "choose a task, suite['task'], or join all tasks into one set: suite.pooled()"
        raise OutcomeError("a suite holds outcomes of several tasks, and those of one are needed here", hint=hint)


def _trials(value: Any, name: str) -> Any:
    """Return the trials of one question, from a list, a mapping from trials, or one outcome."""
    if isinstance(value, Mapping):
        trials = list(value.values())
        if any(isinstance(trial, Mapping) or is_row(trial) for trial in trials):
            problem = f"{name} is a mapping of mappings of lists, from models to questions to trials"
            raise OutcomeError(problem, hint="pass it to OutcomeSet, or choose a model first")
        return trials
    if hasattr(value, "n_questions"):
        raise OutcomeError(f"{name} holds several models", hint="pass it to OutcomeSet, or choose one: R['model']")
    return value if is_row(value) else [value]


def labeled(values: Any, name: str, questions: Iterable[Hashable] | None) -> tuple[Any, Iterable[Hashable] | None]:
    """Return rows of outcomes with the user's labels of questions, else those that a mapping has."""
    check_no_suite(values)
    if not isinstance(values, Mapping):
        return values, questions
    if questions is not None:
        raise OutcomeError("questions are labeled twice", hint="leave out questions, which the outcomes name")
    return [_trials(trials, name) for trials in values.values()], tuple(values)
