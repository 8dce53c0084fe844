"""The gold ranking that replicates are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels import concordance
from ..agreement import matched, read_ranking
from ..errors import OutcomeError, ParameterError
from ..metrics import Metric
from ..outcome_set import OutcomeSet
from ..rank import rank_scores
from ..rank.rules import TOLERANCE


@dataclass(frozen=True, eq=False)
class Gold:
    """A ranking of models; with ``free_ties`` models that tie in it may come in any order."""

    scores: NDArray[np.float64]
    free_ties: bool

    @property
    def ranks(self) -> tuple[int, ...]:
        """Competition ranks."""
        return tuple(rank_scores(self.scores)["competition"].tolist())

    def compare(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Tau-b, and whether it is this ranking, of the scores (models, replicates, n)."""
        better = np.array(self.ranks) - 1
        order = np.argsort(better, kind="stable")
        tau, same = np.empty(scores.shape[1:]), np.empty(scores.shape[1:], np.uint8)
        by_replicate = scores[order].swapaxes(0, 1)
        concordance.tau_b(by_replicate, better[order].astype(np.intp), TOLERANCE, self.free_ties, tau, same)
        return tau, same.astype(bool)


def gold_rankings(gold: Any, metrics: Sequence[Metric], models: OutcomeSet, free_ties: bool) -> tuple[Gold, ...]:
    """The gold ranking of each metric."""
    if isinstance(gold, str):
        if gold != "full":
            raise ParameterError(f'gold must be "full", a Metric, scores or a ranking by names; got {gold!r}')
        return tuple(Gold(_scores(metric, models), free_ties) for metric in metrics)
    return (Gold(_given(gold, models), free_ties),) * len(metrics)


def _given(gold: Any, models: OutcomeSet) -> NDArray[np.float64]:
    if isinstance(gold, Metric):
        return _scores(gold, models)
    names, scores = read_ranking(gold)
    if names is not None:
        return matched(scores, names, models.names)
    if len(scores) != len(models):
        raise OutcomeError(f"gold has {len(scores)} scores for {len(models)} models")
    return scores


def _scores(metric: Metric, models: OutcomeSet) -> NDArray[np.float64]:
    return np.array([metric.score(matrix) for matrix in models.values()])
