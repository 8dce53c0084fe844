"""Best@k: the outcome of the trial with the highest score of a verifier among ``k`` (best of n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from .._arrays import Indices, Vector
from .._kernels import best_of_k
from ..outcomes import OutcomeMatrix
from ..params import param
from ._sample_metric import SampleMetric, outcome_values, score_name
from ._sample_values import SampleValues

__all__ = ["BestOfK"]


@dataclass(frozen=True)
class BestOfK(SampleMetric):
    """Best@k: the expected outcome of the trial with the highest score among ``k``, as a verifier would choose it.

    ``by`` names the scores; without it, there must be one kind. Of trials with equal scores each is as likely to be
    chosen.

    >>> from scorio import OutcomeMatrix
    >>> R = OutcomeMatrix([[1, 0, 0, 1]], scores={"reward": [[0.9, 0.2, 0.8, 0.1]]})
    >>> round(BestOfK(2).score(R), 6)  # the right one wins 3 of 6 pairs; 0.8 wins 2, 0.2 wins 1
    0.5
    """

    name: ClassVar[str] = "best"
    aliases: ClassVar[tuple[str, ...]] = ("best_of",)
    by: str | None = param(score_name, default=None)

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        _, scores = outcomes.trial_columns.score(self.by)
        return best_values(outcomes, np.asarray(scores), self.k)

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        _, scores = outcomes.trial_columns.score(self.by)
        by_score = _sorted(outcomes, np.asarray(scores))
        value = np.empty(outcomes.n_questions)
        best_of_k.best(by_score.scores, by_score.worths, by_score.first, self.k, False, value, np.empty(0))
        return value


class Sorted(NamedTuple):
    """The ``scores`` and ``worths`` of all trials, in the ``order`` of their scores within each question."""

    scores: Vector
    worths: Vector
    order: Indices
    first: Indices  # where each question's trials begin, and the end of the last


def best_values(outcomes: OutcomeMatrix, scores: Vector, k: int) -> SampleValues:
    """Return the worth of the best of ``k`` by these scores of all trials."""
    by_score, trials = _sorted(outcomes, scores), outcomes.trials
    value, without = np.empty(len(trials)), np.empty(len(scores))
    best_of_k.best(by_score.scores, by_score.worths, by_score.first, k, True, value, without)
    placed = np.empty(len(scores))
    placed[by_score.order] = without
    return SampleValues(value, placed, trials, trials == k, np.zeros(len(trials)))


def _sorted(outcomes: OutcomeMatrix, scores: Vector) -> Sorted:
    """Return the trials by score within each question."""
    order = order_in_questions(scores, outcomes.trials)
    first = np.concatenate([[0], np.cumsum(outcomes.trials)]).astype(np.int64)
    return Sorted(scores[order], outcome_values(outcomes)[order], order, first)


def order_in_questions(scores: Vector, trials: Indices) -> Indices:
    """Return the order of all trials by score within each question."""
    n = int(trials[0]) if len(trials) else 0
    if n and (trials == n).all():
        table = scores.reshape(-1, n)
        return np.asarray((np.argsort(table, axis=1) + n * np.arange(len(table))[:, None]).ravel())
    return np.lexsort((scores, np.repeat(np.arange(len(trials)), trials)))
