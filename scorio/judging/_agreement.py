"""How far a judge agrees with people: kappa, Krippendorff's alpha, rates per class, and its bias, with intervals.

Trials of one question are not independent, so every standard error is that of a jackknife over questions. Shares, kappa
and nominal alpha are linear in an observed agreement ``p``. Their interval is Wilson's for ``p``, for as many
independent labels as would have the jackknife's variance, so that it has a width where judge and people never differ.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Indices, Vector
from .._display.exports import Exports
from .._display.numbers import number, percent, span
from .._display.words import pluralize
from .._special import stdtrit
from ..errors import OutcomeError, ParameterError
from ..outcomes import is_missing
from ..params import choice, open_unit
from ._corrected import SampledInterval

SCALES = ("nominal", "ordinal", "interval")
_GROUPS = 5  # numeric columns with more distinct values are cut into thirds
_RATES: Mapping[Any, str] = {0: "specificity", 1: "sensitivity"}


class Chances(NamedTuple):
    """The ``observed`` agreement and the one ``expected`` by chance; disagreements if labels have distances."""

    observed: float
    expected: float

    @property
    def beyond_chance(self) -> float:
        """The agreement beyond chance, 1 at most; NaN if all labels are equal."""
        rest = 1.0 - self.expected
        return (self.observed - self.expected) / rest if rest > 1e-15 else float("nan")


def kappa_of(table: Vector) -> Chances:
    """Return the agreement of two raters and that of raters with the same rates who label independently (Cohen)."""
    shares = table / table.sum()
    return Chances(float(np.trace(shares)), float(shares.sum(axis=1) @ shares.sum(axis=0)))


def coincidences(counts: Vector) -> Vector:
    """Return the coincidences of the labels, (units, labels, labels), of counts (units, labels).

    Every ordered pair of labels of a unit counts as ``1/(m - 1)``, where ``m`` is the number of its labels.
    """
    total = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    np.einsum("uaa->ua", pairs)[...] -= counts
    return np.asarray(pairs / np.maximum(total - 1.0, 1.0)[:, None, None])


def alpha_of(table: Vector, values: Vector, scale: str) -> Chances:
    """Return ``1 - D_o`` and ``1 - D_e`` of the summed coincidences."""
    margin = table.sum(axis=1)
    n = margin.sum()
    distance = distances(margin, values, scale)
    observed = float(np.sum(table * distance)) / n
    expected = float(margin @ distance @ margin) / (n * (n - 1.0)) if n > 1 else 0.0
    return Chances(1.0 - observed, 1.0 - expected)


def distances(margin: Vector, values: Vector, scale: str) -> Vector:
    """Return the squared distances of the labels, for nominal, ordinal or interval scales."""
    if scale == "nominal":
        return 1.0 - np.eye(len(values))
    if scale == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    ranks = np.cumsum(margin) - margin / 2.0
    return np.asarray((ranks[:, None] - ranks[None, :]) ** 2)


@dataclass(frozen=True)
class Agreement(Exports):
    """The agreement of a judge with people on the same trials, each number with an interval over questions.

    ``share`` is the share of trials with equal labels, ``kappa`` is Cohen's, ``alpha`` Krippendorff's (nominal).
    ``rates`` has, for each label that people gave, how often the judge gave the same: with labels 0 and 1,
    ``rates[1]`` is the sensitivity and ``rates[0]`` the specificity. ``table`` counts trials by label of people (rows)
    and of the judge (columns).
    """

    share: SampledInterval
    kappa: SampledInterval
    alpha: SampledInterval
    rates: Mapping[Any, SampledInterval]
    labels: tuple[Any, ...]
    table: tuple[tuple[int, ...], ...]
    n_questions: int
    confidence: float = field(default=0.95)

    @property
    def n_trials(self) -> int:
        """The number of trials that both labelled."""
        return sum(map(sum, self.table))

    def __str__(self) -> str:
        size = f"{pluralize(self.n_trials, 'trial')} of {pluralize(self.n_questions, 'question')}"
        named = [("agreement", self.share), ("kappa", self.kappa), ("alpha", self.alpha)]
        named += [(_RATES.get(label, f"rate of {label}"), rate) for label, rate in self.rates.items()]
        parts = ", ".join(f"{name} {number(each.mu)} {span(each.lo, each.hi)}" for name, each in named)
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
    group = _groups(questions, len(mine))
    labels = _sorted([*theirs, *mine])
    code = {label: i for i, label in enumerate(labels)}
    tables = np.zeros((int(group.max()) + 1, len(labels), len(labels)))
    cells = np.array([(code[b], code[a]) for a, b in zip(mine, theirs, strict=True)], np.intp)
    np.add.at(tables, (group, *cells.T), 1.0)
    paired = tables + tables.transpose(0, 2, 1)
    values = np.arange(len(labels), dtype=np.float64)
    whole = tables.sum(axis=0)
    return Agreement(
        share=_share(np.einsum("gaa->g", tables), tables.sum(axis=(1, 2)), confidence),
        kappa=_beyond_chance(tables, kappa_of, confidence),
        alpha=_beyond_chance(paired, lambda table: alpha_of(table, values, "nominal"), confidence),
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


def krippendorff_alpha(
    ratings: Iterable[Iterable[Any]],
    *,
    scale: str = "nominal",
    questions: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
) -> SampledInterval:
    """Return Krippendorff's alpha of any number of raters, with an interval.

    ``ratings`` has one row per trial with one label per rater, None where a rater gave none. ``scale`` is that of
    the labels: ``"nominal"``, ``"ordinal"`` or ``"interval"``; ordinal and interval labels are numbers. ``questions``
    has the question of each trial.

    >>> alpha = krippendorff_alpha([(0, 1), (1, 1), (0, 1), (0, 0), (0, 0), (0, 1), (0, 0), (0, 0), (1, 0), (0, 0)])
    >>> round(alpha.mu, 3)
    0.095
    """
    choice("scale", scale, SCALES)
    rows = [[each for each in row if not is_missing(each)] for row in ratings]
    group = _groups(questions, len(rows))
    labels = _sorted([label for row in rows for label in row])
    if scale != "nominal" and not all(isinstance(label, (int, float, np.number)) for label in labels):
        raise ParameterError(f"is {scale!r}, which needs labels that are numbers", argument="scale")
    code = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(rows), len(labels)))
    for i, row in enumerate(rows):
        for label in row:
            counts[i, code[label]] += 1.0
    kept = counts.sum(axis=1) > 1
    if not kept.any():
        raise OutcomeError("no trial has labels of two raters", hint="alpha compares labels of the same trial")
    group = np.unique(group[kept], return_inverse=True)[1]
    tables = np.zeros((int(group.max()) + 1, len(labels), len(labels)))
    np.add.at(tables, group, coincidences(counts[kept]))
    numbers: Sequence[Any] = range(len(labels)) if scale == "nominal" else labels
    values = np.array(numbers, dtype=np.float64)
    return _beyond_chance(tables, lambda table: alpha_of(table, values, scale), confidence, scale == "nominal")


def measure_bias(
    judge: Iterable[float],
    human: Iterable[float],
    by: Iterable[Any] | None = None,
    *,
    questions: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
) -> dict[str, SampledInterval]:
    """Return how much higher the judge's rewards are than those of people, in each group of ``by``.

    ``by`` has a value per trial, such as the length of a response or the position of an answer; numbers with more than
    five distinct values are cut into thirds. Intervals are Student's over questions.

    >>> bias = measure_bias([1, 1, 1, 0, 1, 1], [1, 1, 0, 0, 0, 0], ["first"] * 3 + ["second"] * 3)
    >>> {name: round(each.mu, 3) for name, each in bias.items()}
    {'first': 0.333, 'second': 0.667}
    """
    gap = np.asarray(list(judge), np.float64) - np.asarray(list(human), np.float64)
    group = _groups(questions, len(gap))
    names = _parts(list(by), len(gap)) if by is not None else ["all"] * len(gap)
    result = {}
    for name in dict.fromkeys(sorted(names)):
        here = np.array([each == name for each in names])
        codes = np.unique(group[here], return_inverse=True)[1]
        sums, sizes = np.bincount(codes, gap[here]), np.bincount(codes)
        mean = float(sums.sum() / sizes.sum())
        result[name] = _student(mean, _linear_error(sums - mean * sizes, float(sizes.sum())), len(sums), confidence)
    return result


def _parts(by: Sequence[Any], count: int) -> list[str]:
    """Return the group of each trial: its value, or the third of the numbers that it lies in."""
    if len(by) != count:
        raise ParameterError(f"has {pluralize(len(by), 'value')}, but there are {count} trials", argument="by")
    try:
        numbers = np.array(by, np.float64)
    except (TypeError, ValueError):
        return list(map(str, by))
    if len(np.unique(numbers)) <= _GROUPS:
        return list(map(str, by))
    low, high = np.quantile(numbers, [1 / 3, 2 / 3])
    names = (f"1. up to {low:.4g}", f"2. {low:.4g} to {high:.4g}", f"3. above {high:.4g}")
    return [names[int(each > low) + int(each > high)] for each in numbers]


def _groups(questions: Iterable[Hashable] | None, count: int) -> Indices:
    """Return the question of each trial as 0, 1, ..; by default each trial is its own."""
    if questions is None:
        if count < 2:
            raise OutcomeError("an interval needs labels of at least two trials")
        return np.arange(count)
    names = list(questions)
    if len(names) != count:
        problem = f"has {pluralize(len(names), 'question')}, but there are {count} trials"
        raise ParameterError(problem, argument="questions")
    place = {name: i for i, name in enumerate(dict.fromkeys(names))}
    if len(place) < 2:
        raise OutcomeError("an interval needs labels of at least two questions")
    return np.array([place[name] for name in names], np.intp)


def _sorted(labels: Iterable[Any]) -> list[Any]:
    distinct = list(dict.fromkeys(labels))
    try:
        return sorted(distinct)
    except TypeError:
        return distinct


def _linear_error(residuals: Vector, size: float) -> float:
    """Return the standard error of a ratio whose residuals by question add up to zero."""
    count = len(residuals)
    return float(np.sqrt(residuals @ residuals * count / max(count - 1, 1))) / size


def _student(mu: float, sigma: float, count: int, confidence: float) -> SampledInterval:
    open_unit("confidence", confidence)
    reach = float(stdtrit(count - 1.0, (1.0 + confidence) / 2.0)) * sigma if count > 1 else np.inf
    return SampledInterval(mu, sigma, mu - reach, mu + reach, confidence=confidence)


def _share(hits: Vector, sizes: Vector, confidence: float) -> SampledInterval:
    """Return a share, with Wilson's interval for the number of independent trials that the questions are worth."""
    here = sizes > 0
    hits, sizes, total = hits[here], sizes[here], float(sizes.sum())
    mu = float(hits.sum()) / total
    sigma = _linear_error(hits - mu * sizes, total)
    lo, hi = _wilson(mu, sigma, len(sizes), confidence)
    return SampledInterval(mu, sigma, lo, hi, confidence=confidence)


