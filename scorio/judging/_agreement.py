"""How far a judge agrees with people: the share of equal labels, kappa and rates per class, with intervals.

Trials of one question are not independent, so every standard error is that of a jackknife over questions. Shares and
kappa are linear in an observed agreement ``p``. Their interval is Wilson's for ``p``, for as many independent labels as
would have the jackknife's variance, so that it has a width where judge and people never differ.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Indices, Vector
from .._base.exports import Exports
from .._base.numbers import number, percent, span
from .._base.words import pluralize
from ..errors import OutcomeError, ParameterError
from ..inference._level import Level
from ..params import open_unit
from ._corrected import SampledInterval

_RATES: Mapping[Any, str] = {0: "specificity", 1: "sensitivity"}


def _kappa(table: Vector) -> tuple[float, float, float]:
    """Return Cohen's kappa, NaN if all labels are equal, and the observed agreement and the one expected by chance."""
    shares = table / table.sum()
    observed, expected = float(np.trace(shares)), float(shares.sum(axis=1) @ shares.sum(axis=0))
    rest = 1.0 - expected
    return (observed - expected) / rest if rest > 1e-15 else float("nan"), observed, expected


@dataclass(frozen=True)
class Agreement(Exports):
    """The agreement of a judge with people on the same trials, each number with an interval over questions.

    ``share`` is the share of trials with equal labels, ``kappa`` is Cohen's. ``rates`` has, for each label that people
    gave, how often the judge gave the same: with labels 0 and 1, ``rates[1]`` is the sensitivity and ``rates[0]`` the
    specificity. ``table`` counts trials by label of people (rows) and of the judge (columns).
    """

    share: SampledInterval
    kappa: SampledInterval
    rates: Mapping[Any, SampledInterval]
    labels: tuple[Any, ...]
    table: tuple[tuple[int, ...], ...]
    n_questions: int
    confidence: float = 0.95

    @property
    def n_trials(self) -> int:
        """The number of trials that both labelled."""
        return sum(map(sum, self.table))

    def __str__(self) -> str:
        size = f"{pluralize(self.n_trials, 'trial')} of {pluralize(self.n_questions, 'question')}"
        named = [("agreement", self.share), ("kappa", self.kappa)]
        named += [(_RATES.get(label, f"rate of {label}"), rate) for label, rate in self.rates.items()]
        parts = ", ".join(f"{name} {number(share.mu)} {span(share.lo, share.hi)}" for name, share in named)
        return f"{size}: {parts}; {percent(self.confidence)} intervals over questions"


def measure_agreement(
    judge: Iterable[Any], human: Iterable[Any], *, questions: Iterable[Hashable] | None = None, confidence: float = 0.95
) -> Agreement:
    """Compare a judge's labels with those of people, trial by trial.

    ``judge`` and ``human`` have one label per trial, in the same order. ``questions`` has the question of each trial,
    because trials of one question are not independent; without it, each trial is a question of its own.

    >>> agreement = measure_agreement([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15)
    >>> round(agreement.kappa.mu, 3), round(agreement.share.mu, 3)
    (0.4, 0.7)
    """
    mine, theirs = list(judge), list(human)
    if len(mine) != len(theirs):
        problem = f"judge has {pluralize(len(mine), 'label')} and human has {len(theirs)}"
        raise OutcomeError(problem, hint="give both for the same trials, in the same order")
    group = _groups(range(len(mine)) if questions is None else list(questions), len(mine))
    labels = list(dict.fromkeys([*theirs, *mine]))
    with suppress(TypeError):  # of labels that have no order
        labels = sorted(labels)
    code = {label: i for i, label in enumerate(labels)}
    tables = np.zeros((int(group.max()) + 1, len(labels), len(labels)))
    cells = np.array([(code[b], code[a]) for a, b in zip(mine, theirs, strict=True)], np.intp)
    np.add.at(tables, (group, *cells.T), 1.0)
    whole = tables.sum(axis=0)
    return Agreement(
        share=_share(np.einsum("gaa->g", tables), tables.sum(axis=(1, 2)), confidence),
        kappa=_beyond_chance(tables, confidence),
        rates={
            label: _share(tables[:, i, i], tables[:, i].sum(axis=1), confidence)
            for label, i in code.items()
            if whole[i].sum()
        },
        labels=tuple(labels),
        table=tuple(tuple(map(int, row)) for row in whole),
        n_questions=len(tables),
        confidence=confidence,
    )


def _groups(questions: Sequence[Hashable], count: int) -> Indices:
    if len(questions) != count:
        problem = f"has {pluralize(len(questions), 'question')}, but there are {count} trials"
        raise ParameterError(problem, argument="questions")
    place = {name: i for i, name in enumerate(dict.fromkeys(questions))}
    if len(place) < 2:
        raise OutcomeError("an interval needs labels of at least two questions")
    return np.array([place[name] for name in questions], np.intp)


def _share(hits: Vector, sizes: Vector, confidence: float) -> SampledInterval:
    """Return a share, with Wilson's interval for the number of independent trials that the questions are worth."""
    here = sizes > 0
    hits, sizes, total = hits[here], sizes[here], float(sizes.sum())
    mu = float(hits.sum()) / total
    residuals, count = hits - mu * sizes, len(sizes)
    sigma = float(np.sqrt(residuals @ residuals * count / max(count - 1, 1))) / total
    lo, hi = _wilson(mu, sigma, count, confidence)
    return SampledInterval(mu, sigma, lo, hi, confidence=confidence)


def _wilson(p: float, sigma: float, count: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval with Student's quantile; ``count`` questions are what a share of 0 or 1 rests on."""
    level = Level(open_unit("confidence", confidence))
    if count < 2:
        return 0.0, 1.0
    n = p * (1.0 - p) / sigma**2 if sigma > 0.0 and 0.0 < p < 1.0 else float(count)
    z2 = level.critical(count - 1.0) ** 2 / n
    middle, reach = (p + z2 / 2.0) / (1.0 + z2), np.sqrt(z2 * p * (1.0 - p) + z2**2 / 4.0) / (1.0 + z2)
    # It contains the share, which rounding must not change where the share is 0 or 1.
    return min(max(float(middle - reach), 0.0), p), max(min(float(middle + reach), 1.0), p)


def _beyond_chance(tables: Vector, confidence: float) -> SampledInterval:
    """Return Cohen's kappa; its standard error is that of a jackknife over questions."""
    whole, count = tables.sum(axis=0), len(tables)
    mu, observed, expected = _kappa(whole)
    if np.isnan(mu):
        return SampledInterval(np.nan, np.nan, -1.0, 1.0, confidence=confidence)
    left_out = np.array([_kappa(whole - of_question)[0] for of_question in tables])
    left_out = left_out[np.isfinite(left_out)]
    moved = left_out - left_out.mean()
    sigma = float(np.sqrt((count - 1.0) / count * (moved @ moved)))
    ends = _wilson(observed, sigma * (1.0 - expected), count, confidence)
    lo, hi = ((end - expected) / (1.0 - expected) for end in ends)
    return SampledInterval(mu, sigma, lo, hi, confidence=confidence)
