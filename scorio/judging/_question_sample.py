"""Which questions of a benchmark to ask: strata and their sizes, learned from the outcomes of other models.

A new model's value ``Y_i`` of question ``i`` is estimated as ``F_i + e_i``: a prediction by the other models, and
what it misses. The variance of the estimate is ``sum_h (M_h/M)^2 (1 - n_h/M_h) S_h^2/n_h`` over strata ``h`` of
``M_h`` questions, of which ``n_h`` are drawn, where ``S_h`` is the standard deviation of ``e_i`` in the stratum. It
is smallest for ``n_h`` proportional to ``M_h S_h`` (Neyman 1934). The history says how large ``e_i`` is: the value of
each of its models less the mean of the others.

Strata are cut by rate, so that all have the same sum of the expected sizes of ``e_i``, and so about the same number of
drawn questions. No question is expected to miss by less than half of the average: a new model may fail where all others
did not, and a history that is wrong must not cost much.

A sample is written to a file that says how it was drawn.
"""

import json
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Indices, Vector
from .._base.exports import Exports, csv_text, strict
from .._base.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ..estimates._tasks import default_metric
from ..io._files import file_rows
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import count, generator
from ._labels import write_new
from ._trial_noise import check_metric, question_values

_PER_STRATUM = 5  # questions drawn from each stratum, on average, at least
_MOST = 12  # strata
_FLOOR = 0.25  # of the mean square: the least that a question is expected to miss by
_EACH = 2  # questions of every stratum, to estimate a variance
_SHARED = ("metric", "seed", "history")  # columns with one value in all rows of the file


def names_of(outcomes: OutcomeMatrix) -> Sequence[Hashable]:
    """Return the labels of questions, or their places."""
    return outcomes.questions or range(outcomes.n_questions)


def places_of(wanted: Iterable[Hashable], names: Iterable[Hashable], problem: str, hint: str | None = None) -> Indices:
    """Return the places of questions among names; files hold names as texts, so names are compared as texts."""
    where, asked = {str(name): i for i, name in enumerate(names)}, list(wanted)
    if missing := [name for name in asked if str(name) not in where]:
        differs = {str(name).casefold() for name in missing} & {name.casefold() for name in where}
        nearly = ", of which some differ in capitals only" if differs else ""
        raise OutcomeError(f"{problem} {shorten(missing)}{nearly}", hint=hint)
    return np.array([where[str(name)] for name in asked], np.intp)


@dataclass(frozen=True)
class QuestionSample(Exports):
    """Which questions to ask: a random sample within strata, made by ``choose_questions``.

    ``questions`` are those to ask, all of them, in the benchmark's order. ``benchmark`` has the names of all questions;
    ``is_drawn``, ``stratum`` and ``rate``, the mean value of the models of the history, have an entry for each.
    ``probabilities`` are those with which the drawn questions were drawn. ``history`` has the names of
    the models that the strata were learned from; ``seed`` is None if a generator was passed instead.
    """

    benchmark: tuple[Hashable, ...]
    is_drawn: tuple[bool, ...]
    stratum: tuple[int, ...]
    rate: tuple[float, ...]
    metric: str
    seed: int | None
    history: tuple[str, ...]

    @property
    def questions(self) -> tuple[Hashable, ...]:
        """The questions to ask."""
        return tuple(name for name, drawn in zip(self.benchmark, self.is_drawn, strict=True) if drawn)

    @property
    def chances(self) -> Vector:
        """The probability of each question of the benchmark to be drawn."""
        stratum, drawn = np.array(self.stratum), np.array(self.is_drawn)
        return np.asarray((np.bincount(stratum, drawn) / np.bincount(stratum))[stratum])

    @property
    def probabilities(self) -> dict[Hashable, float]:
        """The probability with which each of the drawn questions was drawn."""
        every = zip(self.benchmark, self.is_drawn, self.chances.tolist(), strict=True)
        return {name: chance for name, drawn, chance in every if drawn}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each question: whether it was drawn, its stratum, and what the history says of it."""
        columns = (self.benchmark, self.is_drawn, self.stratum, self.chances.tolist(), self.rate)
        return [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*columns, strict=True)]

    def places(self) -> Indices:
        """Return the positions of the drawn questions in the benchmark."""
        return np.flatnonzero(self.is_drawn)

    def of(self, outcomes: OutcomeMatrix, what: str) -> OutcomeMatrix:
        """Return the outcomes of the drawn questions, in order; a question without outcomes is an error."""
        if outcomes.questions is None and outcomes.n_questions != len(self.benchmark):
            raise OutcomeError(
                f"{what} has {pluralize(outcomes.n_questions, 'question')} without names, and the benchmark has "
                f"{len(self.benchmark)}",
                hint="name the questions, as in OutcomeMatrix(R, questions=sample.questions)",
            )
        names, asked = outcomes.questions or self.benchmark, np.flatnonzero(outcomes.trials > 0)
        hint = "ask all questions of the sample: without some of them it is no random sample any more"
        problem = f"{what} lacks questions of the sample:"
        return outcomes.reordered(asked[places_of(self.questions, [names[i] for i in asked], problem, hint=hint)])

    def __str__(self) -> str:
        strata = max(self.stratum) + 1
        told = f"{len(self.questions)} of {pluralize(len(self.benchmark), 'question')} in "
        told += f"{strata} strata" if strata > 1 else "one stratum"
        return f"{told}, from {pluralize(len(self.history), 'model')}"

    def to_dict(self) -> dict[str, Any]:
        """Return how the sample was drawn and all questions, ready for JSON."""
        about: dict[str, Any] = strict({name: getattr(self, name) for name in _SHARED})
        return about | {"questions": self.as_records()}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the sample to a CSV file: all questions, and how they were drawn.

        ``read_question_sample`` reads it back. A sample that was used must be kept, so an existing file is not
        overwritten.
        """
        about = {name: getattr(self, name) for name in _SHARED} | {"history": json.dumps(list(self.history))}
        rows = ({**row, "drawn": int(row["drawn"]), **about} for row in self.rows)
        write_new(path, csv_text(rows, as_is=True), "a sample that was used must be kept")


