"""A crossed design: which row of an OutcomeSet is which model under which levels of the factors."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._display.words import pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..metrics import Metric
from ..outcomes import MODEL, OutcomeMatrix, OutcomeSet

UNSET = "unset"  # the level of a row without the condition
_LEAST_QUESTIONS = 2
Key = tuple[str, ...]  # a model and its levels


@dataclass(frozen=True, eq=False)
class Design:
    """A complete crossing: one cell per model and combination of levels, the last factor changing fastest.

    ``levels`` maps ``"model"`` and then each factor to its levels.
    """

    levels: Mapping[str, tuple[str, ...]]
    cells: Sequence[OutcomeMatrix]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The name of each cell."""
        return [", ".join(key) for key in itertools.product(*self.levels.values())]


def design_of(outcomes: Any, factors: Sequence[str] | str | None, incomplete: str) -> Design:
    """Return the design of a set of outcomes; ``incomplete="omit"`` leaves out levels that some model lacks."""
    models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
    conditions = {row: dict(of_row) for row, of_row in models.conditions.items()}
    model = {row: str(of_row.pop(MODEL, row)) for row, of_row in conditions.items()}
    chosen = _chosen(factors, conditions, model)
    rows: dict[Key, str] = {}
    for row, of_row in conditions.items():
        key = (model[row], *(str(of_row.get(name, UNSET)) for name in chosen))
        if key in rows:
            raise _twice(row, rows[key], conditions, chosen)
        rows[key] = row
    levels = [tuple(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    names = (MODEL, *chosen)
    kept, notes = _complete(dict(zip(names, levels, strict=True)), set(rows), incomplete)
    for name in chosen:
        if len(kept[name]) < 2:
            raise OutcomeError(f"factor {name!r} has a single level, {kept[name][0]!r}: at least two are needed")
    return Design(kept, [models[rows[key]] for key in itertools.product(*kept.values())], notes)


def _chosen(
    factors: Sequence[str] | str | None, conditions: Mapping[str, Mapping[str, Any]], model: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the factors: those of the user, else all conditions in which rows of one model differ."""
    offered = list(dict.fromkeys(name for of_row in conditions.values() for name in of_row))
    if factors is None:
        kinds = {
            name: {(model[row], str(of_row.get(name, UNSET))) for row, of_row in conditions.items()} for name in offered
        }
        chosen = [name for name in offered if len(kinds[name]) > len({*model.values()})]
        if not chosen:
            raise OutcomeError(
                "no model was run under different conditions, so there is nothing to cross",
                remedies=[Remedy("factors", ["..."], "keeps a column of a table or data frame as a factor")],
            )
        return tuple(chosen)
    chosen = [factors] if isinstance(factors, str) else list(factors)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ParameterError(f"must be different names of conditions; got {factors!r}", argument="factors")
    for name in chosen:
        if name not in offered:
            raise ParameterError(f"has an {unknown('condition', name, offered or ['none'])}", argument="factors")
    return tuple(chosen)


def _twice(row: str, other: str, conditions: Mapping[str, Mapping[str, Any]], chosen: Sequence[str]) -> OutcomeError:
    mine, theirs = conditions[row], conditions[other]
    rest = [name for name in {**mine, **theirs} if name not in chosen and mine.get(name) != theirs.get(name)]
    remedies = [Remedy("factors", [*chosen, rest[0]], "crosses it"), Remedy("pool", rest[0], "adds such runs up")]
    return OutcomeError(
        f"{row!r} and {other!r} are the same model under the same levels"
        + (f"; they differ in {shorten(rest)}" if rest else ""),
        remedies=remedies if rest else (),
    )


def _complete(
    levels: dict[str, tuple[str, ...]], present: set[Key], incomplete: str
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the levels of a complete crossing; the level that lacks most cells is left out first."""
    kept, dropped = dict(levels), []
    while lacking := [key for key in itertools.product(*kept.values()) if key not in present]:
        by_level = {
            (name, level): sum(key[i] == level for key in lacking) * len(kept[name])
            for i, name in enumerate(kept)
            if name != MODEL and len(kept[name]) > 1
            for level in kept[name]
        }
        name, level = max(by_level, key=by_level.__getitem__, default=("", ""))
        if incomplete == "raise" or not name:
            raise _incomplete(levels, [key for key in itertools.product(*levels.values()) if key not in present])
        kept[name] = tuple(other for other in kept[name] if other != level)
        dropped.append(f"{name}={level}")
    note = (f"left out, because some model lacks it: {', '.join(dropped)}",) if dropped else ()
    return kept, note


def _incomplete(levels: Mapping[str, Sequence[str]], lacking: Sequence[Key]) -> OutcomeError:
    shown = ["model " + ", ".join([key[0], *map("{}={}".format, list(levels)[1:], key[1:])]) for key in lacking]
    return OutcomeError(
        f"the crossing is incomplete: {pluralize(len(lacking), 'cell')} without outcomes, {shorten(shown)}",
        remedies=[Remedy("incomplete", "omit", "leaves out levels that some model lacks")],
        hint="or leave out the model; nothing is imputed",
    )


def check_trials(metric: Metric, design: Design) -> None:
    """Check that the metric has a value per question, in every cell, and that there are questions to compare."""
    if not metric.is_mean_over_questions:
        raise OutcomeError(
            f"{metric} is not a mean over questions, so questions have no variance of their own",
            hint="use a metric with a value per question, such as pass@1, pass@4 or avg",
        )
    required = max(metric.required_trials, metric.draw_size or 1)
    for name, cell in zip(design.names, design.cells, strict=True):
        if cell.min_trials < required:
            place = int(np.argmin(cell.trials))
            raise OutcomeError(
                f"{metric} needs {pluralize(required, 'trial')} of every question in every cell, and ({name}) has fewer"
                f" of question {place if cell.questions is None else cell.questions[place]!r}",
                hint="choose a smaller k, or leave the question out of all cells",
            )
    if design.cells[0].n_questions < _LEAST_QUESTIONS:
        raise OutcomeError(f"at least {_LEAST_QUESTIONS} questions with trials in every cell are needed")
