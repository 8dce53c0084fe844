"""Reading outcomes: whatever holds them becomes category counts, or an OutcomeError that says where it cannot.

Native numbers of up to eight bytes go to the kernel as they lie in memory, or in a file that is mapped. Everything else
(masked, nullable, object, float16, long double, foreign byte order, unaligned) is turned into floats.
"""

import math
from decimal import Decimal
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Counts
from .._base.words import shorten
from .._kernels.count_outcomes import category_limit, scan
from ..errors import OutcomeError
from ._outcome_values import FAIL, MOST_TRIALS, OMIT, RAISE, REMEDIES, Levels, is_missing
from ._rewards import reals, trials_of
from ._table import (
    Ragged,
    Table,
    as_numpy,
    as_table,
    check_trials,
    is_number_type,
    n_rows,
    place,
    planned_trials,
    rewards_of_words,
)
from ._trial_order import REPEATS, warn_of_repeats

MOST_CATEGORIES = category_limit(1)
_NUMBERS = (Real, np.bool_, Decimal)
_OF_REWARDS = (
    "OutcomeMatrix.from_rewards reads rewards; for probabilities and grades, say first which of them are right, as in "
    "values >= 0.5"
)


def read(
    values: Any, missing: int = RAISE, name: str = "R", has_runs: bool = False
) -> tuple[Counts, Levels | None, int | Counts]:
    """Return the counts (M, C+1) of a matrix of outcomes, the levels, and the trials planned for each question.

    There are levels where outcomes are words that are worth more than 0 and less than 1. Warns where trials depend on
    the one before, unless it is known which trials share a run.
    """
    if type(values) is np.ndarray and is_number_type(values.dtype) and 0 < values.ndim < 3 and values.size:
        counts, row = scan(values, missing)
        if counts is not None:
            if row == REPEATS and not has_runs:
                warn_of_repeats(values)
            return (counts if missing != OMIT else _not_empty(counts, name)), None, values.shape[-1]
    table = as_table(values, name)
    check_trials(table, missing, name)
    rewards = rewards_of_words(table, name)
    if rewards is not None:
        values = rewards.flat if isinstance(rewards, Ragged) else rewards
        if np.any(np.asarray(np.ma.filled(values, 0.0)) % 1.0 > 0.0):
            trials = trials_of(rewards, missing, name)
            return *trials.counts(), trials.planned
        table = rewards
    counts = count(table, missing, name, has_runs=has_runs)
    return _not_empty(counts, name), None, planned_trials(table)


def read_prior(prior: Any, questions: int, missing: int, levels: Levels | None = None) -> Counts:
    """Return the counts of R0, earlier outcomes of the same questions; one dimension is shared evenly among them.

    Rewards with ``levels`` have none.
    """
    if levels is not None:
        raise OutcomeError(f"prior outcomes are categories, but R has rewards: {shorten(levels)}")
    numbers = as_table(prior, "R0")
    words = rewards_of_words(numbers, "R0")
    table = numbers if words is None else words
    if not isinstance(table, Ragged) and table.ndim == 1 and questions > 1:
        if table.size % questions:
            raise OutcomeError(f"R0 has {table.size} outcomes, which {questions} questions cannot share evenly")
        table = table.reshape(questions, -1)
    counts = count(table, missing, "R0")
    if len(counts) != questions:
        raise OutcomeError(f"R0 has {len(counts)} questions, R has {questions}")
    return counts


def _not_empty(counts: Counts, name: str) -> Counts:
    if not counts.any():
        raise OutcomeError(f"{name} has no trial: every one is missing")
    return counts


def count(table: Table, missing: int, name: str, *, has_runs: bool = True) -> Counts:
    """Return the category counts of every row; warns of trials that depend on the one before if ``has_runs`` is not."""
    array, offsets = (table.flat, table.offsets) if isinstance(table, Ragged) else (table, None)
    if not array.size:
        return np.zeros((n_rows(table), 2), np.int64)
    is_masked = isinstance(array, np.ma.MaskedArray)
    counts, row = (None, -1) if is_masked else scan(array, missing, offsets)
    if counts is None and row < 0:  # which the kernel cannot read
        counts, row = scan(_floats(array, missing), OMIT if is_masked else missing, offsets)
    if counts is None:
        _raise_first_fault(table, missing, name)
    if row == REPEATS and not has_runs:
        warn_of_repeats(array)
    return counts


def widen(counts: Counts, width: int) -> Counts:
    """Return the same counts with categories added that never occur."""
    if counts.shape[1] == width:
        return counts
    wide = np.zeros((len(counts), width), np.int64)
    wide[:, : counts.shape[1]] = counts
    return wide


@np.errstate(invalid="ignore")  # under a mask, there may be anything
def _floats(array: NDArray[Any], missing: int) -> NDArray[np.float64]:
    """Return an array as floats, with NaN where a trial is missing; of masked arrays, where it is left out."""
    floats, hidden = reals(array)
    if array.dtype.kind == "f":
        floats[(floats == np.floor(floats)) & (floats != np.asarray(array).ravel())] = np.inf  # made whole by rounding
    if isinstance(array, np.ma.MaskedArray):
        if missing != OMIT:
            floats[np.isnan(floats)] = 0.0 if missing == FAIL else np.inf
        floats[hidden] = np.nan
    return floats.reshape(array.shape)


