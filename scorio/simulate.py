"""Simulated outcomes with known true rates, the true values of metrics at these, and rates from abilities."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._base.arrays import Vector, finite_list, read_only
from ._base.special import betainc, expit
from .errors import OutcomeError, ParameterError
from .metrics import AvgMetric, BayesMetric, CountMetric, MaxAtK, Metric, MinAtK
from .metrics._blend import Blend
from .metrics._registry import as_metric
from .outcomes import OutcomeMatrix, OutcomeSet
from .params import count, generator, unit

__all__ = ["World", "categorical", "category_rates", "coins", "question_truth", "rates"]

_ABILITY_SPREAD = 1.0
_DIFFICULTY_SPREAD = 2.0
_SUM_TOLERANCE = 1e-9


def rates(abilities: Any, difficulties: Any, *, rng: int | np.random.Generator | None = None) -> Vector:
    """Return success rates (models, questions) of a Rasch model: ``1 / (1 + exp(difficulty - ability))``.

    Both are lists of numbers, or the number to draw: abilities from a normal distribution with standard deviation 1,
    difficulties with 2, so that most questions are easy or hard. Models of equal ability tie exactly.

    >>> rates([0.0, 1.0, 1.0], [0.0, 2.0]).round(3)
    array([[0.5  , 0.119],
           [0.731, 0.269],
           [0.731, 0.269]])
    """
    return np.asarray(expit(_gaps(abilities, difficulties, rng)))


def category_rates(
    abilities: Any,
    difficulties: Any,
    steps: Sequence[float] = (-1.0, 1.0),
    *,
    rng: int | np.random.Generator | None = None,
) -> Vector:
    """Return rates of categories (models, questions, categories) of a graded response model.

    Category ``j`` or better has probability ``1 / (1 + exp(difficulty + steps[j - 1] - ability))``; ``steps`` ascend.
    Abilities and difficulties are as for ``rates``.

    >>> category_rates([0.0], [0.0]).round(3)
    array([[[0.269, 0.462, 0.269]]])
    """
    rises = _numbers("steps", steps)
    if (np.diff(rises) <= 0).any():
        raise ParameterError(f"must ascend; got {steps!r}", argument="steps")
    gaps = _gaps(abilities, difficulties, rng)
    reached = expit(gaps[..., None] - rises)
    certain = np.ones((*gaps.shape, 1))
    return -np.diff(np.concatenate([certain, reached, 0.0 * certain], axis=2), axis=2)


def _gaps(abilities: Any, difficulties: Any, rng: int | np.random.Generator | None) -> Vector:
    random = generator(rng)
    strong = _values_or_draws("abilities", abilities, _ABILITY_SPREAD, random)
    hard = _values_or_draws("difficulties", difficulties, _DIFFICULTY_SPREAD, random)
    return strong[:, None] - hard


def _values_or_draws(name: str, values: Any, spread: float, random: np.random.Generator) -> Vector:
    try:
        operator.index(values)
    except TypeError:
        return _numbers(name, values)
    return np.asarray(random.normal(0.0, spread, count(name, values)))


def _numbers(name: str, values: Any) -> Vector:
    numbers = finite_list(values)
    if numbers is None:
        raise ParameterError(f"must be a list of finite numbers; got {values!r}", argument=name)
    return numbers


@dataclass(frozen=True, eq=False)
class World:
    """Outcomes; the ``trials`` they count, (models, questions, trials); the ``rates`` behind them, (.., categories)."""

    outcomes: OutcomeSet
    trials: NDArray[np.int32]
    rates: Vector

    def truth(self, metric: Metric | str) -> Vector:
        """Return the metric of each model at the true rates, (models,), which its scores and intervals estimate.

        >>> coins([[0.5, 0.5], [0.1, 0.9]], 4, rng=0).truth("pass@2").round(4)
        array([0.75, 0.59])
        """
        return _truth(as_metric(metric), self.rates, next(iter(self.outcomes.values())))

    def population(self, trials: int = 1_000_000) -> OutcomeSet:
        """Return a number of trials per question, divided by its rates as exactly as possible.

        Trials drawn from it with replacement are new trials of this world, at rates rounded to ``1 / trials``.
        """
        edges = np.rint(np.cumsum(self.rates, axis=2) * count("trials", trials)).astype(np.int64)
        edges[..., -1] = trials
        counts = np.diff(edges, axis=2, prepend=0)
        pairs = zip(self.outcomes, counts, strict=True)
        return OutcomeSet({name: OutcomeMatrix.from_counts(of_model) for name, of_model in pairs})

    def __repr__(self) -> str:
        return f"World({self.outcomes!r}, {self.trials.shape[2]} trials each)"


def coins(
    rates: Any,
    trials: int,
    *,
    models: Iterable[str] | None = None,
    repeat: float = 0.0,
    shared: float = 0.0,
    rng: int | np.random.Generator | None = None,
) -> World:
    """Draw binary outcomes at success rates (models, questions), or (questions,) for one model; see ``rates``.

    Trials are independent by default. ``repeat`` is the probability that a trial uses the random number of the trial
    before it: the correlation of neighboring trials. ``shared`` is the probability that it uses the random number of
    its run, which is the same for every question: runs are then good or bad as a whole. Neither changes the rates.

    >>> from scorio import simulate
    >>> simulate.coins(simulate.rates([0.0, 1.0], 30, rng=0), trials=80, rng=1)
    World(OutcomeSet(2 models x 30 questions, binary), 80 trials each)
    """
    success = _chances(rates)
    if success.ndim == 1:
        success = success[None]
    if success.ndim != 2:
        raise ParameterError(
            f"must be (models, questions) or (questions,); got shape {success.shape}", argument="rates"
        )
    return _drawn(np.stack([1.0 - success, success], axis=2), trials, models, repeat, shared, rng)


def categorical(
    rates: Any,
    trials: int,
    *,
    models: Iterable[str] | None = None,
    repeat: float = 0.0,
    shared: float = 0.0,
    rng: int | np.random.Generator | None = None,
) -> World:
    """Draw outcomes in categories at rates (models, questions, categories) that sum to 1; otherwise as ``coins``.

    >>> categorical([[[0.2, 0.3, 0.5]]], trials=4, rng=0).truth("avg:w=0,.5,1").round(3)
    array([0.65])
    """
    chances = _chances(rates)
    is_law = chances.ndim == 3 and chances.shape[2] >= 2
    if not is_law or not np.allclose(chances.sum(axis=2), 1.0, rtol=0.0, atol=_SUM_TOLERANCE):
        raise ParameterError(
            "must be (models, questions, categories), with at least two categories, and sum to 1", argument="rates"
        )
    return _drawn(chances, trials, models, repeat, shared, rng)


def _chances(rates: Any) -> Vector:
    try:
        chances = np.array(rates, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("must be an array of numbers", argument="rates") from None
    if not chances.size or not ((chances >= 0.0) & (chances <= 1.0)).all():
        raise ParameterError("must be numbers from 0 to 1, at least one", argument="rates")
    return chances


def _drawn(
    rates: Vector,
    trials: int,
    models: Iterable[str] | None,
    repeat: float,
    shared: float,
    rng: int | np.random.Generator | None,
) -> World:
    """Draw trials by uniform numbers below 1, some copied from the run or from the trial before, and count them."""
    shape = (*rates.shape[:2], count("trials", trials))
    repeat, shared, random = unit("repeat", repeat), unit("shared", shared), generator(rng)
    luck = random.random(shape)
    if shared:
        of_run = random.random((shape[0], 1, trials))
        luck = np.where(random.random(shape) < shared, of_run, luck)
    if repeat:
        fresh = random.random(shape) >= repeat
        latest = np.maximum.accumulate(np.where(fresh, np.arange(trials), 0), axis=2)
        luck = np.take_along_axis(luck, latest, axis=2)
    drawn = np.zeros(luck.shape, np.int32)
    for edge in np.moveaxis(np.cumsum(rates, axis=2)[..., :-1], 2, 0):
        drawn += luck >= edge[..., None]
    counts = np.stack([(drawn == category).sum(axis=2) for category in range(rates.shape[2])], axis=2)
    return World(
        OutcomeSet(list(map(OutcomeMatrix.from_counts, counts)), models=models), read_only(drawn), read_only(rates)
    )


# The true value of a metric.


def _truth(metric: Metric, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the metric of each model, (L,), at rates (models, questions, categories) of outcomes ``like`` these."""
    if isinstance(metric, Blend) and not metric.is_mean_over_questions:
        return np.asarray(np.prod([_truth(part, rates, like) ** power for part, power in metric.parts], axis=0))
    return np.asarray(question_truth(metric, rates, like).mean(axis=1))


