"""Files of NumPy: tensors of outcomes (``.npz`` with names beside the tensor, ``.npy`` without), and saved counts.

An array of two axes is one model's questions x trials, as it is for ``OutcomeMatrix``.
"""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._base.words import shorten
from ...errors import OutcomeError, within
from ...outcomes import OutcomeMatrix, SavedCounts
from ...outcomes._labels import warn_of_axes
from .. import Counted, Format, LogFile, Request, Run, Trials
from .._records import TASK, marks_told
from ..checks import conditions

_NPY = b"\x93NUMPY"
_NAMES = ("models", "questions", "clusters")
_DIMENSIONS = 3  # models, questions, trials
_MEASURED = "measured"  # the entry of the metadata of saved counts that means something


class ArraysFormat(Format):
    """NumPy arrays: a tensor of models x questions x trials, and their names."""

    name = "arrays"
    is_json = False

    def matches(self, file: LogFile) -> bool:
        names = file.archive.names if file.archive else ()
        is_npz = bool(names) and SavedCounts.member not in names and all(name.endswith(".npy") for name in names)
        return is_npz or file.head.startswith(_NPY)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        arrays: dict[str, Any] = {}
        if file.archive is None:
            arrays[""] = _array(file.path)
        else:
            for member in sorted(file.archive.names):
                with within(name := member.removesuffix(".npy")):
                    arrays[name] = _array(io.BytesIO(file.archive.member(member)))
        name, tensor = _tensor(arrays)
        named = _labels(arrays, "models", tensor.shape[0])
        models = named or [f"model-{i}" for i in range(len(tensor))] if len(tensor) > 1 or named else [""]
        questions = _labels(arrays, "questions", tensor.shape[1]) or [str(i) for i in range(tensor.shape[1])]
        clusters = _labels(arrays, "clusters", tensor.shape[1]) or [None] * tensor.shape[1]
        notes = {
            "tensor": repr(name) if name else "",
            "numbered": " and ".join(other for other in ("models", "questions") if other not in arrays),
            "unused": shorten([other for other in arrays if other not in (name, *_NAMES)]),
        }
        runs = []
        for model, table in zip(models, tensor, strict=True):
            with within(model or name or "array"):
                trials = _trials(table, questions, clusters)
            runs.append(Run(model, trials, model_from="log" if named else "number", notes=notes))
        return runs


def _tensor(arrays: dict[str, Any]) -> tuple[str, Any]:
    """Return the only tensor of outcomes, with its name; a table is that of one model."""
    numeric = {name: array for name, array in arrays.items() if array.dtype.kind in "biuf"}
    by_axes = [[name for name, array in numeric.items() if array.ndim == axes] for axes in (_DIMENSIONS, 2)]
    names = by_axes[0] or by_axes[1]
    if len(names) != 1:
        there = ", ".join(f"{name or 'array'} {array.shape} {array.dtype}" for name, array in arrays.items())
        raise OutcomeError(
            "one numeric array models x questions x trials, or questions x trials of one model, was expected; "
            f"{len(names)} are there: {there or 'none'}"
        )
    name, tensor = names[0], arrays[names[0]]
    if not tensor.size:
        raise OutcomeError(f"the tensor is empty: its shape is {tensor.shape}")
    if tensor.ndim == _DIMENSIONS:
        return name, tensor
    if "questions" not in arrays:
        warn_of_axes(len(tensor), tensor.shape[1], tensor)
    return name, tensor[None]


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


def _trials(table: NDArray[Any], questions: list[str], clusters: list[Any]) -> Trials:
    """Return the trials of each question by outcome, in the order of their first places."""
    if table.dtype.kind == "f" and np.isinf(table).any():
        raise OutcomeError("an outcome is infinite")
    if table.dtype.kind == "i" and table.min() < 0:
        OutcomeMatrix(table)  # whose error names the first entry below 0
    values, codes = np.unique(table, return_inverse=True)
    cells = codes.reshape(table.shape) + np.arange(len(table))[:, None] * len(values)
    cells, first, times = np.unique(cells, return_index=True, return_counts=True)
    order = np.argsort(first)
    rows, places = (part.tolist() for part in np.divmod(cells[order], len(values)))
    outcomes = [None if np.isnan(value) else float(value) for value in values]
    return Trials(
        [questions[row] for row in rows],
        [str(outcomes[place]) for place in places],
        [outcomes[place] for place in places],
        [clusters[row] for row in rows],
        times[order].tolist(),
    )


class SavedCountsFormat(Format):
    """Counts that scorio saved: every model and task of the file, counted already."""

    name = "saved-counts"
    is_json = False
    options = frozenset({"answers", "scores"})

    def matches(self, file: LogFile) -> bool:
        return file.archive is not None and SavedCounts.member in file.archive.names

    def read(self, file: LogFile, request: Request) -> list[Run]:
        saved = SavedCounts.load(file.path)
        return [
            _run(saved, task, model, matrix)
            for task, models in saved.outcomes.by_task.items()
            for model, matrix in models.items()
        ]


def _run(saved: SavedCounts, task: str, model: str, matrix: OutcomeMatrix) -> Run:
    models = saved.outcomes.by_task[task]
    metadata, costs = saved.metadata.get(model, {}), models.costs[model]
    measured = metadata.get(_MEASURED)
    entries = measured if isinstance(measured, dict) else {}
    name = task or (str(next(iter(entries))) if len(entries) == 1 else "")
    score, marks = marks_told(entries.get(name), matrix)
    trials = int(matrix.trials.sum())
    return Run(
        model,
        Trials(),
        identity=" + ".join(sorted(saved.parts)),
        task=task or None,
        conditions=conditions(**models.conditions[model]),
        measure=score,
        fingerprints=marks,
        origin={key: str(value) for key, value in metadata.items() if key != _MEASURED}
        | ({TASK: name} if name else {})
        | {what: mean * trials for what, mean in costs.items()},  # only costs are numbers
        counted=Counted(matrix, frozenset(saved.parts), costs),
    )
