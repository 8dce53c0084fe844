"""Outcomes by name: mappings from questions to their trials, and single runs with labels."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import OutcomeError
from ._foreign_arrays import as_numpy
from ._relations import row_labels
from ._table import is_row


def single_run(results: Any, questions: Any) -> tuple[Any, Any]:
    """Return rows of one trial, from one outcome per question, and the labels of the questions."""
    if isinstance(results, Mapping):
        if questions is not None:
            raise OutcomeError("questions are labeled twice", hint="leave out questions, which the outcomes name")
        results, questions = list(results.values()), list(results)
    elif questions is None:
        questions = row_labels(results)
    try:
        table = results if isinstance(results, np.ma.MaskedArray) else as_numpy(results)
    except ValueError:
        table = np.zeros((0, 0))  # rows of different lengths
    if table.ndim != 1:
        problem = "a single run has one outcome per question, in a flat list"
        raise OutcomeError(problem, hint="pass questions x trials to OutcomeMatrix")
    return table.reshape(-1, 1), questions


def check_no_suite(values: Any) -> None:
    """Check that outcomes are those of one task."""
    if getattr(type(values), "_holds_tasks", False):
        hint = "choose a task, suite['task'], or join all tasks into one set: suite.pooled()"
        raise OutcomeError("a suite holds outcomes of several tasks, and those of one are needed here", hint=hint)


def _trials(value: Any, name: str) -> Any:
    """Return the trials of one question, from a list, a mapping from trials, or one outcome."""
    if isinstance(value, Mapping):
        trials = list(value.values())
        if any(isinstance(trial, Mapping) or is_row(trial) for trial in trials):
            problem = f"{name} is a mapping of mappings of lists, from models to questions to trials"
            raise OutcomeError(problem, hint="pass it to OutcomeSet, or choose a model first")
        return trials
    if hasattr(value, "n_questions"):
        raise OutcomeError(f"{name} holds several models", hint="pass it to OutcomeSet, or choose one: R['model']")
    return value if is_row(value) else [value]


def labeled(values: Any, name: str, questions: Iterable[Hashable] | None) -> tuple[Any, Iterable[Hashable] | None]:
    """Return rows of outcomes with the user's labels of questions, else those that a mapping has."""
    check_no_suite(values)
    if not isinstance(values, Mapping):
        return values, questions
    if questions is not None:
        raise OutcomeError("questions are labeled twice", hint="leave out questions, which the outcomes name")
    return [_trials(trials, name) for trials in values.values()], tuple(values)
