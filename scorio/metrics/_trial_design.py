"""Whether the numbers of trials of the questions depend on how hard the questions are, or on the outcomes themselves.

The learned prior takes the rate of a question to say nothing about its number of trials. The mean over questions of
their scores needs no such thing if the numbers of trials were fixed before the outcomes, but is biased where the
outcomes decided when to stop. Outcomes that were declared with ``as_adaptive`` are not examined.

With ``x = c/n`` and, from two trials on, ``v = c (n - c)/(n (n - 1))``, unbiased for ``p`` and ``p (1 - p)``, the sums
``T = sum (n - mean n) (x, v)`` over questions have mean 0 if ``p`` and ``n`` are independent, and the covariance
``sum (n - mean n)^2 (x, v)(x, v)'`` of deviations; ``T' Cov^-1 T`` is about chi-squared with two degrees of freedom.
"""

from collections.abc import Iterable
from enum import Enum

import numpy as np

from .._arrays import Vector
from .._display.words import warn
from .._kernels.states import States
from ..errors import TrialsWarning
from ..outcomes import OutcomeMatrix

FALSE_ALARMS = 0.01  # share of independent numbers of trials that are called dependent
_CRITICAL = -2.0 * np.log(FALSE_ALARMS)
_FEWEST = 8  # questions that stopped early, or that differ in their trials, before anything is said

_DEPENDENT = (
    "questions with more trials have other success rates than questions with fewer. If the numbers of trials were fixed"
    " before the outcomes, intervals of metrics that need no more trials than every question has are right, and others"
    " are not: give all questions as many trials. If outcomes decided the numbers (more trials where it was uncertain,"
    " trials until a success), use outcomes.as_adaptive()"
)
_DIFFERENT_DESIGNS = (
    "questions with more trials have other success rates than questions with fewer, and a metric of {k} trials needs"
    " more of them than some questions have: a difference between models can come from their numbers of trials alone."
    " Give all questions at least {k} trials, or compare by a metric of at most {fewest}"
)
_STOPPED = (
    "the trials look as if each question had been asked until a fixed number of successes or of failures. The interval"
    " takes that into account, but the score is biased; outcomes.as_adaptive() says that the outcomes decided"
)
_DEPENDENT_POPULATION = (
    "questions with more trials have other success rates than questions with fewer. An interval for other questions"
    " takes them to be unrelated and may miss the truth: give all questions as many trials, or use"
    " outcomes.as_adaptive() if outcomes decided the numbers"
)


class Design(Enum):
    """How the numbers of trials came about, as far as the outcomes tell."""

    EVEN = "the same for all questions, or unrelated to their rates"
    DEPENDENT = "related to the rates of the questions"
    STOPPED = "each question stopped at a fixed number of successes, or of failures"
    DECLARED = "declared as adaptive"


def design_of(outcomes: OutcomeMatrix) -> Design:
    """Return how the numbers of trials came about; kept with the outcomes."""
    if outcomes.is_adaptive:
        return Design.DECLARED
    groups = outcomes.groups
    if groups.min_trials == groups.max_trials:
        return Design.EVEN
    return outcomes.cached("design of trials", lambda: _design(outcomes.states))


def has_even_trials(outcomes: OutcomeMatrix) -> bool:
    """Return whether the numbers of trials are the same for all questions, or unrelated to their rates."""
    return design_of(outcomes) is Design.EVEN


def warn_of_trials(outcomes: OutcomeMatrix, target: str) -> None:
    """Issue a TrialsWarning where the numbers of trials are related to the rates, or ended with the outcomes."""
    design = design_of(outcomes) if outcomes.has_two_categories else Design.EVEN
    if design is Design.DEPENDENT:
        warn(_DEPENDENT if target == "questions" else _DEPENDENT_POPULATION, TrialsWarning)
    elif design is Design.STOPPED and target == "questions":
        warn(_STOPPED, TrialsWarning)


def warn_of_trials_of_models(k: int, models: Iterable[OutcomeMatrix]) -> None:
    """Issue a TrialsWarning where numbers of trials are related to the rates, and some are fewer than ``k``."""
    short = [model for model in models if model.min_trials < k and model.has_two_categories]
    if short and any(design_of(model) is Design.DEPENDENT for model in short):
        fewest = max(min(model.min_trials for model in short), 1)
        warn(_DIFFERENT_DESIGNS.format(k=k, fewest=fewest), TrialsWarning)


def _design(states: States) -> Design:
    asked = states.trials > 0
    counts = (states.successes, states.trials, states.multiplicity)
    c, n, m = (np.asarray(column, dtype=np.float64)[asked] for column in counts)
    if _stopped(c, n, m) or _stopped(n - c, n, m):
        return Design.STOPPED
    return Design.DEPENDENT if _dependence(c, n, m) > _CRITICAL else Design.EVEN


def _stopped(hits: Vector, n: Vector, m: Vector) -> bool:
    """Return whether all questions that ended early have the same number of hits, and no other has more."""
    early = n < n.max()
    if m[early].sum() < _FEWEST or len(np.unique(n)) < 3:
        return False
    most = hits[early].max()
    return bool(most >= 1.0 and hits[early].min() == most and hits[~early].max(initial=0.0) <= most)


def _dependence(c: Vector, n: Vector, m: Vector) -> float:
    """Return ``T' Cov^-1 T``; 0 for too few questions."""
    if m.sum() < _FEWEST:
        return 0.0
    values = [c / n]
    several = n > 1.0
    if m[several].sum() >= _FEWEST and np.ptp(n[several]) > 0.0:
        values.append(np.where(several, c * (n - c) / (n * np.maximum(n - 1.0, 1.0)), np.nan))
    influence = []
    for value in values:
        has_value = np.isfinite(value)
        weight = np.where(has_value, m, 0.0)
        away = np.where(has_value, value, 0.0)
        away = np.where(has_value, away - weight @ away / weight.sum(), 0.0)
        influence.append(np.where(has_value, (n - weight @ n / weight.sum()) * away, 0.0))
    rows = np.array(influence)
    total, cov = rows @ m, (rows * m) @ rows.T
    return float(total @ np.linalg.pinv(cov, rcond=1e-9, hermitian=True) @ total)
