"""Metrics of successes and failures: a question's value depends on its state, ``(successes, trials)``.

Count metrics are defined by their value for ``j`` successes in a draw of ``k`` trials.

**Rare successes.** An end of the interval for these questions does not rest on guessed differences between them. Two
successes of one question show that questions differ; successes that all are of different questions show nothing of
the kind. The learned prior allows for differences nevertheless, under which Pass@k is smaller at the same mean rate,
and its upper end is too low: of 300 questions x 8 trials with two expected successes, Pass@4 covered .85. So the
interval reaches as far as that of one rate common to all trials, with Jeffreys' prior. Failures likewise.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import empty

from .._base.arrays import Counts, Vector, cached_property, read_only
from .._base.choices import LEARNED, UNIFORM
from .._base.special import betaincinv
from .._kernels import finite_scores, posterior_credit, prior_moments
from .._kernels.states import States
from ..errors import OutcomeError, ParameterError
from ..inference import Interval, Mixture, Prior
from ..inference._interval import Bounds
from ..inference._level import Level
from ..inference._prior import PriorLike, as_prior
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import count, param
from ._base import Metric, Moments
from ._checks import Design, design_of, values_or_nan, with_enough_trials
from ._shapes import ALWAYS, NEVER, NO_REACH, Request
from ._shared_prior import law_of_worth, learned_prior, of_states
from ._worth import LARGE, CovarianceTerms, Worth, credit_at, to_budget, worth_of


def reach_of_rare(credit: Vector, outcomes: OutcomeMatrix, level: Level) -> Bounds:
    """Return the least value that rare failures leave possible, and the largest that rare successes do.

    A side without them is ``inf`` or ``-inf``, as are both if a success can lower the value.

    >>> lo, hi = reach_of_rare(np.array([0.0, 1.0]), OutcomeMatrix([[0] * 5] * 4), Level(0.95))
    >>> lo, round(hi, 4)  # that of Jeffreys' interval for 0 of 20
    (inf, 0.1166)
    """
    states = outcomes.states
    solved, missed = states.most
    is_solved_once, is_missed_once = solved <= 1 < outcomes.max_trials, missed <= 1 < outcomes.max_trials
    if not (is_solved_once or is_missed_once) or np.any(np.diff(credit) < 0.0):
        return NO_REACH
    successes, trials = (int(counts @ states.multiplicity) for counts in (states.successes, states.trials))
    alpha, beta = successes + 0.5, trials - successes + 0.5
    low, high = float(betaincinv(alpha, beta, level.tail)), float(betaincinv(beta, alpha, level.tail))
    values = np.array([credit[0], credit[-1]])  # of the rates 0 and 1, where a tail is so small that no other is known
    if 0.0 < low < 1.0 and 0.0 < high < 1.0:
        values = credit_at(credit, np.array([low, 1.0 - high]), np.array([1.0 - low, high]))
    return float(values[0]) if is_missed_once else NO_REACH[0], float(values[1]) if is_solved_once else NO_REACH[1]


def reach_of_alike(credit: Vector, states: States) -> Bounds:
    """Return the lowest credit as an end where no question shows more, and the highest where none shows less.

    With fewer trials than the credit has, a question shows more if the same share of its trials succeeded. Other ends
    are ``inf`` and ``-inf``.

    >>> reach_of_alike(np.array([0.0, 1.0, 1.0]), OutcomeMatrix([[0, 1], [1, 1]]).states)
    (inf, 1.0)
    """
    c, n, k = states.successes, states.trials, len(credit) - 1
    low, high = float(credit.min()), float(credit.max())
    more, less = np.flatnonzero(credit != low), np.flatnonzero(credit[::-1] != high)
    is_low = credit[0] == low and not (len(more) and _shows(c, n, more[0], k))
    is_high = credit[-1] == high and not (len(less) and _shows(n - c, n, less[0], k))
    return low if is_low else NO_REACH[0], high if is_high else NO_REACH[1]


def reach_of_questions(credit: Vector, outcomes: OutcomeMatrix, level: Level) -> Bounds:
    """Return the ends for these questions: of rare successes and failures, and those that nothing speaks against.

    If all questions score the most within their trials, only the smoothness of a density says that some have rates at
    which they would not: half at .3 and half at .7 have Pass@16 .998, and mostly all are solved in 16 trials.
    """
    least, most = reach_of_rare(credit, outcomes, level)
    k = len(credit) - 1
    if min(outcomes.states.most) >= k:  # draws show both ends
        return least, most
    low, high = reach_of_alike(credit, outcomes.states)
    return min(least, low), max(most, high)


def _shows(counts: Counts, trials: Counts, needed: np.intp, k: int) -> bool:
    """Return whether ``needed`` of ``k`` draws can be among the ``counts`` of some question's trials."""
    few = np.maximum(-(-needed * trials // k), 1)
    return bool((counts >= np.where(trials < k, few, needed)).any())


_MOST = 10_000_000  # the largest budget whose credits are written down


@dataclass(frozen=True)
class ByState(Metric):
    """A metric of budget ``k``: the mean over questions of the values of their states."""

    k: int = param(count)

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the mean over questions of the expected value of ``k`` of a question's trials."""
        enough = with_enough_trials(self, self.admit(R), too_few)
        if enough is None:
            return float("nan")
        states = enough.states
        return states.mean(self._state_scores(states))

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the expected value of ``k`` of each question's trials, (M,)."""
        return values_or_nan(self, self.admit(R), too_few, self._score_questions)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""
        outcomes, assumed = self.admit(R).with_prior_counts, as_prior(prior)
        where = outcomes.state_of_question
        if assumed.is_learned:
            mean, within, between = of_states(self._worth, learned_prior(outcomes))
            return Moments(mean[where], (within + between)[where])
        mean, sd = self._state_moments(outcomes.states, *assumed.pair())
        return Moments(mean[where], (sd * sd)[where])

    @property
    @abstractmethod
    def _worth(self) -> Worth:
        """What a question is worth at each success rate."""

    @abstractmethod
    def _state_scores(self, states: States) -> Vector:
        """Return the score of every state."""

    @abstractmethod
    def _state_moments(self, states: States, alpha: float, beta: float) -> tuple[Vector, Vector]:
        """Return the posterior mean and standard deviation of every state's value, from these pseudo-counts."""

    def admit(self, R: Any) -> OutcomeMatrix:
        """Return ``R`` as outcomes without rewards other than 0 and 1, or raise."""
        outcomes = as_outcomes(R)
        levels = outcomes.levels
        if levels is not None:
            rewards = ", ".join(f"{level:g}" for level in levels[:4]) + (", .." if len(levels) > 4 else "")
            raise OutcomeError(
                f"right or wrong is needed here, and these are rewards of {rewards}: score them by a metric of"
                " rewards, such as avg or max@2, or say first which of them are right, as in values >= 1"
            )
        return outcomes

    def _score_questions(self, outcomes: OutcomeMatrix) -> Vector:
        return self._state_scores(outcomes.states)[outcomes.state_of_question]

    def _estimate(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[float, float]:
        states = outcomes.with_prior_counts.states
        mean, sd = self._state_moments(states, *prior.pair())
        return states.mean(mean), states.norm(sd) / states.n_questions

    def _learned_law(self, outcomes: OutcomeMatrix, target: str) -> Mixture:
        return law_of_worth(self._worth, outcomes.with_prior_counts, target)

    def _learned_moments(self, outcomes: OutcomeMatrix) -> Moments:
        return self.moments(outcomes, prior=LEARNED)


@dataclass(frozen=True)
class CountMetric(ByState):
    """A metric of budget ``k``: a subclass defines what ``j = 0..k`` successes are worth.

    The score draws ``k`` of a question's trials without replacement; the posterior is about ``k`` new trials.

    >>> @dataclass(frozen=True)
    ... class Twice(CountMetric):
    ...     def credit(self):
    ...         return np.arange(self.k + 1) >= 2
    >>> round(Twice(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.85
    """

    _known_support: ClassVar[Bounds | None] = None  # the support, where it is known before the credits are computed
    _is_any_success: ClassVar[bool] = False  # whether the metric is Pass@k: some covariances with it have closed forms
    _has_closed_moments: ClassVar[bool] = False  # whether the time of posterior moments does not grow with k

    @abstractmethod
    def credit(self) -> Any:
        """Return the worth of ``0..k`` successes: ``k + 1`` numbers."""

    @cached_property
    def credit_values(self) -> Vector:
        """The result of ``credit()``, checked and cached."""
        if self.k > _MOST:
            problem = f"k of an interval is at most {_MOST:,}; got {self}"
            raise ParameterError(problem, hint="so far beyond the trials, a forecast hardly changes with k")
        vector = np.array(self.credit(), dtype=np.float64)
        if vector.shape != (self.k + 1,) or not np.isfinite(vector).all():
            raise ParameterError(f"credit() of {self} must be {self.k + 1} finite numbers; got {vector!r}")
        return read_only(vector)

    @cached_property
    def credit_steps(self) -> Vector:
        """What each further success adds: the differences of the credits, ``w_1..w_k``."""
        return read_only(np.diff(self.credit_values))

    @cached_property
    def _worth(self) -> Worth:  # pyright: ignore[reportIncompatibleMethodOverride]
        has_closed_moments = self.k < LARGE or self._has_closed_moments
        return worth_of(self.credit_values, self._state_moments if has_closed_moments else None, self._state_scores)

    def support(self, R: Any = None) -> Bounds:  # noqa: ARG002 - the outcomes do not matter
        """Return the smallest and the largest credit."""
        return self._known_support or (float(self.credit_values.min()), float(self.credit_values.max()))

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms:  # noqa: ARG002 - neither matters
        """Return the metric as a sum of count metrics: itself."""
        return [(1.0, self)]

    def _fill_any_success_covariance(self, states: States, alpha: float, beta: float, out: Vector) -> bool:  # noqa: ARG002 - for subclasses
        """Write a closed form of the covariance with Pass@k in every state to ``out``; return whether there is one."""
        return False

    def _interval_of_posterior(
        self, outcomes: OutcomeMatrix, request: Request, prior: Prior, about: dict[str, Any]
    ) -> Interval:
        """Return the interval; a learned one for these questions comes from one call of a kernel."""
        level, given, target, shape, limits, looks = request
        is_for_kernel = (
            target == "questions" and shape in (None, "quantile") and level.error is None and prior.is_learned
        )
        is_for_kernel = is_for_kernel and self.k <= outcomes.with_prior_counts.min_trials
        ends = limits or self.support()
        if not (is_for_kernel and self._is_in_kernel(ends, level.confidence)):
            return super()._interval_of_posterior(outcomes, request, prior, about)
        [(numbers, _, _)] = learned_intervals(self, [outcomes], level.confidence, ends)
        about |= {"confidence": level.confidence, "prior": given, "looks": looks}
        return Interval(*numbers.tolist(), shape="quantile", bounds=ends, **about)

    def measured(
        self, models: Mapping[str, OutcomeMatrix], confidence: float, *, too_few: str, **options: Any
    ) -> list[tuple[float, Interval]]:
        """Return score and interval of each model: by one call for all that have enough trials of every question."""
        ends, matrices, shape, prior = self.support(), list(models.values()), options["shape"], options["prior"]
        is_usual = options["target"] == "questions" and options.get("looks") is None
        is_for_kernel = is_usual and shape in (None, "quantile") and as_prior(prior).is_learned
        is_for_kernel = is_for_kernel and type(self).score is ByState.score and self._is_in_kernel(ends, confidence)
        if not (is_for_kernel and {outcomes.is_even_and_whole(self.k) for outcomes in matrices} == {True}):
            return super().measured(models, confidence, too_few=too_few, **options)
        about: dict[str, Any] = {"confidence": confidence, "prior": prior, "shape": "quantile", "bounds": ends}
        values = []
        for numbers, states, scores in learned_intervals(self, matrices, confidence, ends):
            assert scores is not None  # which as many trials of every question give
            about["single_trials"] = states.max_trials == 1
            values.append((states.mean(scores), Interval(*numbers.tolist(), **about)))
        return values

    def _is_in_kernel(self, ends: Bounds, confidence: float) -> bool:
        """Return whether the credits say all about the learned interval, and the kernel takes them."""
        kind = type(self)
        is_inherited = kind.interval is Metric.interval and kind.posterior is Metric.posterior
        is_small = self.k <= prior_moments.LARGEST_BUDGET
        return is_inherited and is_small and Mixture.has_quantiles(ends, confidence)

    def _reach(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:
        """Return ends that nothing speaks against; for these questions, also those of rare successes and failures."""
        if target == "questions":
            return reach_of_questions(self.credit_values, outcomes.with_prior_counts, level)
        return reach_of_alike(self.credit_values, outcomes.states)

    def _range(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds | None:
        """Return the range of all that fits, and what rare successes or failures allow if all rates are equal."""
        ends = super()._range(outcomes, level, target)
        if ends is None:
            return None
        least, most = reach_of_rare(self.credit_values, outcomes.with_prior_counts, level)
        return min(ends[0], least), max(ends[1], most)

    def _state_scores(self, states: States) -> Vector:
        values = empty(states.n_states)
        self._score_states(states, values)
        return values

    def _state_moments(self, states: States, alpha: float, beta: float) -> tuple[Vector, Vector]:
        mean, sd = empty(states.n_states), empty(states.n_states)
        self._posterior_states(states, alpha, beta, mean, sd)
        return mean, sd

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.credit(states, self.k, self.credit_values, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        if self.k < LARGE:
            posterior_credit.moments(states, self.k, self.credit_values, alpha, beta, mean, sd, self.credit_steps)
        else:
            [mean[:]], [sd[:]] = self._worth.moments(states, [(alpha, beta)])


def learned_intervals(
    metric: CountMetric, models: Iterable[OutcomeMatrix], confidence: float, bounds: Bounds
) -> list[tuple[Vector, States, Vector | None]]:
    """Return mean, standard deviation and ends of the learned interval, (4,), of each model.

    With them come the states of the model's questions, and their scores, or None where these have a bias.
    """
    made: list[tuple[Vector, States, Vector | None]] = []
    limits, level, credit = np.array([bounds], dtype=np.float64), Level(confidence), metric.credit_values
    for outcomes in models:
        recorded, table = outcomes.with_prior_counts, empty((1, 4))
        states, [numbers] = recorded.states, table
        is_even = states.min_trials == states.max_trials and not recorded.is_adaptive
        design = Design.EVEN if is_even else design_of(recorded)
        is_unbiased = metric.k <= states.min_trials and design in (Design.EVEN, Design.DEPENDENT)
        scores = metric._state_scores(states) if is_unbiased else None
        is_believed = design is not Design.DEPENDENT
        prior_moments.intervals(learned_prior(recorded), [credit], [scores], is_believed, limits, confidence, table)
        if min(states.most) < max(metric.k, 2):  # more successes and failures show both ends
            least, most = reach_of_questions(credit, recorded, level)
            numbers[2], numbers[3] = min(numbers[2], max(least, bounds[0])), max(numbers[3], min(most, bounds[1]))
        made.append((numbers, states, scores))
    return made


@dataclass(frozen=True)
class CountSum(CountMetric):
    """A weighted sum of metrics of the same trials, as one metric: the worth of ``0..k`` successes is listed."""

    credits: tuple[float, ...] = ()

    def credit(self) -> Any:
        return self.credits


def count_sum(metrics: Sequence[Metric], factors: Sequence[float], outcomes: OutcomeMatrix) -> CountSum | None:
    """Return a weighted sum of metrics of these outcomes as one count metric; None if one of them has no credits.

    >>> from scorio import AvgMetric, PassAtK
    >>> count_sum([PassAtK(2), AvgMetric()], [1.0, -1.0], OutcomeMatrix([[0, 1]])).credits
    (0.0, 0.5, 0.0)
    """
    parts = []
    for metric in metrics:
        if isinstance(metric, CountMetric) and metric.k < LARGE:
            parts.append(metric)
        elif metric.is_success_rate([outcomes]):
            parts.append(CountSum(1, (metric.observed(NEVER), metric.observed(ALWAYS))))
        else:
            return None
    k = max(part.k for part in parts)
    worth = sum(factor * to_budget(part, k)[0] for factor, part in zip(factors, parts, strict=True))
    return CountSum(k, tuple(np.asarray(worth).tolist()))
