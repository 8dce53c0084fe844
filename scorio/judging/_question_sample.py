"""A random sample of the questions of a benchmark, drawn within strata, and the file that says how it was drawn."""

import json
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Indices, Vector
from .._display.exports import Exports, csv_text, strict
from .._display.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ..io import file_rows
from ..outcomes import OutcomeMatrix, whole_file

_SHARED = ("metric", "seed", "history")  # columns with one value in all rows of the file


def names_of(outcomes: OutcomeMatrix) -> Sequence[Hashable]:
    """Return the labels of questions, or their places."""
    return outcomes.questions or range(outcomes.n_questions)


def places_of(
    wanted: Iterable[Hashable],
    names: Iterable[Hashable],
    problem: str,
    *,
    hint: str | None = None,
    argument: str | None = None,
) -> Indices:
    """Return the places of questions among names; files hold names as texts, so names are compared as texts."""
    where, asked = {str(name): i for i, name in enumerate(names)}, list(wanted)
    if missing := [name for name in asked if str(name) not in where]:
        raise OutcomeError(f"{problem} {shorten(missing)}", hint=hint, argument=argument)
    return np.array([where[str(name)] for name in asked], np.intp)


@dataclass(frozen=True)
class QuestionSample(Exports):
    """Which questions to ask: a random sample within strata, made by ``choose_questions``.

    ``questions`` are those to ask, all of them, in the benchmark's order. ``benchmark`` has the names of all questions;
    ``is_drawn``, ``stratum``, ``rate`` (the mean value of the models of the history) and ``discrimination`` have an
    entry for each. ``probabilities`` are those with which the drawn questions were drawn. ``history`` has the names of
    the models that the strata were learned from; ``seed`` is None if a generator was passed instead.
    """

    benchmark: tuple[Hashable, ...]
    is_drawn: tuple[bool, ...]
    stratum: tuple[int, ...]
    rate: tuple[float, ...]
    discrimination: tuple[float, ...]
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
        columns = (self.benchmark, self.is_drawn, self.stratum, self.chances.tolist(), self.rate, self.discrimination)
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
        place = Path(path)
        if place.suffix.lower() != ".csv":
            raise ParameterError(f"must end with .csv; got {os.fspath(path)!r}", argument="path")
        if place.exists():
            hint = "write to another file, or remove this one: a sample that was used must be kept"
            raise OutcomeError("the file exists already", where=str(place), hint=hint)
        about = {name: getattr(self, name) for name in _SHARED} | {"history": json.dumps(list(self.history))}
        rows = ({**row, "drawn": int(row["drawn"]), **about} for row in self.rows)
        with whole_file(place) as unfinished:
            unfinished.write_text(csv_text(rows, as_is=True), encoding="utf-8")


def _is_drawn(value: Any) -> bool:
    """Return whether 0 or 1, or a truth value, says that a question was drawn."""
    if str(value) not in ("0", "1", "True", "False"):
        raise ValueError(f"drawn must be 0 or 1; got {value!r}")
    return str(value) in ("1", "True")


_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "question": lambda name: name,
    "drawn": _is_drawn,
    "stratum": int,
    "probability": float,
    "rate": float,
    "discrimination": float,
}


def _fault(sample: QuestionSample, chance: Vector) -> str:
    """Say what is wrong with names, strata, or probabilities that are not those of the rows; empty if nothing is."""
    stratum = np.array(sample.stratum, np.intp)
    if not len(stratum) or len(set(map(str, sample.benchmark))) < len(stratum):
        return "the file has no questions, or one of them twice"
    if stratum.min() < 0 or (np.bincount(stratum) == 0).any():
        return "strata must be numbered 0, 1, 2 and so on"
    wrong = int(np.argmax(np.abs(sample.chances - chance)))
    if not np.isclose(sample.chances[wrong], chance[wrong], rtol=1e-6):
        return (
            f"question {sample.benchmark[wrong]!r} has probability {chance[wrong]:g}, and {sample.chances[wrong]:g} "
            "of its stratum are drawn: rows were removed or changed"
        )
    if (np.bincount(stratum, sample.is_drawn) < np.minimum(np.bincount(stratum), 2)).any():
        return "every stratum needs two drawn questions, or all of its questions"
    return ""


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
        names, drawn, stratum, chance, rate, discrimination = (
            tuple(kind(row[name]) for row in rows) for name, kind in _COLUMNS.items()
        )
        metric, seed, history = (rows[0][name] for name in _SHARED)
        about = str(metric), int(seed) if seed else None, tuple(map(str, json.loads(history)))
    except (IndexError, KeyError, TypeError, ValueError) as error:
        problem = f"this is no sample of questions: {type(error).__name__} {error}"
        hint = "choose_questions(..).write(path) writes such a file"
        raise OutcomeError(problem, where=str(path), hint=hint) from None
    sample = QuestionSample(names, drawn, stratum, rate, discrimination, *about)
    if problem := _fault(sample, np.array(chance)):
        raise OutcomeError(problem, where=str(path), hint="use the file as choose_questions wrote it")
    return sample
