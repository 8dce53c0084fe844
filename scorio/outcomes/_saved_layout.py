"""The layout of saved counts: one npz file with ``scorio.json``, the header, and one array per quantity.

The header describes every model of every task in order, and an array has the numbers of all of them one after another,
in the narrowest type. Everything is under one digest. Nothing is pickled. Members are stored as they are, with fixed
dates, so equal content is equal bytes. A file is written whole or not at all.
"""

import hashlib
import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import LARGEST_REWARD
from ..errors import OutcomeError, ParameterError
from ._combining import align
from ._from_counts import check_support, planned_of, read_counts
from ._labels import Labels, check_labels
from ._matrix import OutcomeMatrix
from ._outcome_set import OutcomeSet, Place
from ._outcome_values import MOST_TRIALS, check_levels, check_total
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary
from ._saved_content import SavedContent, as_text, check_metadata
from ._trial_costs import MeanCost
from ._trials import Labelled, TrialColumns
from ._whole_file import whole_file

HEADER = "scorio.json"
FORMAT, VERSION = "scorio saved counts", 1
Arrays = dict[str, NDArray[Any]]
_DATE = (1980, 1, 1, 0, 0, 0)
_MOMENTS = ("mean", "squares", "cubes")
_REALS = {*_MOMENTS, "values", "scores"}  # arrays of doubles; the others hold whole numbers
_PRESENT, _LISTED = "present", "listed"  # planned trials: those that have an outcome, or an array
_TUPLE = "tuple"  # the key of an object that stands for a tuple
_PLAIN: set[type] = {str, int, float, bool, type(None)}
_DAMAGES = (
    *(OSError, EOFError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, SyntaxError),
    *(RuntimeError, MemoryError, zlib.error, zipfile.BadZipFile),
)


def check(condition: Any, problem: str) -> None:
    """Check what a file says."""
    if not condition:
        raise OutcomeError(problem)


def damaged(error: BaseException) -> OutcomeError:
    """Return the error of a file that is not what was saved."""
    text = error.text() if isinstance(error, OutcomeError) else str(error).partition("\n")[0] or type(error).__name__
    return OutcomeError(f"the saved counts are damaged: {text}")


# Arrays that are written piece by piece, and read in the same order.


class _Written:
    def __init__(self) -> None:
        self._pieces: dict[str, list[NDArray[Any]]] = {}

    def put(self, name: str, values: NDArray[Any]) -> None:
        self._pieces.setdefault(name, []).append(np.ravel(values))

    def arrays(self) -> Arrays:
        return {name: _stored(name, np.concatenate(pieces)) for name, pieces in sorted(self._pieces.items())}


