"""The layout of saved counts: one npz file with ``scorio``, the header as JSON, and one array per quantity.

The header has everything but numbers by question or by trial. An array has those of all models of all tasks one after
another, in the narrowest type, and the header has the shape of each piece. Everything is under one digest, which finds
damage. Nothing is pickled, and equal content is equal bytes. A file is written whole or not at all.
"""

import hashlib
import io
import json
import math
import os
import secrets
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import LARGEST_REWARD, Counts
from ..errors import OutcomeError, ParameterError
from ._from_arrays import planned_of, read_counts
from ._matrix import OutcomeMatrix
from ._outcome_set import OutcomeSet, Place
from ._outcome_values import MOST_TRIALS, check_levels, check_total
from ._reward_matrix import RewardMatrix
from ._rewards import RewardSummary, check_support
from ._trial_costs import MeanCost
from ._trials import Labelled, TrialColumns

HEADER = "scorio.npy"  # the member with the header
FORMAT, VERSION = "scorio saved counts", 1
Metadata = dict[str, dict[str, Any]]  # by model
Arrays = dict[str, NDArray[Any]]
_SUMMARY = ("trials", "mean", "squares", "cubes", "values")
_REALS = {*_SUMMARY[1:], "scores"}  # arrays of doubles; the others hold whole numbers
_SHAPE = "shape"  # the key of an object that stands for an array
_PLAIN: set[type] = {str, int, float, bool, type(None)}
_DAMAGES = (
    *(OSError, EOFError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, SyntaxError),
    *(RuntimeError, MemoryError, zlib.error, zipfile.BadZipFile),
)


class Content(NamedTuple):
    """The outcomes of each task, whose name is empty for a set of models; the metadata of each part, by its name.

    ``state`` is what an accumulator needs to go on.
    """

    tasks: Mapping[str, OutcomeSet]
    parts: Mapping[str, Metadata]
    state: dict[str, Any] | None = None


def _check(condition: Any, problem: str) -> None:
    """Check what a file says."""
    if not condition:
        raise OutcomeError(problem)


# Values as JSON, beside arrays of numbers.


class _Written:
    """Makes JSON of values, and keeps the numbers of their arrays by the key under which these stand."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[NDArray[Any]]] = {}

    def __call__(self, value: Any, name: str = "") -> Any:
        """Return a value as JSON: a tuple is a list, and an array its shape."""
        value = value.item() if isinstance(value, np.generic) else value
        if isinstance(value, Mapping):
            return {key: self(part, key) for key, part in value.items()}
        if isinstance(value, np.ndarray):
            self._pieces.setdefault(name, []).append(value.ravel())
            return {_SHAPE: list(value.shape)}
        if type(value) is tuple:
            return [self(part, name) for part in value]
        if isinstance(value, str):
            return str(value)
        if type(value) not in _PLAIN or (isinstance(value, float) and not math.isfinite(value)):
            problem = f"{name} has the label {value!r}, a {type(value).__name__}, which cannot be saved"
            raise OutcomeError(problem, hint="label with text, numbers, or tuples of these")
        return value

    def arrays(self) -> Arrays:
        return {name: _narrow(np.concatenate(pieces)) for name, pieces in sorted(self._pieces.items())}


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Return doubles with one kind of NaN, of many, or whole numbers in the narrowest type that holds them."""
    if values.dtype.kind == "f":
        return np.where(np.isnan(values), np.nan, values).astype("<f8")
    ends = values.min(initial=0), values.max(initial=0)
    return values.astype(np.result_type(*map(np.min_scalar_type, ends)).newbyteorder("<"))


class _Read:
    """Makes values of JSON again, with the numbers of their arrays in the order in which they were written."""

    def __init__(self, arrays: Arrays) -> None:
        self._left = dict(arrays)

    def __call__(self, value: Any, name: str = "") -> Any:
        """Return what was written."""
        if isinstance(value, list):
            return tuple([self(part, name) for part in value])
        if not isinstance(value, dict):
            return value
        if isinstance(value.get(_SHAPE), list):
            return self._taken(name, value[_SHAPE])
        return {key: self(part, key) for key, part in value.items()}

    def _taken(self, name: str, shape: list[int]) -> NDArray[Any]:
        size = math.prod(shape)
        numbers, self._left[name] = self._left[name][:size].reshape(shape), self._left[name][size:]
        if name in _REALS:
            return numbers.astype(np.float64)
        _check(numbers.dtype.kind in "iu", f"the array {name!r} is of another kind")
        is_exact = numbers.min(initial=0) >= -1 and numbers.max(initial=0) <= MOST_TRIALS  # -1 is no answer
        _check(is_exact, f"the array {name!r} has a number above 2**53")
        return numbers.astype(np.int64)


# Outcomes as such values, without labels, which models share.


