"""The labels that people gave, read from the file that ``LabelSample.write`` wrote, or from one like it."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._display.warn import warn
from .._display.words import pluralize, shorten
from ..errors import LabelsWarning, OutcomeError
from ..outcomes import OutcomeMatrix
from ..outcomes._outcome_values import reward

Row = dict[str, Any]


@dataclass(frozen=True)
class Labels:
    """Labels by people: ``human`` has the outcomes by model (``""`` without a column of models).

    ``probabilities`` has the probability with which each question was drawn, where the file has them. ``rows`` are the
    labelled trials, with ``model``, ``question``, ``trial``, the reward ``label``, and any other column of the file.
    """

    human: Mapping[str, OutcomeMatrix]
    probabilities: Mapping[Hashable, float] | None
    rows: tuple[Row, ...]

    @property
    def n_questions(self) -> int:
        """The number of labelled questions."""
        return len(dict.fromkeys(row["question"] for row in self.rows))

    def __str__(self) -> str:
        return f"{pluralize(len(self.rows), 'label')} of {pluralize(self.n_questions, 'question')}"


def read_labels(path: str | os.PathLike[str]) -> Labels:
    r"""Read labels from a CSV file, or from JSON lines (``.jsonl``), with the columns ``question`` and ``label``.

    ``model``, ``trial`` and ``probability`` are optional. A label is a number or a word such as C/I or pass/fail.
    Questions without any label are left out, which is harmless if they are the last ones of the file; a question with
    only some of its labels is an error.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.csv")
    >>> _ = path.write_text("question,trial,label\nq7,1,C\nq7,2,I\nq2,1,C\nq2,2,C\n")
    >>> print(read_labels(path))
    4 labels of 2 questions
    """
    place = Path(path)
    rows = list(_rows(place))
    if not rows:
        raise OutcomeError("the file has no labels", where=str(place))
    trials: dict[tuple[str, Hashable], list[Row]] = {}
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        trials.setdefault((row["model"], row["question"]), []).append(row)
        key = row["model"], row["question"], row.get("trial")
        if row.get("trial") not in (None, "") and key in seen:
            problem = f"question {row['question']!r} has trial {row['trial']!r} twice"
            raise OutcomeError(problem, where=str(place), hint="keep one label per trial")
        seen.add(key)
    done = {key: each for key, each in trials.items() if all(row["label"] is not None for row in each)}
    _check_unfinished(trials, done, place)
    kept = tuple(row for each in done.values() for row in each)
    human = {model: _outcomes(model, done) for model in dict.fromkeys(model for model, _ in done)}
    return Labels(human, _probabilities(kept, place), kept)


def _outcomes(model: str, done: Mapping[tuple[str, Hashable], list[Row]]) -> OutcomeMatrix:
    values = {key[1]: [row["label"] for row in rows] for key, rows in done.items() if key[0] == model}
    return OutcomeMatrix.from_rewards(values)


def _check_unfinished(trials: Mapping[Any, list[Row]], done: Mapping[Any, Any], place: Path) -> None:
    """Check that questions are labelled as wholes; warn if those without a label are not the last ones."""
    begun = [key[1] for key, rows in trials.items() if key not in done and any(r["label"] is not None for r in rows)]
    if begun:
        hint = "label the rest of their trials, or delete the labels that they have"
        raise OutcomeError(
            f"only some trials are labelled of {shorten(dict.fromkeys(begun))}", where=str(place), hint=hint
        )
    if not done:
        raise OutcomeError("no question is labelled yet", where=str(place), hint="fill the column label")
    questions = {name: i for i, name in enumerate(dict.fromkeys(key[1] for key in trials))}
    left = {questions[key[1]] for key in trials if key not in done}
    if left and min(left) < max(questions[key[1]] for key in done):
        warn(
            f"{place.name}: {pluralize(len(left), 'question')} without labels are not the last ones of the file. If "
            "annotators skipped hard questions, the labelled ones are no random sample: fill the file from the top.",
            LabelsWarning,
        )


def _probabilities(rows: tuple[Row, ...], place: Path) -> dict[Hashable, float] | None:
    if not any(row.get("probability") not in (None, "") for row in rows):
        return None
    try:
        return {row["question"]: float(row["probability"]) for row in rows}
    except (KeyError, TypeError, ValueError):
        raise OutcomeError("the column probability must have a number in every row", where=str(place)) from None


def _rows(place: Path) -> Iterator[Row]:
    """Yield the rows of a file, with the reward of each label, or None without one."""
    for number, row in _lines(place):
        where = f"{place}:{number}"
        if row.get("question") in (None, "") or "label" not in row:
            raise OutcomeError(
                "the columns question and label are needed",
                where=where,
                hint=f"the columns are {shorten(row)}; label_sample(..).write(..) writes such a file",
            )
        try:
            label = reward(row["label"])
        except OutcomeError as error:
            raise error.at(where) from None
        yield row | {"model": row.get("model") or "", "label": label}


def _lines(place: Path) -> Iterator[tuple[int, Row]]:
    """Yield the number and the content of every line."""
    with place.open(encoding="utf-8-sig", newline="") as file:
        if place.suffix.lower() != ".jsonl":
            for row in (reader := csv.DictReader(file)):
                yield reader.line_num, dict(row)
            return
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            yield number, _object(line, f"{place}:{number}")


def _object(line: str, where: str) -> Row:
    """Return the JSON object of a line."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise OutcomeError(f"this is no JSON: {error}", where=where) from None
    if not isinstance(row, dict):
        raise OutcomeError("a JSON object was expected", where=where)
    return row
