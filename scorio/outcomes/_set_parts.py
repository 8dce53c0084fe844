"""The parts of a set of models: its items, their names, prior outcomes, and each model's outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._display.words import shorten
from ..errors import OutcomeError, ParameterError
from ._admitted import TENSOR, as_questions, check_dimensions
from ._counting import scan_blocks
from ._foreign_arrays import as_numpy
from ._from_arrays import read_prior
from ._matrix import OutcomeMatrix


def items_of(models: Any) -> tuple[Sequence[Any] | NDArray[Any], list[str] | None]:
    """Return the outcomes of each model, as a tensor of three dimensions where they are one; and the models' names."""
    if isinstance(models, (str, bytes, PathLike)):
        hint = f"scorio.read({models!r}) reads log files and tables"
        raise OutcomeError(f"models are text, {shorten([models])}", hint=hint)
    if isinstance(models, Mapping):
        return list(models.values()), list(models)
    if isinstance(models, (list, tuple)) and any(
        isinstance(item, (OutcomeMatrix, np.ma.MaskedArray)) for item in models
    ):
        return models, None
    try:
        tensor = models if isinstance(models, np.ma.MaskedArray) else as_numpy(models)
    except ValueError:
        return models, None
    check_dimensions(tensor.ndim)
    return tensor, None


def names_of(names: Iterable[str] | None, own_names: list[str] | None, count: int) -> list[str]:
    if names is not None and own_names is not None:
        raise ParameterError("names come with the mapping; pass one or the other")
    chosen = (
        own_names if own_names is not None else [f"model-{i}" for i in range(count)] if names is None else list(names)
    )
    if not chosen or not all(isinstance(name, str) for name in chosen):
        raise OutcomeError("a set needs at least one model, and names that are strings")
    if len(chosen) != count or len(set(chosen)) < count:
        raise OutcomeError(f"{count} models need as many different names; got {shorten(chosen)}")
    return chosen


def priors_of(prior: Any, names: list[str]) -> list[Any]:
    """Return R0 of each model."""
    if isinstance(prior, Mapping):
        unknown = set(prior) - set(names)
        if unknown:
            raise OutcomeError(f"prior names {shorten(unknown)}, which is not a model")
        return [prior.get(name) for name in names]
    if prior is None or _depth(prior) != TENSOR:
        return [prior] * len(names)
    if len(prior) != len(names):
        raise OutcomeError(f"R0 has {len(prior)} models, R has {len(names)}")
    return list(prior)


def _depth(values: Any) -> int:
    """Return the number of dimensions, also of rows of different lengths."""
    try:
        return as_numpy(values).ndim
    except ValueError:
        return 1 + max(map(_depth, values))


def scanned(tensor: NDArray[Any], missing: int, width: int) -> list[OutcomeMatrix] | None:
    """Count all models in one pass; None where the tensor is not one table without a copy, or has a fault."""
    models, questions, trials = tensor.shape
    one_table = models == 1 or questions == 1 or tensor.strides[0] == questions * tensor.strides[1]
    if type(tensor) is not np.ndarray or tensor.dtype.kind not in "biuf" or not tensor.size or not one_table:
        return None
    counts, _ = scan_blocks(tensor.reshape(-1, trials), width, missing)
    if counts is None:
        return None
    parts = np.split(counts, models)
    if not all(part.any() for part in parts):
        return None
    return [OutcomeMatrix._of_table(part, trials) for part in parts]


def matrix_of(item: Any, name: str, width: int, missing: str) -> OutcomeMatrix:
    """Return one model's outcomes, without the set's labels and prior outcomes."""
    if isinstance(item, OutcomeMatrix):
        if width and item.n_categories > width:
            raise OutcomeError(f"{name}: {item.n_categories} categories where there are {width}")
        return item
    try:
        return as_questions(item, categories=width or None, missing=missing)
    except OutcomeError as error:
        raise error.at(name) from None


def informed(matrix: OutcomeMatrix, name: str, prior: Any, width: int, missing: int) -> OutcomeMatrix:
    """Return the matrix with R0, in the order of the set's questions."""
    if prior is None:
        return matrix
    if matrix.prior_counts is not None:
        raise OutcomeError(f"{name}: it has prior outcomes of its own")
    try:
        return matrix._replaced(prior=read_prior(prior, matrix.n_questions, width, missing))
    except OutcomeError as error:
        raise error.at(name) from None
