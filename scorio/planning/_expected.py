"""The models of a plan, the posterior variance to expect after more trials, and the fewest trials that are enough.

Where it has no closed form, it is the mean over simulated futures: each draws the success rates of all questions from
their posterior, and then the trials to come. Of a metric that needs more trials than there are, what counts is how wide
the interval is, on average over futures: it holds what the trials leave open, which is not in the deviation of the
learned law.

Water-filling spreads trials so that the sum of posterior variances falls as far as possible. An item has posterior
variance ``v``, and its posterior is worth ``T`` trials. After ``n`` more trials, its expected variance is ``v T / (T +
n)``. The sum over items, at a cost of ``c`` per trial within a budget, is smallest for ``n = max(0, sqrt(v T / (level
c)) - T)``, with the level that uses up the budget. For whole trials, the real solution is rounded down and single
trials are added where the gain per cost is largest. For equal costs that is exact, because the gain of an item falls
from trial to trial. Cost: 60 sums over items, then a heap.
"""

import heapq
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Counts, Vector
from .._base.choices import AUTO, LEARNED, RANDOM, RUNS
from .._base.progress import Progress
from .._base.special import beta_binomial
from .._kernels import prior_moments
from .._kernels.shared_prior import SharedPrior
from ..comparison._costs import ModelCosts
from ..errors import OutcomeError, ParameterError
from ..estimates._tasks import Weights, as_tasks, metric_of_tasks, of_model, shares_of
from ..inference import Prior
from ..inference._level import Level
from ..inference._question_means import QuestionMeans
from ..metrics import BayesMetric, Metric
from ..metrics._reward_metrics import Categorical
from ..metrics._runs import warn_of_runs
from ..metrics._sample_metric import SampleMetric
from ..metrics._shared_prior import learned_prior
from ..outcomes import OutcomeMatrix, RewardMatrix, as_outcomes
from ..params import choice, positive

_DRAWS = 12  # simulated futures
MOST = 1_000_000  # no plan has more trials per question


@dataclass(frozen=True)
class TaskPart:
    """One task of one model: its weight in the overall score, its metric and the outcomes."""

    task: str
    weight: float
    metric: Metric
    outcomes: OutcomeMatrix


def entrants(metric: Any, outcomes: Any, runs: str, weights: Weights) -> tuple[Any, dict[str, list[TaskPart]]]:
    """Return the metric, or those of the tasks, and the tasks of each model; outcomes without tasks have one.

    Warns where trials are not independent.
    """
    if choice("runs", runs, RUNS) == RANDOM:
        hint = "analyze_runs(..).half_width(runs, trials) says what more runs give"
        raise ParameterError("is 'random', and plans take trials as independent", argument="runs", hint=hint)
    tasks = as_tasks(outcomes)
    named, of_tasks = metric_of_tasks(metric, tasks)
    shares = shares_of(weights, {task: models.n_questions for task, models in tasks.items()}).values()
    names = dict.fromkeys(name for models in tasks.values() for name in models)
    models = {
        name: [TaskPart(*each) for each in zip(tasks, shares, of_tasks, matrices.values(), strict=True)]
        for name, matrices in ((name, of_model(tasks, name, "known")) for name in names)
    }
    if runs == AUTO:
        for parts in zip(*models.values(), strict=True):
            warn_of_runs(parts[0].metric, [part.outcomes for part in parts])
    return named, models


def one_entrant(metric: Any, outcomes: Any, runs: str, weights: Weights) -> tuple[Any, list[TaskPart]]:
    """Return the metric, and the tasks of the only model of a suite, or of what ``OutcomeMatrix`` takes."""
    held = outcomes if hasattr(outcomes, "by_task") else as_outcomes(outcomes)
    named, models = entrants(metric, held, runs, weights)
    [first, *others] = models
    if others:
        hint = f"select(models=[{first!r}]) keeps one"
        raise OutcomeError(f"a plan is for one model; there are {len(models)}", hint=hint)
    return named, models[first]


def costs_of(cost: Any, outcomes: Any, models: Mapping[str, Sequence[TaskPart]]) -> Vector:
    """Return the cost per trial of every question: a number, one by model, or the name of a cost that is known."""
    tasks = as_tasks(outcomes)
    if isinstance(cost, (str, Mapping)):
        prices = {task: ModelCosts.of(of_task, cost).per_trial for task, of_task in tasks.items()}
    else:
        prices = dict.fromkeys(tasks, dict.fromkeys(models, cost))
    rows = [(part.outcomes.n_questions, prices[part.task][name]) for name, parts in models.items() for part in parts]
    return np.concatenate([np.full(count, float(positive("cost", price))) for count, price in rows])


