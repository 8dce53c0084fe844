"""The influence of a trial on a question's value, to first order: what its outcome moves, by category.

A metric is a function of the shares of a question's trials in each category, and its derivative is taken at smoothed
shares, with so many trials that the value is nearly that of the shares themselves. This needs nothing of a metric but
its value per question. For pass/fail outcomes it is the mean at two success rates, a standard deviation of the
posterior to both sides of its mean, because the derivative at the mean is less than its mean where it is convex.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector, read_only
from ..errors import OutcomeError
from ..inference import LEARNED, as_prior
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._shared_prior import learned_prior, of_states
from ._worth import worth_of

if TYPE_CHECKING:
    from ._base import Metric

_TRIALS = 4000  # from which values are taken
_PER_BUDGET = 40  # trials for each of the k trials of a draw
_STEP = 0.01  # of a share
_BESIDE = read_only(np.array([[-1.0], [1.0]]))  # the mean
_RATE = worth_of(read_only(np.array([0.0, 1.0])))


class Influence(NamedTuple):
    """The influence of a trial of each category on questions that are alike, (S, C+1), and where each question stands.

    ``counts`` are the trials of each category of these questions, (S, C+1), and ``times`` is how many are alike.
    """

    values: Vector
    counts: Vector
    of_question: Indices
    times: Vector


def influence(metric: Metric, outcomes: OutcomeMatrix) -> Influence:
    """Return the influence of a trial of each category on the value of each question; that of the first is 0.

    >>> from scorio import PassAtK
    >>> found = influence(PassAtK(1), OutcomeMatrix([[0, 1], [1, 1]]))
    >>> found.values[found.of_question].round(6).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    if metric.is_of_samples:
        problem = f"the influence of a trial on {metric} is not known: it depends on the other trials of a draw"
        raise OutcomeError(problem, hint="say runs='independent'")
    where = outcomes.profile_of_question
    if metric.is_mean_over_questions:
        rows = outcomes.profile_rows
        times = outcomes.groups.multiplicity.astype(np.float64)
        return Influence(_of_rows(metric, outcomes), rows, where, times)
    terms = metric.covariance_terms(outcomes, as_prior(LEARNED))
    if terms is None:
        problem = f"the influence of a trial on {metric} is not known: it is no mean over questions"
        raise OutcomeError(problem, hint="say runs='independent'")
    parts = [np.reshape(gain, (-1, 1)) * _of_rows(part, outcomes)[where] for gain, part in terms]
    counts = outcomes.counts.astype(np.float64)
    place = np.arange(outcomes.n_questions)
    return Influence(np.asarray(np.sum(parts, axis=0)), counts, place, np.ones(len(place)))


def influence_of_rewards(metric: Metric, rewards: RewardMatrix) -> Vector:
    """Return the influence of every continuous reward, in the order of questions and of rewards within them.

    With ``F`` the distribution of a question's rewards, the expected best of ``k`` has the derivative
    ``k F(x)^(k-1)`` with respect to a reward that moves past ``x``.

    >>> from scorio import MaxAtK
    >>> influence_of_rewards(MaxAtK(2), RewardMatrix([[0.1, 0.2, 0.4]])).round(4).tolist()
    [0.0, 0.0667, 0.3333]
    """
    values, k = rewards.ordered, metric.draw_size or 1
    if k == 1:
        return values
    n = rewards.trials
    first = np.repeat(np.cumsum(n) - n, n)
    place = np.arange(len(values)) - first
    below = place / np.repeat(np.maximum(n, 1), n)
    steps = k * below ** (k - 1) * np.diff(values, prepend=values[:1])
    steps[place == 0] = 0.0
    total = np.cumsum(steps)
    return np.asarray(total - total[first])


def _of_rows(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the mean derivative of a question's value over the shares that its outcomes allow, for distinct counts."""
    trials = max(_TRIALS, _PER_BUDGET * (metric.draw_size or 1))
    near = (_rates if outcomes.is_pass_fail else _smoothed)(outcomes, trials)
    slopes = _derivative(metric, outcomes, near.reshape(-1, near.shape[-1]))
    return np.asarray(np.add.reduce(slopes.reshape(near.shape)) / len(near))


def _derivative(metric: Metric, outcomes: OutcomeMatrix, base: Counts) -> Vector:
    """Return the derivative of the values of questions at the shares of these counts, by differences."""
    trials = int(base[0].sum())
    step = max(round(_STEP * trials), 1)
    slopes = np.zeros(base.shape)
    for category in range(1, base.shape[1]):
        more, less = base.copy(), base.copy()
        for counts, sign in ((more, 1), (less, -1)):
            moved = np.minimum(step, counts[:, 0] if sign > 0 else counts[:, category])
            counts[:, category] += sign * moved
            counts[:, 0] -= sign * moved
        change = (more[:, category] - less[:, category]) / trials
        values = np.reshape(metric.per_question(_like(outcomes, np.concatenate([more, less]))), (2, -1))
        slopes[:, category] = (values[0] - values[1]) / np.maximum(change, 1.0 / trials)
    return slopes


def _like(outcomes: OutcomeMatrix, counts: Counts) -> OutcomeMatrix:
    """Return outcomes of the same kind with other counts, of other questions."""
    rest = {"prior": None, "questions": None, "clusters": None, "adaptive": False}
    return outcomes.replaced(counts=counts, planned=counts.sum(axis=1), **rest)


def _rates(outcomes: OutcomeMatrix, trials: int) -> Counts:
    """Return counts at success rates one standard deviation below and above each posterior mean, (2, S, 2)."""
    mean, within, between = of_states(_RATE, learned_prior(outcomes))
    counts = np.zeros((2, len(mean), outcomes.n_categories), np.int64)
    rate = mean + _BESIDE * np.sqrt(within + between)
    counts[:, :, 1] = np.minimum(np.maximum(np.rint(rate * trials), 1), trials - 1)
    counts[:, :, 0] = trials - counts[:, :, 1]
    return counts


def _smoothed(outcomes: OutcomeMatrix, trials: int) -> Counts:
    """Return counts of so many trials per question, with shares that are nearly those observed, (1, S, C+1)."""
    rows, width = outcomes.profile_rows, outcomes.n_categories
    share = (rows + 1.0 / width) / (rows.sum(axis=1, keepdims=True) + 1.0)
    counts = np.maximum(np.rint(share * trials), 1.0).astype(np.int64)
    counts[:, 0] += trials - counts.sum(axis=1)
    return np.asarray(np.maximum(counts, 1), np.int64)[None]
