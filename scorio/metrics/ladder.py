"""The best reward of ``k`` trials, by rungs: ``r_1 + sum_l (r_(l+1) - r_l) 1[some trial is above r_l]``.

Each rung is Pass@k with "above ``r_l``" for a success, so scores and posterior means are sums of positive terms. With
``A_l`` the rate of rewards up to ``r_l`` and ``m_l = E A_l^k``, rungs ``i < j`` are nested and
``Cov(A_i^k, A_j^k) = (m_i / m_j) Var A_j^k``: the variance is a sum over rungs, of positive terms again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .._kernels import bank as finite
from .._kernels import power
from .._kernels.distinct import distinct, locate
from .._kernels.states import States
from .base import Vector

Profiles = NDArray[np.float64]
Rung = tuple[float, States, NDArray[np.intp], NDArray[np.bool_]]


def _rungs(profiles: Profiles, rewards: Vector) -> Iterator[Rung]:
    """Each rung's height, its states, each profile's state, and which categories are above it."""
    levels = np.unique(rewards)
    trials = profiles.sum(axis=1)
    for lower, upper in zip(levels[:-1], levels[1:], strict=True):
        above = rewards > lower
        counts = np.empty((len(profiles), 2), dtype=np.int64)
        counts[:, 1] = profiles[:, above].sum(axis=1)
        counts[:, 0] = trials - counts[:, 1]
        states = distinct(counts)
        where = np.empty(len(counts), dtype=np.intp)
        locate(counts, states, where)
        yield upper - lower, states, where, above


def best_of(profiles: Profiles, rewards: Vector, k: int) -> Vector:
    """The expected best reward among ``k`` of each profile's trials."""
    total = np.full(len(profiles), rewards.min())
    for height, states, where, _ in _rungs(profiles, rewards):
        values = np.empty(states.n_states)
        finite.any_success(states, k, values)
        total += height * values[where]
    return total


def best_of_posterior(profiles: Profiles, rewards: Vector, prior: Vector, k: int) -> tuple[Vector, Vector]:
    """Posterior mean and standard deviation of the expected best reward among ``k`` new trials."""
    count = len(profiles)
    mean, below, square = np.full(count, rewards.min()), np.zeros(count), np.zeros(count)
    previous = np.zeros(count)
    span = float(np.ptp(rewards)) or 1.0
    for height, states, where, above in _rungs(profiles, rewards):
        success, failure = float(prior[above].sum()), float(prior[~above].sum())
        some, sd = np.empty(states.n_states), np.empty(states.n_states)
        power.any_success(states, k, success, failure, some, sd)
        mean += height * some[where]
        now, rise = _none(states, k, success, failure)[where], height / span
        # ``below`` is sum_(i < j) rise_i m_i / m_j, brought from the previous rung to this one.
        below *= np.divide(previous, now, out=np.zeros(count), where=now > 0.0)
        square += rise * sd[where] ** 2 * (rise + 2.0 * below)
        below += rise
        previous = now
    return mean, span * np.sqrt(square)


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
