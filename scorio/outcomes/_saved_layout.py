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
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from .._arrays import LARGEST_REWARD
from ..errors import OutcomeError, ParameterError
from ._from_arrays import MOST_CATEGORIES
from ._labels import Labels, check_labels
from ._matrix import OutcomeMatrix
from ._outcome_values import MOST_TRIALS, check_levels, check_total
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary
from ._saved_content import SavedContent, Task, as_text, check_metadata, is_costs
from ._trial_costs import MeanCost, if_of_successes
from ._trials import Labelled, TrialColumns, TrialRuns
from ._whole_file import whole_file

HEADER = "scorio.json"
FORMAT, VERSION = "scorio saved counts", 1
Place = str | os.PathLike[str]
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
        for name, array in arrays.items():
            kind = "f8" if name in _REALS else "u"
            check(array.ndim == 1 and array.dtype.str[1:].startswith(kind), f"the array {name!r} is of another kind")
            is_exact = array.dtype.itemsize < 8 or name in _REALS or int(array.max(initial=0)) <= MOST_TRIALS
            check(is_exact, f"the array {name!r} has a number above 2**53")
        self._left = dict(arrays)

    def take(self, name: str, *shape: int) -> NDArray[Any]:
        """Return the next numbers of an array."""
        size = math.prod(shape)
        array = self._left[name]
        check(size <= array.size, f"the array {name!r} is too short")
        self._left[name] = array[size:]
        return array[:size].reshape(shape).astype(np.float64 if name in _REALS else np.int64)

    def check_end(self) -> None:
        check(not any(array.size for array in self._left.values()), "an array is too long")


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
    return about | ({"adaptive": True} if matrix.is_adaptive else {}) | _packed_trials(matrix, written)


def _packed_trials(matrix: OutcomeMatrix, written: _Written) -> dict[str, Any]:
    """Write what is known of single trials; an answer has its number plus one, so that 0 stands for no answer."""
    known, about = matrix.trial_columns, dict[str, Any]()
    if known.runs is not None:
        about["runs"] = labels_to_json(known.runs.labels, "runs")
        written.put("runs", known.runs.of_trial)
    if known.answers is not None:
        about["answers"] = labels_to_json(known.answers.labels, "answers")
        written.put("answers", known.answers.of_trial.astype(np.int64) + 1)
    if known.scores:
        about["scores"] = [*known.scores]
        for score in known.scores.values():
            written.put("scores", score)
    return about


def _unpacked(about: Mapping[str, Any], read: _Read, count: int) -> OutcomeMatrix:
    """Return one model of so many questions without labels, checked to be possible."""
    if "categories" in about:
        matrix: OutcomeMatrix = _unpacked_counts(about, read, count)
    else:
        matrix = _unpacked_rewards(about, read, count)
    trials, known = matrix.trials, about["planned"]
    if known in (_PRESENT, _LISTED):
        known = trials if known == _PRESENT else read.take("planned", count)
    is_whole = isinstance(known, np.ndarray) or (type(known) is int and known <= MOST_TRIALS)
    check(is_whole and (trials <= known).all(), "fewer trials are planned than there are")
    matrix._complete(known, None, None, adaptive=about.get("adaptive", False) is True)
    return _with_trials(matrix, about, read, int(trials.sum()))


def _unpacked_counts(about: Mapping[str, Any], read: _Read, count: int) -> OutcomeMatrix:
    width, levels = about["categories"], about["levels"]
    check(type(width) is int and 2 <= width <= MOST_CATEGORIES, "the number of categories is invalid")
    counts = read.take("counts", count, width)
    prior = read.take("prior", count, width) if about.get("prior") else None
    for each in (counts, prior):
        is_exact = each is None or (each.sum(axis=1, dtype=np.float64) <= MOST_TRIALS).all()
        check(is_exact, "a question has more than 2**53 trials")
    scale = None if levels is None else check_levels(levels, width)
    return OutcomeMatrix.of_parts(counts, 0, prior, None, None, scale)