def _stored(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return doubles, or whole numbers in the narrowest unsigned type that holds them."""
    if name in _REALS:
        return np.where(np.isnan(values), np.nan, values).astype("<f8")  # one kind of NaN, of many
    size = next(size for size in (1, 2, 4, 8) if int(values.max(initial=0)) < 1 << 8 * size)
    return np.ascontiguousarray(values, f"<u{size}")


class _Read:
    def __init__(self, arrays: Arrays) -> None:
        self._left = dict(arrays)

    def take(self, name: str, *shape: int) -> NDArray[Any]:
        """Return the next numbers of an array."""
        size = math.prod(shape)
        array = self._left[name]
        check(array.dtype.kind == ("f" if name in _REALS else "u"), f"the array {name!r} is of another kind")
        check(size <= array.size, f"the array {name!r} is too short")
        self._left[name] = array[size:]
        numbers = array[:size].reshape(shape)
        is_exact = name in _REALS or int(numbers.max(initial=0)) <= MOST_TRIALS
        check(is_exact, f"the array {name!r} has a number above 2**53")
        return numbers.astype(np.float64 if name in _REALS else np.int64)


# One model.


def _packed(matrix: OutcomeMatrix, written: _Written) -> dict[str, Any]:
    """Write the numbers of one model, and return its description."""
    about: dict[str, Any] = {}
    if isinstance(matrix, RewardMatrix):
        summary = matrix.summary
        written.put("trials", summary.trials)
        for name in _MOMENTS:
            written.put(name, getattr(summary, name))
        if summary.values is not None:
            written.put("values", summary.values)
        about |= {"kept": summary.values is not None, "support": matrix.support}
    else:
        about |= {"categories": matrix.n_categories, "levels": matrix.levels}
        written.put("counts", matrix.counts)
        if matrix.prior_counts is not None:
            about["prior"] = True
            written.put("prior", matrix.prior_counts)
    planned = matrix.planned_trials
    if (planned == planned[0]).all():
        about["planned"] = int(planned[0])
    elif (planned == matrix.trials).all():
        about["planned"] = _PRESENT
    else:
        about["planned"] = _LISTED
        written.put("planned", planned)
    return about | ({"adaptive": True} if matrix.is_adaptive else {}) | _packed_columns(matrix.trial_columns, written)


def _packed_columns(columns: TrialColumns, written: _Written) -> dict[str, Any]:
    """Write what is known of single trials, and return its description."""
    about: dict[str, Any] = {}
    if columns.runs is not None:
        about["runs"] = labels_to_json(columns.runs.labels, "runs")
        written.put("runs", columns.runs.of_trial)
    if columns.answers is not None:
        about["answers"] = labels_to_json(columns.answers.labels, "answers")
        written.put("answers", columns.answers.of_trial.astype(np.int64) + 1)  # 0 is no answer
    if columns.scores:
        about["scores"] = [*columns.scores]
        for score in columns.scores.values():
            written.put("scores", score)
    return about


def _unpacked(about: Mapping[str, Any], read: _Read, count: int) -> OutcomeMatrix:
    """Return one model of so many questions without labels, checked to be possible."""
    kind = OutcomeMatrix if "categories" in about else RewardMatrix
    content, *others = (_counts if kind is OutcomeMatrix else _rewards)(about, read, count)
    trials = content.sum(axis=1) if isinstance(content, np.ndarray) else content.trials
    check_total(trials, count)
    planned = about["planned"]
    if planned in (_PRESENT, _LISTED):
        planned = None if planned == _PRESENT else read.take("planned", count)
    prior, scale = others
    columns = _trial_columns(about, read, trials)
    is_adaptive = about.get("adaptive", False) is True
    return kind.of_parts(content, planned_of(planned, trials), prior, None, None, scale, is_adaptive, columns)


def _counts(about: Mapping[str, Any], read: _Read, count: int) -> tuple[Any, Any, Any]:
    """Return the counts, the counts of prior outcomes and the levels."""
    width, levels = about["categories"], about["levels"]
    counts = read_counts(read.take("counts", count, width), None)
    prior = read_counts(read.take("prior", count, width), None) if about.get("prior") else None
    return counts, prior, None if levels is None else check_levels(levels, width)


def _rewards(about: Mapping[str, Any], read: _Read, count: int) -> tuple[Any, Any, Any]:
    """Return the summary, no prior outcomes, and the support."""
    trials = read.take("trials", count)
    check_total(trials, count)
    moments = {name: read.take(name, count) for name in _MOMENTS}
    mean, squares, cubes = (np.where(trials > 0, moment, 0.0) for moment in moments.values())
    is_possible = (np.abs(mean) <= LARGEST_REWARD).all() and (squares >= 0.0).all() and np.isfinite(squares).all()
    check(is_possible and not np.isinf(cubes).any(), "the moments of rewards are invalid")
    values = read.take("values", int(trials.sum())) if about["kept"] else None
    check(values is None or (np.abs(values) <= LARGEST_REWARD).all(), "a reward is not finite")
    summary, support = RewardSummary(trials, values=values, **moments), about["support"]
    return summary, None, None if support is None else check_support(support, summary)


def _trial_columns(about: Mapping[str, Any], read: _Read, trials: NDArray[Any]) -> TrialColumns:
    """Return what is known of single trials."""
    columns: dict[str, Labelled] = {}
    total = int(trials.sum())
    for name, no_label in (("runs", 0), ("answers", 1)):
        if name in about:
            labels = labels_from_json(about[name], len(about[name]), name, unique=True) or ()
            codes = read.take(name, total) - no_label
            check(int(codes.max(initial=-1)) < len(labels), f"the {name} have a trial without a label")
            columns[name] = Labelled(labels, codes)
    scores = {name: read.take("scores", total) for name in about.get("scores", [])}
    check(not any(np.isinf(score).any() for score in scores.values()), "a score is infinite")
    runs = columns["runs"].by_question(trials) if "runs" in columns else None
    return TrialColumns(runs, columns.get("answers"), scores)


# All tasks, with their conditions and costs; the costs of single trials are stored like outcomes, without labels.


def _packed_tasks(tasks: Mapping[str, Mapping[str, OutcomeMatrix]], written: _Written) -> list[dict[str, Any]]:
    described = []
    for task, models in tasks.items():
        first = next(iter(models.values()))
        labels = {name: labels_to_json(getattr(first, name), name) for name in ("questions", "clusters")}
        packed = [{"model": name} | _packed(matrix, written) for name, matrix in models.items()]
        described.append({"task": task, "n_questions": first.n_questions} | labels | {"models": packed})
    return described


def _packed_about(models: OutcomeSet, written: _Written) -> list[Any]:
    """Return the conditions and the costs of each model, in order."""
    return [
        {
            "conditions": dict(models.conditions[name]),
            "costs": {what: _packed_cost(cost, written) for what, cost in models.costs[name].items()},
        }
        for name in models
    ]


def _packed_cost(cost: float, written: _Written) -> dict[str, Any]:
    listed = {which: getattr(cost, which, None) for which in ("trials", "successes")}
    return {"mean": float(cost)} | {
        which: _packed(costs, written) for which, costs in listed.items() if costs is not None
    }


def _unpacked_models(about: Mapping[str, Any], read: _Read) -> dict[str, OutcomeMatrix]:
    """Return the models of one task."""
    count = about["n_questions"]
    models = {of_model["model"]: _unpacked(of_model, read, count) for of_model in about["models"]}
    questions = labels_from_json(about["questions"], count, "questions", unique=True)
    clusters = labels_from_json(about["clusters"], count, "clusters", unique=False)
    return align(models, questions=questions, clusters=clusters)


def _unpacked_task(models: Mapping[str, OutcomeMatrix], described: Any, read: _Read) -> OutcomeSet:
    """Return the models of one task with their conditions and costs."""
    conditions, costs = dict[str, Any](), dict[str, Any]()
    for (name, matrix), about in zip(models.items(), described, strict=True):
        conditions[name] = about["conditions"]
        costs[name] = {what: _unpacked_cost(cost, read, matrix) for what, cost in about["costs"].items()}
    return OutcomeSet.of(models, check_metadata(conditions, [*models]), costs)


def _unpacked_cost(about: Mapping[str, Any], read: _Read, matrix: OutcomeMatrix) -> float:
    mean = about["mean"]
    check(mean >= 0, "a mean cost is invalid")
    parts = [_unpacked(about[which], read, matrix.n_questions) for which in ("trials", "successes") if which in about]
    rewards = [part for part in parts if isinstance(part, RewardMatrix)]
    check(len(rewards) == len(parts), "the costs are no numbers")
    if not parts:
        return float(mean)
    trials, *successes = (part.labelled(matrix.questions, matrix.clusters) for part in rewards)
    cost = MeanCost(mean, trials).with_successes(successes[0] if successes else None, matrix)
    check(not successes or cost.successes is not None, "the costs of successes are of other trials")
    return cost


def digest_of(tasks: Mapping[str, Mapping[str, OutcomeMatrix]]) -> str:
    """Return a text that is the same for equal outcomes of the same runs, answers and scores only."""
    written = _Written()
    return _digest(_packed_tasks(tasks, written), written.arrays())


def _digest(content: Any, arrays: Arrays) -> str:
    """Return a text that is the same for equal values of JSON with equal arrays only."""
    hashed = hashlib.blake2b(as_text(content).encode(), digest_size=20)
    for name, array in arrays.items():
        hashed.update(f"{name} {array.dtype.str} {array.shape}".encode())
        hashed.update(array.data)
    return hashed.hexdigest()


# The whole file.


def to_npz(content: SavedContent) -> bytes:
    """Return the bytes of a file."""
    written = _Written()
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tasks": _packed_tasks(content.tasks, written),
        "about": [_packed_about(models, written) for models in content.tasks.values()],
        "parts": dict(sorted(content.parts.items())),
        "accumulator": content.state,
    }
    arrays = written.arrays()
    members = {HEADER: as_text(header | {"digest": _digest(header, arrays)}).encode()}
    for name, array in arrays.items():
        stream = io.BytesIO()
        np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
        members[f"{name}.npy"] = stream.getvalue()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, member in members.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), member)
    return target.getvalue()


def from_npz(source: Any) -> SavedContent:
    """Return the content of a file, which is a path or a stream of bytes."""
    try:
        header, arrays = _members(source)
        check(isinstance(header, dict) and header.get("format") == FORMAT, "the header is not one of saved counts")
        version = header["version"]
        if version == VERSION:
            return _content(header, arrays)
        check(type(version) is int, "the version is invalid")
    except (OutcomeError, *_DAMAGES) as error:
        raise damaged(error) from None
    problem = f"the saved counts have layout {version}, and this version of scorio reads layout {VERSION} only"
    raise OutcomeError(problem, hint="read the logs again, and save their counts, or update scorio")


def _members(source: Any) -> tuple[Any, Arrays]:
    """Return the header and the arrays; members that are stored cannot be larger than the file."""
    with zipfile.ZipFile(source) as archive:
        names = archive.namelist()
        is_plain = all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        check(is_plain and len({*names}) == len(names), "members of the archive are compressed or occur twice")
        header = json.loads(archive.read(HEADER), parse_constant=lambda text: check(False, f"{text} is not JSON"))
        arrays = {name.removesuffix(".npy"): _array(archive.read(name)) for name in names if name != HEADER}
    return header, dict(sorted(arrays.items()))


def _array(content: bytes) -> NDArray[Any]:
    """Return an array of numbers that stays in the bytes of its member."""
    stream = io.BytesIO(content)
    check(np.lib.format.read_magic(stream) == (1, 0), "an array has another format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    check(dtype.kind in "uf", "an array is not of plain numbers")
    array: NDArray[Any] = np.frombuffer(content, dtype, offset=stream.tell())
    return array.reshape(shape)


def _content(header: dict[str, Any], arrays: Arrays) -> SavedContent:
    digest = header.pop("digest")
    check(digest == _digest(header, arrays), "this is not what was saved")
    read = _Read(arrays)
    models = {about["task"]: _unpacked_models(about, read) for about in header["tasks"]}
    described = zip(models.items(), header["about"], strict=True)
    tasks = {task: _unpacked_task(of_task, about, read) for (task, of_task), about in described}
    check(tasks and header["parts"], "there is no task, or no part")
    names = [name for of_task in tasks.values() for name in of_task]
    parts = {part: check_metadata(metadata, names) for part, metadata in header["parts"].items()}
    return SavedContent(tasks, parts, header["accumulator"])


def write(path: Place, content: SavedContent) -> None:
    """Write a file; one that is there already is replaced at once, so that no reader sees half of it."""
    with whole_file(_checked_path(path)) as unfinished:
        unfinished.write_bytes(to_npz(content))


def read(path: Place) -> SavedContent:
    """Return the content of a file."""
    place = _checked_path(path)
    if not place.is_file():
        raise FileNotFoundError(f"no such file: {place}")
    return from_npz(place)


def _checked_path(path: Any) -> Path:
    try:
        place = Path(os.fsdecode(path))
    except TypeError:
        raise ParameterError(f"must be the name of a file; got {path!r}", argument="path") from None
    if place.suffix.lower() != ".npz":
        hint = "io.write_table writes trials as csv, jsonl or parquet"
        raise ParameterError(f"must end with .npz; got {str(place)!r}", argument="path", hint=hint)
    return place


# Labels as JSON: text, numbers, truth values, None, and tuples of these.


def labels_to_json(labels: Labels | None, name: str) -> list[Any] | None:
    """Return labels as JSON values; what cannot be saved is an error."""
    return None if labels is None else [_label_to_json(label, name) for label in labels]


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
    check(isinstance(values, list), f"{name} must be a list")
    return check_labels([_label_from_json(value) for value in values], count, name, unique=unique)


def _label_from_json(value: Any) -> Any:
    if isinstance(value, dict):
        [(key, parts)] = value.items()
        check(key == _TUPLE, "a label must be text, a number or a tuple")
        return tuple(_label_from_json(part) for part in parts)
    check(type(value) in _PLAIN, "a label must be text, a number or a tuple")
    return value
