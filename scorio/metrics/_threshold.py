"""Thresholds: Pass@k, Pass^k, G-Pass@k and Maj@k are 1 with enough successes among ``k`` trials, otherwise 0."""

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import Vector
from .._kernels import finite_scores, posterior_power, posterior_threshold
from .._kernels.states import States
from ..inference import FEWEST_TRIALS, LEARNED, UNIFORM, Bounds, Level, Mixture, PriorLike, as_prior
from ..outcomes import OutcomeMatrix
from ..params import param, unit
from . import _credit as credit
from ._base import Moments
from ._beyond import (
    AT_FIRST,
    HOPELESS,
    Beyond,
    Tail,
    Unsolved,
    mixed,
    reach_of_whole_questions,
    share_of_tail,
    tail_prior,
)
from ._clusters import clustered, groups
from ._count import CountMetric
from ._covariance import Linear
from ._shared_prior import learned_prior, of_states
from ._too_few import budgets_of, check_too_few

__all__ = ["PassAtK", "PassHatK", "GPassTau", "MajAtK"]  # noqa: RUF022 - in the order of lists and tables


@dataclass(frozen=True)
class _Threshold(CountMetric):
    """Worth 1 with ``_hits`` successes or more, otherwise 0."""

    _fixed_support: ClassVar[Bounds | None] = (0.0, 1.0)

    @property
    @abstractmethod
    def _hits(self) -> int:
        """The number of successes needed."""

    def credit(self) -> Vector:
        """Return ``1[j >= hits]``."""
        return credit.at_least(self.k, self._hits)

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.threshold(states, self.k, self._hits, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_threshold.threshold(states, self.k, self._hits, alpha, beta, mean, sd)


class _AtOneEnd(_Threshold):
    """A success, or a failure, that decides alone: far beyond the trials, the tail of rates has a law of its own."""

    _can_be_forecast: ClassVar[bool] = True
    _of_failures: ClassVar[bool] = False

    def _share_of_tail(self, outcomes: OutcomeMatrix) -> float:
        """Return the weight of the tail's own law; kept with the outcomes, for it depends on both laws."""
        trials = outcomes.mean_trials
        least, most = share_of_tail(self.k, trials), share_of_tail(self.k, trials, math.inf)

        def found() -> float:
            learned = super(_AtOneEnd, self)._calibrated(outcomes)
            apart = abs(self._beyond(outcomes).expected - learned.mean)
            return share_of_tail(self.k, trials, apart / learned.sd if learned.sd > 0.0 else 0.0)

        return outcomes.with_prior_counts._cached(f"share of the tail of {self}", found) if most > least else least

    def _values_at(self, rates: Vector) -> Vector:
        with np.errstate(divide="ignore"):
            if self._of_failures:
                return np.asarray(np.exp(self.k * np.log(rates)))
            return np.asarray(-np.expm1(self.k * np.log1p(-rates)))

    def _rests_on_shape(self, outcomes: OutcomeMatrix) -> bool:
        """Return whether the learned prior has a part in the law: the tail's own law leaves the shape open."""
        return self._share_of_tail(outcomes) < 1.0

    def _is_forecast(self, outcomes: OutcomeMatrix) -> bool:
        return self._share_of_tail(outcomes) > 0.0

    def _beyond(self, outcomes: OutcomeMatrix) -> Beyond:
        """Return the forecast under the tail's own law; kept with the outcomes."""
        recorded = outcomes.with_prior_counts

        def found() -> Beyond:
            learned = of_states(self._law(), learned_prior(recorded))
            return Beyond(recorded, self.k, learned, failures=self._of_failures)

        return recorded._cached(f"forecast of {self}", found)

    def _calibrated(self, outcomes: OutcomeMatrix) -> Mixture:
        law, kept = self._mixed(outcomes), self._kept(outcomes)
        return law if kept == 1.0 else replace(law, means=self._nearer(law.means, kept))

    def _mixed(self, outcomes: OutcomeMatrix, own: Mixture | None = None) -> Mixture:
        """Return the mixture of the learned prior's law and of the tail's own, or of another one in its place."""
        share = self._share_of_tail(outcomes)
        if share == 0.0:
            return super()._calibrated(outcomes)
        own = self._beyond(outcomes).law if own is None else own
        return own if share == 1.0 else mixed(super()._calibrated(outcomes), own, share)

    def _expected(self, outcomes: OutcomeMatrix) -> float:
        """Return the mean of the mixed law."""
        share = self._share_of_tail(outcomes)
        own = self._beyond(outcomes).expected if share > 0.0 else 0.0
        return share * own + (1.0 - share) * (super()._calibrated(outcomes).mean if share < 1.0 else 0.0)

    def _kept(self, outcomes: OutcomeMatrix) -> float:
        """Return the part that is kept of what is unsolved (of Pass^k, of what never fails).

        It is below 1 where the law would have more of it than is left with fewer trials: as many as there are, whose
        score is known, or those from which on the tail takes over.
        """
        trials = outcomes.mean_trials
        before = [each for each in (int(trials), math.ceil(AT_FIRST * trials)) if 0 < each < self.k]
        if not before or not self._is_forecast(outcomes):
            return 1.0

        def found() -> float:
            means = [each._expected(outcomes) for each in (self, *(replace(self, k=k) for k in before))]
            now, *left = means if self._of_failures else [1.0 - each for each in means]
            return min(*left, now) / now if now > 0.0 else 1.0

        return outcomes.with_prior_counts._cached(f"what {self} keeps of what is left before", found)

    def _nearer(self, values: Vector, kept: float) -> Vector:
        return values * kept if self._of_failures else 1.0 - (1.0 - values) * kept

    def _of_population(self, outcomes: OutcomeMatrix) -> Mixture:
        share, learned = self._share_of_tail(outcomes), super()._of_population(outcomes)
        if share == 0.0:
            return learned
        forecast = self._beyond(outcomes)
        where = outcomes.with_prior_counts._state_of_question
        mean, variance = (each[where] for each in forecast.of_states)
        spread = clustered(mean, groups(outcomes)) + float(variance.sum()) / len(mean) ** 2
        wider = replace(forecast.law, variances=forecast.law.variances + spread)
        law = mixed(learned, wider, share)
        return replace(law, means=self._nearer(law.means, self._kept(outcomes)))

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""
        found, outcomes = super().moments(R, prior=prior), self._admit(R)
        share = self._share_of_tail(outcomes)
        if share == 0.0 or not as_prior(prior).is_learned:
            return found
        forecast, where = self._beyond(outcomes), outcomes.with_prior_counts._state_of_question
        own, spread = (each[where] for each in forecast.of_states)
        mean = (1.0 - share) * found.mean + share * own
        second = (1.0 - share) * (found.variance + found.mean**2) + share * (spread + own**2)
        variance = np.maximum(second - mean**2, 0.0)
        return Moments(self._nearer(mean, self._kept(outcomes)), variance)

    def _reach(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:
        least, most = super()._reach(outcomes, level, target)
        if target != "questions" or not self._is_forecast(outcomes):
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
        laws = [self._mixed(outcomes, forecast.law_if(each)) for each in HOPELESS]
        return [replace(each, means=self._nearer(each.means, kept)) for each in laws]


@dataclass(frozen=True)
class PassAtK(_AtOneEnd):
    """Pass@k: at least one success among ``k`` trials (Chen et al. 2021, arXiv:2107.03374).

    >>> round(PassAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.95
    """

    name: ClassVar[str] = "pass"
    _has_closed_moments: ClassVar[bool] = True
    _is_any_success: ClassVar[bool] = True

    @property
    def _hits(self) -> int:
        """One."""
        return 1

    def curve(self, R: Any, ks: Iterable[int] | None = None, *, too_few: str = "raise") -> Vector:
        """Return Pass@k for each k, from one pass over the states."""
        outcomes = self._admit(R)
        budgets = budgets_of(outcomes, ks)
        check_too_few(too_few)
        if not budgets or max(budgets) > outcomes.min_trials:
            return super().curve(outcomes, budgets, too_few=too_few)
        states = outcomes._states
        table = np.empty((max(budgets), states.n_states))
        finite_scores.any_success_curve(states, table)
        return np.array([states.mean(table[k - 1]) for k in budgets])

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.any_success(states, self.k, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_power.any_success(states, self.k, alpha, beta, mean, sd)


@dataclass(frozen=True)
class PassHatK(_AtOneEnd, aliases=("pass^", "pass_hat", "unanimous")):
    """Pass^k: all ``k`` trials succeed (Yao et al. 2024, arXiv:2406.12045).

    >>> round(PassHatK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.45
    """

    name: ClassVar[str] = "passhat"
    _has_closed_moments: ClassVar[bool] = True
    _of_failures: ClassVar[bool] = True

    @property
    def _hits(self) -> int:
        """All ``k``."""
        return self.k

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.all_success(states, self.k, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_power.all_success(states, self.k, alpha, beta, mean, sd)

    def _fill_any_success_covariance(self, states: States, alpha: float, beta: float, out: Vector) -> bool:
        """Write the covariance with Pass@k to ``out``."""
        posterior_power.cross(states, self.k, alpha, beta, out)
        return True


@dataclass(frozen=True)
class GPassTau(_Threshold, aliases=("g_pass",)):
    """G-Pass@k at ``tau``: at least ``max(1, ceil(tau k))`` of ``k`` succeed (Liu et al. 2024, arXiv:2412.13147).

    >>> round(GPassTau(k=2, tau=0.5).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.95
    """

    name: ClassVar[str] = "gpass"
    tau: float = param(unit)

    @property
    def _hits(self) -> int:
        """``max(1, ceil(tau k))`` in exact decimals."""
        return credit.quota(self.k, self.tau)


@dataclass(frozen=True)
class MajAtK(_Threshold, aliases=("majority",)):
    """Maj@k: more than half of ``k`` trials succeed.

    >>> round(MajAtK(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.85
    """

    name: ClassVar[str] = "maj"

    @property
    def _hits(self) -> int:
        """``floor(k/2) + 1``."""
        return credit.majority(self.k)


def tail_of(metric: Any, outcomes: OutcomeMatrix) -> Tail | None:
    """Return the law of the tail that decides a metric far beyond the trials; None of other metrics, and near them."""
    if not (outcomes.has_two_categories and isinstance(metric, Linear)):
        return None
    terms = [each for _, each in metric._covariance_terms(outcomes, as_prior(LEARNED)) if isinstance(each, _AtOneEnd)]
    farthest = max(terms, key=lambda each: each.k, default=None)
    if farthest is None or not farthest._is_forecast(outcomes):
        return None
    failures, recorded = farthest._of_failures, outcomes.with_prior_counts
    return Tail(tail_prior(recorded, failures=failures), farthest.k, failures)


def unsolved_questions(metric: Any, outcomes: OutcomeMatrix) -> Unsolved | None:
    """Return what the questions that were never solved leave open of Pass@k, or never failed of Pass^k.

    None for other metrics, and where questions have too few trials to tell.
    """
    if not isinstance(metric, _AtOneEnd) or outcomes.mean_trials < FEWEST_TRIALS:
        return None
    return metric._beyond(outcomes).told