def _unpacked_rewards(about: Mapping[str, Any], read: _Read, count: int) -> RewardMatrix:
    trials = read.take("trials", count)
    check_total(trials, count)
    moments = {name: read.take(name, count) for name in _MOMENTS}
    mean, squares, cubes = (np.where(trials > 0, each, 0.0) for each in moments.values())
    is_possible = (np.abs(mean) <= LARGEST_REWARD).all() and (squares >= 0.0).all() and np.isfinite(squares).all()
    check(is_possible and not np.isinf(cubes).any(), "the moments of rewards are invalid")
    values = read.take("values", int(trials.sum())) if about["kept"] else None
    check(values is None or (np.abs(values) <= LARGEST_REWARD).all(), "a reward is not finite")
    support = about["support"]
    if support is not None:
        low, high = support
        check({type(low), type(high)} <= {int, float} and low < high, "a support is invalid")
        support = float(low), float(high)
    return RewardMatrix.of_parts(RewardSummary(trials, values=values, **moments), 0, None, None, None, support)


def _with_trials(matrix: OutcomeMatrix, about: Mapping[str, Any], read: _Read, total: int) -> OutcomeMatrix:
    """Return the model with what is known of its single trials."""
    columns: dict[str, Labelled] = {}
    for name, no_label in (("runs", 0), ("answers", 1)):
        if name in about:
            labels = labels_from_json(about[name], len(about[name]), name, unique=True) or ()
            codes = read.take(name, total) - no_label
            check(int(codes.max(initial=-1)) < len(labels), f"the {name} have a trial without a label")
            columns[name] = Labelled(labels, codes)
    names = about.get("scores", [])
    check(all(isinstance(name, str) for name in names) and len({*names}) == len(names), "scores have no names")
    scores = {name: read.take("scores", total) for name in names}
    check(not any(np.isinf(score).any() for score in scores.values()), "a score is infinite")
    runs = TrialRuns.of(columns["runs"], matrix.trials) if "runs" in columns else None
    is_known = bool(columns or scores)
    return matrix.replaced(trial_columns=TrialColumns(runs, columns.get("answers"), scores)) if is_known else matrix


# All tasks.


def _packed_tasks(tasks: Mapping[str, Mapping[str, OutcomeMatrix]], written: _Written) -> list[dict[str, Any]]:
    described = []
    for task, models in tasks.items():
        first = next(iter(models.values()))
        labels = {name: labels_to_json(getattr(first, name), name) for name in ("questions", "clusters")}
        each = [{"model": name} | _packed(matrix, written) for name, matrix in models.items()]
        described.append({"task": task, "n_questions": first.n_questions} | labels | {"models": each})
    return described


def _unpacked_tasks(described: Any, read: _Read) -> dict[str, dict[str, OutcomeMatrix]]:
    tasks: dict[str, dict[str, OutcomeMatrix]] = {}
    for about in described:
        task, count = about["task"], about["n_questions"]
        check(isinstance(task, str) and task not in tasks, "the tasks have no different names")
        check(type(count) is int and count > 0, "the number of questions is not a whole number above 0")
        questions = labels_from_json(about["questions"], count, "questions", unique=True)
        clusters = labels_from_json(about["clusters"], count, "clusters", unique=False)
        names = [each["model"] for each in about["models"]]
        check(names and {*map(type, names)} == {str} and len({*names}) == len(names), "models have no different names")
        tasks[task] = {name: _unpacked(each, read, count) for name, each in zip(names, about["models"], strict=True)}
        kinds = {(each.is_continuous, each.levels, each._counts.shape[1]) for each in tasks[task].values()}
        check(len(kinds) == 1, "the models have outcomes of different kinds")
        for matrix in tasks[task].values():
            matrix._complete(matrix._planned, questions, clusters, adaptive=matrix.is_adaptive)
    check(tasks and ("" not in tasks or len(tasks) == 1), "the tasks have no names")
    return tasks


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


