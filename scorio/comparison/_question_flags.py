"""What is noteworthy about a question, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import Flags, Vector
from .._display.numbers import number
from .._display.words import pluralize
from .._special import ndtri
from ._discrimination import Discrimination, benjamini_hochberg, p_below
from ._question_rates import QuestionRates

NEVER, ALWAYS = "never solved", "always solved"
INVERTED, FLAKY, AMBIGUOUS = "solved less by better models", "flaky", "ambiguous label suspected"
FLAGS = (NEVER, ALWAYS, INVERTED, FLAKY, AMBIGUOUS)
_FLAKY = 0.32  # two trials of a model with a rate of .2 or .8 disagree so often
_CONSISTENT = 0.25  # two trials of a model with a rate of .146 or .854 do
_SPLIT = (0.2, 0.8)  # mean rates of a question on which models differ
_WEAK = 0.2  # a typical discrimination below this says nothing of a single question


class Flag(NamedTuple):
    """What was noticed about a question, and why."""

    name: str
    reason: str


def question_flags(
    rates: QuestionRates, found: Discrimination, confidence: float, fdr: float
) -> list[tuple[Flag, ...]]:
    """Return the flags of each question.

    ``fdr`` bounds the expected share of false ones among the questions flagged as solved less by better models, and
    among the suspected labels; ``confidence`` is that of a single question being flaky.
    """
    trials, mean = rates.trials.sum(axis=1), np.nanmean(rates.rates, axis=1)
    models = (rates.trials > 0).sum(axis=1)
    inverted = benjamini_hochberg(found.p_negative)
    spread = _Spread.of(rates, confidence)
    suspect = benjamini_hochberg(np.where(spread.consistent(mean), _p_ambiguous(found), np.nan))
    rows = np.arange(len(mean))
    data = [f"{pluralize(int(trials[q]), 'trial')} of {pluralize(int(models[q]), 'model')}" for q in rows]

    def share(q: int) -> str:
        return number(float(mean[q]), 2)

    def correlation(q: int, corrected: Vector) -> str:
        return f"correlation {number(float(found.r[q]), 2)} with the other questions (q = {corrected[q]:.2g})"

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
    return [tuple(each) for each in flags]


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


def _p_ambiguous(found: Discrimination) -> Vector:
    """Return the p-value of a discrimination below half the typical one, on Fisher's scale."""
    known = found.r[~np.isnan(found.r)]
    typical = float(np.median(known)) if known.size else 0.0
    if typical < _WEAK:
        return np.full(len(found.r), np.nan)
    return p_below(found.r, found.models, float(np.tanh(np.arctanh(min(typical, 0.999)) / 2.0)))


def names_of(flags: Sequence[Flag]) -> str:
    """Return the names of flags in one text."""
    return ", ".join(each.name for each in flags)