@singledispatch
def question_truth(metric: Metric, rates: Vector, like: OutcomeMatrix) -> Vector:  # noqa: ARG001 - registered functions use them
    """Return the metric of each question (models, questions); ``question_truth.register`` adds your own metric."""
    raise TypeError(f"the true value of {metric} is unknown: add it with simulate.question_truth.register")


@question_truth.register
def _truth_of_counts(metric: CountMetric, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return ``x_0`` plus, for each number of successes, its added credit times the probability of at least so many."""
    if like.n_categories > 2:
        raise OutcomeError(f"{metric} needs binary outcomes, but these have {like.n_categories} categories")
    values = np.full(rates.shape[:2], metric.credit_values[0])
    for j in np.flatnonzero(metric.credit_steps) + 1:
        values += metric.credit_steps[j - 1] * betainc(j, metric.k - j + 1.0, rates[..., 1])
    return values


@question_truth.register(AvgMetric)
@question_truth.register(BayesMetric)
def _mean_reward(metric: AvgMetric | BayesMetric, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the mean reward."""
    return np.asarray(rates @ _rewards(metric, like))


@question_truth.register(MaxAtK)
@question_truth.register(MinAtK)
def _truth_of_extremes(metric: MaxAtK | MinAtK, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the best (or worst) reward, less each step to it times the chance that none of ``k`` trials takes it."""
    rewards = _rewards(metric, like)
    order = np.argsort(-rewards if isinstance(metric, MinAtK) else rewards, kind="stable")
    none_beyond = np.cumsum(rates[..., order], axis=2)[..., :-1] ** metric.k
    return np.asarray(rewards[order[-1]] - none_beyond @ np.diff(rewards[order]))


@question_truth.register
def _truth_of_blends(metric: Blend, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the product of powers of each question's two values."""
    return np.asarray(np.prod([question_truth(part, rates, like) ** power for part, power in metric.parts], axis=0))


def _rewards(metric: AvgMetric | BayesMetric | MaxAtK | MinAtK, like: OutcomeMatrix) -> Vector:
    rewards = metric.rewards_of(like)
    if len(rewards) != like.n_categories:
        raise OutcomeError(f"{metric} has {len(rewards)} weights, but the outcomes have {like.n_categories} categories")
    return rewards
