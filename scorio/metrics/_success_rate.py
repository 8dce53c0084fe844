"""Metrics that are linear in the success rates of the questions, and the interval that needs no difficulties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._choices import TARGETS
from ..errors import OutcomeError, ParameterError, Remedy
from ..inference import Interval, Level, PriorLike, as_prior
from ..outcomes import OutcomeMatrix
from ..params import choice
from ._intervals import binomial_interval

if TYPE_CHECKING:
    from ._base import Metric

NEVER, ALWAYS = OutcomeMatrix([[0]]), OutcomeMatrix([[1]])


def is_success_rate(metric: Metric, models: Sequence[OutcomeMatrix]) -> bool:
    """Return whether the metric is about the success rates of single trials."""
    is_of_one_trial = metric.is_mean_over_questions and metric.required_trials <= 1 and not metric.is_of_samples
    return is_of_one_trial and all(model.is_pass_fail for model in models)


def bound_interval(
    metric: Metric, outcomes: OutcomeMatrix, level: Level, prior: PriorLike, target: str, about: dict[str, Any]
) -> Interval:
    """Return the interval that holds whatever the difficulties of these questions are, or say why there is none."""
    if choice("target", target, TARGETS) != "questions":
        problem = '"binomial" is about these questions'
        raise ParameterError(problem, argument="shape", remedies=[Remedy("target", "questions", "asks about them")])
    if not is_success_rate(metric, [outcomes]):
        problem = f'"binomial" is for shares of successes; {metric} of these outcomes is none'
        raise ParameterError(problem, argument="shape", hint="use pass@1 and binary outcomes")
    if outcomes.min_trials != outcomes.max_trials or outcomes.is_adaptive or outcomes.prior_counts is not None:
        problem = "the binomial interval needs the same number of trials of every question, chosen before the outcomes"
        raise OutcomeError(problem, remedies=[Remedy("shape", "quantile", "learns the difficulties instead")])
    assumed = as_prior(prior)
    given: PriorLike = "jeffreys" if assumed.is_learned else prior
    failures, successes = outcomes.counts.sum(axis=0)[:2].tolist()
    values = metric.observed(NEVER), metric.observed(ALWAYS)
    about |= {"prior": given, "target": target}
    return binomial_interval(successes, successes + failures, level, values, as_prior(given).pair(), **about)
