"""Whether trials of a question that follow one another agree more often than others, as copies of the one before do.

Trials of a question are exchangeable, so given its outcomes every order is as likely as any other. Of n outcomes of
which a_1, a_2, .. are of one kind each, neighbours differ in a number of places with the mean and variance

    (n^2 - A) / n    and    (A (A + n (n + 1)) - 2 n B - n^3) / (n^2 (n - 1)),    A = sum a_i^2, B = sum a_i^3

(Mood 1940; of two kinds, Wald and Wolfowitz 1940). The sum over questions is about normal.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._base.arrays import Indices, Vector
from .._base.numbers import is_chance
from .._base.special import gammaincc, gammaln
from .._base.words import warn
from ..errors import TrialsWarning

FALSE_ALARMS = 1e-3  # share of independent trials that are called dependent where they are read
_FEWEST = 4  # questions whose trials differ
_CHANGED = 0.01  # p of columns that differ: the order is then one of rates rather than of repetitions
_ENTRIES = 2048  # outcomes that are looked at, which tell copies of one in ten
REPEATS = -2  # what the kernel returns where neighbouring outcomes deserve a closer look
_ALIKE = (
    "trials that follow one another{whose} agree more often than others (p {p}), as if some were copies of the one"
    " before. Intervals take trials as independent and are too narrow for copies: check the cache and the seeds and run"
    " the trials again, or keep only trials that share nothing. If blocks of trials share a prompt or a server, say so"
    " with runs="
)


def warn_of_repeats(values: Any) -> None:
    """Warn where binary outcomes, of which the kernel's screen is suspicious, depend on the one before."""
    some = values[:, : _ENTRIES // 8]
    table = np.ma.filled(some[:: max(some.size // _ENTRIES, 1)].astype(np.float64), np.nan)
    _warn([table[~np.isnan(table).any(axis=1)]], [""])


def warn_of_order(rewards: Vector, rows: Indices, n_rows: int, models: Sequence[str]) -> None:
    """Warn where rewards depend on the one before; rows are questions of one model after another."""
    trials = np.bincount(rows, minlength=n_rows)
    starts, tables = np.cumsum(trials) - trials, []
    if (rows[1:] < rows[:-1]).any():
        rewards = rewards[np.argsort(rows, kind="stable")]
    for of_model in np.split(np.arange(n_rows), len(models)):
        n = int(trials[of_model].max(initial=0))
        full = of_model[trials[of_model] == n]
        full = full[:: max(len(full) * n // _ENTRIES, 1)]
        tables.append(rewards[starts[full, None] + np.arange(n)])
    _warn(tables, models)


def _warn(tables: Sequence[Vector], models: Sequence[str]) -> None:
    chances = [chance_of_order(table) for table in tables]
    least = int(np.argmin(chances))
    if chances[least] < FALSE_ALARMS / len(models):
        whose = f" of {models[least]}" if models[least] else ""
        warn(_ALIKE.format(whose=whose, p=is_chance(chances[least])), TrialsWarning)


def chance_of_order(values: Vector) -> float:
    """Return the p-value of neighbours (columns) that agree more often than others; 1 where columns differ.

    >>> rng = np.random.default_rng(0)
    >>> independent = rng.integers(0, 2, (40, 8)).astype(float)
    >>> round(chance_of_order(independent), 2), chance_of_order(np.repeat(independent, 2, axis=1)) < 1e-12
    (0.08, True)
    """
    if len(values) < _FEWEST or values.shape[1] < 3:
        return 1.0
    ordered = np.sort(values, axis=1)
    differ = ordered[:, 0] != ordered[:, -1]
    ordered, values = ordered[differ], values[differ]
    m, n = values.shape
    if m < _FEWEST:
        return 1.0
    kind = np.zeros((m, n), np.int64)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=kind[:, 1:])
    sizes = np.bincount((kind + n * np.arange(m)[:, None]).ravel(), minlength=m * n).reshape(m, n).astype(np.float64)
    squares, cubes = (sizes**2).sum(axis=1), (sizes**3).sum(axis=1)
    expected = float((n**2 - squares).sum()) / n
    variance = float((squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3).sum()) / (n**2 * (n - 1))
    changes = np.count_nonzero(values[:, 1:] != values[:, :-1])
    p = math.erfc((expected - changes - 0.5) / math.sqrt(2.0 * variance)) / 2.0 if variance > 0.0 else 1.0
    return 1.0 if p < _CHANGED and cochran(values) < _CHANGED else p


def cochran(values: Vector) -> float:
    """Return the p-value of trials (columns) that differ over all questions (rows); 1 without any variation.

    For binary outcomes it is that of Cochran's Q, for ranks Friedman's.

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


def log_orders(counts: Vector) -> float:
    """Return the logarithm of the number of orders of outcomes with these counts."""
    return float(gammaln(counts.sum() + 1.0) - gammaln(counts + 1.0).sum())
