"""What is already counted: successes with trials, or counts by category, read; trials drawn from counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import OutcomeError
from .intake import MOST_CATEGORIES, Counts

_MOST = 2**53  # trials of a question: exact in a double


def whole(values: Any, name: str) -> Counts:
    """Non-negative whole numbers as int64."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise OutcomeError(f"{name} must have rows of one length") from None
    if array.dtype.kind not in "iuf":
        raise OutcomeError(f"{name} must be whole numbers; got {array.dtype}")
    if array.dtype == np.float16:
        array = array.astype(np.float32)  # which holds 2**53
    with np.errstate(invalid="ignore"):
        good = (array >= 0) & (array <= _MOST) & (np.floor(array) == array)
    if not good.all():
        at = np.unravel_index(np.argmin(good), array.shape)
        where = f"[{', '.join(map(str, at))}]" if at else ""
        raise OutcomeError(f"{name}{where} is {array[at]}: counts are whole numbers from 0 to 2**53")
    return array.astype(np.int64)


def per_question(values: Any, questions: int, name: str) -> Counts:
    """One number for each question, from one for all or one each."""
    found = whole(values, name)
    if found.ndim == 0:
        return np.full(questions, found)
    if found.shape != (questions,):
        raise OutcomeError(f"{name} must be one number, or one for each of {questions} questions; got {found.shape}")
    return found


def read_counts(counts: Any, trials: Any, name: str = "counts") -> Counts:
    """Counts (M, C+1) from successes (M,) with trials, or from counts themselves, checked against trials if given."""
    table = whole(counts, name)
    if table.ndim == 2 and 2 <= table.shape[1] <= MOST_CATEGORIES and len(table):
        return _by_category(table, trials, name)
    if table.ndim != 1 or not table.size:
        raise OutcomeError(f"{name} must be successes (M,) or counts by category (M, C+1); got shape {table.shape}")
    if trials is None:
        raise OutcomeError("successes alone say nothing: pass trials, one number or one for each question")
    planned = per_question(trials, len(table), "trials")
    above = np.flatnonzero(table > planned)
    if above.size:
        a = above[0]
        raise OutcomeError(f"{name}[{a}] is {table[a]}: more successes than its {planned[a]} trials")
    return np.ascontiguousarray(np.stack([planned - table, table], axis=1))


def _by_category(table: Counts, trials: Any, name: str) -> Counts:
    sums: NDArray[np.float64] = table.sum(axis=1, dtype=np.float64)
    if sums.max() > _MOST:
        raise OutcomeError(f"{name}[{sums.argmax()}] adds up to more than 2**53 trials")
    if trials is not None:
        wrong = np.flatnonzero(sums != per_question(trials, len(table), "trials"))
        if wrong.size:
            a = wrong[0]
            raise OutcomeError(f"{name}[{a}] adds up to {int(sums[a])} trials, which trials contradicts")
    return np.ascontiguousarray(table)


def drawn(counts: Counts, n: int, random: np.random.Generator) -> Counts:
    """Counts of ``n`` trials of each row, which has as many, drawn without replacement."""
    found = np.zeros_like(counts)
    wanted, rest = np.full(len(counts), n), counts.sum(axis=1)
    for category in range(counts.shape[1] - 1):
        here = counts[:, category]
        rest -= here
        found[:, category] = random.hypergeometric(here, rest, wanted)
        wanted -= found[:, category]
    found[:, -1] = wanted
    return found
