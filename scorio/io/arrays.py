"""Tensors of outcomes: ``.npz`` with names beside the tensor, and ``.npy`` without them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError
from ..labels import listed
from ..outcomes import OutcomeMatrix
from .archive import opened
from .expect import within
from .files import LogFile
from .records import Format, Request, Run, Trial

_NPY = b"\x93NUMPY"
_BROKEN = (ValueError, EOFError, OSError, MemoryError, OverflowError, TypeError, SyntaxError, RecursionError)
_BLOCK = 1 << 20  # entries counted at once
_NAMES = ("models", "questions", "clusters")
_DIMENSIONS = 3  # models, questions, trials


def _matches(file: LogFile) -> bool:
    if not file.head.startswith(b"PK"):
        return file.head.startswith(_NPY)
    with opened(file.path) as archive:
        return bool(archive.names) and all(name.endswith(".npy") for name in archive.names)


def _read(file: LogFile, _request: Request) -> list[Run]:
    arrays = _arrays(file.path) if file.head.startswith(b"PK") else {"": _in_place(file.path)}
    tensors = {
        name: array for name, array in arrays.items() if array.ndim == _DIMENSIONS and array.dtype.kind in "biuf"
    }
    if len(tensors) != 1:
        there = ", ".join(f"{name or 'array'} {array.shape} {array.dtype}" for name, array in arrays.items())
        raise OutcomeError(
            f"one numeric tensor models x questions x trials was expected; {len(tensors)} are there: {there or 'none'}"
        )
    [(name, tensor)] = tensors.items()
    if not tensor.size:
        raise OutcomeError(f"the tensor is empty: its shape is {tensor.shape}")
    models = _labels(arrays, "models", tensor.shape[0]) or [f"model-{i}" for i in range(tensor.shape[0])]
    questions = _labels(arrays, "questions", tensor.shape[1]) or [str(i) for i in range(tensor.shape[1])]
    clusters = _labels(arrays, "clusters", tensor.shape[1]) or [None] * tensor.shape[1]
    runs = []
    for model, table in zip(models, tensor, strict=True):
        with within(model):
            runs.append(Run(model, list(_trials(table, questions, clusters)), file.digest, notes=_notes(arrays, name)))
    return runs


def _notes(arrays: dict[str, NDArray[Any]], tensor: str) -> dict[str, str]:
    """What was recognised: which names the file gives, and what else is in it."""
    numbered = [name for name in ("models", "questions") if name not in arrays]
    unused = [name for name in arrays if name not in (tensor, *_NAMES)]
    return {
        "tensor": repr(tensor) if tensor else "",
        "numbered": " and ".join(numbered),
        "unused": listed(unused) if unused else "",
    }


FORMAT = Format("arrays", _matches, _read)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    found = {}
    with opened(path) as archive:
        for member in sorted(archive.names):
            name = member.removesuffix(".npy")
            with within(name):
                found[name] = _array(archive.member(member))
    return found


def _in_place(path: Path) -> NDArray[Any]:
    """An array that stays in its file."""
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except _BROKEN as error:
        raise _not_plain(error) from None


def _array(content: bytes) -> NDArray[Any]:
    try:
        found: NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except _BROKEN as error:
        raise _not_plain(error) from None
    return found


def _not_plain(error: Exception) -> OutcomeError:
    return OutcomeError(f"not an array of plain numbers or text: {error}")


def _labels(arrays: dict[str, NDArray[Any]], name: str, count: int) -> list[Any] | None:
    if name not in arrays:
        return None
    labels = arrays[name].astype(str).ravel().tolist()
    if len(labels) != count or (name != "clusters" and len(set(labels)) < count):
        raise OutcomeError(f"{name} must be {count} different names; there are {len(set(labels))}")
    return list(labels)


def _trials(table: NDArray[Any], questions: list[str], clusters: list[Any]) -> Iterator[Trial]:
    """The trials of each question by outcome; real numbers are counted some questions at a time."""
    step = max(1, _BLOCK // table.shape[1]) if table.dtype.kind == "f" else len(table)
    for start in range(0, len(table), step):
        outcomes, counts = _tally(table[start : start + step])
        for a, row in enumerate(counts.tolist(), start):
            for outcome, count in zip(outcomes, row, strict=True):
                if count:
                    yield Trial(questions[a], outcome, outcome, clusters[a], count)


def _tally(block: NDArray[Any]) -> tuple[list[float | None], NDArray[np.int64]]:
    """The outcomes of a block, and how often each question has each."""
    if block.dtype.kind != "f":
        counts = OutcomeMatrix(block).counts
        return [float(category) for category in range(counts.shape[1])], counts
    values, index = np.unique(block.astype(np.float64), return_inverse=True)
    if np.isinf(values).any():
        raise OutcomeError("an outcome is infinite")
    cells = np.arange(len(block))[:, None] * values.size + index.reshape(block.shape)
    counts = np.bincount(cells.ravel(), minlength=len(block) * values.size).reshape(len(block), values.size)
    return [None if np.isnan(value) else float(value) for value in values], counts.astype(np.int64)