def _wilson(p: float, sigma: float, count: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval with Student's quantile; ``count`` questions are what a share of 0 or 1 rests on."""
    open_unit("confidence", confidence)
    if count < 2:
        return 0.0, 1.0
    n = p * (1.0 - p) / sigma**2 if sigma > 0.0 and 0.0 < p < 1.0 else float(count)
    z2 = float(stdtrit(count - 1.0, (1.0 + confidence) / 2.0)) ** 2 / n
    middle, reach = (p + z2 / 2.0) / (1.0 + z2), np.sqrt(z2 * p * (1.0 - p) + z2**2 / 4.0) / (1.0 + z2)
    # It contains the share, which rounding must not change where the share is 0 or 1.
    return min(max(float(middle - reach), 0.0), p), max(min(float(middle + reach), 1.0), p)


def _beyond_chance(
    tables: Vector, chances: Callable[[Vector], Chances], confidence: float, is_share: bool = True
) -> SampledInterval:
    """Return an agreement beyond chance; its standard error is that of a jackknife over questions."""
    whole, count = tables.sum(axis=0), len(tables)
    all_together = chances(whole)
    mu = all_together.beyond_chance
    if np.isnan(mu):
        return SampledInterval(np.nan, np.nan, -1.0, 1.0, confidence=confidence)
    left_out = np.array([chances(whole - each).beyond_chance for each in tables])
    left_out = left_out[np.isfinite(left_out)]
    moved = left_out - left_out.mean()
    sigma = float(np.sqrt((count - 1.0) / count * (moved @ moved)))
    if not is_share:
        found = _student(float(mu), sigma, count, confidence)
        return found._replace(lo=max(found.lo, -1.0), hi=min(found.hi, 1.0))
    observed, expected = all_together
    lo, hi = _wilson(observed, sigma * (1.0 - expected), count, confidence)
    ends = ((end - expected) / (1.0 - expected) for end in (lo, hi))
    return SampledInterval(float(mu), sigma, *map(float, ends), confidence=confidence)
