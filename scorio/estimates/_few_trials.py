r"""What few trials can say: exact tests, and single trials on the same questions.

One trial per question does not show how much the success rates of questions differ, so a posterior of each model has to
guess the variance that is due to the trials. Two models on the same questions do show an upper limit of it. With ``a``
and ``b`` the outcomes of a question and ``p`` and ``q`` their expectations,

    Var over questions of (a - b) = mean of [Var(a) + Var(b)] + Var over questions of (p - q)

in expectation, where the first part is the variance that is due to the trials. Both are equal if the models differ by
the same amount on every question, so a paired t test of single trials is right for these questions if the models are
equal, and never calls more often if they solve different questions. The joint law of all models is Student's, as it is
for questions like these. Where the difference does not vary at all, as if no question tells the models apart, the
variances of both posteriors take its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Counts, Vector, read_only
from .._base.special import betainc, binom, ndtri
from ..inference import Prior
from ..metrics import AvgMetric, BayesMetric, Metric
from ..metrics._shared_prior import shifts_of_mean
from ..outcomes import OutcomeMatrix
from ._joint import Joint

_MOST_SINGLE = 24  # of a model with single trials; with more, they have a rule of their own
_MOST_TRIALS = 128  # of a model; with more, posteriors are hardly too sure
_FEWEST_NORMAL = 5  # trials of each model from which on the difference is nearly normal, by enumeration
_CERTAIN = _ROUNDING = 1e-12  # probabilities and differences below are rounding
_EXACT = 1.0 - 1e-9  # times a probability: one that is the error, but for rounding, calls


@dataclass(frozen=True, eq=False)
class FewTrials:
    """Successes and trials of models on the same questions, (L, M) each; every question has a trial of every model.

    If two models are equal on every question, the score of one exceeds that of the other by as much as observed, in
    either direction, with a certain probability. Given how many successes both have together on each question, its law
    is that of all permutations of their trials, whatever the rates are. From five trials of each model on, the
    statistic is the difference over the standard deviation of that law, as of Cochran, Mantel and Haenszel: it calls
    equal models at the nominal rate, while the probability itself, which moves in large steps, calls fewer of those
    that differ. For fewer it is that probability, where the observed difference counts by half (mid-p). With single
    trials, the rates are those that both models show together. That bounds posteriors, which few trials make too sure.
    """

    successes: Counts
    trials: Counts

    def z_most(self, i: Any, j: Any) -> Vector:
        """Return the largest statistic of each pair that the trials allow; infinite where it is not known.

        >>> few = FewTrials(np.array([[2, 2, 1], [0, 1, 0]]), np.full((2, 3), 2))  # variances 4/3, 1, 1 of differences
        >>> round(few.z_most(0, 1).item(), 6) == round(4.0 / (10.0 / 3.0) ** 0.5, 6)
        True
        """
        if self.trials.max() > 1 and self.trials.sum(axis=1).min() >= _FEWEST_NORMAL:
            one, other, n, m = self._of(i, j)
            gap, both = np.abs((one / n - other / m).sum(axis=-1)), one + other
            variance = (both * (n + m - both) / (n * m * (n + m - 1.0))).sum(axis=-1)  # over permutations
            differs = gap > _ROUNDING
            return np.asarray(np.divide(gap, np.sqrt(variance), out=np.full(gap.shape, np.inf), where=differs))
        p = self.p_least(i, j)
        is_possible = (p > _CERTAIN) & (p < 1.0 - _CERTAIN)
        return np.where(is_possible, -ndtri(np.where(is_possible, p, 0.5) * _EXACT / 2.0), np.inf)

    def p_least(self, i: Any, j: Any) -> Vector:
        """Return that probability for each pair; 1 where no difference is observed.

        >>> few = FewTrials(np.array([[1, 1], [0, 0]]), np.ones((2, 2), int))  # both questions solved, or none: 1 in 8
        >>> round(few.p_least(0, 1).item(), 6)
        0.125
        """
        one, other, n, m = self._of(i, j)
        if self.trials.max() == 1:  # the difference is that of tosses of a coin, two for each question that differs
            differ, gap = (one != other).sum(axis=-1), np.abs((one - other).sum(axis=-1))
            tail = betainc(np.maximum(differ + gap, 1), differ - gap + 1.0, 0.5)
            return np.where(gap > 0, np.minimum(2.0 * tail, 1.0), 1.0)
        sides = np.stack([one, other, n, m], axis=-2)
        rows, kind = np.unique(sides.reshape(-1, *sides.shape[-2:]), axis=0, return_inverse=True)
        return np.array([_p_of_permutations(*row) for row in rows])[kind.ravel()].reshape(sides.shape[:-2])

    def _of(self, i: Any, j: Any) -> list[Counts]:
        """Return the successes of both models of each pair, and then their trials."""
        return list(np.broadcast_arrays(*(counts[side] for counts in (self.successes, self.trials) for side in (i, j))))


def _p_of_permutations(one: Counts, other: Counts, n: Counts, m: Counts) -> float:
    """Return the probability of a larger difference and half of that of the same, over permutations of the trials."""
    chance, differences = np.ones(1), np.zeros(1)
    for both, mine, theirs in zip(one + other, n, m, strict=True):
        ours = np.arange(max(both - theirs, 0), min(both, mine) + 1)
        ways = binom(mine, ours) * binom(theirs, both - ours)
        chance = np.outer(chance, ways / ways.sum()).ravel()
        differences = np.add.outer(differences, ours / mine - (both - ours) / theirs).ravel()
    further = np.abs(differences) - abs((one / n - other / m).sum())
    counted = np.where(np.abs(further) < _ROUNDING, 0.5, further > 0.0)
    return float((counted * chance).sum().clip(0.0, 1.0))


def few_trials(metrics: Sequence[Metric], models: Sequence[OutcomeMatrix]) -> FewTrials | None:
    """Return the successes of models if trials are so few that they bound what can be said, else None."""
    first, metric, most = models[0], metrics[0], max(model.max_trials for model in models)
    if most * first.n_questions > (_MOST_SINGLE if most == 1 else _MOST_TRIALS):
        return None
    if any(rule != metric for rule in metrics) or not metric.is_success_rate(models):
        return None
    for model in models:
        is_alike = model.n_questions == first.n_questions and model.min_trials > 0
        if not is_alike or model.is_adaptive or model.prior_counts is not None:
            return None
    successes, trials = zip(*((model.successes, model.trials) for model in models), strict=True)
    return FewTrials(np.array(successes), np.array(trials))


def are_single_trials(metrics: Sequence[Metric], models: Sequence[OutcomeMatrix], prior: Prior) -> bool:
    """Return whether the rule of single trials is for these models, if they have the same questions.

    It takes the place of the learned prior only: a prior that was chosen is kept.
    """
    if not prior.is_learned or len(models) < 2 or models[0].max_trials != 1 or models[0].n_questions < 2:
        return False
    kinds = all(metric.is_mean_over_questions and metric.required_trials <= 1 for metric in dict.fromkeys(metrics))
    is_plain = all(not model.is_adaptive and model.prior_counts is None for model in models)
    return kinds and is_plain and all(model.min_trials == model.max_trials == 1 for model in models)


def paired_by_trial(metrics: Sequence[Metric], models: Sequence[OutcomeMatrix], prior: Prior) -> Joint:
    """Return the joint law of the means of single trials on the same questions.

    >>> from scorio.estimates._joint import difference
    >>> from scorio.inference._prior import as_prior
    >>> one, other = OutcomeMatrix([[1], [1], [0], [1]]), OutcomeMatrix([[0], [1], [0], [1]])
    >>> joint = paired_by_trial([Metric.from_string("pass@1")] * 2, [one, other], as_prior("learned"))
    >>> round(float(joint.sd(difference(0, 1))), 6), joint.df  # of the differences 1, 0, 0, 0
    (0.25, 3.0)
    """
    means = [AvgMetric(metric.weights) if isinstance(metric, BayesMetric) else metric for metric in metrics]
    values = np.array([mean.per_question(model) for mean, model in zip(means, models, strict=True)], dtype=np.float64)
    questions = np.arange(values.shape[1])  # clusters of questions make no difference to what trials vary
    effects = np.array([shifts_of_mean(row, questions) for row in values])
    pairs = zip(metrics, models, strict=True)
    noise = np.array([metric.law_of(model, prior, "questions").sd for metric, model in pairs]) ** 2
    arrays = (values.mean(axis=1), effects, np.zeros(len(models)), noise)
    mu, shared, alone, noise = map(read_only, arrays)
    return Joint(mu, shared, alone, len(questions) - 1.0, noise)
