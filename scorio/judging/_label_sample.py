"""A random sample of questions for people to label: drawn with a seed, and written for annotators."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Indices, Vector, finite_list
from .._display.exports import Exports
from .._display.table import no_formula
from .._display.words import pluralize
from ..errors import OutcomeError, ParameterError
from ..metrics._clusters import groups
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..outcomes._admitted import as_questions
from ..params import budget, generator

Trials = Mapping[str, Mapping[Hashable, Sequence[Any]]]  # the name of every trial, by model and question


@dataclass(frozen=True)
class LabelSample(Exports):
    """Questions to label, in random order, so that the first of them are a random sample too.

    ``trials`` has the number of trials to label of each question, by model (``""`` for a model without a name).
    ``probabilities`` has the probability with which each question was drawn, or None if it is the same for all.
    """

    questions: tuple[Hashable, ...]
    n_questions: int
    trials: Mapping[str, tuple[int, ...]]
    probabilities: Mapping[Hashable, float] | None = None

    def __str__(self) -> str:
        labels = pluralize(sum(map(sum, self.trials.values())), "label")
        return f"{len(self.questions)} of {pluralize(self.n_questions, 'question')} to label, {labels}"

    def to_dict(self) -> dict[str, Any]:
        """Return all values, ready for JSON."""
        return super().to_dict() | {"questions": list(self.questions)}

    def rows(self, names: Trials | None = None) -> Iterator[dict[str, Any]]:
        """Yield one row per label that is wanted; ``names`` has the name of every trial, else trials are numbered."""
        for i, question in enumerate(self.questions):
            for model, counts in self.trials.items():
                named = (names or {}).get(model, {}).get(question) or range(1, counts[i] + 1)
                for trial in named:
                    row: dict[str, Any] = {"model": model} if model else {}
                    row |= {"question": question, "trial": trial}
                    if self.probabilities is not None:
                        row["probability"] = self.probabilities[question]
                    yield row | {"label": None}

    def write(self, path: str | os.PathLike[str], names: Trials | None = None) -> None:
        """Write a CSV file (or JSON lines, if the name ends with ``.jsonl``) with an empty column ``label``.

        Annotators fill the column from the top. ``read_labels`` reads the file back.
        """
        place, rows = Path(path), list(self.rows(names))
        if place.suffix.lower() == ".jsonl":
            place.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        elif place.suffix.lower() == ".csv":
            with place.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows({name: no_formula(value) for name, value in row.items()} for row in rows)
        else:
            raise ParameterError(f"must end with .csv or .jsonl; got {os.fspath(path)!r}", argument="path")


def label_sample(
    outcomes: Any,
    n: int,
    rng: int | np.random.Generator | None = 0,
    *,
    sizes: Any = None,
    clusters: bool = False,
) -> LabelSample:
    """Draw ``n`` questions for people to label: at random, without replacement, the same for all models.

    ``outcomes`` are those by the judge: of one model, or an OutcomeSet. The same ``rng`` draws the same questions. With
    ``sizes``, a positive number per question (a mapping or a list), questions are drawn with probabilities proportional
    to it, at most 1; pass the result's ``probabilities`` on to ``rectified``. With ``clusters=True``, ``n`` whole
    clusters are drawn.

    >>> from scorio import OutcomeMatrix
    >>> sample = label_sample(OutcomeMatrix([[1, 1], [0, 1], [1, 1], [1, 0]]), 2, rng=1)
    >>> print(sample)
    2 of 4 questions to label, 4 labels
    """
    models = dict(outcomes) if isinstance(outcomes, OutcomeSet) else {"": as_questions(outcomes)}
    first = next(iter(models.values()))
    random = generator(rng)
    chance: Vector | None = None
    if clusters:
        if sizes is not None:
            raise ParameterError("goes with questions, not with clusters=True", argument="sizes")
        chosen = _clusters(first, budget("n", n), random)
    else:
        if budget("n", n) > first.n_questions:
            raise ParameterError(f"n is {n}, but there are {pluralize(first.n_questions, 'question')}")
        if sizes is None:
            chosen = random.permutation(first.n_questions)[:n]
        else:
            chance = _chances(_sizes(sizes, first), n)
            chosen = _systematic(chance, random)
    names = [first.questions[i] if first.questions else int(i) for i in chosen]
    trials = {name: tuple(each.trials[chosen].tolist()) for name, each in models.items()}
    odds = None if chance is None else dict(zip(names, chance[chosen].tolist(), strict=True))
    return LabelSample(tuple(names), first.n_questions, trials, odds)


def _clusters(outcomes: OutcomeMatrix, n: int, random: np.random.Generator) -> Indices:
    """Return the questions of ``n`` clusters."""
    if outcomes.clusters is None:
        raise OutcomeError("the outcomes have no clusters", hint="leave out clusters=True")
    group = groups(outcomes)
    count = int(group.max()) + 1
    if n > count:
        raise ParameterError(f"n is {n}, but there are {pluralize(count, 'cluster')}")
    return np.concatenate([np.flatnonzero(group == each) for each in random.permutation(count)[:n]])


def _sizes(sizes: Any, outcomes: OutcomeMatrix) -> Vector:
    """Return the size of each question."""
    names = outcomes.questions or tuple(range(outcomes.n_questions))
    if isinstance(sizes, Mapping):
        sizes = [sizes.get(name) for name in names]
    numbers = finite_list([np.nan if each is None else each for each in sizes])
    if numbers is None or len(numbers) != len(names) or not (numbers > 0.0).all():
        raise ParameterError("must have one positive number per question", argument="sizes")
    return numbers


def _chances(sizes: Vector, n: int) -> Vector:
    """Return probabilities proportional to the sizes that add up to ``n``; large ones are 1."""
    chance = np.zeros(len(sizes))
    while True:
        rest = chance < 1.0
        chance[rest] = sizes[rest] * (n - np.count_nonzero(~rest)) / sizes[rest].sum()
        if (chance <= 1.0 + 1e-12).all():
            return np.minimum(chance, 1.0)
        chance[chance >= 1.0] = 1.0


def _systematic(chance: Vector, random: np.random.Generator) -> Indices:
    """Draw with these probabilities: every ``1`` along the sums in random order; the result is in random order."""
    order = random.permutation(len(chance))
    ends = np.cumsum(chance[order]) + random.random()
    hit = np.floor(ends + 1e-9) > np.floor(np.concatenate([[ends[0] - chance[order[0]]], ends[:-1]]) + 1e-9)
    return np.asarray(random.permutation(order[hit]))
