"""Curves of success over a property of the questions: a logistic curve for each model.

How much the value of a question varies over repetitions of its trials is taken from what the curve expects of it. The
jackknife of few trials is 0 wherever all trials agree, which few questions on the slope of a curve make unreliable.
For the share of successes, the true rate of a question is therefore taken as Beta distributed around the curve, with an
overdispersion ``r`` in ``Beta(p (1 - r) / r, (1 - p) (1 - r) / r)``. Repeated trials show ``r``, which is averaged over
a flat prior.

Single trials do not show ``r`` at all. It is then taken to be small but not 0, because no bank is known whose questions
differ in nothing but the value. If they did, 95% intervals would hold in 93.7% of all cases instead of 95%; where
questions differ more, they hold in more than 95%. Around a curve over the difficulty for other models, 0.12 to 0.96 was
seen in 112 models of four banks, and 0.02 to 0.09 in five models of MATH, which solve few questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Counts, Vector
from .._base.choices import TARGETS
from .._base.special import betaln, expit
from .._base.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ..estimates._tasks import as_tasks
from ..inference._level import Level
from ..judging._trial_noise import question_values, trial_variances
from ..metrics import Metric
from ..metrics._shared_prior import groups
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..outcomes._labels import by_question
from ..outcomes._trials import score_values
from ..params import choice, open_unit
from ._logistic import Logistic, LogisticError, parameters_of

_LARGEST = 1023.0  # doublings, of which a double holds the power

LOGISTIC, METR = FITS = ("logistic", "metr")
_RIDGE = {LOGISTIC: 0.0, METR: 0.1}  # on the slope per doubling, with weights that sum to 1
_FEWEST = 5  # questions with different values that a curve needs
_SINGLE = 0.1  # the overdispersion of single trials
_GRID = (np.arange(40) + 0.5) / 40.0  # of r


class CurvePoint(NamedTuple):
    """The ``rate`` of success at a value, by the curve of a model, with its interval."""

    value: float
    rate: float
    lo: float
    hi: float


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve of one model: the values and success rates of its questions, their weights, and the fit.

    ``slope`` is the change of the log-odds per doubling of the value.
    """

    model: str
    values: Vector = field(repr=False)
    rates: Vector = field(repr=False)
    weights: Vector = field(repr=False)
    confidence: float
    line: Logistic = field(repr=False)
    error: LogisticError = field(repr=False)

    @property
    def slope(self) -> float:
        """The change of the log-odds of success per doubling of the value."""
        return float(self.line.parameters[1])

    @property
    def extent(self) -> tuple[float, float]:
        """The smallest and the largest value of the model's questions."""
        return float(self.values.min()), float(self.values.max())

    def spread(self, count: int) -> Vector:
        """Return values from the smallest to the largest of the data, evenly spread in their logarithms."""
        return np.clip(np.geomspace(*self.extent, count), *self.extent)

    def at(self, value: float) -> CurvePoint:
        """Return the height of the curve at a value within the data: its ``rate``, between ``lo`` and ``hi``."""
        return self.heights([value])[0]

    def heights(self, values: Iterable[float]) -> list[CurvePoint]:
        """Return the height of the curve at values within the data."""
        at, (low, high) = np.fromiter(values, float), self.extent
        if beyond := [value for value in at if not low <= value <= high]:
            raise ParameterError(f"{beyond[0]:g} is beyond the data, whose values go from {low:g} to {high:g}")
        places = np.log2(at)
        design = np.column_stack([np.ones_like(places), places])
        middle = design @ self.line.parameters
        level = Level(self.confidence)
        reach = [level.critical(self.error.degrees(contrast)) * self.error.sd(contrast) for contrast in design]
        rows = zip(at, expit(middle), expit(middle - reach), expit(middle + reach), strict=True)
        return [CurvePoint(*map(float, row)) for row in rows]


def one_set(outcomes: Any) -> OutcomeSet:
    """Return outcomes of one task as a set of models."""
    tasks = as_tasks(outcomes)
    if len(tasks) > 1:
        hint = "suite.pooled() joins the tasks into one set, and suite[task] is one of them"
        raise OutcomeError(f"a curve is over the questions of one task, and these are {len(tasks)} tasks", hint=hint)
    return next(iter(tasks.values()))


