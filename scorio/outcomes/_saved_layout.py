"""Outcomes of models as a description in JSON and stacked arrays, and back: the layout of saved counts.

A task is one array per quantity, stacked over its models, in the narrowest unsigned type that holds the numbers.
Question labels are there once. Reading checks what a damaged or foreign file could have wrong, all models at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .._arrays import LARGEST_REWARD, Counts
from ..errors import OutcomeError
from ._from_arrays import MOST_CATEGORIES, widen
from ._matrix import OutcomeMatrix
from ._outcome_values import check_levels
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary
from ._saved_text import labels_from_json, labels_to_json

Models = dict[str, OutcomeMatrix]
Arrays = dict[str, NDArray[Any]]
_MOMENTS = ("mean", "squares", "cubes")
_MOST = 2**53  # trials of a question
_PRESENT = "present"  # every planned trial has an outcome


def check(condition: Any, problem: str) -> None:
    """Check what a file says."""
    if not condition:
        raise OutcomeError(problem)


def narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Return non-negative whole numbers in the narrowest unsigned type that holds them."""
    top = int(counts.max(initial=0))
    size = next(size for size in (1, 2, 4, 8) if top < 1 << 8 * size)
    return np.ascontiguousarray(counts, f"<u{size}")


def packed(models: Mapping[str, OutcomeMatrix]) -> tuple[dict[str, Any], Arrays]:
    """Return the description of a task and its arrays."""
    matrices = list(models.values())
    first = matrices[0]
    about: dict[str, Any] = {
        "models": list(models),
        "n_questions": first.n_questions,
        "questions": labels_to_json(first.questions, "questions"),
        "clusters": labels_to_json(first.clusters, "clusters"),
        "adaptive": [i for i, matrix in enumerate(matrices) if matrix.is_adaptive],
        "kind": "rewards" if first.is_continuous else "counts",
    }
    more, arrays = _packed_rewards(matrices) if first.is_continuous else _packed_counts(matrices)
    trials = np.stack([matrix.trials for matrix in matrices])
    planned = np.stack([matrix.planned_trials for matrix in matrices])
    if (planned == planned[0, 0]).all():
        about["planned"] = int(planned[0, 0])
    elif (planned == trials).all():
        about["planned"] = _PRESENT
    else:
        about["planned"] = None
        arrays["planned"] = narrow(planned)
    return about | more, arrays


def _packed_counts(matrices: Sequence[OutcomeMatrix]) -> tuple[dict[str, Any], Arrays]:
    width = max(matrix.n_categories for matrix in matrices)
    arrays = {"counts": narrow(np.stack([widen(matrix.counts, width) for matrix in matrices]))}
    priors = [i for i, matrix in enumerate(matrices) if matrix.prior_counts is not None]
    if priors:
        arrays["prior"] = narrow(np.stack([widen(cast("Counts", matrices[i].prior_counts), width) for i in priors]))
    levels = matrices[0].levels
    about = {"categories": width, "levels": None if levels is None else list(levels), "priors": priors}
    return about, arrays


def _packed_rewards(matrices: Sequence[OutcomeMatrix]) -> tuple[dict[str, Any], Arrays]:
    rewards = [cast("RewardMatrix", matrix) for matrix in matrices]
    parts = [matrix._summary for matrix in rewards]
    arrays: Arrays = {"trials": narrow(np.stack([part.trials for part in parts]))}
    arrays |= {name: _plain_nan(np.stack([getattr(part, name) for part in parts])) for name in _MOMENTS}
    kept = [i for i, part in enumerate(parts) if part.values is not None]
    if kept:
        arrays["values"] = np.concatenate([cast("Any", parts[i].values) for i in kept]).astype("<f8")
    supports = [None if matrix.support is None else list(matrix.support) for matrix in rewards]
    return {"kept_values": kept, "supports": supports}, arrays