# Conditions and costs; the costs of single trials are stored like outcomes, without labels.


def _packed_about(tasks: Mapping[str, Task], written: _Written) -> list[Any]:
    """Return the conditions and the costs of each model of each task, in order."""
    return [
        [
            {
                "conditions": each.conditions.get(name, {}),
                "costs": {what: _packed_cost(cost, written) for what, cost in each.costs.get(name, {}).items()},
            }
            for name in each.models
        ]
        for each in tasks.values()
    ]


def _packed_cost(cost: float, written: _Written) -> dict[str, Any]:
    listed = {which: getattr(cost, which, None) for which in ("trials", "successes")}
    parts = {which: _packed(each, written) for which, each in listed.items() if each is not None}
    return {"mean": float(cost)} | parts


def _unpacked_about(described: Any, read: _Read, tasks: Mapping[str, Mapping[str, OutcomeMatrix]]) -> dict[str, Task]:
    made: dict[str, Task] = {}
    for (task, models), own in zip(tasks.items(), described, strict=True):
        conditions, costs = dict[str, Any](), dict[str, Any]()
        for (name, matrix), about in zip(models.items(), own, strict=True):
            conditions[name] = about["conditions"]
            costs[name] = {what: _unpacked_cost(each, read, matrix) for what, each in about["costs"].items()}
        check_metadata({name: {"conditions": each} for name, each in conditions.items()}, [*models])
        check(all(isinstance(each, dict) for each in conditions.values()), "conditions are invalid")
        made[task] = Task(models, conditions, costs)
    return made


def _unpacked_cost(about: Mapping[str, Any], read: _Read, matrix: OutcomeMatrix) -> float:
    mean = about["mean"]
    check(is_costs({"": mean}) and mean >= 0, "a mean cost is invalid")
    known = [_unpacked(about[which], read, matrix.n_questions) for which in ("trials", "successes") if which in about]
    for each in known:
        check(each.is_continuous, "the costs are no numbers")
        each._complete(each._planned, matrix.questions, matrix.clusters, adaptive=False)
    if not known:
        return float(mean)
    cost = MeanCost(mean, *cast("list[RewardMatrix]", known))
    check(if_of_successes(cost.successes, matrix) is cost.successes, "the costs of successes are of other trials")
    return cost


# The whole file.


def to_npz(content: SavedContent) -> bytes:
    """Return the bytes of a file."""
    written = _Written()
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tasks": _packed_tasks({task: each.models for task, each in content.tasks.items()}, written),
        "about": _packed_about(content.tasks, written),
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
        version = header.get("version")
        check(type(version) is int, "the version is invalid")
    except (OutcomeError, *_DAMAGES) as error:
        raise damaged(error) from None
    if version != VERSION:
        problem = f"the saved counts have layout {version}, and this version of scorio reads layout {VERSION} only"
        raise OutcomeError(problem, hint="read the logs again, and save their counts, or update scorio")
    try:
        return _content(header, arrays)
    except (OutcomeError, *_DAMAGES) as error:
        raise damaged(error) from None


def _members(source: Any) -> tuple[Any, Arrays]:
    """Return the header and the arrays; members that are stored cannot be larger than the file."""
    with zipfile.ZipFile(source) as archive:
        names = archive.namelist()
        is_plain = all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        check(is_plain and len({*names}) == len(names), "members of the archive are compressed or occur twice")
        header = json.loads(archive.read(HEADER), parse_constant=_refuse)
        arrays = {name.removesuffix(".npy"): _array(archive.read(name)) for name in names if name != HEADER}
    return header, dict(sorted(arrays.items()))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


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
    tasks = _unpacked_about(header["about"], read, _unpacked_tasks(header["tasks"], read))
    read.check_end()
    check(header["parts"], "there is no part")
    names = [name for each in tasks.values() for name in each.models]
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
