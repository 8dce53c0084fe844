"""Groups of questions and choices of names: what a suite is split into, and what is selected of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from .._arrays import Indices
from .._display.words import pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError
from ._labels import Labels, check_labels

Missing = Mapping[str, tuple[str, ...]]  # the tasks that a model lacks, by model


def groups_of(by: Any, count: int, questions: Labels | None, clusters: Labels | None) -> dict[str, Indices]:
    """Return the positions of the questions of each group, groups in the order of their first question.

    >>> groups_of({"q1": "easy", "q2": "hard"}, 2, ("q1", "q2"), None)
    {'easy': array([0]), 'hard': array([1])}
    """
    groups = _group_of_each(by, count, questions, clusters)
    order: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        order.setdefault(group, []).append(place)
    names = {group: str(group) for group in order}
    if len(set(names.values())) < len(names):
        raise ParameterError(f"has groups with the same text: {shorten(order)}", argument="by")
    return {names[group]: np.array(places, np.intp) for group, places in order.items()}


def _group_of_each(by: Any, count: int, questions: Labels | None, clusters: Labels | None) -> Labels:
    if by is None:
        if clusters is None:
            hint = "pass by={question: group}, or one group per question"
            raise OutcomeError("the questions have no clusters to split them by", hint=hint)
        return clusters
    if isinstance(by, Mapping):
        if questions is None:
            hint = "pass one group per question, or give the questions labels with questions=[..]"
            raise OutcomeError("a mapping groups questions by their labels, and these have none", hint=hint)
        absent = [label for label in questions if label not in by]
        if absent:
            raise OutcomeError(f"{pluralize(len(absent), 'question')} have no group: {shorten(absent)}", argument="by")
        by = [by[label] for label in questions]
    groups = check_labels(by, count, "by", unique=False)
    assert groups is not None
    if any(group is None for group in groups):
        raise OutcomeError(f"question {groups.index(None)} has the group None", argument="by")
    return groups


def known(noun: str, names: Iterable[str], offered: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen names, each checked to be one of those that are offered."""
    chosen = (names,) if isinstance(names, str) else tuple(names)
    for name in chosen:
        if name not in offered:
            raise OutcomeError(unknown(noun, name, offered))
    return chosen


def check_none_missing(missing: Missing, tasks: Iterable[str], models: Iterable[str]) -> None:
    """Check that no model lacks a task; the error says what could be left out."""
    for model, absent in missing.items():
        complete = {
            "models": [name for name in models if name not in missing],
            "tasks": [task for task in tasks if not any(task in each for each in missing.values())],
        }
        ways = [f"suite.select({name}={kept})" for name, kept in complete.items() if kept]
        raise OutcomeError(
            f"model {model!r} has no outcomes of {pluralize(len(absent), 'task')}: {shorten(absent)}",
            hint=f"leave out the models or the tasks with gaps: {' or '.join(ways)}" if ways else None,
        )


def of_models(conditions: Mapping[str, dict[str, Any]], models: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the conditions of some of the models."""
    return {name: conditions[name] for name in models if name in conditions}
