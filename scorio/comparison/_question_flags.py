"""How well a question separates the models, and what is noteworthy about it, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import Flags, Vector
from .._choices import FLAGS
from .._display.numbers import number
from .._display.words import pluralize
from .._special import gammaln, ndtr, ndtri, stdtr
from ..estimates import benjamini_hochberg
from ._question_rates import QuestionRates

_FEWEST = 4  # models for an interval
_LARGEST = 1.0 - 1e-12  # of a correlation that is transformed


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
    return Discrimination(r, np.tanh(z - width), np.tanh(z + width), count, _p_negative(r, count, rates))


def _centered(values: Vector, has_value: Vector) -> Vector:
    mean = (values * has_value).sum(axis=1) / np.maximum(has_value.sum(axis=1), 1)
    centered: Vector = (values - mean[:, None]) * has_value
    return centered


def _p_negative(r: Vector, count: Vector, rates: Vector) -> Vector:
    df = np.maximum(count - 2.0, 1.0)
    p = stdtr(df, r * np.sqrt(df / np.maximum(1.0 - r * r, 1e-300)))
    p = np.maximum(p, np.array([_least_p(row) for row in rates]))
    return np.where(np.isnan(r), np.nan, p)


def _least_p(row: Vector) -> float:
    """Return the probability of one of the distinct orders of the rates; 1e-300 if it is smaller."""
    _, times = np.unique(row[~np.isnan(row)], return_counts=True)
    orders = gammaln(times.sum() + 1.0) - gammaln(times + 1.0).sum()
    return float(np.exp(-min(orders, 690.0)))


def p_below(r: Vector, count: Vector, typical: float) -> Vector:
    """Return the p-value of a correlation below ``typical``, by Fisher's transformation."""
    gap = np.arctanh(np.clip(r, -_LARGEST, _LARGEST)) - np.arctanh(typical)
    p = ndtr(gap * np.sqrt(np.maximum(count - 3.0, 1.0)))
    return np.where(count >= _FEWEST, p, np.nan)


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
    models = (rates.trials > 0).sum(axis=1)
    inverted = benjamini_hochberg(correlations.p_negative)
    spread = _Spread.of(rates, confidence)
    suspect = benjamini_hochberg(np.where(spread.consistent(mean), _p_ambiguous(correlations), np.nan))
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
            spread.lo > _FLAKY,
            FLAKY,
            lambda q: f"two trials of a model disagree in {spread.mean[q]:.0%}, above {_FLAKY:.0%}",
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


class _Spread(NamedTuple):
    """How often two trials of one model disagree, on average over models, with bounds."""

    mean: Vector
    lo: Vector
    hi: Vector

    @classmethod
    def of(cls, rates: QuestionRates, confidence: float) -> _Spread:
        has = rates.trials > 0
        count = np.maximum(has.sum(axis=1), 1)
        mean = np.where(has, rates.disagreement, 0.0).sum(axis=1) / count
        sd = np.sqrt(np.where(has, rates.disagreement_variance, 0.0).sum(axis=1)) / count
        width = -float(ndtri(1.0 - confidence)) * sd
        return cls(mean, mean - width, mean + width)

    def consistent(self, mean: Vector) -> Flags:
        """Return whether models answer alike in all trials, but not all of them rightly or wrongly."""
        is_split = (mean >= _SPLIT[0]) & (mean <= _SPLIT[1])
        return np.asarray(is_split & (self.hi < _CONSISTENT))


def _p_ambiguous(correlations: Discrimination) -> Vector:
    """Return the p-value of a discrimination below half the typical one, on Fisher's scale."""
    defined = correlations.r[~np.isnan(correlations.r)]
    typical = float(np.median(defined)) if defined.size else 0.0
    if typical < _WEAK:
        return np.full(len(correlations.r), np.nan)
    return p_below(correlations.r, correlations.models, float(np.tanh(np.arctanh(min(typical, 0.999)) / 2.0)))


def names_of(flags: Sequence[Flag]) -> str:
    """Return the names of flags in one text."""
    return ", ".join(flag.name for flag in flags)
