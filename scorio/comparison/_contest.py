"""Models whose differences are wanted at one confidence level, or at one of many looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import Vector
from ..inference import Interval
from ..inference._prior import PriorLike, is_learned
from ..metrics import Metric
from ..metrics._batch import interval_of_error, intervals_of_set
from ..outcomes import OutcomeMatrix
from ._differences import Differences, independent_differences
from ._exact_pairs import few_trials
from ._joint import paired_by_question
from ._single_trials import are_single_trials, paired_by_trial
from ._variance_degrees import variance_degrees


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

    def differences(
        self, confidence: float, error: float | None = None, intervals: Sequence[Interval] | None = None
    ) -> Differences:
        """Return the differences; ``error`` is the probability of both tails at one of many looks.

        ``intervals`` of the models at this level need not be computed again.
        """
        if self.paired and self.target == "population" and len(self.models) > 1:
            joint = paired_by_question(self.metric, self.models, self.prior)
            return Differences(joint, confidence, error=error)
        if self.has_paired_trials:
            return Differences(paired_by_trial(self.metric, self.models, self.prior), confidence, error=error)
        few = few_trials(self.metric, self.models) if self.target == "questions" and error is None else None
        found = independent_differences(intervals or self._intervals(confidence, error), confidence, error, few)
        if self.target == "questions" and is_learned(self.prior):
            found = replace(found, variance_degrees=variance_degrees(self.models))
        return found

    @property
    def has_paired_trials(self) -> bool:
        """Whether single trials are paired by question, for these questions."""
        return self.target == "questions" and self.paired and are_single_trials(self.metric, self.models, self.prior)

    def _intervals(self, confidence: float, error: float | None) -> list[Interval]:
        about: dict[str, Any] = {"prior": self.prior, "shape": self.shape, "target": self.target}
        if error is None:
            return [intervals_of_set([self.metric], each, confidence, **about)[0] for each in self.models]
        return [interval_of_error(self.metric, each, confidence, error, **about) for each in self.models]
