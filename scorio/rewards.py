"""Reading real-valued rewards: the distinct levels, in ascending order, become the categories."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._kernels.tally import category_limit
from .errors import OutcomeError
from .intake import FAIL, OMIT, RAISE, Counts, Ragged, as_table, is_missing, n_rows, planned_trials
from .params import LARGEST_REWARD

Levels = tuple[float, ...]


def scale(levels: Iterable[float], categories: int) -> Levels:
    """The reward of each category, ascending."""
    try:
        rewards = tuple(float(level) for level in levels)
    except (TypeError, ValueError, OverflowError):
        rewards = ()
    if not (len(rewards) == categories and np.isfinite(rewards).all() and (np.diff(rewards) > 0).all()):
        raise OutcomeError(f"levels must be {categories} ascending rewards; got {levels!r}")
    _demand_size(rewards, "levels")
    return rewards


def _demand_size(levels: Levels, name: str) -> None:
    extreme = max(levels, key=abs)
    if abs(extreme) > LARGEST_REWARD:
        raise OutcomeError(f"{name} has a reward of {extreme}; the largest there may be is {LARGEST_REWARD:g}")


def read_rewards(values: Any, missing: int, name: str = "values") -> tuple[Counts, int | Counts, Levels]:
    """Counts (M, C+1), trials planned for each question, and the C+1 levels."""
    table = as_table(values, name, "real numbers")
    planned = planned_trials(table)
    lengths = planned if isinstance(planned, np.ndarray) else np.full(n_rows(table), planned)
    if not lengths.size or not lengths.any() or (missing != OMIT and not lengths.all()):
        raise OutcomeError(f"{name} needs at least one reward for every question")
    rewards, hidden = _reals(table.flat if isinstance(table, Ragged) else table)
    rows = np.repeat(np.arange(lengths.size), lengths)
    _demand_finite(rewards, hidden, rows, missing, name)
    present = ~np.isnan(rewards) & ~hidden
    levels, level = on_scale(rewards[present], lengths.size, name)
    category = np.zeros(rewards.size, np.int64)
    category[present] = level
    kept = ~hidden if missing == FAIL else present
    cells = rows[kept] * len(levels) + category[kept]
    counts = np.bincount(cells, minlength=lengths.size * len(levels)).reshape(lengths.size, len(levels))
    return counts.astype(np.int64, copy=False), planned, levels


def on_scale(rewards: NDArray[np.float64], rows: int, name: str) -> tuple[Levels, NDArray[np.intp]]:
    """The levels of finite rewards, ascending, and which of them each reward is.

    A lone level is paired with 0, or with 1 if it is 0 itself: a scale has two ends.
    """
    levels, level = np.unique(rewards, return_inverse=True)
    if not levels.size:
        raise OutcomeError(f"{name} has no reward: every one is missing")
    most = category_limit(rows)
    if levels.size > most:
        raise OutcomeError(f"{name} has {levels.size} distinct rewards; round them to at most {most} levels")
    _demand_size((float(levels[0]), float(levels[-1])), name)
    if levels.size > 1:
        return tuple(levels.tolist()), level
    lone = float(levels[0])
    low, high = sorted((lone, 0.0 if lone else 1.0))
    return (low, high), level + int(high == lone)


def _reals(array: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Every reward in row order, infinite where it is no number; and which are masked."""
    hidden = np.ma.getmaskarray(array).ravel()
    data = np.asarray(array).ravel()
    if data.dtype.kind == "O":
        return np.fromiter(map(_real, data), np.float64, data.size) + 0.0, hidden
    with np.errstate(over="ignore", invalid="ignore"):
        return data.astype(np.float64) + 0.0, hidden


def _real(value: Any) -> float:
    if is_missing(value):
        return math.nan
    try:
        return math.inf if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.inf


def _demand_finite(
    rewards: NDArray[np.float64], hidden: NDArray[np.bool_], rows: NDArray[np.intp], missing: int, name: str
) -> None:
    wrong = np.isinf(rewards) if missing != RAISE else ~np.isfinite(rewards)
    faults = np.flatnonzero(wrong & ~hidden)
    if faults.size:
        i = faults[0]
        column = i - np.searchsorted(rows, rows[i])
        is_nan = math.isnan(rewards[i])
        remedy = 'NaN; pass missing="omit" or missing="fail"' if is_nan else "not a finite number"
        raise OutcomeError(f"{name}[{rows[i]}, {column}] is {remedy}")
