"""Questions with too few trials for a score: an error, omitted, or NaN."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import Vector
from .._choices import TOO_FEW_OR_NAN
from .._display.words import pluralize, shorten, unknown, warn
from ..errors import BiasWarning, OutcomeError, ParameterError, Remedy
from ..outcomes import OutcomeMatrix
from ..params import count

if TYPE_CHECKING:
    from ._base import Metric

_ADAPTIVE = (
    "outcomes decided which questions got more trials (is_adaptive), so the raw mean is biased; "
    'use interval(.., prior="learned").mu instead'
)

_FORECASTS = ("pass", "passhat")  # metrics of which ``forecast`` says what many more trials would give
_FEWEST = 4  # trials that a forecast rests on


def check_too_few(too_few: str) -> None:
    """Raise a ParameterError for an invalid ``too_few``."""
    if too_few not in TOO_FEW_OR_NAN:
        raise ParameterError(unknown("too_few", too_few, TOO_FEW_OR_NAN))


def with_enough_trials(metric: Metric, outcomes: OutcomeMatrix, too_few: str) -> OutcomeMatrix | None:
    """Return the questions with enough trials; None if others exist and ``too_few`` is ``"nan"``."""
    if too_few != "raise":
        check_too_few(too_few)
    required = metric.required_trials
    if outcomes.is_adaptive:
        warn(_ADAPTIVE, BiasWarning)
    if outcomes.min_trials >= required:
        return outcomes
    if too_few == "nan":
        return None
    if too_few == "raise":
        raise _too_few_trials(metric, outcomes)
    keep = outcomes.trials >= required
    if not keep.any():
        raise OutcomeError(f"no question has the {pluralize(required, 'trial')} that {metric} needs")
    return outcomes.select(keep)


def values_or_nan(
    metric: Metric, outcomes: OutcomeMatrix, too_few: str, values: Callable[[OutcomeMatrix], Vector]
) -> Vector:
    """Return ``values`` of the questions with enough trials; with ``too_few="nan"``, NaN for the others."""
    enough = with_enough_trials(metric, outcomes, too_few)
    if enough is not None:
        return values(enough)
    out = np.full(outcomes.n_questions, np.nan)
    keep = outcomes.trials >= metric.required_trials
    if keep.any():
        out[keep] = values(outcomes.select(keep))
    return out


def _too_few_trials(metric: Metric, outcomes: OutcomeMatrix) -> OutcomeError:
    """Return an error that names the questions with too few trials, if others have enough."""
    required, fewest = metric.required_trials, outcomes.min_trials
    without_score = Remedy("too_few", "nan", "goes on without a score")
    is_beyond = metric.name in _FORECASTS and _FEWEST <= outcomes.max_trials < required
    more = (
        f"forecast (scorio curve -k {required}) says what so many trials of every question would give"
        if is_beyond
        else None
    )
    if fewest == outcomes.max_trials and metric.is_of_samples:
        problem = f"N is {fewest}, and what {metric} would choose among more trials is not known"
        raise OutcomeError(problem, hint=f"take k up to {fewest}, or run {required} trials of each question")
    if fewest == outcomes.max_trials:
        problem = f"N is {fewest}; {metric} has an interval but no score"
        return OutcomeError(problem, remedies=[without_score], hint=more)
    few = np.flatnonzero(outcomes.trials < required)
    names = shorten(outcomes.questions[a] if outcomes.questions else a for a in few.tolist())
    plural = "" if few.size == 1 else "s"
    verb = "has" if few.size == 1 else "have"
    amount = "no trial" if not outcomes.trials[few].any() else f"fewer than {required} trials"
    remedies = [Remedy("too_few", "omit", "leaves them out" if plural else "leaves it out"), without_score]
    problem = f"question{plural} {names} {verb} {amount}, and {metric} needs {required}"
    return OutcomeError(problem, remedies=remedies, hint=more)


def budgets_of(outcomes: OutcomeMatrix, ks: Iterable[int] | None) -> list[int]:
    """Return the budgets of a curve: those given, or every k up to the fewest trials of a question."""
    if ks is None:
        return list(range(1, outcomes.min_trials + 1))
    if not np.iterable(ks):
        raise ParameterError(f"must be a list of budgets k; got {ks!r}", argument="ks")
    return [count("k", k) for k in ks]
