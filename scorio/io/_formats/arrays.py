"""Tensors of outcomes: ``.npz`` with names beside the tensor, ``.npy`` without."""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._display.words import shorten
from ...errors import OutcomeError, within
from ...outcomes import HEADER, OutcomeMatrix
from .. import Format, LogFile, Request, Run, Trial

_NPY = b"\x93NUMPY"
_BLOCK = 1 << 20  # entries that are counted at once
_NAMES = ("models", "questions", "clusters")
_DIMENSIONS = 3  # models, questions, trials


class ArraysFormat(Format):
    """NumPy arrays: a tensor of models x questions x trials, and their names."""

    name = "arrays"
    is_json = False

    def matches(self, file: LogFile) -> bool:
        names = file.archive.names if file.archive else ()
        is_npz = bool(names) and HEADER not in names and all(name.endswith(".npy") for name in names)
        return is_npz or file.head.startswith(_NPY)

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        arrays: dict[str, Any] = {}
        if file.archive is None:
            arrays[""] = _array(file.path)
        else:
            for member in sorted(file.archive.names):
                with within(name := member.removesuffix(".npy")):
                    arrays[name] = _array(io.BytesIO(file.archive.member(member)))
        name, tensor = _tensor(arrays)
        named = _labels(arrays, "models", tensor.shape[0])
        is_of_file = len(tensor) == 1 and named is None
        models = [""] if is_of_file else named or [f"model-{i}" for i in range(len(tensor))]
        questions = _labels(arrays, "questions", tensor.shape[1]) or [str(i) for i in range(tensor.shape[1])]
        clusters = _labels(arrays, "clusters", tensor.shape[1]) or [None] * tensor.shape[1]
        unused = [other for other in arrays if other not in (name, *_NAMES)]
        notes = {
            "tensor": repr(name) if name else "",
            "numbered": " and ".join(other for other in ("models", "questions") if other not in arrays),
            "unused": shorten(unused) if unused else "",
        }
        runs = []
        for model, table in zip(models, tensor, strict=True):
            with within(model or name or "array"):
                trials = list(_trials(table, questions, clusters))
            runs.append(Run(model, trials, model_from="log" if named else "number", notes=notes))
        return runs


def _tensor(arrays: dict[str, Any]) -> tuple[str, Any]:
    """Return the only tensor of outcomes, with its name."""
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
    return name, tensor


def _array(file: Any) -> NDArray[Any]:
    try:
        return np.load(file, allow_pickle=False)  # type: ignore[no-any-return]
    except Exception as error:  # whatever a damaged file does to NumPy
        raise OutcomeError(f"not an array of plain numbers or text: {error}") from error


def _labels(arrays: dict[str, NDArray[Any]], name: str, count: int) -> list[Any] | None:
    if name not in arrays:
        return None
    labels = arrays[name].astype(str).ravel().tolist()
    if len(labels) != count or (name != "clusters" and len(set(labels)) < count):
        raise OutcomeError(f"{name} must be {count} different names; there are {len(set(labels))}")
    return list(labels)


def _trials(table: NDArray[Any], questions: list[str], clusters: list[Any]) -> Iterator[Trial]:
    """Yield the trials of each question by outcome; they are counted some questions at a time."""
    step = max(1, _BLOCK // table.shape[1])
    for start in range(0, len(table), step):
        outcomes, counts = _count(table[start : start + step])
        for a, row in enumerate(counts.tolist(), start):
            for outcome, count in zip(outcomes, row, strict=True):
                if count:
                    yield Trial(questions[a], str(outcome), outcome, clusters[a], count)


def _count(block: NDArray[Any]) -> tuple[list[float | None], NDArray[np.int64]]:
    """Return the distinct outcomes of a block, and the number of each per question."""
    if block.dtype.kind != "f":
        counts = OutcomeMatrix(block).counts
        return [float(category) for category in range(counts.shape[1])], counts
    values, index = np.unique(block.astype(np.float64), return_inverse=True)
    if np.isinf(values).any():
        raise OutcomeError("an outcome is infinite")
    cells = np.arange(len(block))[:, None] * values.size + index.reshape(block.shape)
    counts = np.bincount(cells.ravel(), minlength=len(block) * values.size).reshape(len(block), values.size)
    return [None if np.isnan(value) else float(value) for value in values], counts.astype(np.int64)
