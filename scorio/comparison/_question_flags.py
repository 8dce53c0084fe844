"""The score of every model on every question, how well it separates them, and what is noteworthy, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Counts, Flags, Vector
from .._choices import FLAGS
from .._display.numbers import number
from .._display.words import pluralize
from .._special import betaincinv, gammaln, ndtr, ndtri, stdtr, stdtrit
from ..estimates import benjamini_hochberg
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix

_JEFFREYS = 0.5
_FEWEST = 4  # models for an interval
_LARGEST = 1.0 - 1e-12  # of a correlation that is transformed


class QuestionRates(NamedTuple):
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


def question_rates(outcomes: OutcomeSet, confidence: float) -> QuestionRates:
    """Return the score of each model on each question: of its trials alone, without a prior from other questions.

    Intervals of success rates are those of Jeffreys' prior; they end at 0 without a success, at 1 without a failure.

    >>> rates = question_rates(OutcomeSet({"a": [[0, 1, 1, 0], [1, 1, 1, 1]]}), 0.95)
    >>> rates.rates[:, 0], rates.lo[:, 0].round(3), rates.hi[:, 0].round(3)
    (array([0.5, 1. ]), array([0.123, 0.555]), array([0.877, 1.   ]))
    """
    columns = [_of_model(outcome, confidence) for outcome in outcomes.values()]
    arrays: list[Any] = [np.column_stack(part) for part in zip(*(column[:-2] for column in columns), strict=True)]
    least, most = (np.array([getattr(column, name) for column in columns]) for name in ("least", "most"))
    parts: list[Any] = [*arrays, float(least.min()), float(most.max())]
    return QuestionRates(*parts)


def _of_model(outcomes: OutcomeMatrix, confidence: float) -> QuestionRates:
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
    return QuestionRates(*columns)


def _disagreement(counts: Counts, a: Vector, b: Vector) -> list[Vector]:
    """Return the posterior mean and variance of ``2 p (1 - p)``, and its unbiased estimate."""
    total = a + b
    mean = 2.0 * a * b / (total * (total + 1.0))
    square = 4.0 * a * (a + 1.0) * b * (b + 1.0) / (total * (total + 1.0) * (total + 2.0) * (total + 3.0))
    n = counts.sum(axis=1)
    pairs = n * (n - 1.0)
    observed = np.divide(2.0 * counts[:, 0] * counts[:, 1], pairs, out=np.full(len(n), np.nan), where=pairs > 0)
    return [mean, square - mean**2, observed]


def _of_rewards(outcomes: RewardMatrix, confidence: float) -> QuestionRates:
    """Return means of continuous rewards, with Student's intervals; unknown for fewer than two trials."""
    n = outcomes.trials.astype(np.float64)
    several = n > 1
    reach = stdtrit(np.maximum(n - 1.0, 1.0), (1.0 + confidence) / 2.0)
    width = np.where(several, reach * np.sqrt(np.where(several, outcomes.variances, 0.0) / np.maximum(n, 1.0)), np.nan)
    rates = np.where(n > 0, outcomes.means, np.nan)
    unknown = np.full(len(n), np.nan)
    low, high = outcomes.support or (np.nan, np.nan)
    return QuestionRates(n, rates, rates - width, rates + width, unknown, unknown, unknown, low, high)


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


NEVER, ALWAYS, INVERTED, FLAKY, AMBIGUOUS = FLAGS
_FLAKY = 0.32  # two trials of a model with a rate of .2 or .8 disagree so often
_CONSISTENT = 0.25  # two trials of a model with a rate of .146 or .854 do
_SPLIT = (0.2, 0.8)  # mean rates of a question on which models differ
_WEAK = 0.2  # a typical discrimination below this says nothing of a single question


class Flag(NamedTuple):
    """What was noticed about a question, and why."""

    name: str
    reason: str


def question_flags(
    rates: QuestionRates, correlations: Discrimination, confidence: float, fdr: float
) -> list[tuple[Flag, ...]]:
    """Return the flags of each question.

    ``fdr`` bounds the expected share of false ones among the questions flagged as solved less by better models, and
    among the suspected labels; ``confidence`` is that of a single question being flaky.
    """
    trials, mean = rates.trials.sum(axis=1), np.nanmean(rates.rates, axis=1)
    has_trials = rates.trials > 0
    models = has_trials.sum(axis=1)
    apart, variance = (
        np.where(has_trials, values, 0.0).sum(axis=1) for values in (rates.disagreement, rates.disagreement_variance)
    )
    apart, reach = (side / np.maximum(models, 1) for side in (apart, -float(ndtri(1.0 - confidence)) * variance**0.5))
    inverted = benjamini_hochberg(correlations.p_negative)
    is_consistent = (mean >= _SPLIT[0]) & (mean <= _SPLIT[1]) & (apart + reach < _CONSISTENT)
    suspect = benjamini_hochberg(np.where(is_consistent, _p_ambiguous(correlations), np.nan))
    rows = np.arange(len(mean))
    data = [f"{pluralize(int(trials[q]), 'trial')} of {pluralize(int(models[q]), 'model')}" for q in rows]

    def share(q: int) -> str:
        return number(float(mean[q]), 2)

    def correlation(q: int, corrected: Vector) -> str:
        return f"correlation {number(float(correlations.r[q]), 2)} with the other questions (q = {corrected[q]:.2g})"

    rules: list[tuple[Flags, str, Callable[[int], str]]] = [
        (mean <= rates.least, NEVER, lambda q: f"no success in {data[q]}"),
        (mean >= rates.most, ALWAYS, lambda q: f"no failure in {data[q]}"),
        (inverted <= fdr, INVERTED, lambda q: correlation(q, inverted)),
        (
            apart - reach > _FLAKY,
            FLAKY,
            lambda q: f"two trials of a model disagree in {apart[q]:.0%}, above {_FLAKY:.0%}",
        ),
        (
            suspect <= fdr,
            AMBIGUOUS,
            lambda q: (
                f"models answer alike in all their trials, {share(q)} of them right, whether good or not: "
                + correlation(q, suspect)
            ),
        ),
    ]
    flags: list[list[Flag]] = [[] for _ in rows]
    for holds, name, reason in rules:
        for q in np.flatnonzero(holds):
            flags[q].append(Flag(name, reason(int(q))))
    return [tuple(flag) for flag in flags]


def _p_ambiguous(correlations: Discrimination) -> Vector:
    """Return the p-value of a discrimination below half the typical one, on Fisher's scale."""
    defined = correlations.r[~np.isnan(correlations.r)]
    typical = float(np.median(defined)) if defined.size else 0.0
    if typical < _WEAK:
        return np.full(len(correlations.r), np.nan)
    r, models = correlations.r, correlations.models
    gap = np.arctanh(np.clip(r, -_LARGEST, _LARGEST)) - np.arctanh(min(typical, 0.999)) / 2.0
    p = ndtr(gap * np.sqrt(np.maximum(models - 3.0, 1.0)))
    return np.where(models >= _FEWEST, p, np.nan)


def names_of(flags: Sequence[Flag]) -> str:
    """Return the names of flags in one text."""
    return ", ".join(flag.name for flag in flags)
