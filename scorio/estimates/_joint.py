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
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from .._arrays import Flags, Indices, Vector, read_only
from .._display.numbers import number
from .._display.words import pluralize, warn
from .._special import stdtr, stdtrit
from ..errors import QuestionsWarning
from ..inference import Beta, Prior
from ..metrics import Metric, check_clusters, cluster_count, degrees_of_mean, groups, shifts, shifts_of_mean
from ..outcomes import OutcomeMatrix

_NO_LEAST_P = 1e-15  # a p-value that nobody tells from 0
_ROUNDING = 1e-13  # a spread below this share of the largest number is rounding
ENOUGH = 20.0  # clusters, from which on what was not seen counts less
FEW = 8  # clusters, below which hardly any difference between models can be shown

_UNIFORM = Beta(1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Joint:
    """A Student t over models: means ``mu``, squared scale ``shared @ shared.T + diag(own)``.

    With infinite ``df`` it is normal. Where the spread of a difference over questions is nil, the variances
    ``trial_noise`` of both models take its place. No difference has a two-sided p-value below ``least_p``. Where a
    cluster was added that could be anything, ``observed`` is the law without it, and ``ends`` are its ends.

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
    ends: tuple[float, float] = (0.0, 0.0)

    @property
    def as_observed(self) -> Joint:
        """The law of the clusters that were observed, without one that was added."""
        return self if self.observed is None else self.observed

    @property
    def is_independent(self) -> bool:
        """Whether no variance is shared by models."""
        return not self.shared.shape[1]

    @property
    def effects(self) -> Vector:
        """All effects on each model, shared and own, (L, ..): their squares add up to the variance of its mean."""
        return np.hstack([self.shared, np.diag(np.sqrt(self._alone))]) if self._alone.any() else self.shared

    @property
    def _alone(self) -> Vector:
        return self.alone

    def value(self, form: Form) -> Any:
        """Return the mean of a weighted sum of models."""
        return total(form, self.mu)

    def _spread(self, form: Form) -> Vector:
        """Return the variance of the sum over draws of questions."""
        effects = total(form, self.shared)
        return np.asarray((effects * effects).sum(axis=-1))

    def has_spread(self, form: Form) -> Flags:
        """Return whether the sum varies between the questions that were observed, by more than rounding."""
        law = self.as_observed
        largest = max(np.abs(law.mu).max(), np.abs(law.shared).max(initial=0.0))
        return np.asarray(law._spread(form) > (_ROUNDING * largest) ** 2)

    def sd(self, form: Form) -> Any:
        """Return the standard deviation of the sum."""
        shown = np.sqrt(self.variance(form))
        return shown if self.least_p < _NO_LEAST_P else np.maximum(shown, self._least_sd(form))

    def variance(self, form: Form) -> Vector:
        """Return the variance of the sum, with the noise of trials where it does not vary between questions."""
        shown = self.shown_variance(form)
        if self.trial_noise is None:
            return shown
        return np.asarray(np.where(self.has_spread(form), shown, shown + squares(form, self.trial_noise)))

    def _least_sd(self, form: Form) -> Any:
        """Return the standard deviation with which the sum has the p-value ``least_p``."""
        if self.least_p < _NO_LEAST_P:
            return 0.0
        return np.abs(self.value(form)) / -stdtrit(self.degrees(form), self.least_p / 2.0)

    def shown_variance(self, form: Form) -> Vector:
        """Return the variance of the sum without ``trial_noise``: as little as questions that all agree show."""
        if self.is_independent:
            return np.asarray(squares(form, self.alone))
        spread = self._spread(form)
        if self.observed is None and self.trial_noise is not None:
            spread = np.where(self.has_spread(form), spread, 0.0)
        return np.asarray(spread + squares(form, self.alone))

    def p_above(self, form: Form) -> Any:
        """Return P(the sum is above 0); a mean of 0 gives 1/2."""
        mean, sd = np.broadcast_arrays(self.value(form), self.sd(form))
        certain = np.where(mean > 0, np.inf, np.where(mean < 0, -np.inf, 0.0))
        return stdtr(self.degrees(form), np.divide(mean, sd, out=certain, where=sd > 0))

    def degrees(self, form: Form) -> Any:  # noqa: ARG002 - they differ between sums over several tasks
        """Return the degrees of freedom of the sum."""
        return self.df

    def for_draws(self) -> Joint:
        """Return the joint posterior with the trial noise as one more cluster, so that no two models draw alike."""
        if self.trial_noise is None:
            return self
        return replace(self, alone=read_only(self.alone + self.trial_noise / self.df), trial_noise=None)

    def widened(self, variance: Vector) -> Joint:
        """Return the joint posterior with more variance of each model's own."""
        return replace(self, alone=read_only(self.alone + variance))

    def draw(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws of all means, (n, L)."""
        models, width = self.shared.shape
        noise = rng.standard_normal((n, width)) @ self.shared.T
        noise += rng.standard_normal((n, models)) * np.sqrt(self.alone)
        if math.isfinite(self.df):
            noise *= np.sqrt(self.df / rng.chisquare(self.df, (n, 1)))
        return self.mu + noise


@dataclass(frozen=True, eq=False)
class SummedJoint(Joint):
    """The joint posterior of weighted sums over tasks; each task has its own law, normal or Student's."""

    tasks: tuple[Joint, ...] = ()
    weights: Vector = field(default_factory=lambda: np.ones((1, 1)))  # of each task for each model, (T, L)
    bias: Vector = field(default_factory=lambda: np.zeros(1))  # of each model, taken out of the weighted sums
    added: Vector = field(default_factory=lambda: np.zeros(1))  # the variance that this adds, by model

    @property
    def _alone(self) -> Vector:
        return np.asarray(self.alone + self.added)

    def on_tasks(self, form: Form) -> list[tuple[Joint, Form]]:
        """Return the law of each task, and the part of the sum that is on it."""
        return [(task, weighted(form, weights)) for task, weights in zip(self.tasks, self.weights, strict=True)]

    def sd(self, form: Form) -> Any:
        """Return the standard deviation of the sum."""
        shown = np.sqrt(self._variances(form).sum(axis=0) + squares(form, self.added))
        return np.maximum(shown, self._least_sd(form))

    def _variances(self, form: Form) -> Vector:
        """Return the variance of the part on each task, (T, ..).

        A task on which the sum does not vary between questions adds nothing, because the others vary more than
        they should, and the sum is right on average. The noise of trials takes the place if it varies on no task.
        """
        parts = self.on_tasks(form)
        shown = np.array([task.shown_variance(part) for task, part in parts])
        noise = np.array([task.variance(part) for task, part in parts])
        alone = np.array([squares(part, task.as_observed.alone) for task, part in parts])
        varies = np.any([task.has_spread(part) for task, part in parts], axis=0) | (alone.sum(axis=0) > 0.0)
        return np.where(varies, shown, noise)

    def degrees(self, form: Form) -> Any:
        """Return the degrees of freedom of the sum, by Welch and Satterthwaite."""
        variances = self._variances(form)
        whole = variances.sum(axis=0)
        freedom = np.array([task.df for task in self.tasks]).reshape(-1, *[1] * (variances.ndim - 1))
        share = (variances**2 / freedom).sum(axis=0)
        return np.divide(whole**2, share, out=np.full_like(whole, np.inf), where=share > 0.0)

    def for_draws(self) -> Joint:
        """Return the joint posterior in which no two models draw alike."""
        return replace(self, tasks=tuple(task.for_draws() for task in self.tasks))

    def widened(self, variance: Vector) -> Joint:
        """Return the joint posterior with more variance of each model's own."""
        return replace(self, added=read_only(self.added + variance))

    def draw(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws of all overall means, (n, L)."""
        drawn = sum(weights * task.draw(n, rng) for weights, task in zip(self.weights, self.tasks, strict=True))
        drawn = drawn - self.bias
        if self.added.any():
            drawn = drawn + rng.standard_normal((n, len(self.mu))) * np.sqrt(self.added)
        return np.asarray(drawn)


def independent(mu: Sequence[float] | Vector, sigma: Sequence[float] | Vector) -> Joint:
    """Return the joint posterior of models with independent normal posteriors."""
    mean, spread = np.array(mu, dtype=np.float64), np.array(sigma, dtype=np.float64)
    return Joint(read_only(mean), read_only(np.zeros((len(mean), 0))), read_only(spread**2), math.inf)


def paired_by_question(metrics: Sequence[Metric], models: Sequence[OutcomeMatrix], prior: Prior = _UNIFORM) -> Joint:
    """Return the joint posterior of scores whose questions are a draw, in whole clusters, at least two.

    Each model has a metric, and its effects are those of its own questions, found by their labels. If trials are too
    few for a score, posterior means under ``prior`` take its place, with their variance.

    >>> from scorio.estimates import difference
    >>> models = [OutcomeMatrix.from_counts(counts, 10) for counts in ([9, 7, 2], [8, 5, 2])]
    >>> joint = paired_by_question([Metric.from_string("pass@1")] * 2, models)
    >>> joint.df, round(float(joint.value(difference(0, 1))), 6)  # of the differences .1, .2, 0 and one more
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
    low, high = np.array([metric.support(outcomes) for metric, outcomes in pairs], dtype=np.float64).T
    return with_one_more(joint, float(low.min()), float(high.max()))


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


def with_one_more(joint: Joint, low: float, high: float, share: float = 1.0) -> Joint:
    """Return the law of means over clusters with one more that may lie anywhere between ``low`` and ``high``.

    Only a ``share`` of it may be added. Where values have no limits there is none.

    >>> from scorio.estimates import difference
    >>> joint = Joint(np.array([0.9, 0.1]), np.zeros((2, 4)), np.zeros(2), 3.0)  # each of four clusters differs by .8
    >>> more = with_one_more(joint, 0.0, 1.0)
    >>> gap = difference(0, 1)
    >>> round(float(more.value(gap)), 6), round(float(more.sd(gap)), 5), more.df
    (0.64, 0.33064, 4.0)
    """
    if not np.isfinite(high - low):
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
    return Joint(mu, shared, alone, total - 1.0, joint.trial_noise, least, joint, (low, high))


def with_one_more_of_all(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Return the laws of several tasks with one more cluster among all of theirs, of which each has its share."""
    total = sum(joint.as_observed.df + 1.0 for joint in joints)
    return tuple(
        joint
        if joint.observed is None
        else with_one_more(joint.observed, *joint.ends, share=(joint.observed.df + 1.0) / total)
        for joint in joints
    )


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


def weighted(form: Form, weights: Vector) -> Form:
    """Return the form with the factor of each model times its weight; of one sum, parts without weight are left out.

    >>> weighted(difference(0, 1), np.array([0.5, 0.0])) == ((0.5, 0),)
    True
    """
    parts = tuple((factor * weights[which], which) for factor, which in form)
    if any(np.ndim(which) for _, which in form):
        return parts
    return tuple(part for part in parts if part[0] != 0.0) or parts


def pair_of(form: Form) -> tuple[Which, Which] | None:
    """Return the models of a difference, or of a multiple of one; None for another form."""
    if len(form) != 2 or np.any(form[0][0] != -form[1][0]):
        return None
    return form[0][1], form[1][1]


def _times(factor: Any, rows: Any) -> Any:
    """Return a factor, or one for each of many sums, times rows of values."""
    return factor * rows if np.ndim(factor) == 0 else np.asarray(factor)[..., None] * rows
