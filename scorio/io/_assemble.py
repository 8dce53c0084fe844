"""Runs become an OutcomeSet: trials are added up, duplicates refused, and questions aligned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from .._arrays import Flags
from .._display.words import shorten
from ..errors import OutcomeError, Remedy
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._outcome_values import FAIL, RAISE, missing_code
from ._conditions import common_conditions
from ._costs import costs_of
from ._counted import added_up
from ._records import Source
from ._trial_table import Counts, Part, TrialTable, part_of, told_apart

_NO_TASK = "no task"  # the name of a task without one, beside others in a suite
_Questions = Mapping[str, Mapping[str, None]]  # the questions of each model, in order


class Assembled(NamedTuple):
    """The outcomes, a suite if there are several tasks; and why tasks were left out."""

    outcomes: OutcomeSet | Suite
    bad_tasks: dict[str, str]


def task_name(source: Source) -> str:
    """Return the name that a task has in a suite."""
    return _NO_TASK if source.run.task is None else source.run.task


def assemble_tasks(sources: Sequence[Source], missing: str, *, skip_bad: bool) -> Assembled:
    """Return the outcomes of every task; ``skip_bad`` leaves out the tasks whose outcomes cannot be put together."""
    by_task: dict[str, list[Source]] = {}
    for source in sources:
        by_task.setdefault(task_name(source), []).append(source)
    if len(by_task) == 1:
        return Assembled(assemble(sources, missing), {})
    tasks: dict[str, OutcomeSet] = {}
    bad: dict[str, OutcomeError] = {}
    for task, own in by_task.items():
        try:
            tasks[task] = assemble(own, missing)
        except OutcomeError as error:
            bad[task] = error
            if not skip_bad:
                raise _of_task(error, task) from None
    if not tasks:
        first = next(iter(bad))
        raise bad[first].at(f"task {first}")
    return Assembled(Suite(tasks), {task: error.text() for task, error in bad.items()})


def _of_task(error: OutcomeError, task: str) -> OutcomeError:
    remedies = [*error.remedies, Remedy("skip_bad", True, "leaves the task out")]
    where = f"task {task}" + (f": {error.where}" if error.where else "")
    return OutcomeError(error.problem, argument=error.argument, where=where, remedies=remedies, hint=error.hint)


def assemble(sources: Sequence[Source], missing: str) -> OutcomeSet:
    """Return the outcomes of every model on the same questions of one task."""
    outcomes = _aligned(sources, missing_code(missing))
    return OutcomeSet(outcomes, costs=costs_of(sources, outcomes))


def _aligned(sources: Sequence[Source], code: int) -> OutcomeSet:
    _check_one_measure(sources)
    _check_same_questions(sources)
    counted = [source for source in sources if source.run.counted is not None]
    if not counted:
        return _of_trials(sources, code)
    trials = [source for source in sources if source.run.counted is None]
    return added_up(counted, _of_trials(trials, code) if trials else None, code, common_conditions(sources))


def _of_trials(sources: Sequence[Source], code: int) -> OutcomeSet:
    """Return the outcomes of runs of single trials."""
    parts = [part_of(source) for source in told_apart(sources)]
    clusters = _clusters(parts)
    questions_of: dict[str, dict[str, None]] = {}
    for part in parts:
        questions_of.setdefault(part.source.run.model, {}).update(dict.fromkeys(chain(part.planned, part.labels)))
    questions = list(dict.fromkeys(chain.from_iterable(questions_of.values())))
    table = TrialTable(parts, list(questions_of), questions)
    table.check_once()
    paths = {part.source.run.model: part.source.path for part in reversed(parts)}
    planned = table.planned()
    absent = planned - table.present()
    _check_outcomes(table.scored() | (code == FAIL) & absent.any(axis=1), questions_of, paths)
    if code == RAISE:
        _check_all(absent, questions_of, questions, paths)
    trials = table.trials()
    if code == FAIL and absent.any():
        trials = trials.with_failures(absent.ravel())
    groups = None if clusters is None else [clusters.get(label, label) for label in questions]
    reduced = trials.of_models(len(questions_of))
    return OutcomeSet(
        {
            name: OutcomeMatrix._of_reduced(reduced[i], planned[i], questions, groups)
            for i, name in enumerate(questions_of)
        },
        conditions=common_conditions(sources),
    )


def _check_outcomes(scored: Flags, questions_of: _Questions, paths: Mapping[str, Path]) -> None:
    first = next(iter(questions_of))
    for i, (name, labels) in enumerate(questions_of.items()):
        if not scored[i]:
            raise OutcomeError(f"no trial of {name!r} has an outcome", where=str(paths[name]))
        if labels.keys().isdisjoint(questions_of[first]):
            problem = f"{name!r} has no question in common with {first!r}; it has {shorten(labels)}"
            raise OutcomeError(problem, where=str(paths[name]))


def _check_all(absent: Counts, questions_of: _Questions, questions: Sequence[str], paths: Mapping[str, Path]) -> None:
    """Check that every planned trial has an outcome."""
    for name, lost in zip(questions_of, absent, strict=True):
        if lost.any():
            count = dict(zip(questions, lost.tolist(), strict=True))
            label = next(label for label in chain(questions_of[name], questions) if count[label])
            what = f"{count[label]} trials of question {label!r} of {name!r}"
            remedies = [
                Remedy("missing", "omit", "leaves them out"),
                Remedy("missing", "fail", "counts them as failures"),
            ]
            raise OutcomeError(f"{what} have no outcome", where=str(paths[name]), remedies=remedies)


def _clusters(parts: Sequence[Part]) -> dict[str, str] | None:
    """Return the cluster of each question; None if no question has one."""
    if all(set(part.trials.clusters) <= {None} for part in parts):
        return None
    known: dict[str, str] = {}
    without: dict[str, Source] = {}
    for part in parts:
        for label, cluster in dict.fromkeys(zip(part.labels, part.trials.clusters, strict=True)):
            if cluster is None:
                without[label] = part.source
            elif known.setdefault(label, cluster) != cluster:
                problem = f"question {label!r} is in two clusters, {known[label]!r} and {cluster!r}"
                raise OutcomeError(problem, where=str(part.source.path))
    lost = without.keys() - known.keys()
    if lost:
        problem = f"question {min(lost)!r} is in no cluster, others are"
        raise OutcomeError(problem, where=str(without[min(lost)].path))
    return known


def _check_one_measure(sources: Sequence[Source]) -> None:
    first: dict[str | None, Source] = {}
    for source in [source for source in sources if source.run.measure]:
        other = first.setdefault(source.run.task, source)
        if other.run.measure != source.run.measure:
            raise OutcomeError(
                f"{other.path} is scored by {other.run.measure!r}, {source.path} by {source.run.measure!r}",
                remedies=[Remedy("metric", "...", "chooses one"), Remedy("filter", "...", "its filter")],
            )


def _check_same_questions(sources: Sequence[Source]) -> None:
    """Check that a question of several files is the same one in all."""
    first: dict[tuple[str | None, str], tuple[str, Source]] = {}
    for source in sources:
        for question, mark in source.run.fingerprints.items():
            known, other = first.setdefault((source.run.task, question), (mark, source))
            if known != mark:
                raise OutcomeError(f"question {question!r} is another document in {source.path} than in {other.path}")
