"""Trials that are no repetitions: those of one number differ from the others over all questions.

Within a question, trials are exchangeable, so the sums ``T_j`` over questions differ by chance only:

    Q = sum_j (T_j - mean T)^2 / sum_q s_q^2   is about chi-squared with N - 1 degrees,

with ``s_q^2`` the variance of the outcomes of question ``q``. For binary outcomes this is Cochran's Q test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from .._arrays import Vector
from .._display.numbers import is_chance, number
from .._display.words import pluralize
from .._special import gammaincc
from ..outcomes import OutcomeSet
from ..outcomes._axes import look_swapped
from ._findings import AXES, TRIALS, Finding
from ._runs import Runs

_SWAP = "If rows are trials, transpose the array, or exchange the columns of questions and trials"


def trial_effects(task: str, models: OutcomeSet, runs: Mapping[str, Runs], error: float) -> Iterator[Finding]:
    """Yield where trials differ by their number, which says that they are no repetitions, or that axes are swapped."""
    for name, each in runs.items():
        values = _complete(each.values)
        p = min(1.0, len(runs) * cochran(values))
        if p > error:
            continue
        if cochran(values.T) > error:
            what = (
                f"outcomes of {name} depend on the number of the trial (p {is_chance(p)}) and not on the question: "
                "questions and trials look swapped"
            )
            yield Finding(AXES, what, _SWAP, task, (name,), p)
            continue
        means = values.mean(axis=0)
        low, high = int(np.argmin(means)), int(np.argmax(means))
        what = (
            f"runs of {name} differ by more than chance (p {is_chance(p)}): from {number(float(means[low]))} in "
            f"{each.names[low]} to {number(float(means[high]))} in {each.names[high]}"
        )
        advice = "Look for a prompt, a version or a setting that changed between runs, and read such runs as two models"
        yield Finding(TRIALS, what, advice, task, (name,), p)
    for name, matrix in models.items():
        if name not in runs and matrix.questions is None and look_swapped(matrix.n_questions, matrix.max_trials):
            shape = f"{pluralize(matrix.n_questions, 'question')} with {matrix.max_trials:,} trials each"
            yield Finding(AXES, f"{name} has {shape}: questions and trials look swapped", _SWAP, task, (name,))


def _complete(values: Vector) -> Vector:
    """Return the questions with an outcome in every run; runs on less than half of the questions are left out."""
    has = ~np.isnan(values)
    values = values[:, has.mean(axis=0) >= 0.5]
    return np.asarray(values[~np.isnan(values).any(axis=1)])


def cochran(values: Vector) -> float:
    """Return the p-value of trials (columns) that differ over all questions (rows); 1 without any variation.

    >>> round(cochran(np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0.0]])), 3)  # Q = 7.6
    0.022
    """
    questions, trials = values.shape
    if questions < 2 or trials < 2:
        return 1.0
    within = float(values.var(axis=1, ddof=1).sum())
    if within <= 0.0:
        return 1.0
    sums = values.sum(axis=0)
    q = float(((sums - sums.mean()) ** 2).sum()) / within
    return float(gammaincc(0.5 * (trials - 1), 0.5 * q))
