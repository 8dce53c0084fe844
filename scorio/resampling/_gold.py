"""The gold ranking that replicates are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._display.words import unknown
from .._kernels import tau_b
from ..errors import OutcomeError, ParameterError
from ..metrics import Metric
from ..rank import rank_scores
from ..rank._agreement import in_order, read_ranking
from ..rank._rules import TOLERANCE

GOLDS = ("full",)
Names = tuple[str, ...]
Scores = Callable[[Metric], Vector]


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold ranking of models; with ``free_ties`` models that tie in it may come in any order."""

    scores: NDArray[np.float64]
    free_ties: bool

    @property
    def ranks(self) -> tuple[int, ...]:
        """Competition ranks."""
        return tuple(rank_scores(self.scores)["competition"].tolist())

    def compare(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return tau-b to this ranking, and whether it is equal, of the scores (models, replicates, n)."""
        better = np.array(self.ranks) - 1
        order = np.argsort(better, kind="stable")
        tau, same = np.empty(scores.shape[1:]), np.empty(scores.shape[1:], np.uint8)
        by_replicate = scores[order].swapaxes(0, 1)
        tau_b.tau_b(by_replicate, better[order].astype(np.intp), TOLERANCE, self.free_ties, tau, same)
        return tau, same.astype(bool)


def gold_rankings(
    gold: Any, full: Sequence[Vector], score_of: Scores, models: Names, free_ties: bool
) -> tuple[Gold, ...]:
    """Return the gold ranking of each metric; ``full`` are the scores by each metric on all trials.

    ``score_of`` returns the scores of the models by a metric.
    """
    if isinstance(gold, str):
        if gold not in GOLDS:
            raise ParameterError(f"{unknown('gold', gold, GOLDS)}, or give a Metric, scores or a ranking by names")
        return tuple(Gold(scores, free_ties) for scores in full)
    return (Gold(_gold_scores(gold, score_of, models), free_ties),) * len(full)


def _gold_scores(gold: Any, score_of: Scores, models: Names) -> Vector:
    if isinstance(gold, Metric):
        return score_of(gold)
    names, scores = read_ranking(gold)
    if names is not None:
        return in_order(scores, names, models)
    if len(scores) != len(models):
        raise OutcomeError(f"gold has {len(scores)} scores for {len(models)} models")
    return scores
