"""Runs that are counted already, added to each other and to the outcomes of logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from .._display.words import pluralize, shorten
from ..errors import OutcomeError, Remedy
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ..outcomes._outcome_values import FAIL, OMIT, RAISE
from ..outcomes._reward_summary import summarize
from ..outcomes._saved_union import union
from ..outcomes._set_facts import Conditions
from ._records import Source

Models = Mapping[str, OutcomeMatrix]


def added_up(counted: Sequence[Source], others: OutcomeSet | None, missing: int, conditions: Conditions) -> OutcomeSet:
    """Return the outcomes of counted runs and of ``others``, which come from logs.

    Beside labels of logs, which are text, numbers become text.
    """
    _check_once(counted)
    as_text = others is not None or len({source.run.counted.has_text for source in counted if source.run.counted}) > 1
    parts: list[Models] = [_models(source, as_text=as_text) for source in counted]
    merged: Models = union([*parts, *([] if others is None else [others])], sort=False, fill_planned=True)
    for name, matrix in merged.items():
        if not matrix.trials.any() and not (missing == FAIL and matrix.planned):
            raise OutcomeError(f"no trial of {name!r} has an outcome", where=str(counted[0].path))
    return OutcomeSet(merged if missing == OMIT else _complete(merged, missing), conditions=conditions)


def _check_once(counted: Sequence[Source]) -> None:
    """Check that no part of a model's outcomes is in two files."""
    seen: dict[tuple[str, str | None, str], Source] = {}
    for source in counted:
        for part in source.run.counted.parts if source.run.counted else ():
            other = seen.setdefault((source.run.model, source.run.task, part), source)
            if other is not source:
                problem = f"both files hold the part {shorten([part])} of {source.run.model!r}"
                raise OutcomeError(problem, where=f"{other.path} and {source.path}", hint="read only one of them")


def _models(source: Source, *, as_text: bool) -> dict[str, OutcomeMatrix]:
    """Return the model of one run, with the labels that all runs share."""
    run = source.run
    assert run.counted is not None
    matrix = run.counted.outcomes
    labels = matrix.questions
    if as_text:
        labels = tuple(str(label) for label in (matrix.questions or range(matrix.n_questions)))
    return {run.model: matrix if labels is matrix.questions else matrix._replaced(questions=labels)}


def _complete(models: Models, missing: int) -> Models:
    """Return the outcomes with failures for trials without an outcome; with ``missing="raise"``, there are none."""
    absent = {name: matrix.planned_trials - matrix.trials for name, matrix in models.items()}
    lacking = [name for name, lost in absent.items() if lost.any()]
    if missing == RAISE and lacking:
        row = int(np.argmax(absent[lacking[0]] > 0))
        label = (models[lacking[0]].questions or range(row + 1))[row]
        remedies = [Remedy("missing", "omit", "leaves them out"), Remedy("missing", "fail", "counts them as failures")]
        trials = pluralize(int(absent[lacking[0]][row]), "trial")
        problem = f"{trials} of question {label!r} of {lacking[0]!r} without an outcome"
        raise OutcomeError(problem, remedies=remedies)
    failures = {name: _failures(models[name], absent[name]) for name in lacking}
    return union([models, failures], sort=False) if failures else models


def _failures(matrix: OutcomeMatrix, absent: np.ndarray) -> OutcomeMatrix:
    """Return so many failures of each question, none of which is planned in addition."""
    labels, clusters = matrix.questions, matrix.clusters
    if matrix.is_continuous:
        values = cast("RewardMatrix", matrix).ordered
        lowest = float(values.min(initial=0.0))
        rows = np.repeat(np.arange(len(absent)), absent)
        return RewardMatrix._of_table(
            summarize(np.full(rows.size, lowest), rows, len(absent)), 0, None, labels, clusters
        )
    table = np.stack([absent, np.zeros_like(absent)], axis=1)
    scale = None if matrix.levels is None else (min(0.0, matrix.levels[0]), matrix.levels[-1])
    return OutcomeMatrix._of_table(table, 0, None, labels, clusters, scale)
