r"""Differences between models on these questions, where every question has one trial of each model.

One trial per question does not show how much the success rates of questions differ, so a posterior of each model has to
guess the variance that is due to the trials. Two models on the same questions do show an upper limit of it. With ``a``
and ``b`` the outcomes of a question and ``p`` and ``q`` their expectations,

    Var over questions of (a - b) = mean of [Var(a) + Var(b)] + Var over questions of (p - q)

in expectation, where the first part is the variance that is due to the trials. Both are equal if the models differ by
the same amount on every question, so a paired t test of single trials is right for these questions if the models are
equal, and never calls more often if they solve different questions. The joint law of all models is Student's, as it is
for questions like these.

Where the difference does not vary at all, as if no question tells the models apart, the variances of both posteriors
take its place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._arrays import read_only
from ..inference._prior import PriorLike, is_learned
from ..metrics import AvgMetric, BayesMetric, Metric
from ..metrics._clusters import shifts_of_mean
from ..outcomes import OutcomeMatrix
from ._joint import Joint


def are_single_trials(metric: Metric, models: Sequence[OutcomeMatrix], prior: PriorLike) -> bool:
    """Return whether the rule of single trials is for these models, if they have the same questions.

    It takes the place of the learned prior only: a prior that was chosen is kept.
    """
    if not is_learned(prior) or not metric.is_mean_over_questions or metric.required_trials > 1:
        return False
    if len(models) < 2 or models[0].n_questions < 2:
        return False
    return all(_has_single_trials(each) for each in models)


def _has_single_trials(outcomes: OutcomeMatrix) -> bool:
    is_plain = not outcomes.is_adaptive and outcomes.prior_counts is None
    return is_plain and outcomes.min_trials == outcomes.max_trials == 1


def paired_by_trial(metric: Metric, models: Sequence[OutcomeMatrix], prior: PriorLike) -> Joint:
    """Return the joint law of the means of single trials on the same questions.

    >>> one, other = OutcomeMatrix([[1], [1], [0], [1]]), OutcomeMatrix([[0], [1], [0], [1]])
    >>> joint = paired_by_trial(Metric.from_string("pass@1"), [one, other], "learned")
    >>> round(float(joint.sd(0, 1)), 6), joint.df  # of the differences 1, 0, 0, 0
    (0.25, 3.0)
    """
    mean = AvgMetric(metric.weights) if isinstance(metric, BayesMetric) else metric
    values = np.array([mean.per_question(each) for each in models], dtype=np.float64)
    questions = np.arange(values.shape[1])  # clusters of questions make no difference to what trials vary
    effects = np.array([shifts_of_mean(row, questions) for row in values])
    noise = np.array([metric.posterior(each, prior=prior).sigma for each in models]) ** 2
    arrays = (values.mean(axis=1), effects, np.zeros(len(models)), noise)
    mu, shared, own, noise = map(read_only, arrays)
    return Joint(mu, shared, own, len(questions) - 1.0, noise)