def curves_of(
    metric: Metric, models: OutcomeSet, values: Any, target: str, fit: str, confidence: float
) -> dict[str, Curve]:
    """Return the curve of every model over the values of questions."""
    given = complete(values, models, "values")
    if not is_numeric(given):
        hint = "outcomes.split(names) makes a suite whose tasks are the categories"
        raise ParameterError("are names of categories, which have no order", argument="values", hint=hint)
    if any(as_days(value) is not None for value in given):
        raise ParameterError("are dates: give the time since one of them", argument="values")
    numbers = as_numbers(given, "values")
    if (numbers <= 0.0).any():
        raise ParameterError(f"must be above 0 for their logarithms; got {numbers.min():g}", argument="values")
    choice("fit", fit, FITS)
    choice("target", target, TARGETS)
    open_unit("confidence", confidence)
    about: dict[str, Any] = {"target": target, "fit": fit, "confidence": confidence}
    return {name: _curve(name, metric, outcomes, numbers, **about) for name, outcomes in models.items()}


def _curve(
    name: str, metric: Metric, matrix: OutcomeMatrix, numbers: Vector, *, target: str, fit: str, confidence: float
) -> Curve:
    required = metric.required_trials
    kept = np.flatnonzero(matrix.trials >= max(required, 1))
    if len(np.unique(numbers[kept])) < _FEWEST:
        problem = f"{name}: a curve needs questions of {_FEWEST} different values; got {len(np.unique(numbers[kept]))}"
        raise OutcomeError(problem, hint="for few values, pass their names as texts: the score of each is then given")
    part = matrix.select(np.isin(np.arange(matrix.n_questions), kept)).without_runs
    rates = question_values(metric, part)
    low, high = metric.support(part)
    if low < 0.0 or high > 1.0:
        raise OutcomeError(f"{name}: a curve is over rates from 0 to 1, and {metric} reaches from {low:g} to {high:g}")
    x = np.log2(numbers[kept])
    ridge, clusters = _RIDGE[fit], groups(matrix)[kept]
    weights = 1.0 / np.sqrt(np.bincount(clusters)[clusters]) if fit == METR else np.ones(len(kept))
    is_unanimous = not 0.0 < float(rates.min()) + float(rates.max()) < 2.0  # only failures, or only successes
    is_plain, is_silent = ridge > 0.0 and not is_unanimous, target == "population" and is_unanimous
    firth = np.bincount(clusters)[clusters].astype(float) if is_silent else 1.0 / part.trials
    penalty = None if is_plain else firth
    parameters = parameters_of(x, rates, weights, penalty, ridge)
    line = Logistic(x, rates, weights / weights.sum(), clusters, penalty, ridge, parameters)
    if target == "population":
        error = line.over_clusters(is_silent=is_silent)
    else:
        error = line.over_trials(_noise(metric, part, line))
    return Curve(name, numbers[kept], rates, weights, confidence, line, error)


def _noise(metric: Metric, part: OutcomeMatrix, line: Logistic) -> Vector:
    """Return the variance of each question's value over repeated trials."""
    curve = line.p
    if part.has_two_categories and np.array_equal(line.y, part.successes / part.trials):
        return share_variances(part.successes, part.trials, curve)
    variances = trial_variances(metric, part)
    if not variances.any():  # all trials agree, and show no noise
        return curve * (1.0 - curve)
    return np.where(np.isnan(variances), curve * (1.0 - curve), variances)


def share_variances(successes: Counts, trials: Counts, p: Vector) -> Vector:
    """Return the variance of ``successes / trials`` over repeated trials of the same questions, given the curve ``p``.

    >>> share_variances(np.array([1, 0]), np.array([1, 1]), np.array([0.5, 0.2])).round(3)
    array([0.225, 0.144])
    """
    p = np.clip(p, 1e-9, 1.0 - 1e-9)
    if int(trials.max()) < 2:
        return np.asarray(p * (1.0 - p) * (1.0 - _SINGLE))
    size = ((1.0 - _GRID) / _GRID)[:, None]
    a, b = size * p + successes, size * (1.0 - p) + (trials - successes)  # of each question's rate given its outcomes
    log_evidence = np.where(trials > 1, betaln(a, b) - betaln(size * p, size * (1.0 - p)), 0.0).sum(axis=1)
    weight = np.exp(log_evidence - log_evidence.max())  # of each r
    weight /= weight.sum()
    expected = a * b / ((a + b) * (a + b + 1.0))
    single = p * (1.0 - p) * (1.0 - float(weight @ _GRID))  # of which only the curve and the other questions tell
    return np.asarray(np.where(trials > 1, weight @ expected, single) / trials)


