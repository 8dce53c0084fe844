"""Outcomes of models as a description in JSON and stacked arrays, and back: the layout of saved counts.

A task is one array per quantity, stacked over its models, in the narrowest unsigned type that holds the numbers.
Question labels are there once. Reading checks what a damaged or foreign file could have wrong, all models at once.
Labels and metadata become JSON without any loss: what JSON cannot hold is refused.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from .._arrays import LARGEST_REWARD, Counts
from ..errors import OutcomeError, ParameterError
from ._from_arrays import MOST_CATEGORIES, widen
from ._labels import Labels, check_labels
from ._matrix import OutcomeMatrix
from ._outcome_values import MOST_TRIALS, check_levels, check_total
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary
from ._trial_runs import TrialRuns
from ._trial_samples import restored

Models = dict[str, OutcomeMatrix]
Arrays = dict[str, NDArray[Any]]
Metadata = dict[str, dict[str, Any]]  # by model
Described = list[dict[str, Any]]
_TUPLE = "tuple"  # the key of an object that stands for a tuple
_PLAIN: set[type] = {str, int, float, bool, type(None)}
_MOMENTS = ("mean", "squares", "cubes")
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


@dataclass(frozen=True, eq=False)
class Block:
    """A named part of a file: a value of JSON, and arrays by name."""

    name: str
    content: Any
    arrays: Arrays = field(default_factory=dict)


def digest(content: Any, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a text that is the same for equal values of JSON with equal arrays only."""
    hashed = hashlib.blake2b(as_text(content).encode(), digest_size=20)
    for name in sorted(arrays):
        hashed.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        hashed.update(np.ascontiguousarray(arrays[name]).data)
    return hashed.hexdigest()


def digest_of(tasks: Mapping[str | None, Mapping[str, OutcomeMatrix]]) -> str:
    """Return a text that is the same for equal outcomes only."""
    return digest(*packed_tasks(tasks))


def name_of(tasks: Mapping[str | None, Mapping[str, OutcomeMatrix]]) -> str:
    """Return a text that is the same for equal outcomes of the same runs, answers and scores only.

    It names a part without a name.
    """
    name = digest_of(tasks)
    for known in (packed_runs(tasks), packed_samples(tasks)):
        name = name if known is None else digest([name, known[0]], known[1])
    return name


def packed_tasks(tasks: Mapping[str | None, Mapping[str, OutcomeMatrix]]) -> tuple[Described, Arrays]:
    """Return the description of each task, and the arrays of all tasks."""
    described: Described = []
    arrays: Arrays = {}
    for number, (task, models) in enumerate(tasks.items()):
        about, own = packed(models)
        described.append({"task": task} | about)
        arrays |= {f"{number}/{name}": array for name, array in own.items()}
    return described, arrays


def unpacked_tasks(described: Any, arrays: Arrays) -> dict[str | None, Models]:
    """Return the models of each task."""
    tasks: dict[str | None, Models] = {}
    for number, about in enumerate(described):
        task = about["task"]
        check((task is None or isinstance(task, str)) and task not in tasks, "the tasks have no different names")
        tasks[task] = unpacked(about, below(arrays, f"{number}/"))
    check(tasks and (None not in tasks or len(tasks) == 1), "the tasks have no names")
    return tasks


def packed_runs(tasks: Mapping[str | None, Mapping[str, OutcomeMatrix]]) -> tuple[Described, Arrays] | None:
    """Return the runs of the trials of each task and model, and their arrays; None if none are known."""
    described: Described = []
    arrays: Arrays = {}
    for task, models in tasks.items():
        for name, matrix in models.items():
            if matrix._runs is not None:
                arrays[str(len(described))] = narrow(matrix._runs.of_trial)
                labels = labels_to_json(matrix._runs.labels, "runs")
                described.append({"task": task, "model": name, "labels": labels})
    return (described, arrays) if described else None


def with_runs(tasks: Mapping[str | None, Models], described: Any, arrays: Arrays) -> dict[str | None, Models]:
    """Return the models of each task with the runs of their trials."""
    made = {task: dict(models) for task, models in tasks.items()}
    for number, entry in enumerate(described):
        matrix = made[entry["task"]][entry["model"]]
        labels = labels_from_json(entry["labels"], len(entry["labels"]), "runs", unique=True)
        total = int(matrix.trials.sum())
        of_trial = whole(arrays[str(number)], (total,), "runs")
        check(labels is not None and int(of_trial.max(initial=-1)) < len(labels), "a trial has a run without a label")
        runs = TrialRuns.sorted(labels or (), narrow(of_trial), matrix.trials)
        made[entry["task"]][entry["model"]] = matrix._replaced(runs=runs)
    return made


