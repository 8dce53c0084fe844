"""Warnings where the outcomes contradict the uniform prior, which the functions of ``scorio.eval`` assume.

The statistic is that of ``_kernels/prior_check.pyx``, nearly chi-squared with two degrees of freedom: above
``-2 log FALSE_ALARMS`` it contradicts the prior.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .._arrays import Vector, underflow_is_zero
from .._display.words import pluralize, warn
from .._kernels import prior_check
from ..errors import BiasWarning, PriorWarning
from ..inference import LEARNED, Interval, PriorLike, as_prior
from ..outcomes import OutcomeMatrix
from ._trial_design import warn_of_trials_of_models

if TYPE_CHECKING:
    from ._base import Metric

FALSE_ALARMS = 1e-3  # the share of sets of uniform questions that are called a contradiction
_CRITICAL = -2.0 * math.log(FALSE_ALARMS)
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
    chosen = _default(metric, models) if prior is None else prior
    if len(models) > 1 and as_prior(chosen).is_learned:
        warn_of_trials_of_models(getattr(metric, "k", 1), models)
    if len(models) > 1:
        _warn_of_few_behind(metric, models)
        if target == "population":
            warn_of_biased_score(metric)
    return chosen


def _default(metric: Metric, models: list[OutcomeMatrix]) -> PriorLike:
    if metric._default_prior == LEARNED or not models:
        return LEARNED
    defaults = {metric._prior_of(model) for model in models}
    return LEARNED if LEARNED in defaults else defaults.pop()


def contradicts_uniform(outcomes: OutcomeMatrix, rewards: Vector | None = None) -> bool:
    """Return whether the outcomes contradict the uniform prior.

    >>> contradicts_uniform(OutcomeMatrix.from_counts([8] * 20 + [0] * 20, 8))
    True
    """
    informed = outcomes.with_prior_counts
    if rewards is not None:
        return prior_check.of_profiles(informed.groups, informed.profile_rows, rewards) > _CRITICAL
    return informed.has_two_categories and prior_check.of_states(informed.states) > _CRITICAL
