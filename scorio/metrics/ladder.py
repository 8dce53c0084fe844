"""The best reward of ``k`` trials, by rungs: ``r_1 + sum_l (r_(l+1) - r_l) 1[some trial is above r_l]``.

Each rung is Pass@k with "above ``r_l``" for a success. Scores and moments come from the kernel of the same name; two
metrics' covariance is a sum over pairs of rungs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .._kernels import ladder, power
from .._kernels.distinct import distinct, locate
from .._kernels.states import States
from .base import Vector

Profiles = NDArray[np.float64]


def best_of(profiles: Profiles, rewards: Vector, k: int) -> Vector:
    """The expected best reward among ``k`` of each profile's trials."""
    out = np.empty(len(profiles))
    ladder.best(profiles, _by_reward(rewards), rewards, k, out)
    return out


def best_of_posterior(profiles: Profiles, rewards: Vector, prior: Vector, k: int) -> tuple[Vector, Vector]:
    """Posterior mean and standard deviation of the expected best reward among ``k`` new trials."""
    mean, sd = np.empty(len(profiles)), np.empty(len(profiles))
    ladder.posterior(profiles, _by_reward(rewards), rewards, prior, k, mean, sd)
    return mean, sd


def _by_reward(rewards: Vector) -> NDArray[np.intp]:
    return rewards.argsort()


def covariance(profiles: Profiles, prior: Vector, one: tuple[Vector, int], other: tuple[Vector, int]) -> Vector:
    """Posterior covariance of two best rewards, each ``(rewards, k)``, of every profile.

    Rates up to a rung are nested where both rewards order the categories alike. With ``S`` inside ``T``,
    ``Cov(A_S^k, A_T^l) = (E A_S^k / E A_T^k) Cov(A_T^k, A_T^l)``.
    """
    from .terms import state_covariance
    from .threshold import PassAtK

    total = np.zeros(len(profiles))
    (x_rewards, x_k), (y_rewards, y_k) = one, other
    for x in _rungs(profiles, x_rewards):
        for y in _rungs(profiles, y_rewards):
            if (x.above & ~y.above).any() and (y.above & ~x.above).any():
                raise TypeError("no joint posterior is known of rewards that order the categories differently")
            outer, inner, k = (y, x, x_k) if (y.above <= x.above).all() else (x, y, y_k)
            joint = state_covariance(PassAtK(x_k), PassAtK(y_k), outer.states, *outer.pseudo_counts(prior))[outer.where]
            top, bottom = (rung.none(prior, k) for rung in (inner, outer))
            total += x.height * y.height * joint * np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0.0)
    return total


@dataclass(frozen=True)
class Rung:
    """A step between neighbouring rewards: how high, which categories are above, and the binary states that makes."""

    height: float
    above: NDArray[np.bool_]
    states: States
    where: NDArray[np.intp]

    def pseudo_counts(self, prior: Vector) -> tuple[float, float]:
        """Those of the categories above, and of the others."""
        return float(prior[self.above].sum()), float(prior[~self.above].sum())

    def none(self, prior: Vector, k: int) -> Vector:
        """The posterior chance that none of ``k`` new trials is above, of every profile."""
        found: Vector = _none(self.states, k, *self.pseudo_counts(prior))[self.where]
        return found


def _rungs(profiles: Profiles, rewards: Vector) -> Iterator[Rung]:
    """The rungs of the rewards, lowest first."""
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
    """``E (1 - p)^k`` of every state: all of ``k`` trials succeed, with failures for successes."""
    failures, trials = states.trials - states.successes, states.trials
    order = np.lexsort((failures, trials))
    mirrored = States(failures[order], trials[order], states.multiplicity[order])
    mean, sd = np.empty(states.n_states), np.empty(states.n_states)
    power.all_success(mirrored, k, failure, success, mean, sd)
    found = np.empty(states.n_states)
    found[order] = mean
    return found