class Futures:
    """Futures of one model, a seed each: the same rates for every number of further trials.

    With a ``level``, the variance of a metric that needs more trials than there are is that of the normal law whose
    interval is as wide.
    """

    def __init__(
        self,
        metric: Metric,
        outcomes: OutcomeMatrix,
        prior: Prior,
        seeds: Iterable[int] | NDArray[np.int64],
        level: Level | None = None,
    ) -> None:
        self.metric, self.outcomes, self.prior, self.seeds = metric, outcomes, prior, list(seeds)
        self.level = level if prior.is_learned and metric.share_left_open(outcomes) > 0.0 else None

    def variance(self, more: int | Counts) -> float:
        """Return the posterior variance to expect after ``more`` trials of every question, or so many of each."""
        later = [self._later(more, seed) for seed in self.seeds] if np.any(more) else [self.outcomes]
        different = {future.counts.tobytes(): future for future in later}  # of few questions, many futures are the same
        spread = {counts: self._spread(future) for counts, future in different.items()}
        expected = float(np.mean([spread[future.counts.tobytes()] for future in later]))
        return expected if self.level is None else expected**2

    def _spread(self, outcomes: OutcomeMatrix) -> float:
        """Return the posterior variance or, at a level, the standard deviation of a normal law that is as wide."""
        if self.level is None:
            return self.metric.law_of(outcomes, self.prior, "questions").sd ** 2
        about: dict[str, Any] = {"prior": LEARNED, "shape": "quantile", "target": "questions"}
        _, _, lo, hi = self.metric.interval_at(outcomes, self.level, **about)
        return (hi - lo) / 2.0 / self.level.critical()

    def _later(self, more: int | Counts, seed: int) -> OutcomeMatrix:
        rng, outcomes, informed = np.random.default_rng(seed), self.outcomes, self.outcomes.with_prior_counts
        if self.prior.is_learned and outcomes.has_two_categories:  # from one draw of the shared prior
            rate = draw_rates(learned_prior(informed), informed.state_of_question, rng)
            rates = np.stack([1.0 - rate, rate], axis=1)
        else:
            width = informed.n_categories
            pseudo = np.full(width, 0.5) if self.prior.is_learned else self.prior.checked_counts(width)
            drawn = rng.standard_gamma(informed.counts + pseudo)
            rates = drawn / drawn.sum(axis=1, keepdims=True)
        counts = outcomes.counts.copy()
        counts[:, : rates.shape[1]] += rng.multinomial(more, rates)
        later = outcomes.replaced(counts=counts, planned=outcomes.planned_trials + more)
        return later if np.isscalar(more) else later.as_adaptive()  # the outcomes so far decide who gets trials


def expected_variance(
    parts: Sequence[TaskPart], prior: Prior, rng: np.random.Generator, level: Level | None = None
) -> Callable[[int], float]:
    """Return the expected variance of the weighted sum over tasks, as a function of further trials per question."""
    variances = [(part.weight, _of_task(part.metric, part.outcomes, prior, rng, level)) for part in parts]
    return lru_cache(maxsize=None)(lambda n: math.fsum(w**2 * variance(n) for w, variance in variances if w > 0.0))


def _of_task(
    metric: Metric, outcomes: OutcomeMatrix, prior: Prior, rng: np.random.Generator, level: Level | None
) -> Callable[[int], float]:
    """Return the expected posterior variance of a metric as a function of further trials per question."""
    means: QuestionMeans | None = None
    if isinstance(metric, Categorical) and isinstance(outcomes, RewardMatrix):
        means = metric.continuous_mean(outcomes).means
    elif isinstance(metric, SampleMetric):  # of more trials, a draw of k has less to chance: it falls at least as fast
        means = metric.question_means(outcomes)
    if means is not None:
        if means.spread.degrees == 0.0:
            raise OutcomeError("a plan of trials needs a question with two trials, which show how much trials vary")
        return means.variance_after
    is_rate = metric.draw_size == 1 and outcomes.has_two_categories and not metric.takes_rewards
    if not prior.is_learned and (is_rate or isinstance(metric, BayesMetric)):  # exact, of a Dirichlet distribution
        informed = outcomes.with_prior_counts
        width = len(metric.rewards_of(informed)) if isinstance(metric, BayesMetric) else informed.n_categories
        known = np.asarray(informed.trials + float(np.sum(prior.checked_counts(width))), np.float64)
        variance = metric.moments(outcomes, prior=prior).variance / outcomes.n_questions**2
        return lambda n: float(expected_variances(variance, known, np.full(len(known), n)).sum())
    return Futures(metric, outcomes, prior, rng.integers(2**63, size=_DRAWS), level).variance


def fewest(enough: Callable[[int], bool], most: int = MOST, tolerance: float = 1e-3) -> int | None:
    """Return the smallest number that is enough, to a relative tolerance, by doubling and halving; None above ``most``.

    >>> fewest(lambda number: number**2 >= 10**6, tolerance=0.0)
    1000
    """
    if enough(0):
        return 0
    high = 1
    with Progress("planning"):
        while not enough(high):
            if high >= most:
                return None
            high = min(2 * high, most)
        low = high // 2
        while high - low > max(1, int(low * tolerance)):
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def fewest_questions(sigma: Sequence[float], questions: Sequence[int], target: float) -> tuple[list[int], float]:
    """Return the fewest further questions of each task with which the overall sigma is ``target``, and that sigma.

    ``sigma`` is what each task adds now, with so many ``questions``; its square falls as one over their number.

    >>> more, reached = fewest_questions([0.05, 0.01], [20, 20], 0.03)
    >>> more, round(reached, 4)
    ([43, 0], 0.0299)
    """
    variance, known = np.array(sigma) ** 2, np.array(questions, dtype=np.float64)
    price = np.ones(len(variance))

    def reached(total: int) -> float:
        return math.sqrt(float(expected_variances(variance, known, fill(variance, known, price, total)).sum()))

    total = fewest(lambda total: reached(total) <= target, sys.maxsize, tolerance=0.0) or 0
    return fill(variance, known, price, total).tolist(), reached(total)


