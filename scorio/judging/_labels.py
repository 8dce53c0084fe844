"""Labels by people: which questions to label, drawn at random, and the file of labels that comes back."""

import csv
import os
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._base.exports import Exports, csv_text
from .._base.words import pluralize, shorten, warn
from ..errors import LabelsWarning, OutcomeError, ParameterError, Remedy, within
from ..io._files import file_rows
from ..outcomes import OutcomeMatrix, OutcomeSet, as_outcomes
from ..outcomes._column_names import candidates
from ..outcomes._outcome_values import reward
from ..outcomes._saved_layout import whole_file
from ..params import count, generator

Trials = Mapping[str, Mapping[Any, Collection[Any]]]  # the name of every trial, by model and question
Row = dict[str, Any]
_LABEL = ("label", "human", "human_label", "human_score", "human_correct", "annotation", "expert")  # the best first
_WRITTEN = ("model", "question", "trial")  # the columns that an annotator does not fill


@dataclass(frozen=True)
class LabelSample(Exports):
    """Questions to label, in random order, so that the first of them are a random sample too.

    ``rows`` has one for each label that is wanted, ``n_questions`` is the number of questions they were drawn from.
    """

    rows: tuple[Row, ...]
    n_questions: int

    @property
    def questions(self) -> tuple[Hashable, ...]:
        """The questions to label."""
        return tuple(dict.fromkeys(row["question"] for row in self.rows))

    def __str__(self) -> str:
        questions = f"{len(self.questions)} of {pluralize(self.n_questions, 'question')}"
        return f"{questions} to label, {pluralize(len(self.rows), 'label')}"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file with an empty column ``label``.

        Annotators fill the column from the top. ``read_labels`` reads the file back. A file that somebody began to fill
        is not overwritten.
        """
        write_new(path, csv_text(self.rows), "somebody may have filled it", _is_begun)


def write_new(
    path: str | os.PathLike[str], text: str, reason: str, is_used: Callable[[Path], bool] = Path.exists
) -> None:
    """Write a CSV file; one that is used is not overwritten, for a reason."""
    place = Path(path)
    if place.suffix.lower() != ".csv":
        raise ParameterError(f"must end with .csv; got {os.fspath(path)!r}", argument="path")
    if place.exists() and is_used(place):
        hint = "write to another file, or remove this one"
        raise OutcomeError(f"the file exists already, and {reason}", where=str(place), hint=hint)
    with whole_file(place) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="")


def sample_to_label(
    outcomes: Any, n: int, rng: int | np.random.Generator | None = 0, names: Trials | None = None
) -> LabelSample:
    """Draw ``n`` questions for people to label: at random, without replacement, the same for all models.

    ``outcomes`` are those by the judge: of one model, or an OutcomeSet. The same ``rng`` draws the same questions.
    ``names`` are those of trials, ``scorio.io.recognise(logs).named_trials()``; without them, trials are numbered.
    The sample has a row for each label that is wanted, in ``rows``, and ``write(path)`` makes a file of them.

    >>> from scorio import OutcomeMatrix
    >>> sample = sample_to_label(OutcomeMatrix([[1, 1], [0, 1], [1, 1], [1, 0]]), 2, rng=1)
    >>> print(sample)
    2 of 4 questions to label, 4 labels
    """
    models = dict(outcomes) if isinstance(outcomes, OutcomeSet) else {"": as_outcomes(outcomes)}
    first = next(iter(models.values()))
    if count("n", n) > first.n_questions:
        raise ParameterError(f"n is {n}, but there are {pluralize(first.n_questions, 'question')}")
    rows: list[Row] = []
    for i in generator(rng).permutation(first.n_questions)[:n].tolist():
        question = first.questions[i] if first.questions else i
        for model, of_model in models.items():
            wanted = int(of_model.trials[i])
            named = (names or {}).get(model, {}).get(question) or range(1, wanted + 1)
            if len(named) != wanted:
                problem = f"has {len(named)} of {pluralize(wanted, 'trial')} of question {question!r}"
                raise ParameterError(problem, argument="names")
            about = {"model": model} if model else {}
            rows += [about | {"question": question, "trial": trial, "label": None} for trial in named]
    return LabelSample(tuple(rows), first.n_questions)


@dataclass(frozen=True)
class Labels:
    """Labels by people: ``human`` has the outcomes by model (``""`` without a column of models).

    ``rows`` are the labelled trials, with ``model``, ``question``, ``trial``, the reward ``label``, and any other
    column of the file.
    """

    human: Mapping[str, OutcomeMatrix]
    rows: tuple[Row, ...]

    def of(self, model: str) -> list[Row]:
        """Return the labelled trials of a model; without a column of models, all of them."""
        name = "" if "" in self.human else model
        return [row for row in self.rows if row["model"] == name]

    @property
    def n_questions(self) -> int:
        """The number of labelled questions."""
        return len(dict.fromkeys(row["question"] for row in self.rows))

    def __str__(self) -> str:
        return f"{pluralize(len(self.rows), 'label')} of {pluralize(self.n_questions, 'question')}"


def read_labels(path: str | os.PathLike[str], fields: Mapping[str, str | None] | None = None) -> Labels:
    r"""Read labels from a CSV file, or from JSON lines (``.jsonl``): the columns of questions and of labels.

    ``model`` and ``trial`` are optional. Columns are found by their usual names; ``fields`` names
    them, as in ``{"label": "expert"}``. A label is a number or a word such as C/I or pass/fail. Questions without any
    label are left out, which is harmless if they are the last ones of the file. The labels have the outcomes by model,
    in ``human``, and the labelled trials, in ``rows``.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.csv")
    >>> _ = path.write_text("question,trial,label\nq7,1,C\nq7,2,I\nq2,1,C\nq2,2,C\n")
    >>> print(read_labels(path))
    4 labels of 2 questions
    """
    place = Path(path)
    trials: dict[tuple[str, Hashable], list[Row]] = {}
    for row in _rows(place, fields or {}):
        others = trials.setdefault((row["model"], row["question"]), [])
        if row.get("trial") not in (None, "") and any(row["trial"] == other.get("trial") for other in others):
            problem = f"question {row['question']!r} has trial {row['trial']!r} twice"
            raise OutcomeError(problem, where=str(place), hint="keep one label per trial")
        others.append(row)
    if not trials:
        raise OutcomeError("the file has no labels", where=str(place))
    told = {key: [row for row in rows if row["label"] is not None] for key, rows in trials.items()}
    _check_unfinished(trials, told, place)
    kept = tuple(row for rows in told.values() for row in rows)
    if len({str(row["probability"]) for row in kept if row.get("probability") not in (None, "")}) > 1:
        problem = "the column probability says that questions were not drawn with equal probabilities"
        raise OutcomeError(problem, where=str(place), hint="label questions that sample_to_label draws")
    values: dict[str, dict[Hashable, list[float]]] = {}
    for row in kept:
        values.setdefault(row["model"], {}).setdefault(row["question"], []).append(row["label"])
    human = {model: OutcomeMatrix.from_rewards(of_model) for model, of_model in values.items()}
    return Labels(human, kept)


def _check_unfinished(trials: Mapping[Any, list[Row]], told: Mapping[Any, list[Row]], place: Path) -> None:
    """Warn if the questions without a label are not the last ones."""
    if not any(told.values()):
        raise OutcomeError("no question is labelled yet", where=str(place), hint="fill the column of labels")
    questions = {name: i for i, name in enumerate(dict.fromkeys(key[1] for key in trials))}
    left = {questions[key[1]] for key, rows in told.items() if not rows}
    last = max(questions[key[1]] for key, rows in told.items() if rows)
    if left and min(left) < last:
        warn(
            f"{place.name}: {pluralize(len(left), 'question')} without labels are not the last ones of the file. If "
            "annotators skipped hard questions, the labelled ones are no random sample: fill the file from the top.",
            LabelsWarning,
        )


def _rows(place: Path, fields: Mapping[str, str | None]) -> Iterator[Row]:
    """Yield the rows of a file, with the reward of each label, or None without one."""
    for where, row in file_rows(place):
        columns = {role: _column(role, row, fields) for role in ("question", "label", "model", "trial")}
        if row.get(columns["question"] or "") in (None, "") or columns["label"] not in row:
            hint = f"the columns are {shorten(row)}; sample_to_label(..).write(..) writes such a file"
            remedies = [Remedy("fields", {"label": "..."}, "names the second")]
            problem = "a column of questions and one of labels are needed"
            raise OutcomeError(problem, where=where, hint=hint, remedies=remedies)
        values = {role: row.get(column) for role, column in columns.items() if column in row}
        with within(where):
            values["label"] = reward(values["label"])
        yield row | values | {"model": values.get("model") or ""}


def _column(role: str, row: Row, fields: Mapping[str, str | None]) -> str | None:
    """Return the column of a role: the one that is named, if the file has it, or one with a usual name."""
    named = fields.get(role, role)
    if named is None or named in row or (role == "label" and role in fields):
        return named
    usual = [name for name in _LABEL if name in row] if role == "label" else candidates(role, row)
    return usual[0] if usual else None


def _is_begun(place: Path) -> bool:
    """Return whether a file is anything else than a form for labels that nobody filled yet."""
    try:
        rows = [row for _, row in file_rows(place)]
    except (OutcomeError, ValueError, csv.Error):
        return True
    filled = (value for row in rows for name, value in row.items() if name not in _WRITTEN)
    return not all("label" in row for row in rows) or any(value not in (None, "", []) for value in filled)