def packed_samples(tasks: Mapping[str | None, Mapping[str, OutcomeMatrix]]) -> tuple[Described, Arrays] | None:
    """Return the answers and scores of the trials of each task and model, and their arrays; None if none are known.

    An answer has its number plus one, so that 0 stands for no answer.
    """
    described: Described = []
    arrays: Arrays = {}
    for task, models in tasks.items():
        for name, matrix in models.items():
            samples = matrix._samples
            if samples is not None:
                number, labels = len(described), None
                if samples.answers is not None and samples.answer_of_trial is not None:
                    labels = labels_to_json(samples.answers, "answers")
                    arrays[f"{number}/answers"] = narrow(samples.answer_of_trial.astype(np.int64) + 1)
                for place, score in enumerate(samples.scores.values()):
                    arrays[f"{number}/score{place}"] = np.ascontiguousarray(score, "<f8")
                described.append({"task": task, "model": name, "answers": labels, "scores": [*samples.scores]})
    return (described, arrays) if described else None


def with_samples(tasks: Mapping[str | None, Models], described: Any, arrays: Arrays) -> dict[str | None, Models]:
    """Return the models of each task with the answers and scores of their trials."""
    made = {task: dict(models) for task, models in tasks.items()}
    for number, entry in enumerate(described):
        matrix, listed = made[entry["task"]][entry["model"]], entry["answers"]
        total, labels, codes = int(matrix.trials.sum()), None, None
        if listed is not None:
            labels = labels_from_json(listed, len(listed), "answers", unique=True) or ()
            given = whole(arrays[f"{number}/answers"], (total,), "answers").astype(np.int64)
            check(int(given.max(initial=0)) <= len(labels), "a trial has an answer that is not listed")
            codes = (given - 1).astype(np.int32)
        names = entry["scores"]
        check(all(isinstance(name, str) for name in names) and len({*names}) == len(names), "scores have no names")
        scores = {name: arrays[f"{number}/score{place}"] for place, name in enumerate(names)}
        for score in scores.values():
            check(score.dtype == np.float64 and score.shape == (total,), "the scores are not one per trial")
            check(not np.isinf(score).any(), "a score is infinite")
        check(codes is not None or scores, "nothing is known of the trials of a model")
        made[entry["task"]][entry["model"]] = matrix._replaced(samples=restored(labels, codes, scores))
    return made


def below(arrays: Arrays, start: str) -> Arrays:
    """Return the arrays whose names begin with a text, without it."""
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


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
    for name in _MOMENTS:
        numbers = np.stack([getattr(part, name) for part in parts])
        arrays[name] = np.where(np.isnan(numbers), np.nan, numbers).astype("<f8")  # one kind of NaN, of many
    kept = [i for i, part in enumerate(parts) if part.values is not None]
    if kept:
        arrays["values"] = np.concatenate([cast("Any", parts[i].values) for i in kept]).astype("<f8")
    supports = [None if matrix.support is None else list(matrix.support) for matrix in rewards]
    return {"kept_values": kept, "supports": supports}, arrays


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
    unpack = _unpacked_counts if about["kind"] == "counts" else _unpacked_rewards
    matrices, trials = unpack(about, arrays, shape)
    planned = _planned(about["planned"], arrays, trials)
    for i, matrix in enumerate(matrices):
        own = planned if isinstance(planned, int) else planned[i]
        matrix._complete(own, questions, clusters, adaptive=i in adaptive)
    return dict(zip(names, matrices, strict=True))


def _unpacked_counts(
    about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], shape: tuple[int, int]
) -> tuple[list[OutcomeMatrix], Counts]:
    width, levels = about["categories"], about["levels"]
    check(type(width) is int and 2 <= width <= MOST_CATEGORIES, "the number of categories is invalid")
    scale = None if levels is None else check_levels(levels, width)
    counts = _counts(arrays, (*shape, width), "counts")
    trials = sum(counts.transpose(2, 0, 1)[1:], counts[..., 0])
    priors = _indices(about["priors"], shape[0], "priors")
    stacked = _counts(arrays, (len(priors), shape[1], width), "prior") if priors else ()
    prior: dict[int, Counts] = dict(zip(priors, stacked, strict=True))
    return [OutcomeMatrix._of_table(counts[i], 0, prior.get(i), None, None, scale) for i in range(shape[0])], trials


def _counts(arrays: Mapping[str, NDArray[Any]], shape: tuple[int, ...], name: str) -> Counts:
    counts = whole(arrays[name], shape, name)
    if arrays[name].dtype.itemsize == 8:
        check((counts.sum(axis=2, dtype=np.float64) <= MOST_TRIALS).all(), f"{name} has more than 2**53 trials")
    return counts


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
        for each in trials[kept]:
            check_total(each, len(each))
        sizes = trials[kept].sum(axis=1)
        flat = _reals(arrays["values"], (int(sizes.sum()),), "values")
        check((np.abs(flat) <= LARGEST_REWARD).all(), "a reward is not finite")
        values = dict(zip(kept, np.split(flat, np.cumsum(sizes)[:-1]), strict=True))
    supports = about["supports"]
    check(isinstance(supports, list) and len(supports) == shape[0], "the supports are invalid")
    parts = enumerate(zip(trials, *moments, strict=True))
    summaries = [RewardSummary(n, means, squared, cubed, values.get(i)) for i, (n, means, squared, cubed) in parts]
    pairs = zip(summaries, map(_support, supports), strict=True)
    return [RewardMatrix._of_table(summary, 0, None, None, None, support) for summary, support in pairs], trials


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
        check((trials <= stored).all() and stored.max() <= MOST_TRIALS, "planned is below the trials that are present")
        return stored
    check(type(planned) is int and int(trials.max()) <= planned <= MOST_TRIALS, "planned is invalid")
    return int(planned)