def draw_rates(prior: SharedPrior, where: NDArray[np.intp], rng: np.random.Generator) -> Vector:
    """Draw the success rates of questions, whose states are ``where``, from their joint posterior."""
    weight = prior.weight
    component = int(rng.choice(len(weight), p=weight / weight.sum()))
    states = prior.states
    if component == prior.size:
        density = prior.grid_density
        if density is None:
            raise RuntimeError("the weights of the prior's components do not match its nodes")
        below = np.cumsum(prior_moments.grid_posterior(prior), axis=1)[where]
        spot = rng.random(len(where)) * below[:, -1]
        drawn: Vector = density[0][np.minimum((below < spot[:, None]).sum(axis=1), len(density[0]) - 1)]
        return drawn
    c, n = states.successes[where], states.trials[where]
    a, b = float(prior.alpha[component]), float(prior.beta[component])
    rate = rng.beta(a + c, b + (n - c))
    masses = prior.point_masses(component)
    if masses is None:
        return rate
    share, zero, one = masses
    pair = int(rng.choice(len(share), p=share / share.sum()))
    u, v = float(zero[pair]), float(one[pair])
    smooth = (1.0 - u - v) * beta_binomial(c, n, a, b)
    total = u * (c == 0) + v * (c == n) + smooth
    spot = rng.random(len(where)) * total
    rate[(c == 0) & (spot < u)] = 0.0
    rate[(c == n) & (spot > total - v)] = 1.0
    return rate


_HALVINGS = 200
_LEAST_KNOWN = 1e-6  # trials; a smaller number is raised to this one
_BACK = 1.0  # trials that are taken off the real solution before single trials are added


def expected_variances(variance: Vector, known: Vector, more: Counts | Vector) -> Vector:
    """Return the expected variance of every item after ``more`` trials."""
    after = known + more
    share = np.divide(known, after, out=np.ones_like(after), where=after > 0.0)
    return np.asarray(variance * share)


def fill(variance: Vector, known: Vector, cost: Vector, budget: float) -> Counts:
    """Return whole numbers of trials whose total cost is at most ``budget``.

    >>> fill(np.array([0.04, 0.01]), np.array([4.0, 4.0]), np.ones(2), 8)
    array([7, 1])
    """
    scale = float(variance.max(initial=0.0))
    if scale == 0.0:
        return np.zeros(len(variance), dtype=np.int64)
    variance, known = variance / scale, np.maximum(known, _LEAST_KNOWN)
    whole = np.maximum(np.floor(_real_solution(variance, known, cost, budget) - _BACK), 0.0)
    return _topped_up(whole, variance, known, cost, budget).astype(np.int64)


def _real_solution(variance: Vector, known: Vector, cost: Vector, budget: float) -> Vector:
    weight = variance * known / cost
    high = float(np.max(weight / known**2))

    def trials(level: float) -> Vector:
        return np.maximum(np.sqrt(weight / level) - known, 0.0)

    low, top = high * 1e-30, high
    for _ in range(_HALVINGS):
        middle = float(np.sqrt(low * top))
        low, top = (middle, top) if float(trials(middle) @ cost) > budget else (low, middle)
        if top <= low * (1.0 + 1e-12):
            break
    return trials(top)


def _topped_up(whole: Vector, variance: Vector, known: Vector, cost: Vector, budget: float) -> Vector:
    """Add single trials, largest gain per cost first, until no further trial fits into the budget."""

    def gain(item: int) -> float:
        after = known[item] + whole[item]
        return float(variance[item] * known[item] / (after * (after + 1.0) * cost[item]))

    left = budget * (1.0 + 1e-12) - float(whole @ cost)
    heap = [(-gain(item), item) for item in np.flatnonzero(variance > 0.0).tolist()]
    heapq.heapify(heap)
    while heap:
        _, item = heapq.heappop(heap)
        if cost[item] > left:
            continue
        whole[item] += 1.0
        left -= float(cost[item])
        heapq.heappush(heap, (-gain(item), item))
    return whole


def level_up(trials: Counts, cost: Vector, budget: float, at_least: int) -> Counts:
    """Return the trials that bring every item to ``at_least``, fewest trials first, as far as the budget allows.

    >>> level_up(np.array([0, 1, 5]), np.ones(3), 10.0, 2)
    array([2, 1, 0])
    """
    more, left = np.zeros(len(trials), dtype=np.int64), budget * (1.0 + 1e-12)
    for height in range(at_least):
        for item in np.flatnonzero(trials + more <= height):
            if cost[item] <= left:
                more[item] += 1
                left -= float(cost[item])
    return more
