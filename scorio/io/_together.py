"""Two sides of a comparison that were read apart are held to what one reading is: the same questions, scored alike."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from .._arrays import Vector
from .._display.words import warn
from .._special import gammaln
from ..errors import OutcomeError, QuestionsWarning
from ..outcomes import OutcomeMatrix, RewardMatrix, Suite
from ._assemble import check_one_measure, check_same_questions
from ._files import LogFile
from ._records import TASK, Source

_VERSIONS = ("task_version", "dataset")  # conditions that say which questions were asked
_CHANCE = 0.001  # of equal outcomes, for a copy
Outcomes = OutcomeMatrix | Suite  # of one model


def check_together(new: Sequence[Source], old: Sequence[Source]) -> None:
    """Check that two sides have the same questions and score under one name; warn where it cannot be told."""
    tasks = [{_task(source) for source in side} for side in (new, old)]
    names = set().union(*tasks) - {None}
    if len(tasks[0]) == len(tasks[1]) == 1:
        if len(names) > 1:
            problem = f"the tasks differ: {new[0].path} holds {_task(new[0])!r}, {old[0].path} {_task(old[0])!r}"
            raise OutcomeError(problem, hint="tables without a column of tasks can be compared (scorio convert)")
        new, old = ([source.changed(task=None) for source in side] for side in (new, old))
    sources = [*new, *old]
    check_one_measure(sources)
    check_same_questions(sources)
    if any(source.run.fingerprints for source in sources):
        silent = next((source for source in sources if source.run.counted and not source.run.fingerprints), None)
        if silent is not None:
            problem = f"{silent.path} holds counts that do not tell the inputs of their questions"
            warn(f"{problem}: whether these are those of the other side cannot be told", QuestionsWarning)


def warn_of_doubtful_sides(
    new: Sequence[Source], old: Sequence[Source], one: Outcomes, other: Outcomes, *, are_apart: bool
) -> None:
    """Warn if two sides are of other versions of a task, or one run.

    They are one run if they have the same outcomes on every question, or are equal files that were read apart.
    """
    _warn_of_versions(new, old)
    is_same = _same_outcomes(one, other)
    if is_same or (are_apart and _same_files(new, old)):
        what = "both have the same outcomes on every question" if is_same else "the files are equal"
        paths = f"{new[0].path} and {old[0].path}"
        warn(f"a run is compared with itself or with a copy: {paths}, {what}", QuestionsWarning)


def _warn_of_versions(new: Sequence[Source], old: Sequence[Source]) -> None:
    """Warn if two sides say that other versions of a task, or other data sets, were run.

    Logs that tell other settings, but not this one, were run without it.
    """
    for name in _VERSIONS:
        for task in {_task(source) for source in new} & {_task(source) for source in old}:
            sides = [[source for source in side if _task(source) == task] for side in (new, old)]
            are_alike = len({source.format for side in sides for source in side}) == 1
            paths = [
                {source.run.conditions.get(name): source.path for source in side if are_alike or source.run.conditions}
                for side in sides
            ]
            if all(paths) and paths[0].keys() != paths[1].keys():
                told = [", ".join(f"{value or 'none'} in {path}" for value, path in side.items()) for side in paths]
                advice = "a difference may be one between the questions or their scoring"
                warn(f"{name} differs: {told[0]}, and {told[1]}: {advice}", QuestionsWarning)


def _same_files(new: Sequence[Source], old: Sequence[Source]) -> bool:
    """Return whether the files of two readings are equal, where these are of one model or name none."""
    names = {source.run.model for side in (new, old) for source in side if source.run.model_from != "file name"}
    sides = [{path for source in side for path in source.paths} for side in (new, old)]
    if len(names) > 1 or not all(path.is_file() for side in sides for path in side):
        return False
    one, other = (Counter(LogFile(path).digest for path in side) for side in sides)
    return one == other


def _same_outcomes(one: Outcomes, other: Outcomes) -> bool:
    """Return whether two runs have the same outcomes on every question, which sound runs have rarely: p < .001.

    Of equal success rates, the split of all successes of a question among its trials in both runs is by chance.
    """
    rows = _rows(one)
    if rows != _rows(other):
        return False
    counts = [np.array(row) for row in rows.values()]
    return sum(2.0 * _log_orders(row) - _log_orders(2.0 * row) for row in counts) <= math.log(_CHANCE)


def _rows(outcomes: Outcomes, task: str = "") -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the counts of each question, or the number and the mean of its rewards, by task and name."""
    if isinstance(outcomes, Suite):
        parts = [_rows(outcome[model], name) for name, outcome in outcomes.items() for model in outcome]
        return {key: row for part in parts for key, row in part.items()}
    values = outcomes.counts
    if isinstance(outcomes, RewardMatrix):
        values = np.column_stack([outcomes.trials, outcomes.means])
    labels = outcomes.questions or range(outcomes.n_questions)
    return {(task, str(label)): tuple(row) for label, row in zip(labels, values.tolist(), strict=True)}


def _log_orders(counts: Vector) -> float:
    """Return the logarithm of the number of orders of outcomes with these counts."""
    return float(gammaln(counts.sum() + 1.0) - gammaln(counts + 1.0).sum())


def _task(source: Source) -> str | None:
    return source.run.task or source.run.origin.get(TASK)