def whole(array: NDArray[Any], shape: tuple[int, ...], name: str) -> Counts:
    """Return stored whole numbers as int64, checked to have this shape."""
    check(array.shape == shape and array.dtype.kind == "u", f"the array {name} has another shape or type than stated")
    if array.dtype.itemsize == 8:
        check(int(array.max(initial=0)) <= MOST_TRIALS, f"the array {name} has a number above 2**53")
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


def as_text(value: Any) -> str:
    """Return compact JSON in ASCII."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def from_text(text: str | bytes) -> Any:
    """Return the value of JSON text; NaN and infinite numbers are refused, as in the JSON standard."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def labels_to_json(labels: Labels | None, name: str) -> list[Any] | None:
    """Return labels as JSON values: text, numbers, truth values, None, and tuples of these."""
    if labels is None:
        return None
    if set(map(type, labels)) <= {str, int}:
        return list(labels)
    return [_label_to_json(label, name) for label in labels]


def _label_to_json(label: Any, name: str) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    if type(value) is tuple:
        return {_TUPLE: [_label_to_json(part, name) for part in value]}
    if isinstance(value, str):
        return str(value)
    if type(value) not in _PLAIN or (isinstance(value, float) and not math.isfinite(value)):
        problem = f"{name} has the label {label!r}, a {type(label).__name__}, which cannot be saved"
        raise OutcomeError(problem, hint="label with text, numbers, or tuples of these")
    return value


def labels_from_json(values: Any, count: int, name: str, *, unique: bool) -> Labels | None:
    """Return the labels of JSON values, checked to be one per question."""
    if values is None:
        return None
    if not isinstance(values, list):
        raise TypeError(f"{name} must be a list")
    if set(map(type, values)) in ({str}, {int}):
        labels = tuple(values)
        if len(labels) == count and not (unique and len(set(labels)) < count):
            return labels
    return check_labels([_label_from_json(value) for value in values], count, name, unique=unique)


def _label_from_json(value: Any) -> Any:
    if isinstance(value, dict):
        [parts] = [value[_TUPLE]] if value.keys() == {_TUPLE} else []
        return tuple(_label_from_json(part) for part in parts)
    if type(value) not in _PLAIN:
        raise TypeError("a label must be text, a number or a tuple")
    return value


def check_metadata(metadata: Any, models: Sequence[str]) -> Metadata:
    """Return metadata by model, checked to survive JSON unchanged."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(each, Mapping) for each in metadata.values()):
        raise ParameterError("must map models to dictionaries", argument="metadata")
    for name in metadata:
        if name not in models:
            raise ParameterError(f"names {name!r}, which is not a model", argument="metadata")
    plain = {name: dict(each) for name, each in metadata.items()}
    try:
        same = from_text(as_text(plain))
    except (TypeError, ValueError, RecursionError):
        same = None
    if same != plain:
        raise ParameterError(
            "must be JSON: text, finite numbers, truth values, None, and lists and dictionaries (with text as keys) of"
            " these",
            argument="metadata",
        )
    for name, each in plain.items():
        if not is_costs(each.get("costs", {})):
            raise ParameterError(f"has 'costs' of {name!r} that are not numbers by name", argument="metadata")
    return plain


def is_costs(costs: Any) -> bool:
    """Return whether costs are finite numbers by name."""
    return isinstance(costs, dict) and all(type(each) in (int, float) for each in costs.values())


def combined(name: str, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one dictionary for the metadata of several parts.

    Costs add up, an entry that is the same in all parts that have it is kept, and others become None. Different
    conditions are an error, because outcomes under different conditions are those of different models.
    """
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for entry in entries for key in entry):
        values = [entry[key] for entry in entries if key in entry]
        is_same = all(value == values[0] for value in values)
        if key == "costs":
            made[key] = _total(values)
        elif key == "conditions" and not is_same:
            raise OutcomeError(
                f"{name!r} was run under different conditions: {values[0]} and"
                f" {next(value for value in values if value != values[0])}",
                hint="give the models different names before they are merged",
            )
        else:
            made[key] = values[0] if is_same else None
    return made


def _total(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return sums that do not depend on the order of the parts."""
    names = dict.fromkeys(name for each in costs for name in each)
    amounts = {name: [each[name] for each in costs if name in each] for name in names}
    return {
        name: sum(values) if all(type(value) is int for value in values) else math.fsum(values)
        for name, values in amounts.items()
    }
