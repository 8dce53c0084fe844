"""How much differences vary where every question has one trial of each model.

One trial per question does not show how much the success rates of questions differ, so a posterior has to guess the
variance that is due to the trials. A guess that is wrong on every task in the same direction does not cancel in a sum
over tasks. Two models on the same questions do show an upper limit of that variance: with ``a`` and ``b`` the outcomes
and ``p`` and ``q`` their probabilities,

    Var over questions of (a - b) = mean of [p (1 - p) + q (1 - q)] + Var over questions of (p - q)

in expectation, and the first part is the variance that is due to the trials.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._arrays import Vector, read_only
from ..metrics import Metric
from ..metrics._clusters import cluster_count, shifts
from ..outcomes import OutcomeMatrix


def variance_of_single_trials(metric: Metric, models: Sequence[OutcomeMatrix]) -> Vector | None:
    """Return the variance over questions of the difference between each two models, (L, L).

    The models have the same questions. None where some question has more than one trial, and for metrics that are no
    mean over questions.

    >>> one, other = OutcomeMatrix([[1], [1], [0], [1]]), OutcomeMatrix([[0], [1], [0], [1]])
    >>> round(variance_of_single_trials(Metric.from_string("pass@1"), [one, other])[0, 1].item(), 9)
    0.0625
    """
    if not metric.is_mean_over_questions or metric.required_trials > 1 or cluster_count(models[0]) < 2:
        return None
    for each in models:
        if each.min_trials != 1 or each.max_trials != 1 or each.is_adaptive or each.prior_counts is not None:
            return None
    effects = np.array([shifts(metric, each) for each in models])
    products = effects @ effects.T
    own = np.diag(products)
    variances: Vector = np.maximum(own[:, None] + own - 2.0 * products, 0.0)
    return read_only(variances)