# The values of questions, however they are given.


def listed(values: Any, outcomes: OutcomeSet, argument: str) -> list[Any]:
    """Return a value per question: of a mapping, a sequence, or a score that logs were read with."""
    if isinstance(values, str):
        return _kept(values, outcomes, argument)
    return by_question(values, outcomes.n_questions, outcomes.questions, argument)


def complete(values: Any, outcomes: OutcomeSet, argument: str) -> list[Any]:
    """Return a value per question as ``listed`` does, and refuse None and NaN, which say that a value is missing."""
    in_order = listed(values, outcomes, argument)
    is_missing = (value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)) for value in in_order)
    labels = outcomes.questions or range(outcomes.n_questions)
    if absent := [label for label, missing in zip(labels, is_missing, strict=True) if missing]:
        problem = f"has no value (None or NaN) for {pluralize(len(absent), 'question')}: {shorten(absent)}"
        hint = "give each of them a value, or leave them out of the outcomes with select()"
        raise OutcomeError(problem, argument=argument, hint=hint)
    return in_order


def _kept(name: str, outcomes: OutcomeSet, argument: str) -> list[Any]:
    """Return the score of this name, which all trials of a question share; None where no trial has it."""
    by_question: dict[int, float] = {}
    for model, matrix in outcomes.items():
        if name not in matrix.scores:
            continue
        of_trials = np.repeat(np.arange(matrix.n_questions), matrix.trials)
        values = matrix.trial_columns.score(name)[1]
        has_value = ~np.isnan(values)
        for question, value in zip(of_trials[has_value].tolist(), values[has_value].tolist(), strict=True):
            if by_question.setdefault(question, value) != value:
                problem = f"{name!r} is {by_question[question]:g} and {value:g} in trials of one question"
                where = f"{(outcomes.questions or range(outcomes.n_questions))[question]!r} of {model!r}"
                hint = "a curve needs one value per question: pass a mapping"
                raise OutcomeError(f"{problem}, {where}", argument=argument, hint=hint)
    if not by_question:
        hint = f"read(.., keep={name!r}) keeps it; or pass a mapping from questions to values"
        raise OutcomeError(f"no trial has {name!r}", argument=argument, hint=hint)
    return [by_question.get(i) for i in range(outcomes.n_questions)]


def is_numeric(values: Sequence[Any]) -> bool:
    """Return whether the values are numbers or dates, and not names of categories."""
    has_names = any(value is None or isinstance(value, (str, bool)) for value in values)
    return not has_names or all(isinstance(value, str) and as_days(value) is not None for value in values)


def as_days(value: Any) -> float | None:
    """Return a date, or a text that is one such as 2025-02-24, as a number of days; None for anything else."""
    if isinstance(value, str):
        with suppress(ValueError):
            return float(date.fromisoformat(value[:10]).toordinal())
    if isinstance(value, datetime):
        return value.toordinal() + (value.hour + value.minute / 60.0) / 24.0
    return float(value.toordinal()) if isinstance(value, date) else None


def as_numbers(values: Sequence[Any], argument: str) -> Vector:
    """Return values as finite numbers; dates are days."""
    days = [as_days(value) for value in values]
    numbers = score_values([value if day is None else day for value, day in zip(values, days, strict=True)], argument)
    if not np.isfinite(numbers).all():
        raise ParameterError(f"must be finite numbers; got {numbers[~np.isfinite(numbers)][0]}", argument=argument)
    return numbers


def value_at(x: float) -> float | None:
    """Return the value whose logarithm to base 2 is ``x``; None for one that is infinite, or NaN."""
    return 2.0 ** min(x, _LARGEST) if math.isfinite(x) else None
