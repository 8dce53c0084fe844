"""The models of a plan, the posterior variance to expect after more trials, and the fewest trials that are enough.

Where it has no closed form, it is the mean over simulated futures: each draws the success rates of all questions from
their posterior, and then the trials to come. Of a metric that needs more trials than there are, what counts is how wide
the interval is, on average over futures: it holds what the trials leave open, which is not in the deviation of the
learned law.

Water-filling spreads trials so that the sum of posterior variances falls as far as possible. An item has posterior
variance ``v``, and its posterior is worth ``T`` trials. After ``n`` more trials, its expected variance is ``v T / (T +
n)``. The sum over items is smallest for ``n = max(0, sqrt(v T / level) - T)``, with the level that uses up all trials.
For whole trials, the real solution is rounded down and single trials are added where the gain is largest. That is
exact, because the gain of an item falls from trial to trial. Cost: 60 sums over items, then a heap.
"""

import heapq
import math
import sys
from collections.abc import Callable, Sequence
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
from ..params import choice

_DRAWS = 12  # simulated futures
MOST = 1_000_000  # no plan has more trials per question


@dataclass(frozen=True)
class TaskPart:
    """One task of one model: its weight in the overall score, its metric and the outcomes."""

    task: str
    weight: float
    metric: Metric
    outcomes: OutcomeMatrix


def one_entrant(metric: Any, outcomes: Any, runs: str, weights: Weights) -> tuple[Any, list[TaskPart]]:
    """Return the metric, or those of the tasks, and the tasks of the only model; outcomes without tasks have one.

    Warns where trials are not independent.
    """
    if choice("runs", runs, RUNS) == RANDOM:
        hint = "analyze_runs(..).half_width(runs, trials) says what more runs give"
        raise ParameterError("is 'random', and plans take trials as independent", argument="runs", hint=hint)
    tasks = as_tasks(outcomes if hasattr(outcomes, "by_task") else as_outcomes(outcomes))
    named, of_tasks = metric_of_tasks(metric, tasks)
    shares = shares_of(weights, {task: models.n_questions for task, models in tasks.items()}).values()
    first, *others = dict.fromkeys(name for models in tasks.values() for name in models)
    if others:
        hint = f"select(models=[{first!r}]) keeps one"
        raise OutcomeError(f"a plan is for one model; there are {len(others) + 1}", hint=hint)
    matrices = of_model(tasks, first, "known").values()
    parts = [TaskPart(*values) for values in zip(tasks, shares, of_tasks, matrices, strict=True)]
    if runs == AUTO:
        for part in parts:
            warn_of_runs(part.metric, [part.outcomes])
    return named, parts


def _of_futures(
    metric: Metric, outcomes: OutcomeMatrix, prior: Prior, seeds: Sequence[int], level: Level | None
) -> Callable[[int], float]:
    """Return the mean posterior variance over futures, a seed each: the same rates for every number of further trials.

    With a ``level``, the variance of a metric that needs more trials than there are is that of the normal law whose
    interval is as wide.
    """
    at = level if prior.is_learned and metric.share_left_open(outcomes) > 0.0 else None

    def spread(later: OutcomeMatrix) -> float:
        """Return the posterior variance or, at a level, the standard deviation of a normal law that is as wide."""
        if at is None:
            return metric.law_of(later, prior, "questions").sd ** 2
        _, _, lo, hi = metric.interval_at(later, at, prior=LEARNED, shape="quantile", target="questions")
        return (hi - lo) / 2.0 / at.critical()

    def variance(more: int) -> float:
        later = [_future(outcomes, prior, more, seed) for seed in seeds] if more else [outcomes]
        different = {future.counts.tobytes(): future for future in later}  # of few questions, many futures are the same
        spreads = {counts: spread(future) for counts, future in different.items()}
        expected = float(np.mean([spreads[future.counts.tobytes()] for future in later]))
        return expected if at is None else expected**2

    return variance


