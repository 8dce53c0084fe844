"""Tensors of outcomes: ``.npz`` with names beside the tensor, and ``.npy`` without them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError
from .archive import opened
from .expect import within
from .files import LogFile
from .records import Format, Request, Run, Trial

_NPY = b"\x93NUMPY"
_BROKEN = (ValueError, EOFError, OSError, MemoryError, OverflowError, TypeError, SyntaxError, RecursionError)
_DIMENSIONS = 3  # models, questions, trials


def _matches(file: LogFile) -> bool:
    if not file.head.startswith(b"PK"):
        return file.head.startswith(_NPY)
    with opened(file.path) as archive:
        return bool(archive.names) and all(name.endswith(".npy") for name in archive.names)


def _read(file: LogFile, _request: Request) -> list[Run]:
    arrays = _arrays(file.path) if file.head.startswith(b"PK") else {"": _array(file.path.read_bytes())}
    tensors = {
        name: array for name, array in arrays.items() if array.ndim == _DIMENSIONS and array.dtype.kind in "biuf"
    }
    if len(tensors) != 1:
        raise OutcomeError(f"one numeric tensor models x questions x trials was expected; {len(tensors)} are there")
    tensor = next(iter(tensors.values()))
    if tensor.dtype.kind == "i" and (tensor < 0).any():
        raise OutcomeError(f"an outcome is {tensor.min()}: whole numbers start at 0, a missing trial is NaN in floats")
    if not tensor.size:
        raise OutcomeError(f"the tensor is empty: its shape is {tensor.shape}")
    models = _labels(arrays, "models", tensor.shape[0]) or [f"model-{i}" for i in range(tensor.shape[0])]
    questions = _labels(arrays, "questions", tensor.shape[1]) or [str(i) for i in range(tensor.shape[1])]
    clusters = _labels(arrays, "clusters", tensor.shape[1]) or [None] * tensor.shape[1]
    return [
        Run(model, _counted(table, questions, clusters), file.digest)
        for model, table in zip(models, tensor, strict=True)
    ]


FORMAT = Format("arrays", _matches, _read)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    found = {}
    with opened(path) as archive:
        for member in sorted(archive.names):
            name = member.removesuffix(".npy")
            with within(name):
                found[name] = _array(archive.member(member))
    return found


def _array(content: bytes) -> NDArray[Any]:
    try:
        found: NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except _BROKEN as error:
        raise OutcomeError(f"not an array of plain numbers or text: {error}") from None
    return found


def _labels(arrays: dict[str, NDArray[Any]], name: str, count: int) -> list[Any] | None:
    if name not in arrays:
        return None
    labels = arrays[name].astype(str).ravel().tolist()
    if len(labels) != count or (name != "clusters" and len(set(labels)) < count):
        raise OutcomeError(f"{name} must be {count} different names; there are {len(set(labels))}")
    return list(labels)


def _counted(table: NDArray[Any], questions: list[str], clusters: list[Any]) -> list[Trial]:
    """The trials of each question by outcome."""
    values, index = np.unique(table.astype(np.float64), return_inverse=True)
    if np.isinf(values).any():
        raise OutcomeError("an outcome is infinite")
    counts = np.zeros((len(questions), values.size), np.int64)
    np.add.at(counts, (np.arange(len(questions))[:, None], index.reshape(table.shape)), 1)
    outcomes = [None if np.isnan(value) else float(value) for value in values]
    return [
        Trial(question, outcome, outcome, cluster, int(count))
        for question, cluster, row in zip(questions, clusters, counts, strict=True)
        for outcome, count in zip(outcomes, row, strict=True)
        if count
    ]
