"""Pass@k, Pass^k and Max@k by the law of forecasts: the learned prior near the trials, the tail's own law far off."""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import Vector, cached_property
from ..inference import UNIFORM, Bounds, Level, Mixture, PriorLike, as_prior
from ..metrics import (
    CountMetric,
    MaxAtK,
    Metric,
    Moments,
    PassAtK,
    PassHatK,
    clustered,
    groups,
    learned_prior,
    of_states,
)
from ..outcomes import OutcomeMatrix
from ._beyond import AT_FIRST, HOPELESS, Beyond, Unsolved, mixed, reach_of_whole_questions, share_of_tail
from ._tail import FEWEST_TRIALS


@dataclass(frozen=True)
class _Far(CountMetric):
    """A success, or a failure, that decides alone: far beyond the trials, the tail of rates has a law of its own."""

    _of_failures: ClassVar[bool] = False

    def share_left_open(self, outcomes: OutcomeMatrix) -> float:
        """Return 1 for single trials; with more, the law says all."""
        return super().share_left_open(outcomes) if outcomes.max_trials <= 1 else 0.0

    def _is_in_kernel(self, ends: Bounds, confidence: float) -> bool:  # noqa: ARG002 - the kernel knows no tail
        return False

    def _share_of_tail(self, outcomes: OutcomeMatrix) -> float:
        """Return the weight of the tail's own law; kept with the outcomes, for it depends on both laws."""
        trials = outcomes.mean_trials
        least, most = share_of_tail(self.k, trials), share_of_tail(self.k, trials, math.inf)

        def doubted() -> float:
            learned = super(_Far, self)._calibrated(outcomes)
            apart = abs(self._beyond(outcomes).expected - learned.mean)
            return share_of_tail(self.k, trials, apart / learned.sd if learned.sd > 0.0 else 0.0)

        return outcomes.with_prior_counts.cached(f"share of the tail of {self}", doubted) if most > least else least

    def _beyond(self, outcomes: OutcomeMatrix) -> Beyond:
        """Return the forecast under the tail's own law; kept with the outcomes."""
        recorded = outcomes.with_prior_counts

        def forecast_of_tail() -> Beyond:
            learned = of_states(self._worth, learned_prior(recorded))
            return Beyond(recorded, self.k, learned, failures=self._of_failures)

        return recorded.cached(f"forecast of {self}", forecast_of_tail)

    def _calibrated(self, outcomes: OutcomeMatrix) -> Mixture:
        law, kept = self._mixed(outcomes), self._kept(outcomes)
        return law if kept == 1.0 else replace(law, means=self._nearer(law.means, kept))

    def _mixed(self, outcomes: OutcomeMatrix, law_of_tail: Mixture | None = None) -> Mixture:
        """Return the mixture of the learned prior's law and of the tail's own, or of another one in its place."""
        share = self._share_of_tail(outcomes)
        if share == 0.0:
            return super()._calibrated(outcomes)
        law_of_tail = self._beyond(outcomes).law if law_of_tail is None else law_of_tail
        return law_of_tail if share == 1.0 else mixed(super()._calibrated(outcomes), law_of_tail, share)

    def _expected(self, outcomes: OutcomeMatrix) -> float:
        """Return the mean of the mixed law."""
        share = self._share_of_tail(outcomes)
        mean_of_tail = self._beyond(outcomes).expected if share > 0.0 else 0.0
        return share * mean_of_tail + (1.0 - share) * (super()._calibrated(outcomes).mean if share < 1.0 else 0.0)

    def _kept(self, outcomes: OutcomeMatrix) -> float:
        """Return the part that is kept of what is unsolved (of Pass^k, of what never fails).

        It is below 1 where the law would have more of it than is left with fewer trials: as many as there are, whose
        score is known, or those from which on the tail takes over.
        """
        trials = outcomes.mean_trials
        before = [k for k in (int(trials), math.ceil(AT_FIRST * trials)) if 0 < k < self.k]
        if not before or self._share_of_tail(outcomes) == 0.0:
            return 1.0

        def part_kept() -> float:
            means = [metric._expected(outcomes) for metric in (self, *(replace(self, k=k) for k in before))]
            now, *left = means if self._of_failures else [1.0 - mean for mean in means]
            return min(*left, now) / now if now > 0.0 else 1.0

        return outcomes.with_prior_counts.cached(f"what {self} keeps of what is left before", part_kept)

    def _nearer(self, values: Vector, kept: float) -> Vector:
        return values * kept if self._of_failures else 1.0 - (1.0 - values) * kept

    def _of_population(self, outcomes: OutcomeMatrix) -> Mixture:
        share, learned = self._share_of_tail(outcomes), super()._of_population(outcomes)
        if share == 0.0:
            return learned
        forecast = self._beyond(outcomes)
        where = outcomes.with_prior_counts.state_of_question
        mean, variance = (values[where] for values in forecast.of_states)
        spread = clustered(mean, groups(outcomes)) + float(variance.sum()) / len(mean) ** 2
        wider = replace(forecast.law, variances=forecast.law.variances + spread)
        law = mixed(learned, wider, share)
        return replace(law, means=self._nearer(law.means, self._kept(outcomes)))

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""
        learned, outcomes = super().moments(R, prior=prior), self.admit(R)
        share = self._share_of_tail(outcomes)
        if share == 0.0 or not as_prior(prior).is_learned:
            return learned
        forecast, where = self._beyond(outcomes), outcomes.with_prior_counts.state_of_question
        mean_of_tail, spread = (values[where] for values in forecast.of_states)
        mean = (1.0 - share) * learned.mean + share * mean_of_tail
        second = (1.0 - share) * (learned.variance + learned.mean**2) + share * (spread + mean_of_tail**2)
        variance = np.maximum(second - mean**2, 0.0)
        return Moments(self._nearer(mean, self._kept(outcomes)), variance)

    def _reach(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:
        least, most = super()._reach(outcomes, level, target)
        if target != "questions" or self._share_of_tail(outcomes) == 0.0:
            return least, most
        forecast = self._beyond(outcomes)
        for law in self._possible(outcomes):
            low, high = reach_of_whole_questions(forecast, law, outcomes.n_questions, level)
            lo, hi = law.on(0.0, 1.0).equal_tailed(level.tail)
            least, most = min(least, low, lo), max(most, high, hi)
        return least, most

    def _possible(self, outcomes: OutcomeMatrix) -> list[Mixture]:
        """Return the laws whose intervals are within that of the metric.

        Far beyond the trials, they are those for all probabilities of hopeless questions, beforehand, that are between
        1/4 and 3/4: outcomes do not tell, and all of them are as good as 1/2.
        """
        if self.k <= AT_FIRST * outcomes.mean_trials:
            return [self._calibrated(outcomes)]
        forecast, kept = self._beyond(outcomes), self._kept(outcomes)
        laws = [self._mixed(outcomes, forecast.law_if(hopeless)) for hopeless in HOPELESS]
        return [replace(law, means=self._nearer(law.means, kept)) for law in laws]


@dataclass(frozen=True)
class _FarPass(_Far, PassAtK):
    """Pass@k."""


@dataclass(frozen=True)
class _FarPassHat(_Far, PassHatK):
    """Pass^k, which is decided by a failure."""

    _of_failures: ClassVar[bool] = True


@dataclass(frozen=True)
class _FarMax(MaxAtK):
    """Max@k, of binary outcomes Pass@k."""

    @cached_property
    def _rate(self) -> PassAtK:
        return _FarPass(self.k)

    def share_left_open(self, outcomes: OutcomeMatrix) -> float:
        is_open = outcomes.max_trials <= 1 or not outcomes.has_two_categories
        return super().share_left_open(outcomes) if is_open else 0.0


_KINDS: dict[type[Metric], type[Metric]] = {PassAtK: _FarPass, PassHatK: _FarPassHat, MaxAtK: _FarMax}


def can_be_forecast(metric: Metric) -> bool:
    """Return whether ``forecast`` says what many more trials would give.

    >>> can_be_forecast(PassAtK(8)), can_be_forecast(Metric.from_string("maj@8"))
    (True, False)
    """
    return type(metric) in _KINDS


def forecast_of(metric: Metric) -> Metric:
    """Return a metric that can be forecast, under the law of forecasts."""
    return _KINDS[type(metric)](**metric.get_params())


def unsolved_questions(metric: Any, outcomes: OutcomeMatrix) -> Unsolved | None:
    """Return what the questions that were never solved leave open of Pass@k, or never failed of Pass^k.

    None for other metrics, and where questions have too few trials to tell.
    """
    if not isinstance(metric, _Far) or outcomes.mean_trials < FEWEST_TRIALS:
        return None
    return metric._beyond(outcomes).told
