"""Every question of a benchmark: how hard it is, how well it separates the models, and what is odd about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._base.arrays import Counts, Flags, Vector
from .._base.choices import FLAGS, SORT_KEYS
from .._base.exports import ByContent, strict
from .._base.numbers import number, rate, rate_span
from .._base.special import betaincinv, gammaln, ndtri, stdtr, stdtrit
from .._base.table import Field
from .._base.words import pluralize, tally, unknown
from ..errors import OutcomeError, ParameterError
from ..estimates._family import benjamini_hochberg
from ..estimates._tasks import as_tasks, at_task
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ..outcomes._outcome_set import ModelsOnTasks
from ..params import choice, count, open_unit

NEVER, ALWAYS, INVERTED, FLAKY = FLAGS
_JEFFREYS = 0.5
_FEWEST = 4  # models for an interval
_LARGEST = 1.0 - 1e-12  # of a correlation that is transformed
_FLAKY = 0.32  # two trials of a model with a rate of .2 or .8 disagree so often


class Flag(NamedTuple):
    """What was noticed about a question, and why."""

    name: str
    reason: str


def _names_of(flags: Sequence[Flag]) -> str:
    return ", ".join(flag.name for flag in flags)


@dataclass(frozen=True)
class QuestionRow:
    """One question: scores per model with intervals, their mean, difficulty, discrimination, and flags."""

    task: str
    question: Any
    models: tuple[str, ...]
    rates: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    trials: tuple[int, ...]
    mean: float
    lo: float
    hi: float
    difficulty: float
    discrimination: float
    discrimination_lo: float
    discrimination_hi: float
    disagreement: float
    flags: tuple[Flag, ...]

    @property
    def record(self) -> dict[str, Any]:
        """The values of the question in one flat record."""
        names = ("mean", "lo", "hi", "difficulty", "discrimination", "discrimination_lo", "discrimination_hi")
        values = {name: getattr(self, name) for name in (*names, "disagreement")}
        about = {"task": self.task, "question": self.question, "trials": sum(self.trials)}
        reasons = "; ".join(flag.reason for flag in self.flags)
        return about | values | {"flags": _names_of(self.flags), "reasons": reasons}

    @property
    def by_model(self) -> list[dict[str, Any]]:
        """A record per model, with its rate and interval."""
        about = {"task": self.task, "question": self.question}
        parts = zip(self.models, self.trials, self.rates, self.intervals, strict=True)
        return [
            about | {"model": model, "trials": n, "rate": rate, "lo": lo, "hi": hi}
            for model, n, rate, (lo, hi) in parts
        ]


def _hardness(row: QuestionRow) -> str:
    """Write the interval of the difficulty, where it is that of a success rate."""
    width = row.difficulty + row.mean  # 1 for success rates
    return rate_span(width - row.hi, width - row.lo) if abs(width - 1.0) < 1e-9 else "-"


@dataclass(frozen=True, eq=False)
class QuestionTable(ByContent):
    """The questions of one task or several, each a ``QuestionRow``, in ``rows``."""

    rows: tuple[QuestionRow, ...]
    confidence: float
    fdr: float
    _columns: ClassVar = (
        Field("task", of="task", unless=""),
        Field("question", of="question"),
        Field("difficulty", True, "difficulty", rate),
        Field("interval", True, form=_hardness),
        Field("discrimination", True, "discrimination", rate),
        Field("interval", True, "discrimination_lo discrimination_hi", rate_span),
        Field("disagreement", True, "disagreement", rate),
        Field("flags", of="flags", form=_names_of),
    )

    def sorted(self, key: str = "difficulty", *, descending: bool = True) -> QuestionTable:
        """Return the table sorted by a column; unknown values come last, and questions with most flags first."""
        choice("column", key, SORT_KEYS)
        by: dict[str, Any] = {
            "question": lambda row: (row.task, str(row.question)),
            "flags": lambda row: len(row.flags),
        }
        if key in by:
            ordered = sorted(self.rows, key=by[key], reverse=descending)
        else:
            values = [getattr(row, key) * (-1.0 if descending else 1.0) for row in self.rows]
            ordered = [self.rows[i] for i in np.argsort(values, kind="stable")]
        return replace(self, rows=tuple(ordered))

    def flagged(self, name: str | None = None) -> QuestionTable:
        """Return the questions with a flag, or with this flag."""
        if name is not None and name not in FLAGS:
            raise ParameterError(unknown("flag", name, FLAGS))
        kept = [row for row in self.rows if any(name in (None, flag.name) for flag in row.flags)]
        return replace(self, rows=tuple(kept))

    def first(self, n: int) -> QuestionTable:
        """Return the first questions."""
        return replace(self, rows=self.rows[: count("n", n)])

    def __str__(self) -> str:
        counts = tally((name for row in self.rows for name in {flag.name for flag in row.flags}), FLAGS)
        return f"{pluralize(len(self.rows), 'question')}: {counts or 'nothing flagged'}"

    def to_dict(self) -> dict[str, Any]:
        """Return all questions with all models, and the parameters, ready for JSON."""
        rows = [row.record | {"flags": [list(flag) for flag in row.flags], "models": row.by_model} for row in self.rows]
        values: dict[str, Any] = strict({"confidence": self.confidence, "fdr": self.fdr, "rows": rows})
        return values

    def as_records(self) -> Sequence[Mapping[str, Any]]:
        return [row.record for row in self.rows]

    def _notes(self) -> list[str]:
        return [
            "difficulty: 1 - mean rate of the models; disagreement: of two trials of one model",
            "discrimination: correlation over models with the other questions; JSON and CSV have the reasons of flags",
        ]


def describe_questions(outcomes: Any, *, confidence: float = 0.95, fdr: float = 0.05) -> QuestionTable:
    """Return every question with its rates, difficulty, discrimination and flags.

    The rate of a model is that of its own trials, with a Jeffreys interval at ``confidence``. ``difficulty`` is one
    minus the mean rate of the models (for rewards, on the scale from the largest to the smallest). ``discrimination``
    is the correlation over models of the rate with the mean of all other questions of the task, with Fisher's interval
    for four models or more. ``disagreement`` is the probability that two trials of one model disagree, on average over
    models.

    Flags: *never solved* and *always solved*; *solved less by better models* (negative discrimination), with an
    expected share of false ones of at most ``fdr``; *flaky* (two trials disagree more often than at a rate of .2 or .8,
    at ``confidence``).

    ``outcomes`` is an ``OutcomeSet``, a ``Suite``, or what ``OutcomeSet`` takes.

    >>> from scorio import OutcomeSet
    >>> table = describe_questions(OutcomeSet({"a": [[0, 0], [1, 1], [1, 0]], "b": [[0, 0], [0, 1], [0, 0]]}))
    >>> print(table)
    3 questions: 1 never solved
    >>> table.rows[0].flags[0].reason
    'no success in 4 trials of 2 models'
    """
    open_unit("confidence", confidence)
    open_unit("fdr", fdr)
    if isinstance(outcomes, ModelsOnTasks):
        outcomes.check_complete()
    rows = [row for task, models in as_tasks(outcomes).items() for row in _rows(task, models, confidence, fdr)]
    return QuestionTable(tuple(rows), confidence, fdr)


def _rows(task: str, outcomes: OutcomeSet, confidence: float, fdr: float) -> list[QuestionRow]:
    with at_task(task):
        if outcomes.n_questions < 2:
            raise OutcomeError("a table of questions needs at least two questions")
    rates = _rates_of(outcomes, confidence)
    correlations = discrimination(rates.rates, confidence)
    flags = _flags_of(rates, correlations, confidence, fdr)
    mean, lo, hi = _mean_of_models(rates.rates, rates.lo, rates.hi)
    width = rates.most - rates.least
    difficulty = (rates.most - mean) / width if width > 0.0 else np.full(len(mean), np.nan)
    parts = (mean, lo, hi, difficulty, correlations.r, correlations.lo, correlations.hi, _mean_of_known(rates.observed))
    labels = outcomes.questions or tuple(range(outcomes.n_questions))
    ends, numbers = np.stack([rates.lo, rates.hi], axis=2).tolist(), np.column_stack(parts).tolist()
    cells: Any = zip(labels, rates.rates.tolist(), ends, rates.trials.astype(int).tolist(), numbers, flags, strict=True)
    rows: list[list[Any]] = [
        [task, label, outcomes.models, tuple(row), tuple(map(tuple, pairs)), tuple(n), *values, why]
        for label, row, pairs, n, values, why in cells
    ]
    return [QuestionRow(*row) for row in rows]


def _mean_of_known(values: Any) -> Any:
    has_value = ~np.isnan(values)
    count = has_value.sum(axis=1)
    total = np.where(has_value, values, 0.0).sum(axis=1)
    return np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)


def _mean_of_models(rates: Any, lo: Any, hi: Any) -> tuple[Any, Any, Any]:
    """Return the mean over models with trials, with an interval whose sides add as standard deviations do."""
    has_rate = ~np.isnan(rates)
    count = np.maximum(has_rate.sum(axis=1), 1)
    mean = _mean_of_known(rates)
    down, up = (np.sqrt((np.where(has_rate, side, 0.0) ** 2).sum(axis=1)) / count for side in (rates - lo, hi - rates))
    return mean, mean - down, mean + up


class _Rates(NamedTuple):
    """Arrays (questions, models): trials, mean outcomes, their intervals; and how often two trials disagree.

    ``disagreement`` is the posterior mean of ``2 p (1 - p)``, with its variance, and ``observed`` its unbiased
    estimate; all are NaN for rewards. ``least`` and ``most`` are the smallest and the largest possible outcome, NaN
    if unknown.
    """

    trials: Vector
    rates: Vector
    lo: Vector
    hi: Vector
    disagreement: Vector
    disagreement_variance: Vector
    observed: Vector
    least: float
    most: float


def _rates_of(outcomes: OutcomeSet, confidence: float) -> _Rates:
    """Return the score of each model on each question: of its trials alone, without a prior from other questions.

    Intervals of success rates are those of Jeffreys' prior; they end at 0 without a success, at 1 without a failure.

    >>> rates = _rates_of(OutcomeSet({"a": [[0, 1, 1, 0], [1, 1, 1, 1]]}), 0.95)
    >>> rates.rates[:, 0], rates.lo[:, 0].round(3), rates.hi[:, 0].round(3)
    (array([0.5, 1. ]), array([0.123, 0.555]), array([0.877, 1.   ]))
    """
    columns = [_of_model(outcome, confidence) for outcome in outcomes.values()]
    arrays: list[Any] = [np.column_stack(part) for part in zip(*(column[:-2] for column in columns), strict=True)]
    least, most = (np.array([getattr(column, name) for column in columns]) for name in ("least", "most"))
    parts: list[Any] = [*arrays, float(least.min()), float(most.max())]
    return _Rates(*parts)


def _of_model(outcomes: OutcomeMatrix, confidence: float) -> _Rates:
    """Return means of outcomes; intervals are those of the Beta with the moments of the Dirichlet posterior."""
    if isinstance(outcomes, RewardMatrix):
        return _of_rewards(outcomes, confidence)
    counts, cell = np.unique(outcomes.counts, axis=0, return_inverse=True)
    levels = np.array(outcomes.levels or range(outcomes.n_categories), dtype=np.float64)
    low, high = float(levels.min()), float(levels.max())
    n, unit = counts.sum(axis=1).astype(np.float64), (levels - low) / (high - low)
    weight = counts + _JEFFREYS
    total = weight.sum(axis=1)
    mean = weight @ unit / total
    size = mean * (1.0 - mean) / ((weight @ unit**2 / total - mean**2) / (total + 1.0)) - 1.0
    a, b = mean * size, (1.0 - mean) * size
    rates = np.divide(counts @ unit, n, out=np.full(len(n), np.nan), where=n > 0)
    lo, hi = (betaincinv(a, b, (1.0 + side * confidence) / 2.0) for side in (-1.0, 1.0))
    if outcomes.is_pass_fail:
        lo, hi = np.where(rates > 0.0, lo, 0.0), np.where(rates < 1.0, hi, 1.0)
    apart = _disagreement(counts, a, b) if outcomes.is_pass_fail else [np.full(len(n), np.nan)] * 3
    scaled = (low + (high - low) * values for values in (rates, lo, hi))
    columns: list[Any] = [*(values[cell] for values in (n, *scaled, *apart)), low, high]
    return _Rates(*columns)


def _disagreement(counts: Counts, a: Vector, b: Vector) -> list[Vector]:
    """Return the posterior mean and variance of ``2 p (1 - p)``, and its unbiased estimate."""
    total = a + b
    mean = 2.0 * a * b / (total * (total + 1.0))
    square = 4.0 * a * (a + 1.0) * b * (b + 1.0) / (total * (total + 1.0) * (total + 2.0) * (total + 3.0))
    n = counts.sum(axis=1)
    pairs = n * (n - 1.0)
    observed = np.divide(2.0 * counts[:, 0] * counts[:, 1], pairs, out=np.full(len(n), np.nan), where=pairs > 0)
    return [mean, square - mean**2, observed]


def _of_rewards(outcomes: RewardMatrix, confidence: float) -> _Rates:
    """Return means of continuous rewards, with Student's intervals; unknown for fewer than two trials."""
    n = outcomes.trials.astype(np.float64)
    several = n > 1
    reach = stdtrit(np.maximum(n - 1.0, 1.0), (1.0 + confidence) / 2.0)
    width = np.where(several, reach * np.sqrt(np.where(several, outcomes.variances, 0.0) / np.maximum(n, 1.0)), np.nan)
    rates = np.where(n > 0, outcomes.means, np.nan)
    unknown = np.full(len(n), np.nan)
    low, high = outcomes.support or (np.nan, np.nan)
    return _Rates(n, rates, rates - width, rates + width, unknown, unknown, unknown, low, high)


