"""Checks of outcomes: enough trials, numbers of trials that tell of rates or outcomes, rates that contradict a prior.

**Designs.** The learned prior takes the rate of a question to say nothing about its number of trials. The mean over
questions of their scores needs no such thing if the numbers of trials were fixed before the outcomes, but is biased
where the outcomes decided when to stop. Outcomes that were declared with ``as_adaptive`` are not examined. With
``x = c/n`` and, from two trials on, ``v = c (n - c)/(n (n - 1))``, unbiased for ``p`` and ``p (1 - p)``, the sums
``T = sum (n - mean n) (x, v)`` over questions have mean 0 if ``p`` and ``n`` are independent, and the covariance
``sum (n - mean n)^2 (x, v)(x, v)'`` of deviations; ``T' Cov^-1 T`` is about chi-squared with two degrees of freedom.

**The uniform prior**, which the functions of ``scorio.eval`` assume, is contradicted where the statistic of
``_kernels/prior_check.pyx``, nearly chi-squared with two degrees of freedom, is large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from .._base.arrays import Vector, underflow_is_zero
from .._base.choices import LEARNED, TOO_FEW_OR_NAN
from .._base.words import pluralize, shorten, unknown, warn
from .._kernels import prior_check
from .._kernels.states import States
from ..errors import BiasWarning, OutcomeError, ParameterError, PriorWarning, Remedy, TrialsWarning
from ..inference import Beta, Interval, Prior
from ..inference._prior import PriorLike, as_prior
from ..outcomes import OutcomeMatrix
from ..params import count

if TYPE_CHECKING:
    from ._base import Metric


_ADAPTIVE = (
    "outcomes decided which questions got more trials (is_adaptive), so the raw mean is biased; "
    'mu of the interval with prior="learned" is not'
)
_FORECASTS = ("pass", "passhat")  # metrics of which ``forecast`` says what many more trials would give
_FORECAST_TRIALS = 4  # that a forecast rests on
_DEPENDENCE = -2.0 * math.log(0.01)  # of chi-squared: 1% of independent numbers of trials are called dependent
_FEWEST = 8  # questions that stopped early, or that differ in their trials, before anything is said
_DEPENDENT = (
    "questions with more trials have other success rates than questions with fewer: count missing trials that are"
    " failures (missing='fail'), or use outcomes.as_adaptive() if outcomes decided the numbers of trials. Else only"
    " intervals of metrics that need no more trials than every question has are right"
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
FALSE_ALARMS = 1e-3  # the share of sets of uniform questions that are called a contradiction
_CONTRADICTION = -2.0 * math.log(FALSE_ALARMS)
_ROUNDING = 1e-12
_CONTRADICTS = (
    "the outcomes contradict the uniform prior of the success rates, so this interval may miss the true value;"
    ' .interval(R, prior="learned") of the metric learns the prior, and {metric}(..).interval(R, prior="uniform") gives'
    " these numbers without this warning"
)
_BIASED_SCORE = (
    "{metric} of the trials at hand has a bias that no number of questions takes away, and this statement is about it:"
    " models of other difficulties, or trials, differ in the bias too. Pass@k and Pass^k have none"
)
_RESTS_ON_FEW = (
    "{metric} is a product of powers of means over all questions, and one of these means rests on {questions} of a"
    " model, so few that the product is far from linear in it: equal models may be called different. Compare by the"
    " parts, such as pass@k and pass^k, or add questions"
)
_EXPANDED = (
    "{metric} under a prior that is given is expanded to first order, as published, and its mean is {away:.1f} standard"
    ' deviations from the exact one: the interval may miss the true value. .interval(R, prior="learned") is exact'
)
_FAR_OFF = 1.0  # of a standard deviation: with such an error, a 95% interval covers .83
_FEW_BEHIND = 8  # questions behind a mean, from which on its power is nearly linear in it
PUBLISHED = (1.0, 1.0)  # the pseudo-counts of the published definitions
_FIXED_PRIOR = (
    "a fixed prior biases the estimate, so the interval is not valid at every look although looks were given; "
    'pass prior="learned"'
)


def with_enough_trials(metric: Metric, outcomes: OutcomeMatrix, too_few: str) -> OutcomeMatrix | None:
    """Return the questions with enough trials; None if others exist and ``too_few`` is ``"nan"``."""
    if too_few not in TOO_FEW_OR_NAN:
        raise ParameterError(unknown("too_few", too_few, TOO_FEW_OR_NAN))
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
    is_beyond = metric.name in _FORECASTS and _FORECAST_TRIALS <= outcomes.max_trials < required
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


def warn_of_trials(outcomes: OutcomeMatrix, target: str) -> None:
    """Issue a TrialsWarning where the numbers of trials are related to the rates, or ended with the outcomes."""
    design = design_of(outcomes) if outcomes.has_two_categories else Design.EVEN
    if design is Design.DEPENDENT:
        warn(_DEPENDENT if target == "questions" else _DEPENDENT_POPULATION, TrialsWarning)
    elif design is Design.STOPPED and target == "questions":
        warn(_STOPPED, TrialsWarning)


def _design(states: States) -> Design:
    asked = states.trials > 0
    counts = (states.successes, states.trials, states.multiplicity)
    c, n, m = (np.asarray(column, dtype=np.float64)[asked] for column in counts)
    if _stopped(c, n, m) or _stopped(n - c, n, m):
        return Design.STOPPED
    return Design.DEPENDENT if _dependence(c, n, m) > _DEPENDENCE else Design.EVEN


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


def warn_of_fixed_prior(metric: Metric, outcomes: OutcomeMatrix, prior: PriorLike, target: str) -> None:
    """Issue a BiasWarning where an interval with looks depends on a prior that is not learned."""
    has_prior = target == "questions" and not metric._estimate_ignores_prior and not outcomes.is_continuous
    if has_prior and not as_prior(prior).is_learned:
        warn(_FIXED_PRIOR, BiasWarning)


def warn_of_contradiction(metric: Metric, outcomes: OutcomeMatrix) -> None:
    """Issue a PriorWarning where the outcomes contradict the uniform prior."""
    if contradicts_uniform(outcomes, metric._rewards_of_categories(outcomes)):
        warn(_CONTRADICTS.format(metric=type(metric).__name__), PriorWarning)


def warn_of_biased_score(metric: Metric) -> None:
    """Issue a BiasWarning where a statement is made from scores that have a bias."""
    if metric._has_biased_score:
        warn(_BIASED_SCORE.format(metric=metric), BiasWarning)


def _warn_of_few_behind(metric: Metric, models: Iterable[OutcomeMatrix]) -> None:
    """Issue a BiasWarning where models are compared by a power of a mean that rests on very few questions."""
    for model in () if metric.is_mean_over_questions else models:
        questions = metric._questions_behind(model)
        if questions is not None and questions < min(_FEW_BEHIND, model.n_questions):
            warn(_RESTS_ON_FEW.format(metric=metric, questions=pluralize(questions, "question")), BiasWarning)
            return


@underflow_is_zero
def warn_of_biased_interval(metric: Metric, outcomes: OutcomeMatrix, interval: Interval) -> None:
    """Issue a BiasWarning where an interval under a given prior is about a biased score, or its mean is far off."""
    if interval.target == "population":
        warn_of_biased_score(metric)
        return
    exact = metric._exact_mean(outcomes, as_prior(interval.prior))
    if exact is not None and abs(exact - interval.mu) > _FAR_OFF * interval.sigma:
        away = abs(exact - interval.mu) / max(interval.sigma, _ROUNDING)
        warn(_EXPANDED.format(metric=metric, away=away), BiasWarning)


def prior_or_default(
    metric: Metric, prior: PriorLike | None, outcomes: Iterable[OutcomeMatrix], target: str = "questions"
) -> PriorLike:
    """Return the prior, or without one that of the metric; warn where models cannot be compared by it."""
    models = list(outcomes)
    if prior is None:
        defaults = set() if metric._default_prior == LEARNED else {metric._prior_of(model) for model in models}
        prior = defaults.pop() if len(defaults) == 1 else LEARNED
    if len(models) > 1:
        k = metric.draw_size or 1
        short = [model for model in models if model.min_trials < k and model.has_two_categories]
        if as_prior(prior).is_learned and any(design_of(model) is Design.DEPENDENT for model in short):
            fewest = max(min(model.min_trials for model in short), 1)
            warn(_DIFFERENT_DESIGNS.format(k=k, fewest=fewest), TrialsWarning)
        _warn_of_few_behind(metric, models)
        if target == "population":
            warn_of_biased_score(metric)
    return prior


def contradicts_uniform(outcomes: OutcomeMatrix, rewards: Vector | None = None) -> bool:
    """Return whether the outcomes contradict the uniform prior.

    >>> contradicts_uniform(OutcomeMatrix.from_counts([8] * 20 + [0] * 20, 8))
    True
    """
    informed = outcomes.with_prior_counts
    if rewards is not None:
        return prior_check.of_profiles(informed.groups, informed.profile_rows, rewards) > _CONTRADICTION
    return informed.has_two_categories and prior_check.of_states(informed.states) > _CONTRADICTION


def check_continuous_prior(prior: Prior, subject: str = "continuous rewards") -> None:
    """Check that the prior is a learned one, or the default."""
    if not (prior.is_learned or prior == Beta(1.0, 1.0)):
        raise ParameterError(
            f'must be "learned": {subject} have no categories to give pseudo-counts to; got {prior}', argument="prior"
        )
