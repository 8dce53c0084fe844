"""The base of metrics that draw ``k`` of a question's trials and choose among them: votes, selectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._arrays import Indices, Vector
from .._choices import POSTERIOR_SHAPES, SAMPLES, TARGETS
from ..errors import OutcomeError, ParameterError
from ..inference import (
    UNIFORM,
    Bounds,
    Interval,
    Level,
    Looks,
    Prior,
    PriorLike,
    QuestionEstimates,
    QuestionMeans,
    SkewedT,
    as_prior,
)
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..params import choice, count, param
from ._base import Metric, Moments
from ._clusters import check_clusters, groups
from ._continuous import check_continuous_prior
from ._intervals import Request, students_interval
from ._sample_values import SampleValues, Unseen, any_of, outcome_values, reach_of_population, reach_of_unseen
from ._too_few import values_or_nan, with_enough_trials

_LOOKS = (
    "{metric} has no interval and no comparison that stays valid at every look: while trials are few, a draw of {k} is"
    " most of them"
)


@dataclass(frozen=True)
class SampleMetric(Metric):
    """The worth of the trial, or of the answer, that a rule chooses among ``k`` of a question's trials.

    The score is the mean over all draws of ``k``, without bias. The interval rests on the jackknife over
    each question's trials, and reaches at least as far as trials of a kind that none of them shows. There are no
    pseudo-counts, so the prior can only be the learned one, and there are neither looks nor ``runs="random"``.
    """

    is_of_samples: ClassVar[bool] = True
    k: int = param(count)

    @abstractmethod
    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        """Return the value of each question, and without each trial."""

    def _unseen(self, outcomes: OutcomeMatrix) -> list[Unseen]:
        """Return the ways in which trials of a kind that hardly shows may change the choice: any of them decides."""
        return any_trial_decides(outcomes, self.k)

    def _values_of(self, outcomes: OutcomeMatrix) -> SampleValues:
        return outcomes.cached(("values", self), lambda: self._values(outcomes))

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        """Return the value of each question; a subclass may leave out what only an interval needs."""
        return self._values_of(outcomes).value

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the score of each question, (M,); ``too_few="nan"`` gives NaN for single questions."""
        return values_or_nan(self, self.admit(R), too_few, self._scores)

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the mean over questions."""
        enough = with_enough_trials(self, self.admit(R), too_few)
        return float("nan") if enough is None else float(np.mean(self._scores(enough)))

    def support(self, R: Any) -> Bounds:
        """Return the smallest and the largest reward that a choice can have."""
        outcomes = self.admit(R)
        if isinstance(outcomes, RewardMatrix):
            return outcomes.support or (-np.inf, np.inf)
        return (0.0, 1.0) if outcomes.levels is None else (min(outcomes.levels), max(outcomes.levels))

    def question_means(self, outcomes: OutcomeMatrix) -> QuestionMeans:
        with_enough_trials(self, outcomes, "raise")
        return outcomes.cached(
            f"means of {self!r}", lambda: QuestionMeans(self._values_of(outcomes).estimates, learned=False)
        )

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the mean and variance of each question's true value, (M,) each."""
        outcomes = self.admit(R)
        check_continuous_prior(as_prior(prior), "choices among samples")
        means = self.question_means(outcomes)
        unknown = np.isnan(means.estimates.variance)
        variance = np.where(unknown, max(means.spread.within, means.spread.between), means.estimates.variance)
        return Moments(means.estimates.value, variance)

    def law_of(self, outcomes: OutcomeMatrix, prior: PriorLike | None, target: str) -> SkewedT:
        if prior is not None:
            check_continuous_prior(as_prior(prior), "choices among samples")
        means = self.question_means(outcomes)
        return law_of_means(means, outcomes, choice("target", target, TARGETS))

    def check_looks(self, looks: Looks | None) -> None:
        if looks is not None:
            raise ParameterError(_LOOKS.format(metric=self, k=self.k), argument="looks")

    def _interval(self, outcomes: OutcomeMatrix, request: Request) -> Interval:
        self.check_looks(request.looks)
        shape = choice("shape", "quantile" if request.shape is None else request.shape, POSTERIOR_SHAPES)
        law = self.law_of(outcomes, request.prior, request.target)
        estimates, support = self._values_of(outcomes).estimates, range_of(self, outcomes)
        room = estimates.value - support[0], support[1] - estimates.value
        clusters = groups(outcomes) if request.target == "population" else None
        below, above = reach_of_choices([self], outcomes, estimates, room, support, clusters, request.level)
        reach = law.mean - below, law.mean + above
        return students_interval(law, request, shape, reach, SAMPLES, completeness=outcomes.completeness)

    def _estimate(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[float, float]:
        law = self.law_of(outcomes, prior, "questions")
        return law.mean, law.sd


def law_of_means(means: QuestionMeans, outcomes: OutcomeMatrix, target: str) -> SkewedT:
    """Return the law of the mean over questions, or over a population, if the trials show how much they vary."""
    if target == "population":
        check_clusters(outcomes)
        return means.of_population(groups(outcomes))
    if outcomes.n_questions < 2 and outcomes.max_trials < 2:
        raise OutcomeError("one trial of one question does not show how much trials vary: there is no interval")
    return means.of_these()


def reach_of_choices(
    rules: Sequence[Metric],
    outcomes: OutcomeMatrix,
    estimates: QuestionEstimates,
    room: tuple[Vector, Vector],
    span: Bounds,
    clusters: Indices | None,
    level: Level,
) -> Bounds:
    """Return how far below and above an estimate an interval goes at least: what unseen trials do to any of the rules.

    ``room`` is how far each question's value can fall and rise, within the ``span``. With the ``clusters`` of questions
    it is about their population.
    """
    unseen = [unseen_of(rule, outcomes) for rule in rules]
    below, above = (
        max(reach_of_unseen(ways, estimates, np.maximum(some, 0.0), level) for ways in unseen) for some in room
    )
    if clusters is None:
        return below, above
    other = reach_of_population(estimates.value, clusters, span, level)
    return max(below, other[0]), max(above, other[1])


def range_of(metric: Metric, outcomes: OutcomeMatrix) -> Bounds:
    """Return the smallest and the largest reward that is possible or, if that is not known, that occurs."""
    low, high = metric.support(outcomes)
    if np.isfinite(low) and np.isfinite(high):
        return low, high
    worths = outcome_values(outcomes)
    return min(float(worths.min()), high), max(float(worths.max()), low)


def unseen_of(metric: Metric, outcomes: OutcomeMatrix) -> list[Unseen]:
    """Return what trials of a kind that does not show may do to a metric: at most what they do to the best of ``k``."""
    if isinstance(metric, SampleMetric):
        return metric._unseen(outcomes)
    return any_trial_decides(outcomes, metric.draw_size or 1)


def any_trial_decides(outcomes: OutcomeMatrix, k: int) -> list[Unseen]:
    """Return what trials of another kind do where one of them among ``k`` is enough."""
    none = np.zeros(outcomes.n_questions, dtype=np.int64)
    return [Unseen(none, outcomes.trials, np.full_like(none, k), any_of)]