def _raise_first_fault(table: Table, missing: int, name: str) -> NoReturn:
    array = table.flat if isinstance(table, Ragged) else table.ravel()
    is_boolean, data = array.dtype.kind == "b", np.asarray(array)
    limit = 2 if is_boolean else category_limit(n_rows(table))
    data = data.view(np.uint8) if is_boolean else data
    is_suspect = ~np.ma.getmaskarray(array)
    if data.dtype.kind in "uif":
        with np.errstate(invalid="ignore", over="ignore"):
            is_suspect &= ~((data >= 0) & (data < limit) & (data == np.floor(data)))
    for entry in np.flatnonzero(is_suspect):
        value, where = data[entry], f"{name}[{place(table, int(entry))}]"
        if is_missing(value):
            if missing == RAISE:
                mark = "NaN" if isinstance(value, Real) else value
                raise OutcomeError(f"{where} is {mark}, a trial without an outcome", remedies=REMEDIES)
        elif fault := _fault(value, limit):
            has_fraction = isinstance(value, _NUMBERS) and not _is_whole(value) and math.isfinite(value)
            raise OutcomeError(f"{where} is {fault}", hint=_OF_REWARDS if has_fraction else None)
    raise OutcomeError(f"{name} changed while it was read")


def _fault(value: Any, limit: int) -> str | None:
    """Return what is wrong with an entry that is not missing."""
    text = str(value) if isinstance(value, _NUMBERS) else repr(value)
    if not _is_whole(value):
        return f"{text}: outcomes must be whole numbers"
    if value < 0:
        return f"{text}: outcomes start at 0"
    number: Any = value
    return (
        None
        if int(number) < limit
        else f"{text}: above 0..{limit - 1}, pass real rewards to OutcomeMatrix.from_rewards"
    )


def _is_whole(value: Any) -> bool:
    if not isinstance(value, _NUMBERS) or (isinstance(value, Decimal) and not value.is_finite()):
        return False
    with np.errstate(invalid="ignore"):
        return bool((value.item() if isinstance(value, np.generic) else value) % 1 == 0)


# Outcomes that are summed up already: successes with trials, or counts by category.


def whole(values: Any, name: str) -> Counts:
    """Return non-negative whole numbers as int64."""
    try:
        array = as_numpy(values)
    except ValueError:
        raise OutcomeError(f"{name} must have rows of one length") from None
    if array.dtype.kind not in "iuf":
        raise OutcomeError(f"{name} must be whole numbers; got {array.dtype}")
    if array.dtype == np.float16:
        array = array.astype(np.float32)  # which holds 2**53
    with np.errstate(invalid="ignore"):
        valid = (array >= 0) & (array <= MOST_TRIALS) & (np.floor(array) == array)
    if not valid.all():
        at = np.unravel_index(np.argmin(valid), array.shape)
        where = f"[{', '.join(map(str, at))}]" if at else ""
        raise OutcomeError(f"{name}{where} is {array[at]}: counts are whole numbers from 0 to 2**53")
    return array.astype(np.int64)


def per_question(values: Any, questions: int, name: str) -> Counts:
    """Return one number per question, from one number for all or one per question."""
    numbers = whole(values, name)
    if numbers.ndim == 0:
        return np.full(questions, numbers)
    if numbers.shape != (questions,):
        raise OutcomeError(f"{name} must be one number, or one for each of {questions} questions; got {numbers.shape}")
    return numbers


def planned_of(planned: Any, present: Counts) -> Counts:
    """Return the planned trials of each question: by default those that are present, which they are never below."""
    numbers = present if planned is None else per_question(planned, len(present), "planned")
    if (numbers < present).any():
        raise OutcomeError(f"planned[{int(np.argmax(numbers < present))}] is below the trials that are present")
    return numbers


def read_counts(counts: Any, trials: Any) -> Counts:
    """Return counts (M, C+1) from successes (M,) with trials, or from counts, which are checked against trials."""
    table = whole(counts, "counts")
    if table.ndim == 2 and 2 <= table.shape[1] <= MOST_CATEGORIES and len(table):
        return _by_category(table, trials)
    if table.ndim != 1 or not table.size:
        raise OutcomeError(f"counts must be successes (M,) or counts by category (M, C+1); got shape {table.shape}")
    if trials is None:
        raise OutcomeError("successes need trials: pass trials, one number or one for each question")
    planned = per_question(trials, len(table), "trials")
    above = np.flatnonzero(table > planned)
    if above.size:
        a = above[0]
        raise OutcomeError(f"counts[{a}] is {table[a]}: more successes than its {planned[a]} trials")
    return np.ascontiguousarray(np.stack([planned - table, table], axis=1))


def _by_category(table: Counts, trials: Any) -> Counts:
    sums: NDArray[np.float64] = table.sum(axis=1, dtype=np.float64)
    if sums.max() > MOST_TRIALS:
        raise OutcomeError(f"counts[{sums.argmax()}] adds up to more than 2**53 trials")
    if trials is not None:
        differing = np.flatnonzero(sums != per_question(trials, len(table), "trials"))
        if differing.size:
            a = differing[0]
            raise OutcomeError(f"counts[{a}] adds up to {int(sums[a])} trials, which trials contradicts")
    return np.ascontiguousarray(table)
