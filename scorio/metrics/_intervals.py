"""Intervals of a law: normal, of quantiles, of continuous rewards, of a number of successes, of all that fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._choices import CONTINUOUS, SHAPES, TARGETS
from .._special import betaincinv
from ..errors import OutcomeError, ParameterError, Remedy
from ..inference import (
    LEAST_WIDTH,
    NO_REACH,
    Bounds,
    Interval,
    Level,
    Looks,
    Mixture,
    Prior,
    PriorLike,
    SkewedT,
    as_prior,
    serves_quantiles,
    within,
)
from ..outcomes import OutcomeMatrix
from ..params import choice

if TYPE_CHECKING:
    from ._base import Metric

NEVER, ALWAYS = OutcomeMatrix([[0]]), OutcomeMatrix([[1]])


class Request(NamedTuple):
    """The arguments of an interval: ``level`` is that of this look, and ``limits`` clip both ends, if there are any."""

    level: Level
    prior: PriorLike
    target: str = "questions"
    shape: str | None = None
    limits: Bounds | None = None
    looks: Looks | None = None


def shape_or_default(shape: str | None, prior: Prior, bounds: Bounds) -> str:
    """Return ``shape``; without one, ``"quantile"`` for a learned prior whose bounds serve it, else ``"normal"``."""
    if shape is not None:
        return choice("shape", shape, SHAPES)
    return "quantile" if serves_quantiles(bounds) and prior.is_learned else "normal"


def normal_interval(
    mu: float, sigma: float, request: Request, completeness: float, single_trials: bool = False
) -> Interval:
    """Return ``mu -+ z sigma``, both ends clipped to the limits, so that the lower never exceeds the upper."""
    level, prior, target, _, bounds, looks = request
    reach = level.critical() * sigma if sigma != 0.0 else 0.0
    lo, hi = mu - reach, mu + reach
    if bounds is not None:
        lo, hi = within(bounds, lo), within(bounds, hi)
    return Interval(
        mu,
        sigma,
        lo,
        hi,
        confidence=level.confidence,
        prior=prior,
        completeness=completeness,
        target=target,
        looks=looks,
        bounds=bounds,
        single_trials=single_trials,
    )


def interval_of(
    numbers: tuple[float, float, float, float], request: Request, bounds: Bounds | None, **about: Any
) -> Interval:
    """Return the interval with these numbers, of which the request and ``about`` say the rest."""
    level, prior, target, _, _, looks = request
    about = {"prior": prior, "target": target, "looks": looks, "bounds": bounds} | about
    return Interval(*numbers, confidence=level.confidence, **about)


def students_interval(
    posterior: SkewedT, request: Request, shape: str, reach: Bounds = NO_REACH, rewards: str = CONTINUOUS, **about: Any
) -> Interval:
    """Return the interval of the mean of real values, extended to ``reach``, both ends clipped to the limits."""
    lo, hi = posterior.ends(request.level, shape)
    lo, hi = min(lo, reach[0]), max(hi, reach[1])
    if request.limits is not None:
        lo, hi = within(request.limits, lo), within(request.limits, hi)
    numbers = posterior.mean, posterior.sd, lo, hi
    return interval_of(numbers, request, request.limits, shape=shape, rewards=rewards, **about)


def quantile_interval(
    posterior: Mixture, request: Request, bounds: Bounds, reach: Bounds = NO_REACH, **about: Any
) -> Interval:
    """Return the equal-tailed interval of Beta distributions on ``bounds``, extended to contain the mean.

    It is extended to ``reach`` too: values that the outcomes do not speak against, whatever the posterior says.
    """
    low, high = bounds
    tail = request.level.tail
    if not math.isfinite(high - low):
        raise ParameterError(f'shape="quantile" needs finite bounds; got {bounds}')
    if 0.0 < high - low < LEAST_WIDTH:
        raise ParameterError(f'shape="quantile" needs bounds at least {LEAST_WIDTH:g} apart; got {bounds}')
    mu = posterior.mean
    lo, hi = posterior.on(low, high).equal_tailed(tail) if high > low and tail > 0.0 else (low, high)
    lo, hi = within(bounds, min(lo, mu, reach[0])), within(bounds, max(hi, mu, reach[1]))
    return interval_of((mu, posterior.sd, lo, hi), request, bounds, shape="quantile", **about)


def is_success_rate(metric: Metric, models: Sequence[OutcomeMatrix]) -> bool:
    """Return whether the metric is about the success rates of single trials."""
    is_of_one_trial = metric.is_mean_over_questions and metric.required_trials <= 1 and not metric.is_of_samples
    return is_of_one_trial and all(model.is_pass_fail for model in models)


def binomial_interval(metric: Metric, outcomes: OutcomeMatrix, request: Request, **about: Any) -> Interval:
    """Return the interval that holds whatever the difficulties of these questions are, or say why there is none.

    It is that of one success rate common to all trials, in which the metric is linear. Rates that differ between
    questions make the number of successes vary less (Hoeffding 1956), so that it is never too narrow for their mean.
    """
    if choice("target", request.target, TARGETS) != "questions":
        problem = '"binomial" is about these questions'
        raise ParameterError(problem, argument="shape", remedies=[Remedy("target", "questions", "asks about them")])
    if not is_success_rate(metric, [outcomes]):
        problem = f'"binomial" is for shares of successes; {metric} of these outcomes is none'
        raise ParameterError(problem, argument="shape", hint="use pass@1 and binary outcomes")
    if outcomes.min_trials != outcomes.max_trials or outcomes.is_adaptive or outcomes.prior_counts is not None:
        problem = "the binomial interval needs the same number of trials of every question, chosen before the outcomes"
        raise OutcomeError(problem, remedies=[Remedy("shape", "quantile", "learns the difficulties instead")])
    prior: PriorLike = "jeffreys" if as_prior(request.prior).is_learned else request.prior
    failures, successes = outcomes.counts.sum(axis=0)[:2].tolist()
    alpha, beta = np.add(as_prior(prior).pair(), (successes, failures)).tolist()
    share, tail = alpha / (alpha + beta), request.level.tail
    ends = [
        0.0 if successes == 0 else min(float(betaincinv(alpha, beta, tail)), share),
        1.0 if failures == 0 else max(1.0 - float(betaincinv(beta, alpha, tail)), share),
    ]
    lowest, highest = metric.observed(NEVER), metric.observed(ALWAYS)
    gain = highest - lowest
    lo, hi = sorted(lowest + gain * end for end in ends)
    sigma = abs(gain) * math.sqrt(share * (1.0 - share) / (alpha + beta + 1.0))
    bounds, numbers = (min(lowest, highest), max(lowest, highest)), (lowest + gain * share, sigma, lo, hi)
    return interval_of(numbers, request, bounds, shape="binomial", **about | {"prior": prior})


def profile_interval(
    metric: Metric, outcomes: OutcomeMatrix, request: Request, ends: Bounds | None, **about: Any
) -> Interval:
    """Return the interval from end to end within the limits, around the posterior mean, or say why there is none."""
    if ends is None:
        problem = f'"profile" is for metrics of a number of successes; {metric} of these outcomes is none'
        raise ParameterError(problem, argument="shape", hint="use pass@k, pass^k or gpass@k and binary outcomes")
    mu = within(ends, metric.law_of(outcomes, request.prior, request.target).mean)
    sigma = (ends[1] - ends[0]) / (2.0 * request.level.critical())
    bounds = request.limits or metric.support(outcomes)
    lo, hi = (within(bounds, end) for end in ends)
    return interval_of((mu, sigma, lo, hi), request, bounds, shape="profile", **about)