def choose_questions(
    history: Any, n: int, *, metric: Metric | str | None = None, rng: int | np.random.Generator | None = 0
) -> QuestionSample:
    """Choose ``n`` questions of a benchmark to ask a new model: a random sample with known, unequal probabilities.

    ``history`` has the outcomes of other models on all questions: an ``OutcomeSet``, or what it takes. Questions are
    divided into strata by rate, and more are drawn where models are hard to predict. The same
    integer ``rng`` draws the same questions.

    Every question has a probability above 0, so what ``estimate_models(metric, outcomes, sample)`` says of
    all questions is unbiased, whatever the history is; a good history makes it more exact. The models to be scored
    must not be in the history.

    >>> from scorio import OutcomeSet
    >>> history = OutcomeSet({"a": [[0], [1], [1], [0]] * 10, "b": [[0], [0], [1], [1]] * 10})
    >>> sample = choose_questions(history, 12)
    >>> print(sample)
    12 of 40 questions in 2 strata, from 2 models
    >>> sample.probabilities[sample.questions[0]]
    0.3
    """
    models = history if isinstance(history, OutcomeSet) else OutcomeSet(history)
    if len(models) < 2:
        hint = "add a model, or draw questions with equal probabilities: sample_to_label(outcomes, n)"
        raise OutcomeError("the history has one model, which does not show how much models differ", hint=hint)
    if not _EACH <= count("n", n) <= models.n_questions:
        raise ParameterError(f"n must be between {_EACH} and the {models.n_questions} questions; got {n}")
    chosen = default_metric(models.values()) if metric is None else as_metric(metric)
    check_metric(chosen)
    values = np.array([question_values(chosen, outcomes) for outcomes in models.values()])
    random = generator(rng)
    seed = int(rng) if isinstance(rng, (int, np.integer)) else None
    rate, spread = values.mean(axis=0), expected_errors(values)
    stratum = strata_of(rate, spread, max(1, min(_MOST, n // _PER_STRATUM)))
    drawn = np.zeros(models.n_questions, bool)
    for h, size in enumerate(allocation(stratum, spread, n)):
        drawn[random.permutation(np.flatnonzero(stratum == h))[:size]] = True
    return QuestionSample(
        benchmark=models.questions or tuple(range(models.n_questions)),
        is_drawn=tuple(drawn.tolist()),
        stratum=tuple(stratum.tolist()),
        rate=tuple(rate.tolist()),
        metric=str(chosen),
        seed=seed,
        history=tuple(models),
    )


def expected_errors(values: NDArray[np.float64]) -> Vector:
    """Return by how much a new model is expected to miss its prediction per question.

    ``values`` has a row per model. It is the root of the mean square of the errors over the history, of which half is
    that of the tenth of the questions with the nearest rates.
    """
    errors = values - (values.sum(axis=0) - values) / (len(values) - 1)
    squares = np.mean((errors - errors.mean(axis=1, keepdims=True)) ** 2, axis=0)
    order = np.argsort(values.mean(axis=0), kind="stable")
    near = np.ones(min(max(5, len(squares) // 10), len(squares)))
    smooth = np.empty(len(squares))
    counted = np.convolve(np.ones(len(squares)), near, "same")
    smooth[order] = np.convolve(squares[order], near, "same") / counted
    both = np.maximum((squares + smooth) / 2.0, _FLOOR * squares.mean())
    return np.asarray(np.sqrt(both) if squares.any() else np.ones(len(squares)))


def strata_of(rate: Vector, spread: Vector, parts: int) -> Indices:
    """Return the number of each question's stratum: parts of about equal sums of ``spread``, by rate."""
    order = np.argsort(rate, kind="stable")
    ends = np.cumsum(spread[order])
    part = np.empty(len(rate), np.intp)
    part[order] = np.minimum((parts * (ends - spread[order] / 2.0) / ends[-1]).astype(np.intp), parts - 1)
    numbers = np.unique(part, return_inverse=True)[1]
    while len(small := np.flatnonzero(np.bincount(numbers) < _EACH)) and numbers.max() > 0:
        numbers[numbers == small[0]] = small[0] - 1 if small[0] else 1  # with its neighbour
        numbers = np.unique(numbers, return_inverse=True)[1]
    return np.asarray(numbers, np.intp)


def allocation(stratum: Indices, spread: Vector, n: int) -> list[int]:
    """Return how many questions to draw from each stratum: Neyman's numbers, at least two and at most all.

    >>> allocation(np.array([0] * 20 + [1] * 20 + [2] * 3), np.array([1.0] * 20 + [3.0] * 20 + [9.0] * 3), 20)
    [5, 12, 3]
    """
    count = np.bincount(stratum)
    size = count * np.sqrt(np.bincount(stratum, spread**2) / count)
    least, whole = np.minimum(_EACH, count), np.zeros(len(count), bool)
    while True:
        rest = n - count[whole].sum()
        wanted = np.where(whole, count, size * max(rest, 0) / max(size[~whole].sum(), 1e-300))
        if not (over := ~whole & (wanted > count)).any():
            break
        whole |= over
    wanted = np.clip(wanted, least, count)
    drawn = np.floor(wanted).astype(int)
    while drawn.sum() < n:
        drawn[np.argmax(np.where(drawn < count, (wanted - drawn) / size, -np.inf))] += 1
    while drawn.sum() > n:
        drawn[np.argmax(np.where(drawn > least, (drawn - wanted) / size, -np.inf))] -= 1
    numbers: list[int] = drawn.tolist()
    return numbers


def _is_drawn(value: Any) -> bool:
    if str(value) not in ("0", "1", "True", "False"):
        raise ValueError(f"drawn must be 0 or 1; got {value!r}")
    return str(value) in ("1", "True")


_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "question": lambda name: name,
    "drawn": _is_drawn,
    "stratum": int,
    "probability": float,
    "rate": float,
}


def read_question_sample(path: str | os.PathLike[str]) -> QuestionSample:
    """Read the file that ``QuestionSample.write`` wrote; a file that was changed by hand is refused where it shows.

    >>> import pathlib, tempfile
    >>> from scorio import OutcomeSet, choose_questions
    >>> history = OutcomeSet({"a": [[0], [1], [1], [0]] * 5, "b": [[0], [0], [1], [1]] * 5})
    >>> path = pathlib.Path(tempfile.mkdtemp(), "sample.csv")
    >>> choose_questions(history, 10).write(path)
    >>> print(read_question_sample(path))
    10 of 20 questions in 2 strata, from 2 models
    """
    rows = [row for _, row in file_rows(Path(path))]
    try:
        names, drawn, stratum, chance, rate = (
            tuple(kind(row[name]) for row in rows) for name, kind in _COLUMNS.items()
        )
        metric, seed, history = (rows[0][name] for name in _SHARED)
        about = str(metric), int(seed) if seed else None, tuple(map(str, json.loads(history)))
        sample = QuestionSample(names, drawn, stratum, rate, *about)
        is_whole = len({*map(str, names)}) == len(names) and np.allclose(sample.chances, chance, rtol=1e-6)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        problem = f"this is no sample of questions: {type(error).__name__} {error}"
        hint = "choose_questions(..).write(path) writes such a file"
        raise OutcomeError(problem, where=str(path), hint=hint) from None
    if not is_whole:
        problem = "the probabilities are not those of the strata: rows were removed or changed"
        raise OutcomeError(problem, where=str(path), hint="use the file as choose_questions wrote it")
    return sample
