"""Two models compared on several tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Vector
from .._display.words import shorten
from ..errors import OutcomeError
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, Suite
from ._comparison import Comparison
from ._one_task import Compared, Terms, compared
from ._suite_contest import SuiteContest, tail_of
from ._task_metrics import TaskMetrics, Weights, as_vector, metrics_of_tasks, weights_of


def compare_suites(metric: Any, A: Any, B: Any, terms: Terms, weights: Weights) -> Comparison:
    """Compare two models by their overall scores, and on every task."""
    terms = terms.checked()
    first, second = (_of_one_model(suite, name) for suite, name in zip((A, B), terms.names, strict=True))
    _check_same_tasks(A, B, terms.names)
    share = weights_of(weights, A)
    [(named, of_tasks)] = metrics_of_tasks(metric, A)
    parts: dict[str, Compared] = {}
    for task, each in zip(A, of_tasks, strict=True):
        try:
            parts[task] = compared(each, first[task], second[task], terms)
        except OutcomeError as error:
            raise error.at(f"task {task}") from None
    result = _overall(named, of_tasks, list(parts.values()), as_vector(share), terms)
    return replace(result, tasks={task: part.result for task, part in parts.items()}, weights=share)


def _of_one_model(suite: Any, name: str) -> dict[str, OutcomeMatrix]:
    """Return the outcomes of the only model, by task."""
    if not isinstance(suite, Suite):
        raise OutcomeError("a suite is compared with a suite", hint="Suite({task: outcomes, ..}) makes one", where=name)
    if len(suite.models) != 1:
        problem = f"a comparison is of one model with another; the suite has {shorten(suite.models)}"
        hint = f"suite.select(models=[{suite.models[0]!r}]) keeps one"
        raise OutcomeError(problem, where=name, hint=hint)
    return {task: outcomes[suite.models[0]] for task, outcomes in suite.items()}


def _check_same_tasks(A: Suite, B: Suite, names: tuple[str, str]) -> None:
    shared = [task for task in A if task in B]
    for name, mine, theirs in ((names[0], A, B), (names[1], B, A)):
        absent = [task for task in theirs if task not in mine]
        if absent:
            hint = f"compare on the tasks of both: suite.select(tasks={shared})" if shared else None
            raise OutcomeError(f"model {name!r} has no outcomes of {shorten(absent)}", hint=hint)


def _overall(
    metric: Metric | TaskMetrics, of_tasks: Sequence[Metric], parts: Sequence[Compared], weights: Vector, terms: Terms
) -> Comparison:
    assert terms.prior is not None
    contest = SuiteContest([part.contest for part in parts], weights, terms.prior)
    if terms.looks is None:
        differences = contest.summed([part.differences for part in parts])
    else:
        first, last = contest.spans[0, 1].tolist()
        differences = contest.differences(terms.confidence, tail_of(terms.looks, (first, last)))
    gap, sigma = float(differences.joint.mu[0] - differences.joint.mu[1]), float(differences.joint.sd(0, 1))
    below, above = differences.reach(0, 1)
    p_better = float(differences.p_better(0, 1))
    supports = [
        [each.support(outcomes) for outcomes in part.contest.models] for each, part in zip(of_tasks, parts, strict=True)
    ]
    (low, high), (other_low, other_high) = np.tensordot(weights, np.array(supports), 1)
    results = [part.result for part in parts]
    terms = replace(terms, paired=all(each.paired for each in results))
    return Comparison(
        metric=metric,
        scores=(_sum(weights, results, 0), _sum(weights, results, 1)),
        n_questions=(sum(each.n_questions[0] for each in results), sum(each.n_questions[1] for each in results)),
        n_trials=(sum(each.n_trials[0] for each in results), sum(each.n_trials[1] for each in results)),
        difference=gap,
        sigma=sigma,
        lo=max(gap - float(below), float(low - other_high)),
        hi=min(gap + float(above), float(high - other_low)),
        support=(float(low - other_high), float(high - other_low)),
        z=abs(gap) / sigma if sigma > 0.0 else math.inf if gap else 0.0,
        p_better=p_better,
        p_value=2.0 * min(p_better, 1.0 - p_better) if terms.looks is None else None,
        confidence=terms.confidence,
        degrees=float(differences.degrees(0, 1)),
        needed=None if terms.looks is None or not sigma else float(above if gap < 0.0 else below) / sigma,
        trials_each=_trials_each(results),
        **terms.about,
    )


def _sum(weights: Vector, results: Sequence[Comparison], model: int) -> float | None:
    scores = [each.scores[model] for each in results]
    known = [score for score in scores if score is not None]
    return float(weights @ np.array(known)) if len(known) == len(scores) else None


def _trials_each(results: Sequence[Comparison]) -> tuple[tuple[int, int], tuple[int, int]]:
    ranges = np.array([each.trials_each for each in results])  # (T, 2, 2)
    first, second = zip(ranges[..., 0].min(axis=0).tolist(), ranges[..., 1].max(axis=0).tolist(), strict=True)
    return first, second