def _future(outcomes: OutcomeMatrix, prior: Prior, more: int, seed: int) -> OutcomeMatrix:
    """Return the outcomes with the trials of one future."""
    rng, informed = np.random.default_rng(seed), outcomes.with_prior_counts
    if prior.is_learned and outcomes.has_two_categories:  # from one draw of the shared prior
        rate = draw_rates(learned_prior(informed), informed.state_of_question, rng)
        rates = np.stack([1.0 - rate, rate], axis=1)
    else:
        width = informed.n_categories
        pseudo = np.full(width, 0.5) if prior.is_learned else prior.checked_counts(width)
        drawn = rng.standard_gamma(informed.counts + pseudo)
        rates = drawn / drawn.sum(axis=1, keepdims=True)
    counts = outcomes.counts.copy()
    counts[:, : rates.shape[1]] += rng.multinomial(more, rates)
    return outcomes.replaced(counts=counts, planned=outcomes.planned_trials + more)


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
        return lambda n: float(expected_variances(variance, known, n).sum())
    return _of_futures(metric, outcomes, prior, rng.integers(2**63, size=_DRAWS).tolist(), level)


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

    def reached(total: int) -> float:
        return math.sqrt(float(expected_variances(variance, known, fill(variance, known, total)).sum()))

    total = fewest(lambda total: reached(total) <= target, sys.maxsize, tolerance=0.0) or 0
    return fill(variance, known, total).tolist(), reached(total)


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


def expected_variances(variance: Vector, known: Vector, more: Counts | int) -> Vector:
    """Return the expected variance of every item after ``more`` trials."""
    after = known + more
    share = np.divide(known, after, out=np.ones_like(after), where=after > 0.0)
    return np.asarray(variance * share)


def fill(variance: Vector, known: Vector, budget: int) -> Counts:
    """Return whole numbers of trials, ``budget`` in all; none where there is no variance.

    >>> fill(np.array([0.04, 0.01]), np.array([4.0, 4.0]), 8)
    array([7, 1])
    """
    scale = float(variance.max(initial=0.0))
    if scale == 0.0:
        return np.zeros(len(variance), dtype=np.int64)
    variance, known = variance / scale, np.maximum(known, _LEAST_KNOWN)
    more = np.maximum(np.floor(_real_solution(variance, known, budget) - _BACK), 0.0)

    def loss(item: int) -> float:
        """Return minus what one more trial of an item gains."""
        after = known[item] + more[item]
        return -float(variance[item] * known[item] / (after * (after + 1.0)))

    heap = [(loss(item), item) for item in np.flatnonzero(variance > 0.0).tolist()]
    heapq.heapify(heap)
    for _ in range(budget - int(more.sum())):
        item = heap[0][1]
        more[item] += 1.0
        heapq.heapreplace(heap, (loss(item), item))
    return more.astype(np.int64)


def _real_solution(variance: Vector, known: Vector, budget: int) -> Vector:
    weight = variance * known
    high = float(np.max(weight / known**2))

    def trials(level: float) -> Vector:
        return np.maximum(np.sqrt(weight / level) - known, 0.0)

    low, top = high * 1e-30, high
    for _ in range(_HALVINGS):
        middle = float(np.sqrt(low * top))
        low, top = (middle, top) if float(trials(middle).sum()) > budget else (low, middle)
        if top <= low * (1.0 + 1e-12):
            break
    return trials(top)


def level_up(trials: Counts, budget: int, at_least: int) -> Counts:
    """Return the trials that bring every item to ``at_least``, fewest trials first, as far as the budget allows.

    >>> level_up(np.array([0, 1, 5]), 10, 2)
    array([2, 1, 0])
    """
    more = np.zeros(len(trials), dtype=np.int64)
    for height in range(at_least):
        lowest = np.flatnonzero(trials + more <= height)
        more[lowest[: budget - more.sum()]] += 1
    return more
