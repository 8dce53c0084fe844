"""The value of each question without each of its trials, for any metric, as comparisons on the same trials need it."""

from __future__ import annotations

import numpy as np

from .._arrays import Vector
from ..errors import OutcomeError
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._base import Metric
from ._reward_metrics import BayesMetric, Categorical
from ._sample_metric import SampleMetric
from ._sample_values import SampleValues, best_values
from ._too_few import with_enough_trials


def trial_values(metric: Metric, R: OutcomeMatrix) -> SampleValues:
    """Return the value of each question, and without each trial: of one category, all trials say the same.

    >>> from scorio import OutcomeMatrix, PassAtK
    >>> trial_values(PassAtK(2), OutcomeMatrix([[0, 0, 1]])).without.round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    outcomes = metric.admit(R)
    with_enough_trials(metric, outcomes, "raise")
    if isinstance(metric, SampleMetric):
        return metric._values_of(outcomes)
    if not metric.is_mean_over_questions or metric._has_biased_score or isinstance(metric, BayesMetric):
        raise OutcomeError(f"{metric} is no mean over questions of what their trials are worth, as a rule must be")
    if isinstance(outcomes, RewardMatrix):
        return _of_rewards(metric, outcomes)
    return _of_categories(metric, outcomes)


def _of_rewards(metric: Metric, outcomes: RewardMatrix) -> SampleValues:
    """Return the mean, the best or the worst of continuous rewards, which are the scores by which it is chosen."""
    if not isinstance(metric, Categorical):
        raise OutcomeError(f"{metric} counts successes, and these are continuous rewards")
    metric.continuous_mean(outcomes)  # which refuses weights
    scores = outcomes.ordered
    return best_values(outcomes, -scores if metric._trend < 0 else scores, metric.draw_size or 1)


def _of_categories(metric: Metric, outcomes: OutcomeMatrix) -> SampleValues:
    counts, trials = outcomes.counts, outcomes.trials
    value, whole = metric.per_question(outcomes), trials == metric.required_trials
    without = np.full(counts.shape, np.nan)
    for category in range(counts.shape[1]):
        for smaller in (False, True):
            here = (counts[:, category] > 0) & (trials > 1) & (whole == smaller)
            if here.any():
                left = counts[here]
                left[:, category] -= 1
                drawing = _of_one_fewer(metric) if smaller else metric
                without[here, category] = drawing.per_question(OutcomeMatrix.from_counts(left, levels=outcomes.levels))
    of_trial: Vector = np.repeat(without.ravel(), counts.ravel())
    return SampleValues(value, of_trial, trials, whole, np.zeros(len(trials)))


def _of_one_fewer(metric: Metric) -> Metric:
    """Return the metric of a draw of one trial fewer."""
    if metric.draw_size is None or metric.draw_size < 2:
        return metric
    return type(metric)(**metric.get_params() | {"k": metric.draw_size - 1})
