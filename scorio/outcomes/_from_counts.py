"""Outcomes that are summed up already: successes with trials, counts by category, or means and standard deviations."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts
from ..errors import OutcomeError, ParameterError
from ._foreign_arrays import as_numpy
from ._from_arrays import MOST_CATEGORIES
from ._outcome_values import MOST_TRIALS
from ._reward_summary import RewardSummary

Support = tuple[float, float]


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


def read_counts(counts: Any, trials: Any, name: str = "counts") -> Counts:
    """Return counts (M, C+1) from successes (M,) with trials, or from counts, which are checked against trials."""
    table = whole(counts, name)
    if table.ndim == 2 and 2 <= table.shape[1] <= MOST_CATEGORIES and len(table):
        return _by_category(table, trials, name)
    if table.ndim != 1 or not table.size:
        raise OutcomeError(f"{name} must be successes (M,) or counts by category (M, C+1); got shape {table.shape}")
    if trials is None:
        raise OutcomeError("successes need trials: pass trials, one number or one for each question")
    planned = per_question(trials, len(table), "trials")
    above = np.flatnonzero(table > planned)
    if above.size:
        a = above[0]
        raise OutcomeError(f"{name}[{a}] is {table[a]}: more successes than its {planned[a]} trials")
    return np.ascontiguousarray(np.stack([planned - table, table], axis=1))


def read_prior_counts(counts: Any, questions: int) -> Counts:
    """Return counts of prior outcomes by category, of as many questions as there are."""
    prior = read_counts(counts, None, "prior_counts")
    if len(prior) != questions:
        raise OutcomeError(f"prior_counts has {len(prior)} questions, counts has {questions}")
    return prior


def _by_category(table: Counts, trials: Any, name: str) -> Counts:
    sums: NDArray[np.float64] = table.sum(axis=1, dtype=np.float64)
    if sums.max() > MOST_TRIALS:
        raise OutcomeError(f"{name}[{sums.argmax()}] adds up to more than 2**53 trials")
    if trials is not None:
        differing = np.flatnonzero(sums != per_question(trials, len(table), "trials"))
        if differing.size:
            a = differing[0]
            raise OutcomeError(f"{name}[{a}] adds up to {int(sums[a])} trials, which trials contradicts")
    return np.ascontiguousarray(table)


def drawn(counts: Counts, n: int, random: np.random.Generator) -> Counts:
    """Return counts of ``n`` trials of each row, drawn without replacement; each row has at least ``n`` trials."""
    sample = np.zeros_like(counts)
    open_draws, rest = np.full(len(counts), n), counts.sum(axis=1)
    for category in range(counts.shape[1] - 1):
        here = counts[:, category]
        rest -= here
        sample[:, category] = random.hypergeometric(here, rest, open_draws)
        open_draws -= sample[:, category]
    sample[:, -1] = open_draws
    return sample


def check_support(support: Iterable[float], summary: RewardSummary) -> Support:
    """Return the support as two numbers that no reward is outside of."""
    try:
        low, high = (float(end) for end in support)
    except (TypeError, ValueError):
        raise ParameterError(f"must be two numbers (low, high); got {support!r}", argument="support") from None
    if not low < high:
        raise ParameterError(f"must satisfy low < high; got {support!r}", argument="support")
    values = summary.values if summary.values is not None else summary.mean[summary.trials > 0]
    if values.min() < low or values.max() > high:
        raise OutcomeError(f"a reward is outside the support ({low:g}, {high:g}): {values.min():g}..{values.max():g}")
    return low, high