def _of_matrix(matrix: OutcomeMatrix) -> dict[str, Any]:
    """Return all that is known of one model."""
    planned, columns = matrix.planned_trials, matrix.trial_columns
    about = {"planned": planned[0] if (planned == planned[0]).all() else planned, "adaptive": matrix.is_adaptive}
    if isinstance(matrix, RewardMatrix):
        about |= {name: getattr(matrix.summary, name) for name in _SUMMARY} | {"support": matrix.support}
    else:
        about |= {"counts": matrix.counts, "prior": matrix.prior_counts, "levels": matrix.levels}
    for name, column in (("runs", columns.runs), ("answers", columns.answers)):
        if column is not None:
            about |= {f"labels of {name}": column.labels, name: column.of_trial}
    if columns.scores:
        about |= {"names of scores": tuple(columns.scores), "scores": np.stack([*columns.scores.values()])}
    return about


def _matrix_of(about: Mapping[str, Any]) -> OutcomeMatrix:
    """Return the model, checked to be possible, since anybody can make a file."""
    content, prior, scale = (_counts_of if "counts" in about else _rewards_of)(about)
    trials = content.trials if isinstance(content, RewardSummary) else content.sum(axis=1)
    check_total(trials, len(trials))
    kind = RewardMatrix if isinstance(content, RewardSummary) else OutcomeMatrix
    columns, planned = _columns_of(about, trials), planned_of(about["planned"], trials)
    return kind.of_parts(content, planned, prior, None, None, scale, about["adaptive"] is True, columns)


def _counts_of(about: Mapping[str, Any]) -> tuple[Counts, Counts | None, Any]:
    counts, levels = read_counts(about["counts"], None), about["levels"]
    prior = None if about["prior"] is None else read_counts(about["prior"], None)
    _check(prior is None or prior.shape == counts.shape, "prior outcomes are of other questions")
    return counts, prior, None if levels is None else check_levels(levels, counts.shape[1])


def _rewards_of(about: Mapping[str, Any]) -> tuple[RewardSummary, None, Any]:
    trials, mean, squares, cubes, values = (about[name] for name in _SUMMARY)
    _check(
        (trials >= 0).all() and {trials.shape, mean.shape, squares.shape, cubes.shape} == {(len(trials),)}, "rewards"
    )
    check_total(trials, len(trials))
    known, spread = mean[trials > 0], squares[trials > 0]
    is_possible = (np.abs(known) <= LARGEST_REWARD).all() and (spread >= 0.0).all() and np.isfinite(spread).all()
    _check(is_possible and not np.isinf(cubes).any(), "the moments of rewards are invalid")
    is_kept = values is None or (values.shape == (trials.sum(),) and (np.abs(values) <= LARGEST_REWARD).all())
    _check(is_kept, "the rewards are not those of the trials")
    summary, support = RewardSummary(trials, mean, squares, cubes, values), about["support"]
    return summary, None, None if support is None else check_support(support, summary)


def _columns_of(about: Mapping[str, Any], trials: Counts) -> TrialColumns:
    """Return what is known of single trials."""
    columns: dict[str, Labelled] = {}
    for name, least in (("runs", 0), ("answers", -1)):
        if name in about:
            labels, codes = about[f"labels of {name}"], about[name]
            is_possible = codes.shape == (trials.sum(),) and codes.min(initial=0) >= least
            _check(is_possible and codes.max(initial=-1) < len({*labels}) == len(labels), f"the {name} are invalid")
            columns[name] = Labelled(labels, codes).narrow()
    names = about.get("names of scores", ())
    scores = about["scores"] if names else np.zeros((0, trials.sum()))
    _check(scores.shape == (len(names), trials.sum()) and not np.isinf(scores).any(), "the scores are invalid")
    return TrialColumns(columns.get("runs"), columns.get("answers"), dict(zip(names, scores, strict=True)))


def _of_tasks(tasks: Mapping[str, Mapping[str, OutcomeMatrix]]) -> dict[str, Any]:
    described = {}
    for task, models in tasks.items():
        first = next(iter(models.values()))
        matrices = {name: _of_matrix(matrix) for name, matrix in models.items()}
        described[task] = {"questions": first.questions, "clusters": first.clusters, "models": matrices}
    return described


def _facts(models: OutcomeSet, written: _Written) -> dict[str, Any]:
    """Return the conditions and the costs of each model."""
    costs = {name: {what: _of_cost(cost) for what, cost in models.costs[name].items()} for name in models}
    return {"conditions": {name: dict(models.conditions[name]) for name in models}, "costs": written(costs)}


def _of_cost(cost: float) -> dict[str, Any]:
    parts = {which: getattr(cost, which, None) for which in ("trials", "successes")}
    return {"mean": float(cost)} | {which: _of_matrix(part) for which, part in parts.items() if part is not None}


def _cost_of(about: Mapping[str, Any], matrix: OutcomeMatrix) -> float:
    _check(about["mean"] >= 0, "a mean cost is invalid")
    parts = [_matrix_of(about[which]) for which in ("trials", "successes") if which in about]
    rewards = [part.labelled(matrix.questions, matrix.clusters) for part in parts if isinstance(part, RewardMatrix)]
    _check(len(rewards) == len(parts), "the costs are no numbers")
    if not rewards:
        return float(about["mean"])
    cost = MeanCost(about["mean"], rewards[0]).with_successes(rewards[1] if rewards[1:] else None, matrix)
    _check(not rewards[1:] or cost.successes is not None, "the costs of successes are of other trials")
    return cost


