"""How difficult questions are, where only the kind of benchmark is known: quantiles of success rates."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from .._arrays import Vector, underflow_is_zero
from .._choices import PROFILES
from .._special import betaincinv, gammaln
from ..errors import OutcomeError, ParameterError
from ..metrics import Metric
from ..metrics._fits import learned_prior_of_population
from ..outcomes import OutcomeMatrix
from ..outcomes._admitted import as_questions
from ..params import choice

_POINTS = 400
# The shares of questions that are never and always solved, and the Beta distribution of the others.
_NAMED: Mapping[str, tuple[float, float, float, float]] = MappingProxyType(
    {
        "typical": (0.10, 0.15, 0.8, 0.6),
        "hard": (0.35, 0.0, 0.5, 2.0),
        "two-sided": (0.30, 0.30, 1.0, 1.0),
    }
)
_GRID = (np.arange(_POINTS) + 0.5) / _POINTS


@underflow_is_zero
def rates_of(profile: Any) -> Vector:
    """Return success rates at evenly spaced quantiles: of a named profile, or as learned from outcomes."""
    if isinstance(profile, str):
        never, always, alpha, beta = _NAMED[choice("profile", profile, PROFILES)]
        inner = np.clip((_GRID - never) / (1.0 - never - always), 0.0, 1.0)
        return np.asarray(betaincinv(alpha, beta, inner))
    outcomes = as_questions(profile)
    if outcomes.is_continuous or not outcomes.is_pass_fail:
        raise OutcomeError("a profile needs binary outcomes", hint="say which rewards are right, as in R >= 1")
    return _learned(outcomes)


def _learned(outcomes: OutcomeMatrix) -> Vector:
    """Return the quantiles of the success rates that the learned prior expects of questions like these."""
    prior = learned_prior_of_population(outcomes)
    weight = prior.weight[: prior.size] / prior.weight[: prior.size].sum()
    rates, weights = [], []
    for node, (alpha, beta, share) in enumerate(zip(prior.alpha, prior.beta, weight, strict=True)):
        masses = prior.point_masses(node)
        never = always = 0.0
        if masses is not None:
            total = masses[0].sum()
            never, always = float(masses[0] @ masses[1] / total), float(masses[0] @ masses[2] / total)
        rates += [betaincinv(alpha, beta, _GRID), np.array([0.0, 1.0])]
        weights += [np.full(_POINTS, share * (1.0 - never - always) / _POINTS), share * np.array([never, always])]
    rate, mass = np.concatenate(rates), np.concatenate(weights)
    order = np.argsort(rate)
    ends = np.cumsum(mass[order])
    return np.asarray(rate[order][np.searchsorted(ends, _GRID * ends[-1])])


def best_difference(metric: Metric, rates: Vector, trials: int) -> float:
    """Return how much better a model can be: it solves every question that is ever solved."""
    return mean_value(metric, np.where(rates > 0.0, 1.0, 0.0), trials) - mean_value(metric, rates, trials)


def better_by(metric: Metric, rates: Vector, trials: int, difference: float) -> Vector:
    """Return the rates of a model that is better by this difference: ``p^c``, which keeps 0 and 1."""
    most = best_difference(metric, rates, trials)
    if difference >= most:
        problem = f"is {difference:g}, but with these difficulties no model can be better by more than {most:.3f}"
        raise ParameterError(problem, argument="difference")
    wanted = mean_value(metric, rates, trials) + difference
    low, high = 0.0, 20.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        is_less = mean_value(metric, rates ** np.exp(-middle), trials) < wanted
        low, high = (middle, high) if is_less else (low, middle)
    return np.asarray(rates ** np.exp(-high))


def mean_value(metric: Metric, rates: Vector, trials: int) -> float:
    """Return the mean of the metric's true value."""
    return float(values_and_noise(metric, rates, trials)[0].mean())


def values_and_noise(metric: Metric, rates: Vector, trials: int) -> tuple[Vector, Vector]:
    """Return the true value at each rate, and the variance of its estimate from this number of trials."""
    table = OutcomeMatrix.from_counts(np.arange(trials + 1), trials)
    worth = metric.per_question(table)
    chance = _binomial(trials, rates)
    value = chance @ worth
    return value, np.maximum(chance @ worth**2 - value**2, 0.0)


def _binomial(n: int, rates: Vector) -> Vector:
    """Return the probabilities of 0..n successes, a row per rate."""
    j = np.arange(n + 1.0)
    ways = gammaln(n + 1.0) - gammaln(j + 1.0) - gammaln(n - j + 1.0)
    inner = np.clip(rates, 1e-300, 1.0 - 1e-16)[:, None]
    logs = ways + j * np.log(inner) + (n - j) * np.log1p(-inner)
    return np.asarray(np.exp(logs))
