"""Models whose differences are wanted at one confidence level, or at one of many looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Vector
from ..inference._prior import PriorLike
from ..metrics import Metric
from ..metrics._batch import interval_of_error, intervals_of_set
from ..outcomes import OutcomeMatrix
from ._differences import Differences, independent_differences
from ._exact_pairs import few_trials
from ._joint import paired_by_question
from ._single_trials import variance_of_single_trials


@dataclass(frozen=True)
class Contest:
    """Models on one metric; ``paired`` says whether they have the same questions, which matters for the population."""

    metric: Metric
    models: Sequence[OutcomeMatrix]
    prior: PriorLike
    shape: str
    target: str
    paired: bool = True

    @property
    def spans(self) -> Vector:
        """The trials at which each two models are judged, (L, L, 2): twice those per question of the one with fewer."""
        trials = np.array([outcomes.mean_trials for outcomes in self.models], dtype=np.float64)
        fewer = np.minimum.outer(trials, trials)
        return np.stack([fewer, fewer], axis=-1)

    def differences(self, confidence: float, error: float | None = None) -> Differences:
        """Return the differences; ``error`` is the probability of both tails at one of many looks."""
        if self.paired and self.target == "population" and len(self.models) > 1:
            joint = paired_by_question(self.metric, self.models, self.prior)
            return Differences(joint, confidence, error=error)
        about: dict[str, Any] = {"prior": self.prior, "shape": self.shape, "target": self.target}
        if error is None:
            intervals = [intervals_of_set([self.metric], each, confidence, **about)[0] for each in self.models]
        else:
            intervals = [interval_of_error(self.metric, each, confidence, error, **about) for each in self.models]
        few = single = None
        if self.target == "questions":
            few = few_trials(self.metric, self.models) if error is None else None
            single = variance_of_single_trials(self.metric, self.models) if self.paired else None
        return independent_differences(intervals, confidence, error, few, single)
