"""A metric's posterior under a learnt prior: moments at every node, given what the questions share.

At a node the difficulties are independent again, and every question's value has the mean and variance of the node's
Beta posterior; a question at an end, which may sit in a spike, has those of three cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._kernels.states import States
from ..hierarchy import Branch, Hierarchy
from ..mixture import Mixture
from ..outcomes import OutcomeMatrix
from ..prior import PriorLike, is_learnt
from .base import Moments, Vector

Posterior = Callable[[States, PriorLike], tuple[Vector, Vector]]  # mean and sd of every state
Law = Callable[[States, Branch], tuple[Vector, Vector]]  # mean and variance of every state, at every node
Ends = tuple[float, float]

_UNSEEN = States(*np.array([[0], [0], [1]]))


@dataclass(frozen=True)
class Nodes:
    """Moments at the nodes of one branch: (J, S) of the Beta alone, (J, K, E) at the ends with their spikes."""

    weight: Vector
    mean: Vector
    variance: Vector
    ends: NDArray[np.intp]
    end_mean: Vector
    end_variance: Vector

    def means(self, load: Vector) -> Vector:
        """``sum load E`` over states, (J, K)."""
        return _summed(self.mean, self.end_mean, self.ends, load)

    def spread(self, load: Vector) -> Vector:
        """``sum load Var`` over states, (J, K)."""
        return _summed(self.variance, self.end_variance, self.ends, load)


def _summed(smooth: Vector, at_ends: Vector, ends: NDArray[np.intp], load: Vector) -> Vector:
    found: Vector = (smooth @ load)[:, None] + (at_ends - smooth[:, None, ends]) @ load[ends]
    return found


def each_node(posterior: Posterior) -> Law:
    """The law of a posterior: nodes one after the other, (J, S)."""

    def law(states: States, branch: Branch) -> tuple[Vector, Vector]:
        found = [posterior(states, prior) for prior in branch.priors]
        return np.array([mean for mean, _ in found]), np.array([sd for _, sd in found]) ** 2

    return law


def at_nodes(law: Law, values: Ends, states: States, branch: Branch, ends: NDArray[np.intp]) -> Nodes:
    """Moments of a value that is ``values`` at a success rate of 0 and of 1."""
    mean, variance = law(states, branch)
    own, own_variance = mean[:, None, ends], variance[:, None, ends]
    down, up = values[0] - own, values[1] - own
    shift = branch.at_zero * down + branch.at_one * up
    spread = branch.at_zero * down**2 + branch.at_one * up**2 - shift**2
    end_variance = (1.0 - branch.at_zero - branch.at_one) * own_variance + np.maximum(spread, 0.0)
    return Nodes(branch.weight, mean, variance, ends, own + shift, end_variance)


def pooled(law: Law, values: Ends, states: States, hierarchy: Hierarchy) -> Mixture:
    """The posterior of the mean over questions."""
    return Mixture(hierarchy.weight, *pooled_moments(law, values, states, hierarchy))


def pooled_moments(law: Law, values: Ends, states: States, hierarchy: Hierarchy) -> tuple[Vector, Vector]:
    """Mean and variance of the mean over questions, at every node."""
    share = states.multiplicity / states.n_questions
    found = []
    for branch in hierarchy.branches:
        nodes = at_nodes(law, values, states, branch, hierarchy.ends)
        found.append(_over_pairs(branch, nodes.means(share), nodes.spread(share / states.n_questions)))
    mean, variance = np.concatenate(found, axis=1)
    return mean, variance


def _over_pairs(branch: Branch, mean: Vector, variance: Vector) -> Vector:
    """Moments (J, K) of every pair of spike weights as two rows of J."""
    pairs = branch.weight / branch.weight.sum(axis=1, keepdims=True)
    centre = (pairs * mean).sum(axis=1)
    return np.stack([centre, (pairs * (variance + (mean - centre[:, None]) ** 2)).sum(axis=1)])


def of_population(posterior: Posterior, values: Ends, hierarchy: Hierarchy) -> Mixture:
    """The posterior of the expected value of another question of the same kind."""
    found = []
    for branch in hierarchy.branches:
        unseen = np.array([posterior(_UNSEEN, prior)[0][0] for prior in branch.priors])
        smooth = (1.0 - branch.zero - branch.one) * unseen[:, None]
        mean = smooth + branch.zero * values[0] + branch.one * values[1]
        found.append(_over_pairs(branch, mean, np.zeros(mean.shape)))
    return Mixture(hierarchy.weight, *np.concatenate(found, axis=1))


class Averaged(NamedTuple):
    """A state's value, the nodes averaged out: mean, variance given the node, variance between nodes."""

    mean: Vector
    within: Vector
    between: Vector


def of_states(law: Law, values: Ends, states: States, hierarchy: Hierarchy) -> Averaged:
    """Moments of every state's value."""
    totals = np.zeros((3, states.n_states))
    for branch in hierarchy.branches:
        nodes = at_nodes(law, values, states, branch, hierarchy.ends)
        each, pair = nodes.weight.sum(axis=1), nodes.weight[:, :, None]
        moments = (
            (nodes.mean, nodes.end_mean),
            (nodes.variance, nodes.end_variance),
            (nodes.mean**2, nodes.end_mean**2),
        )
        for row, (smooth, at_ends) in enumerate(moments):
            found = each @ smooth
            found[nodes.ends] = (pair * at_ends).sum(axis=(0, 1))
            totals[row] += found
    mean, within, square = totals
    return Averaged(mean, within, np.maximum(square - mean**2, 0.0))


def of_questions(posterior: Posterior, values: Ends, bank: OutcomeMatrix, prior: PriorLike) -> Moments:
    """Mean and variance of every question's value, under a fixed prior or the learnt one."""
    where = bank.state_of_question
    if is_learnt(prior):
        mean, within, between = of_states(each_node(posterior), values, bank.states, bank.learnt())
        variance = within + between
    else:
        mean, sd = posterior(bank.states, prior)
        variance = sd * sd
    return Moments(mean[where], variance[where])