class Discrimination(NamedTuple):
    """Per question the correlation ``r``, its interval, and the number of ``models`` it is over.

    ``p_negative`` is the p-value of a negative correlation.
    """

    r: Vector
    lo: Vector
    hi: Vector
    models: Vector
    p_negative: Vector


def discrimination(rates: Vector, confidence: float) -> Discrimination:
    """Return the correlation over models of each question's rate with the mean rate on all other questions.

    Models are the units: intervals are Fisher's, for other models like these. The p-value is that of the t test; it is
    never smaller than one over the number of distinct orders of the rates, which a permutation test could not pass.

    >>> r = discrimination(np.array([[0.0, 0.5, 1.0], [0.1, 0.3, 0.9], [0.9, 0.5, 0.2]]), 0.95).r
    >>> r.round(3)
    array([ 0.327,  0.996, -0.978])
    """
    has_rate = ~np.isnan(rates)
    filled = np.where(has_rate, rates, 0.0)
    others = has_rate.sum(axis=0) - has_rate
    total = filled.sum(axis=0) - filled
    rest = np.divide(total, others, out=np.zeros_like(filled), where=others > 0)
    count = has_rate.sum(axis=1)
    x, y = (_centered(side, has_rate) for side in (rest, filled))
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    r = np.divide((x * y).sum(axis=1), scale, out=np.full(len(rates), np.nan), where=(scale > 1e-12) & (count > 2))
    r = np.clip(r, -1.0, 1.0)
    enough = count >= _FEWEST
    z = np.arctanh(np.clip(r, -_LARGEST, _LARGEST))
    width = np.where(enough, -ndtri((1.0 - confidence) / 2.0) / np.sqrt(np.maximum(count - 3.0, 1.0)), np.nan)
    df = np.maximum(count - 2.0, 1.0)
    p = stdtr(df, r * np.sqrt(df / np.maximum(1.0 - r * r, 1e-300)))
    p = np.where(np.isnan(r), np.nan, np.maximum(p, np.array([_least_p(row) for row in rates])))
    return Discrimination(r, np.tanh(z - width), np.tanh(z + width), count, p)


