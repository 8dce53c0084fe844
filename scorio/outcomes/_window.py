"""The batches of the last steps, as arrays that a file can hold, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices
from ._batches import Batch
from ._saved_layout import check, narrow

_FIELDS = ("counts", "absent", "lengths", "values")


class Step(NamedTuple):
    """One batch: the number of its step, and the row of each question in it."""

    number: int
    rows: Indices
    batch: Batch


def to_arrays(steps: Iterable[Step], *, rewards: bool) -> dict[str, NDArray[Any]]:
    """Return the arrays of some steps; there are none without steps."""
    kept = list(steps)
    if not kept:
        return {}
    arrays: dict[str, NDArray[Any]] = {
        "numbers": narrow(np.array([step.number for step in kept])),
        "sizes": narrow(np.array([len(step.rows) for step in kept])),
        "rows": narrow(np.concatenate([step.rows for step in kept])),
    }
    none = [np.zeros(len(step.rows), np.int64) for step in kept]
    absent = [zero if step.batch.absent is None else step.batch.absent for step, zero in zip(kept, none, strict=True)]
    arrays["absent"] = narrow(np.concatenate(absent))
    if rewards:
        lengths, values = zip(*(_rewards(step) for step in kept), strict=True)
        arrays["lengths"] = narrow(np.concatenate(lengths))
        arrays["values"] = np.concatenate(values).astype("<f8")
        return arrays
    width = max(_some(step.batch.counts).shape[1] for step in kept)
    wide = [np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in (_some(step.batch.counts) for step in kept)]
    return arrays | {"counts": narrow(np.concatenate(wide))}


def _rewards(step: Step) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the number of rewards of each row, and the rewards."""
    batch = step.batch
    if batch.counts is None:
        return np.broadcast_to(batch.lengths, len(step.rows)), _some(batch.values)
    lengths = batch.counts.sum(axis=1)
    return lengths, np.repeat(np.tile([0.0, 1.0], len(lengths)), batch.counts.ravel())


def _some(array: Any) -> NDArray[Any]:
    """Return an array that is there."""
    assert array is not None
    return np.asarray(array)


def from_arrays(arrays: Mapping[str, NDArray[Any]], questions: int) -> list[Step]:
    """Return the steps of the arrays, checked to be of so many questions."""
    if not arrays:
        return []
    numbers, sizes, rows, absent = (_whole(arrays[name]) for name in ("numbers", "sizes", "rows", "absent"))
    check(len(numbers) == len(sizes) and len(rows) == len(absent) == sizes.sum(), "the steps of the window are damaged")
    check((np.diff(numbers) >= 0).all() and int(rows.max(initial=0)) < questions, "the steps of the window are damaged")
    ends = np.cumsum(sizes)[:-1]
    batches = _batches(arrays, np.split(absent, ends), ends, len(rows))
    return [
        Step(int(number), own, batch) for number, own, batch in zip(numbers, np.split(rows, ends), batches, strict=True)
    ]


def _batches(arrays: Mapping[str, NDArray[Any]], absent: list[Any], ends: Any, rows: int) -> list[Batch]:
    if "counts" in arrays:
        counts = arrays["counts"].astype(np.int64)
        check(counts.ndim == 2 and len(counts) == rows, "the counts of the window are damaged")
        return [Batch(each, lost) for each, lost in zip(np.split(counts, ends), absent, strict=True)]
    lengths, values = _whole(arrays["lengths"]), arrays["values"]
    check(len(lengths) == rows and values.shape == (lengths.sum(),), "the rewards of the window are damaged")
    parts = np.split(lengths, ends)
    own = np.split(values, np.cumsum([part.sum() for part in parts])[:-1])
    check(np.isfinite(values).all(), "a reward of the window is not finite")
    return [Batch(None, lost, part, each) for lost, part, each in zip(absent, parts, own, strict=True)]


def _whole(array: NDArray[Any]) -> Any:
    check(array.dtype.kind == "u" and array.ndim == 1, "the window is damaged")
    return array.astype(np.int64)
