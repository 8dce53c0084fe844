"""The joint posterior of several models on the same questions.

Models share questions, so the difficulty of a question cancels in a difference. With ``s[i, c]`` the effect of cluster
``c`` on the score of model ``i`` (each question is its own cluster if there are none; the squares of a row add up to
the variance of that score over draws of clusters) and ``own[i]`` the variance that this spread does not show,

    Var[i - j] = sum_c (s[i, c] - s[j, c])^2 + own[i] + own[j]

which is the paired variance of Student's t. It is a sum of squares, so near-equal models lose no digits.

Few clusters do not show what the others may be like: four that were all won differ by nothing. So one more cluster is
added that could be anything, half of it at the lower end of the metric's support and half at the upper end. With ``C``
clusters, ``n = C + 1`` and a support of width ``w``, the mean difference is ``m = sum d / n``, its variance

    (sum (d - m)^2 + w^2 + m^2) / (n (n - 1)),

and its degrees of freedom ``C``. Agresti and Coull's interval of a proportion does the same. From ``ENOUGH`` clusters
on the ends move in as ``ENOUGH / C``, so that what was added fades. The p-value is at least ``2^(1 - C)``, that of
``C`` differences of one sign. The tasks of a suite share one such cluster by their numbers of clusters.

Laws of several models are asked about weighted sums of their values. A form is a tuple of parts ``(factor, which)``.
``which`` is the place of a model, or an array of places, one for each of many sums; the factor is a number, or one for
each of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .._base.arrays import Flags, Indices, Vector, read_only
from .._base.numbers import number
from .._base.special import stdtr, stdtrit
from .._base.words import pluralize, warn
from ..errors import QuestionsWarning
from ..inference import Beta, Prior
from ..inference._level import satterthwaite
from ..metrics import Metric
from ..metrics._shared_prior import check_clusters, cluster_count, degrees_of_mean, groups, shifts, shifts_of_mean
from ..outcomes import OutcomeMatrix

_NO_LEAST_P = 1e-15  # a p-value that nobody tells from 0
_ROUNDING = 1e-13  # a spread below this share of the largest number is rounding
ENOUGH = 20.0  # clusters, from which on what was not seen counts less
FEW = 8  # clusters, below which hardly any difference between models can be shown

_UNIFORM = Beta(1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Joint:
    """A Student t over models: means ``mu``, squared scale ``shared @ shared.T + diag(alone)``.

    With infinite ``df`` it is normal. Where the spread of a difference over questions is nil, the variances
    ``trial_noise`` of both models take its place. No difference has a two-sided p-value below ``least_p``. Where a
    cluster was added that could be anything, ``observed`` is the law without it, and ``ends`` (2, L) are its ends.
    Intervals
    have the share ``kept`` of all errors where trials leave the rest open.

    Weighted sums over tasks have ``parts``, the law of each task, normal or Student's: ``shared`` has the effects on
    all tasks, and ``alone`` the variance that no task has.

    >>> joint = independent([0.6, 0.5], [0.03, 0.04])
    >>> gap = ((1.0, 0), (-1.0, 1))  # the first less the second
    >>> round(float(joint.sd(gap)), 6), round(float(joint.p_above(gap)), 6)
    (0.05, 0.97725)
    """

    mu: Vector
    shared: Vector
    alone: Vector
    df: float
    trial_noise: Vector | None = None
    least_p: float = 0.0
    observed: Joint | None = None
    ends: Vector | None = None
    kept: float = 1.0
    parts: tuple[Part, ...] = ()

    @property
    def as_observed(self) -> Joint:
        """The law of the clusters that were observed, without one that was added."""
        return self if self.observed is None else self.observed

    @property
    def is_independent(self) -> bool:
        """Whether no variance is shared by models."""
        return not self.shared.shape[1]

    @property
    def own_variance(self) -> Vector:
        """The variance of each model that no other shares, (L,)."""
        return np.asarray(self.alone + sum(squares(part.of_models, part.law.own_variance) for part in self.parts))

    @property
    def effects(self) -> Vector:
        """All effects on each model, shared and own, (L, ..): their squares add up to the variance of its mean."""
        own = self.own_variance
        return np.hstack([self.shared, np.diag(np.sqrt(own))]) if own.any() else self.shared

    def _spread(self, form: Form) -> Vector:
        effects = total(form, self.shared)
        return np.asarray((effects * effects).sum(axis=-1))

    def has_spread(self, form: Form) -> Flags:
        """Return whether the sum varies between the questions that were observed, by more than rounding."""
        law = self.as_observed
        largest = max(np.abs(law.mu).max(), np.abs(law.shared).max(initial=0.0))
        return np.asarray(law._spread(form) > (_ROUNDING * largest) ** 2)

    def sd(self, form: Form) -> Any:
        """Return the standard deviation of the sum in intervals."""
        if self.is_independent:
            return np.sqrt(squares(form, self.alone))
        shown = np.sqrt(self._variances(form).sum(axis=0) + (squares(form, self.alone) if self.parts else 0.0))
        if self.least_p < _NO_LEAST_P:
            return shown
        least = np.abs(total(form, self.mu)) / -stdtrit(self.degrees(form), self.least_p / 2.0)
        return np.maximum(shown, self.kept * least)

    def _variances(self, form: Form) -> Vector:
        """Return the variance of the part on each task, (T, ..), or of all on the only one.

        A task on which the sum does not vary between questions adds nothing, because the others vary more than
        they should, and the sum is right on average. The noise of trials takes the place if it varies on no task.
        """
        rows = [(part.law, part.form(form)) for part in self.parts] or [(self, form)]
        shown, with_noise = np.array([law.kept**2 * law._shown_variances(part) for law, part in rows]).swapaxes(0, 1)
        varies = [law.has_spread(part) | (squares(part, law.as_observed.alone) > 0.0) for law, part in rows]
        return np.asarray(np.where(np.any(varies, axis=0), shown, with_noise))

    def _shown_variances(self, form: Form) -> Vector:
        """Return the variance of the sum, as little as questions that all agree show, and that with ``trial_noise``."""
        spread = self._spread(form)
        if self.observed is None and self.trial_noise is not None:
            spread = np.where(self.has_spread(form), spread, 0.0)
        shown = spread + squares(form, self.alone)
        return np.array([shown, shown if self.trial_noise is None else shown + squares(form, self.trial_noise)])

    def p_above(self, form: Form) -> Any:
        """Return P(the sum is above 0); a mean of 0 gives 1/2."""
        mean, sd = np.broadcast_arrays(total(form, self.mu), self.sd(form))
        return stdtr(self.degrees(form), over(mean, sd))

    def degrees(self, form: Form) -> Any:
        """Return the degrees of freedom of the sum; over several tasks, those of Welch and Satterthwaite."""
        if not self.parts:
            return self.df
        freedom = np.array([part.law.df for part in self.parts])
        return satterthwaite(self._variances(form), freedom)[1]

    def for_draws(self) -> Joint:
        """Return the joint posterior with the trial noise as one more cluster, so that no two models draw alike."""
        if self.parts:
            return replace(self, parts=tuple(part._replace(law=part.law.for_draws()) for part in self.parts))
        if self.trial_noise is None:
            return self
        return self.widened(self.trial_noise / self.df, trial_noise=None, kept=1.0)

    def widened(self, variance: Vector, **others: Any) -> Joint:
        """Return the joint posterior with more variance of each model's own."""
        return replace(self, alone=read_only(self.alone + variance), **others)

    def draw(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws of all means, (n, L)."""
        return self.mu + self._errors(n, rng)

    def _errors(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws of the errors of all means, (n, L)."""
        models, width = self.shared.shape
        if self.parts:
            noise = np.sum([weight * law._errors(n, rng)[:, places] for law, weight, places in self.parts], axis=0)
        else:
            noise = rng.standard_normal((n, width)) @ self.shared.T
        if self.alone.any() or not self.parts:
            noise += rng.standard_normal((n, models)) * np.sqrt(self.alone)
        if math.isfinite(self.df):
            noise *= np.sqrt(self.df / rng.chisquare(self.df, (n, 1)))
        return np.asarray(noise)


class Part(NamedTuple):
    """A task in sums over tasks: what is known of it, and for each model its weight and its place on the task, (L,).

    A model that the task does not have is without weight.
    """

    law: Any  # a Joint, or a Stack
    weights: Vector
    places: Indices

    @property
    def of_models(self) -> Form:
        """The part of all models."""
        return ((self.weights, self.places),)

    def form(self, form: Form) -> Form:
        """Return the part of a sum that is on the task; of one sum, models without weight are left out.

        >>> Part(None, np.array([0.5, 0.0]), np.arange(2)).form(difference(0, 1)) == ((0.5, 0),)
        True
        """
        parts = tuple((factor * self.weights[which], self.places[which]) for factor, which in form)
        if any(np.ndim(which) for _, which in form):
            return parts
        return tuple(part for part in parts if part[0] != 0.0) or parts


def independent(mu: Sequence[float] | Vector, sigma: Sequence[float] | Vector) -> Joint:
    """Return the joint posterior of models with independent normal posteriors."""
    mean, spread = np.array(mu, dtype=np.float64), np.array(sigma, dtype=np.float64)
    return Joint(read_only(mean), read_only(np.zeros((len(mean), 0))), read_only(spread**2), math.inf)


def paired_by_question(metrics: Sequence[Metric], models: Sequence[OutcomeMatrix], prior: Prior = _UNIFORM) -> Joint:
    """Return the joint posterior of scores whose questions are a draw, in whole clusters, at least two.

    Each model has a metric, and its effects are those of its own questions, found by their labels. If trials are too
    few for a score, posterior means under ``prior`` take its place, with their variance.

    >>> from scorio.estimates._joint import difference
    >>> models = [OutcomeMatrix.from_counts(counts, 10) for counts in ([9, 7, 2], [8, 5, 2])]
    >>> joint = paired_by_question([Metric.from_string("pass@1")] * 2, models)
    >>> joint.df, round(float(joint.mu[0] - joint.mu[1]), 6)  # of the differences .1, .2, 0 and one more
    (3.0, 0.075)
    """
    check_clusters(models[0])
    pairs = list(zip(metrics, models, strict=True))
    posteriors = [metric.law_of(outcomes, prior, "questions") for metric, outcomes in pairs]
    noise = np.array([posterior.sd for posterior in posteriors]) ** 2
    if all(outcomes.min_trials >= metric.required_trials for metric, outcomes in pairs):
        means, alone = [metric.score(outcomes) for metric, outcomes in pairs], np.zeros(len(models))
        effects = [shifts(metric, outcomes) for metric, outcomes in pairs]
    else:
        means, alone = [posterior.mean for posterior in posteriors], noise
        effects = [shifts_of_mean(question_values(*pair, prior), groups(pair[1])) for pair in pairs]
    mu, alone, noise = map(read_only, (np.array(means), alone, noise))
    joint = Joint(mu, read_only(_side_by_side(effects, models)), alone, _degrees(models), noise)
    ends = np.array([metric.support(outcomes) for metric, outcomes in pairs], dtype=np.float64).T
    for metric in {id(metric): metric for metric in metrics}.values():  # values of one metric have one range
        of_metric = [other == metric for other in metrics]
        ends[0, of_metric], ends[1, of_metric] = ends[0, of_metric].min(), ends[1, of_metric].max()
    return with_one_more(joint, read_only(ends))


def units_of(outcomes: OutcomeMatrix) -> tuple[Any, ...]:
    """Return the labels of the units that are a draw: clusters, or questions, which without labels have numbers."""
    if outcomes.clusters is not None:
        return tuple(dict.fromkeys(outcomes.clusters))
    return tuple(range(outcomes.n_questions)) if outcomes.questions is None else tuple(outcomes.questions)


def _degrees(models: Sequence[OutcomeMatrix]) -> float:
    """Return the degrees of freedom of means over the units: the fewest of any model."""
    numbers = {groups(outcomes).tobytes(): outcomes for outcomes in models}
    return min(degrees_of_mean(groups(outcomes)) for outcomes in numbers.values())


def _side_by_side(effects: Sequence[Vector], models: Sequence[OutcomeMatrix]) -> Vector:
    """Return the effects of all units on each model, (L, C); a unit that a model does not have is without effect."""
    units = [units_of(outcomes) for outcomes in models]
    if all(labels == units[0] for labels in units):
        return np.array(effects)
    place = {unit: at for at, unit in enumerate(dict.fromkeys(unit for labels in units for unit in labels))}
    shared = np.zeros((len(models), len(place)))
    for row, labels, values in zip(shared, units, effects, strict=True):
        row[[place[unit] for unit in labels]] = values
    return shared


def with_one_more(joint: Joint, ends: Vector, share: float = 1.0) -> Joint:
    """Return the law of means over clusters with one more that may lie anywhere between the ends of each model, (2, L).

    Only a ``share`` of it may be added. Where values have no limits there is none.

    >>> from scorio.estimates._joint import difference
    >>> joint = Joint(np.array([0.9, 0.1]), np.zeros((2, 4)), np.zeros(2), 3.0)  # each of four clusters differs by .8
    >>> more = with_one_more(joint, np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> gap = difference(0, 1)
    >>> round(float(more.mu[0] - more.mu[1]), 6), round(float(more.sd(gap)), 5), more.df
    (0.64, 0.33064, 4.0)
    """
    low, high = ends
    if not np.isfinite(high - low).all():
        return joint
    clusters = joint.df + 1.0
    total = clusters + share
    square = total * (total - 1.0)
    middle, width = (low + high) / 2.0, (high - low) * min(1.0, ENOUGH * share / clusters)
    mu = (clusters * joint.mu + share * middle) / total
    added = math.sqrt(share * total / (clusters * square)) * (mu - middle)
    shared = np.hstack([math.sqrt(clusters * (clusters - 1.0) / square) * joint.shared, added[:, None]])
    alone = joint.alone + share * width**2 / (2.0 * square)
    mu, shared, alone = map(read_only, (mu, shared, alone))
    least = 2.0 ** (1.0 - clusters)
    return Joint(mu, shared, alone, total - 1.0, joint.trial_noise, least, joint, ends, joint.kept)


def with_one_more_of_all(parts: Sequence[Part]) -> list[Part]:
    """Return the laws of several tasks with one more cluster among all of theirs, of which each has its share."""
    total = sum(part.law.as_observed.df + 1.0 for part in parts)
    return [
        part
        if part.law.observed is None
        else part._replace(law=with_one_more(part.law.observed, part.law.ends, (part.law.observed.df + 1.0) / total))
        for part in parts
    ]


def warn_of_few_clusters(outcomes: OutcomeMatrix) -> None:
    """Issue a QuestionsWarning if there are fewer than ``FEW`` clusters, or questions, to tell of their population."""
    count = cluster_count(outcomes)
    if 2 <= count < FEW:
        what = "question" if outcomes.clusters is None else "cluster"
        warn(
            f"{pluralize(count, what)} can hardly tell models apart for the population: no p-value of a paired "
            f"difference is below {number(2.0 ** (1 - count))}. {FEW} {what}s would do for large differences, and "
            'target="questions" is about these questions alone',
            QuestionsWarning,
        )


def question_values(metric: Metric, outcomes: OutcomeMatrix, prior: Prior = _UNIFORM) -> Vector:
    """Return the posterior mean of each question's value, (M,); for blends of dataset means, to first order."""
    terms = None if metric.is_mean_over_questions else metric.covariance_terms(outcomes, prior)
    if terms is None:
        return metric.moments(outcomes, prior=prior).mean
    parts = [gain * part.moments(outcomes, prior=prior).mean for gain, part in terms]
    return np.asarray(np.sum(parts, axis=0))


Which: TypeAlias = int | np.integer[Any] | Indices
Form: TypeAlias = tuple[tuple[Any, Which], ...]


def difference(i: Which, j: Which) -> Form:
    """Return the value of ``i`` minus that of ``j``.

    >>> float(total(difference(0, 1), np.array([0.75, 0.5])))
    0.25
    """
    return ((1.0, i), (-1.0, j))


def total(form: Form, values: Vector) -> Any:
    """Return the sum for one value of each model, (L,), or for a row of them, (L, ..)."""
    whole: Any = 0.0
    for factor, which in form:
        whole = whole + (factor * values[which] if values.ndim == 1 else _times(factor, values[which]))
    return whole


def squares(form: Form, values: Vector) -> Any:
    """Return the sum with the squares of the factors: the variance of independent values with these, (L,)."""
    whole: Any = 0.0
    for factor, which in form:
        whole = whole + (factor * factor) * values[which]
    return whole


def sides(form: Form, down: Vector, up: Vector) -> tuple[list[Any], list[Any]]:
    """Return how far each part reaches below and above: a negative factor turns the ends around."""
    below, above = [], []
    for factor, which in form:
        plus, minus = np.maximum(factor, 0.0), np.maximum(-factor, 0.0)
        below.append(plus * down[which] + minus * up[which])
        above.append(plus * up[which] + minus * down[which])
    return below, above


def over(mean: Any, sd: Any) -> Any:
    """Return a mean over its standard deviation: infinite where that is nil, and 0 if the mean is."""
    certain = np.where(mean > 0, np.inf, np.where(mean < 0, -np.inf, 0.0))
    return np.divide(mean, sd, out=certain, where=sd > 0)


def pair_of(form: Form) -> tuple[Which, Which] | None:
    """Return the models of a difference, or of a multiple of one; None for another form."""
    if len(form) != 2 or np.any(form[0][0] != -form[1][0]):
        return None
    return form[0][1], form[1][1]


def _times(factor: Any, rows: Any) -> Any:
    """Return a factor, or one for each of many sums, times rows of values."""
    return factor * rows if np.ndim(factor) == 0 else np.asarray(factor)[..., None] * rows
