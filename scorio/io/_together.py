"""Two sides of a comparison that were read apart are held to what one reading is: the same questions, scored alike.

Saved counts tell the score, and a digest of the inputs, in the entry ``measured`` of their metadata, by task.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._arrays import Vector
from .._display.words import warn
from .._special import gammaln
from ..errors import OutcomeError, QuestionsWarning
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._assemble import check_one_measure, check_same_questions, untold
from ._files import LogFile
from ._records import Source

_VERSIONS = ("task_version", "dataset")  # conditions that say which questions were asked
_CHANCE = 0.001  # of equal outcomes, for a copy
_FEWEST = 3  # different means of continuous rewards, for a copy


def check_together(new: Sequence[Source], old: Sequence[Source]) -> None:
    """Check that two sides have the same questions and score under one name; warn where it cannot be told."""
    tasks = [{_task(source) for source in side} for side in (new, old)]
    names = set().union(*tasks) - {None}
    if len(tasks[0]) == len(tasks[1]) == 1:
        if len(names) > 1:
            problem = f"the tasks differ: {new[0].path} holds {_task(new[0])!r}, {old[0].path} {_task(old[0])!r}"
            raise OutcomeError(problem, hint="tables without a column of tasks can be compared (scorio convert)")
        new, old = ([replace(each, run=replace(each.run, task=None)) for each in side] for side in (new, old))
    sources = [*new, *old]
    check_one_measure(sources)
    check_same_questions(sources)
    silent = untold(new, old) or untold(old, new)
    if silent is not None:
        problem = f"{silent.path} holds saved counts that do not tell which inputs the questions had, and by what score"
        advice = "whether they are those of the other side cannot be told; scorio convert --counts saves them from logs"
        warn(f"{problem}: {advice}", QuestionsWarning)


def warn_of_versions(new: Sequence[Source], old: Sequence[Source]) -> None:
    """Warn if two sides say that other versions of a task, or other data sets, were run.

    Logs that tell other settings, but not this one, were run without it.
    """
    for name in _VERSIONS:
        for task in {_task(source) for source in new} & {_task(source) for source in old}:
            sides = [[each for each in side if _task(each) == task] for side in (new, old)]
            are_alike = len({each.format for side in sides for each in side}) == 1
            found = [
                {each.run.conditions.get(name): each.path for each in side if are_alike or each.run.conditions}
                for side in sides
            ]
            if all(found) and found[0].keys() != found[1].keys():
                told = [", ".join(f"{value or 'none'} in {path}" for value, path in side.items()) for side in found]
                advice = "a difference may be one between the questions or their scoring"
                warn(f"{name} differs: {told[0]}, and {told[1]}: {advice}", QuestionsWarning)


def same_files(new: Sequence[Source], old: Sequence[Source]) -> bool:
    """Return whether the files of two readings are equal, where these are of one model or name none."""
    names = {source.run.model for side in (new, old) for source in side if source.run.model_from != "file name"}
    sides = [{path for source in side for path in source.paths} for side in (new, old)]
    if len(names) > 1 or not all(path.is_file() for side in sides for path in side):
        return False
    one, other = (Counter(LogFile(path).digest for path in side) for side in sides)
    return one == other


def same_outcomes(one: OutcomeMatrix, other: OutcomeMatrix) -> bool:
    """Return whether two runs have the same outcomes on every question, which sound runs have rarely: p < .001.

    Of equal success rates, the split of all successes of a question among its trials in both runs is by chance.

    >>> runs = [OutcomeMatrix([[0, 0, 1, 1]] * count, questions=range(count)) for count in (4, 20)]
    >>> [same_outcomes(run, run) for run in runs]
    [False, True]
    """
    rows, others = _rows(one), _rows(other)
    if rows != others:
        return False
    if one.is_continuous:
        return len(set(rows.values())) >= _FEWEST
    counts = one.counts.astype(np.float64)
    chance = 2.0 * _log_orders(counts).sum() - _log_orders(2.0 * counts).sum()
    return bool(chance <= math.log(_CHANCE))


def _rows(matrix: OutcomeMatrix) -> dict[str, tuple[float, ...]]:
    """Return the counts of each question, or its trials and their mean, by its name."""
    values = np.column_stack([matrix.trials, matrix.means]) if isinstance(matrix, RewardMatrix) else matrix.counts
    labels = matrix.questions or range(matrix.n_questions)
    return dict(zip(map(str, labels), map(tuple, values.tolist()), strict=True))


def _log_orders(counts: Vector) -> Vector:
    """Return the logarithm of the number of orders of outcomes with these counts."""
    return np.asarray(gammaln(counts.sum(axis=1) + 1.0) - gammaln(counts + 1.0).sum(axis=1))


def _task(source: Source) -> str | None:
    return source.run.task or (source.run.asked.task or None if source.run.asked else None)
