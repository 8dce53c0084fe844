"""The best reward of ``k`` trials as a sum of rungs: ``r_1 + sum_l (r_(l+1) - r_l) 1[some trial is above r_l]``.

Each rung is Pass@k, where a trial succeeds if its reward is above ``r_l``. Scores and moments come from the kernel
of the same name; the covariance of two metrics is a sum over pairs of rungs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._arrays import Flags, Indices, Vector
from .._kernels import best_reward, posterior_power
from .._kernels.distinct import distinct, locate
from .._kernels.states import States
from ._covariance import state_covariance
from ._threshold import PassAtK


def best_of(profiles: Vector, rewards: Vector, k: int) -> Vector:
    """Return the expected best reward among ``k`` of each profile's trials."""
    out = np.empty(len(profiles))
    best_reward.best(profiles, _by_reward(rewards), rewards, k, out)
    return out


def best_of_posterior(profiles: Vector, rewards: Vector, prior: Vector, k: int) -> tuple[Vector, Vector]:
    """Return the posterior mean and standard deviation of the expected best reward among ``k`` new trials."""
    mean, sd = np.empty(len(profiles)), np.empty(len(profiles))
    best_reward.posterior(profiles, _by_reward(rewards), rewards, prior, k, mean, sd)
    return mean, sd


def _by_reward(rewards: Vector) -> Indices:
    return rewards.argsort()


def covariance(profiles: Vector, prior: Vector, one: tuple[Vector, int], other: tuple[Vector, int]) -> Vector:
    """Return the posterior covariance of two best rewards, each given as ``(rewards, k)``, for every profile.

    If both rewards order the categories alike, the sets of categories up to a rung are nested. With ``S`` inside ``T``,
    ``Cov(A_S^k, A_T^l) = (E A_S^k / E A_T^k) Cov(A_T^k, A_T^l)``.
    """
    total = np.zeros(len(profiles))
    (x_rewards, x_k), (y_rewards, y_k) = one, other
    for x in _rungs(profiles, x_rewards):
        for y in _rungs(profiles, y_rewards):
            if (x.above & ~y.above).any() and (y.above & ~x.above).any():
                raise TypeError("the covariance of rewards that order the categories differently is not known")
            outer, inner, k = (y, x, x_k) if (y.above <= x.above).all() else (x, y, y_k)
            joint = state_covariance(PassAtK(x_k), PassAtK(y_k), outer.states, *outer.pseudo_counts(prior))[outer.where]
            top, bottom = (rung.none(prior, k) for rung in (inner, outer))
            total += x.height * y.height * joint * np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0.0)
    return total


@dataclass(frozen=True)
class Rung:
    """A step between adjacent rewards: its height, the categories above it, and the binary states they define."""

    height: float
    above: Flags
    states: States
    where: Indices

    def pseudo_counts(self, prior: Vector) -> tuple[float, float]:
        """Return the pseudo-counts of the categories above, and of the others."""
        return float(prior[self.above].sum()), float(prior[~self.above].sum())

    def none(self, prior: Vector, k: int) -> Vector:
        """Return the posterior probability that none of ``k`` new trials is above, for every profile."""
        return np.asarray(_none(self.states, k, *self.pseudo_counts(prior))[self.where])


def _rungs(profiles: Vector, rewards: Vector) -> Iterator[Rung]:
    """Generate the rungs of the rewards, lowest first."""
    levels = np.unique(rewards)
    trials = profiles @ np.ones(len(rewards))
    for lower, upper in pairwise(levels):
        above = rewards > lower
        counts = np.empty((len(profiles), 2), dtype=np.int64)
        counts[:, 1] = profiles @ above.astype(np.float64)
        counts[:, 0] = trials - counts[:, 1]
        states = distinct(counts)
        where = np.empty(len(counts), dtype=np.intp)
        locate(counts, states, where)
        yield Rung(upper - lower, above, states, where)


def _none(states: States, k: int, success: float, failure: float) -> Vector:
    """Return ``E (1 - p)^k`` for every state: the probability of ``k`` failures."""
    failures, trials = states.trials - states.successes, states.trials
    order = np.lexsort((failures, trials))
    mirrored = States(failures[order], trials[order], states.multiplicity[order])
    mean, sd = np.empty(states.n_states), np.empty(states.n_states)
    posterior_power.all_success(mirrored, k, failure, success, mean, sd)
    chance = np.empty(states.n_states)
    chance[order] = mean
    return chance