def _plain_nan(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers with one kind of NaN, since there are many with other bits."""
    return np.where(np.isnan(numbers), np.nan, numbers).astype("<f8")


def unpacked(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Models:
    """Return the models of a task, or raise an OutcomeError for what is wrong with its description or arrays."""
    names, count = about["models"], about["n_questions"]
    check(
        isinstance(names, list) and names and set(map(type, names)) == {str} and len(set(names)) == len(names),
        "the models are not different names",
    )
    check(type(count) is int and count > 0, "the number of questions is not a whole number above 0")
    questions = labels_from_json(about["questions"], count, "questions", unique=True)
    clusters = labels_from_json(about["clusters"], count, "clusters", unique=False)
    shape = len(names), count
    adaptive = set(_indices(about["adaptive"], len(names), "adaptive"))
    check(about["kind"] in ("counts", "rewards"), "the kind of outcomes is unknown")
    if about["kind"] == "counts":
        matrices, trials = _unpacked_counts(about, arrays, shape)
    else:
        matrices, trials = _unpacked_rewards(about, arrays, shape)
    planned = _planned(about["planned"], arrays, trials)
    for i, matrix in enumerate(matrices):
        matrix._complete(
            planned if isinstance(planned, int) else planned[i], questions, clusters, adaptive=i in adaptive
        )
    return dict(zip(names, matrices, strict=True))


def _unpacked_counts(
    about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]
) -> tuple[list[OutcomeMatrix], Counts]:
    width, levels = about["categories"], about["levels"]
    check(type(width) is int and 2 <= width <= MOST_CATEGORIES, "the number of categories is invalid")
    scale = None if levels is None else check_levels(levels, width)
    counts = whole(arrays["counts"], (*shape, width), "counts")
    trials = sum(counts.transpose(2, 0, 1)[1:], counts[..., 0])
    _check_totals(arrays["counts"], counts, "counts")
    priors = _indices(about["priors"], shape[0], "priors")
    prior: dict[int, Counts] = {}
    if priors:
        stacked = whole(arrays["prior"], (len(priors), shape[1], width), "prior")
        _check_totals(arrays["prior"], stacked, "prior")
        prior = dict(zip(priors, stacked, strict=True))
    return [OutcomeMatrix._of_table(counts[i], 0, prior.get(i), None, None, scale) for i in range(shape[0])], trials


def _check_totals(stored: NDArray[Any], counts: Counts, name: str) -> None:
    if stored.dtype.itemsize == 8:
        check((counts.sum(axis=2, dtype=np.float64) <= _MOST).all(), f"{name} has more than 2**53 trials")


def _unpacked_rewards(
    about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]
) -> tuple[list[OutcomeMatrix], Counts]:
    trials = whole(arrays["trials"], shape, "trials")
    moments = [_reals(arrays[name], shape, name) for name in _MOMENTS]
    mean, squares, cubes = (np.where(trials > 0, part, 0.0) for part in moments)
    check((np.abs(mean) <= LARGEST_REWARD).all() and (squares >= 0).all(), "the moments of rewards are invalid")
    check(not np.isinf(squares).any() and not np.isinf(cubes).any(), "the moments of rewards are infinite")
    kept = _indices(about["kept_values"], shape[0], "kept_values")
    values: dict[int, Any] = {}
    if kept:
        sizes = trials[kept].sum(axis=1)
        flat = _reals(arrays["values"], (int(sizes.sum()),), "values")
        check((np.abs(flat) <= LARGEST_REWARD).all(), "a reward is not finite")
        values = dict(zip(kept, np.split(flat, np.cumsum(sizes)[:-1]), strict=True))
    supports = about["supports"]
    check(isinstance(supports, list) and len(supports) == shape[0], "the supports are invalid")
    matrices: list[OutcomeMatrix] = []
    for i, support in enumerate(supports):
        means, squared, cubed = (part[i] for part in moments)
        summary = RewardSummary(trials[i], means, squared, cubed, values.get(i))
        matrices.append(RewardMatrix._of_table(summary, 0, None, None, None, _support(support)))
    return matrices, trials


def _support(support: Any) -> tuple[float, float] | None:
    if support is None:
        return None
    low, high = support
    check(type(low) in (int, float) and type(high) in (int, float) and low < high, "a support is invalid")
    return float(low), float(high)


def _planned(planned: Any, arrays: Mapping[str, NDArray[Any]], trials: Counts) -> int | Counts:
    if planned == _PRESENT:
        return trials
    if planned is None:
        stored = whole(arrays["planned"], (trials.shape[0], trials.shape[1]), "planned")
        check((trials <= stored).all() and stored.max() <= _MOST, "planned is below the trials that are present")
        return stored
    check(type(planned) is int and int(trials.max()) <= planned <= _MOST, "planned is invalid")
    return int(planned)


def whole(array: NDArray[Any], shape: tuple[int, ...], name: str) -> Counts:
    """Return stored whole numbers as int64, checked to have this shape."""
    check(array.shape == shape and array.dtype.kind == "u", f"the array {name} has another shape or type than stated")
    if array.dtype.itemsize == 8:
        check(int(array.max(initial=0)) <= _MOST, f"the array {name} has a number above 2**53")
    return array.astype(np.int64)


def _reals(array: NDArray[Any], shape: tuple[int, ...], name: str) -> NDArray[np.float64]:
    check(array.shape == shape and array.dtype == np.float64, f"the array {name} has another shape or type than stated")
    return array.astype(np.float64)


def _indices(values: Any, count: int, name: str) -> list[int]:
    check(
        isinstance(values, list)
        and all(type(i) is int and 0 <= i < count for i in values)
        and values == sorted(set(values)),
        f"{name} does not list models",
    )
    return list(values)