def digest_of(tasks: Mapping[str, Mapping[str, OutcomeMatrix]]) -> str:
    """Return a text that is the same for equal outcomes of the same runs, answers and scores only."""
    written = _Written()
    return _digest(written(_of_tasks(tasks)), written.arrays())


def _digest(content: Any, arrays: Arrays) -> str:
    """Return a text that is the same for equal values of JSON with equal arrays only."""
    hashed = hashlib.blake2b(as_text(content).encode(), digest_size=20)
    for name, array in arrays.items():
        hashed.update(f"{name} {array.dtype.str} {array.shape}".encode())
        hashed.update(array.data)
    return hashed.hexdigest()


def as_text(value: Any) -> str:
    """Return compact JSON in ASCII."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


# The whole file.


def to_npz(content: Content) -> bytes:
    """Return the bytes of a file."""
    written = _Written()
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tasks": written(_of_tasks(content.tasks)),
        "facts": [_facts(models, written) for models in content.tasks.values()],
        "parts": dict(sorted(content.parts.items())),
        "accumulator": content.state,
    }
    arrays = written.arrays()
    text = as_text(header | {"digest": _digest(header, arrays)}).encode()
    target = io.BytesIO()
    members: dict[str, Any] = {"scorio": np.frombuffer(text, np.uint8), **arrays}
    np.savez(target, **members)
    return target.getvalue()


def from_npz(content: bytes) -> Content:
    """Return what the bytes of a file hold."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as members:
            arrays = dict(sorted(members.items()))
        header = json.loads(arrays.pop("scorio").tobytes())
        _check(isinstance(header, dict) and header.get("format") == FORMAT, "the header is not one of saved counts")
        version = header["version"]
        if version == VERSION:
            return _content(header, arrays)
        _check(type(version) is int, "the version is invalid")
    except (OutcomeError, *_DAMAGES) as error:
        text = error.text() if isinstance(error, OutcomeError) else str(error).partition("\n")[0]
        raise OutcomeError(f"the saved counts are damaged: {text or type(error).__name__}") from None
    problem = f"the saved counts have layout {version}, and this version of scorio reads layout {VERSION} only"
    raise OutcomeError(problem, hint="read the logs again, and save their counts, or update scorio")


def _content(header: dict[str, Any], arrays: Arrays) -> Content:
    digest = header.pop("digest")
    _check(digest == _digest(header, arrays), "this is not what was saved")
    read, tasks = _Read(arrays), dict[str, OutcomeSet]()
    for (task, about), facts in zip(read(header["tasks"]).items(), header["facts"], strict=True):
        labels = about["questions"], about["clusters"]
        models = {name: _matrix_of(of_model).labelled(*labels) for name, of_model in about["models"].items()}
        _check(len({matrix.n_questions for matrix in models.values()}) == 1, "models have different questions")
        costs = {
            name: {what: _cost_of(cost, models[name]) for what, cost in of_model.items()}
            for name, of_model in read(facts["costs"]).items()
        }
        tasks[task] = OutcomeSet.of(models, facts["conditions"], costs)
    _check(tasks and header["parts"], "there is no task, or no part")
    return Content(tasks, header["parts"], header["accumulator"])


def write(path: Place, content: Content) -> None:
    """Write a file; one that is there already is replaced at once, so that no reader sees half of it."""
    with whole_file(_checked_path(path)) as unfinished:
        unfinished.write_bytes(to_npz(content))


def read(path: Place) -> Content:
    """Return the content of a file."""
    place = _checked_path(path)
    if not place.is_file():
        raise FileNotFoundError(f"no such file: {place}")
    return from_npz(place.read_bytes())


def _checked_path(path: Any) -> Path:
    try:
        place = Path(os.fsdecode(path))
    except TypeError:
        raise ParameterError(f"must be the name of a file; got {path!r}", argument="path") from None
    if place.suffix.lower() != ".npz":
        hint = "scorio convert writes trials as CSV"
        raise ParameterError(f"must end with .npz; got {str(place)!r}", argument="path", hint=hint)
    return place


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give an unfinished file that replaces ``path`` if the block succeeds, and is deleted if it fails.

    A link stays a link, and a file that is replaced keeps its permissions. A process that is killed in between leaves
    its unfinished file, whose name begins with ``.scorio-``.
    """
    target = path.resolve()
    unfinished = target.with_name(f".scorio-{secrets.token_hex(8)}{target.suffix}")
    try:
        unfinished.touch(exist_ok=False)
        yield unfinished
        if target.exists():
            unfinished.chmod(target.stat().st_mode & 0o777)
        unfinished.replace(target)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)  # nobody knows the name of the unfinished file
        raise