def _centered(values: Vector, has_value: Vector) -> Vector:
    mean = (values * has_value).sum(axis=1) / np.maximum(has_value.sum(axis=1), 1)
    centered: Vector = (values - mean[:, None]) * has_value
    return centered


def _least_p(row: Vector) -> float:
    """Return the probability of one of the distinct orders of the rates; 1e-300 if it is smaller."""
    _, times = np.unique(row[~np.isnan(row)], return_counts=True)
    orders = gammaln(times.sum() + 1.0) - gammaln(times + 1.0).sum()
    return float(np.exp(-min(orders, 690.0)))


def _flags_of(rates: _Rates, correlations: Discrimination, confidence: float, fdr: float) -> list[tuple[Flag, ...]]:
    trials, mean = rates.trials.sum(axis=1), np.nanmean(rates.rates, axis=1)
    has_trials = rates.trials > 0
    models = has_trials.sum(axis=1)
    apart, variance = (
        np.where(has_trials, values, 0.0).sum(axis=1) for values in (rates.disagreement, rates.disagreement_variance)
    )
    apart, reach = (side / np.maximum(models, 1) for side in (apart, -float(ndtri(1.0 - confidence)) * variance**0.5))
    inverted = benjamini_hochberg(correlations.p_negative)
    rows = range(len(mean))
    data = [f"{pluralize(int(trials[q]), 'trial')} of {pluralize(int(models[q]), 'model')}" for q in rows]
    r = [number(float(value), 2) for value in correlations.r]
    rules: list[tuple[str, Flags, Callable[[int], str]]] = [
        (NEVER, mean <= rates.least, lambda q: f"no success in {data[q]}"),
        (ALWAYS, mean >= rates.most, lambda q: f"no failure in {data[q]}"),
        (INVERTED, inverted <= fdr, lambda q: f"correlation {r[q]} with the other questions (q = {inverted[q]:.2g})"),
        (
            FLAKY,
            apart - reach > _FLAKY,
            lambda q: f"two trials of a model disagree in {apart[q]:.0%}, above {_FLAKY:.0%}",
        ),
    ]
    return [tuple(Flag(name, reason(q)) for name, holds, reason in rules if holds[q]) for q in rows]
