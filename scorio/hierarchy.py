"""The prior that the questions of a bank share, learnt from the bank and integrated over.

``p_a ~ Beta(s m, s (1 - m))`` for every question, with the mean difficulty ``m`` and the correlation of two trials of a
question, ``r = 1/(1 + s)``, nearly uniform. With a small chance some questions are never solved and some always: point
masses at 0 and 1, their weights uniform. One trial a question cannot tell them from a Beta: they are left out there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ._kernels import hierarchy as kernel
from ._kernels.states import States
from .lattice import FEW, MANY, Vector, lattice, peak
from .prior import Pair

SPIKED = 0.05  # prior chance of point masses
CORRELATION = (0.75, 1.0)  # Beta prior of r
DOUBTFUL = 1e-2  # posterior weight of a kind of prior that may be left out
ROUGHLY = 3.0  # factor by which that weight may be wrong at first
NEGLIGIBLE = 1e-3  # and of nodes


@dataclass(frozen=True, eq=False)
class Branch:
    """Nodes of one kind of prior: J pairs of Beta parameters, each with K pairs of spike weights.

    ``weight`` (J, K) is posterior; ``zero`` and ``one`` (J, K) are the spike weights. A question at an end, without a
    success or without a failure, may sit in a spike: at 0 with chance ``at_zero`` (J, K, E), at 1 with ``at_one``.
    """

    alpha: Vector
    beta: Vector
    weight: Vector
    zero: Vector
    one: Vector
    at_zero: Vector
    at_one: Vector

    @cached_property
    def priors(self) -> list[Pair]:
        """The Beta prior of each node."""
        return list(map(Pair, self.alpha.tolist(), self.beta.tolist()))


@dataclass(frozen=True)
class Hierarchy:
    """The learnt prior: branches whose weights add to 1, and the indices of the ends among the states."""

    branches: tuple[Branch, ...]
    ends: NDArray[np.intp]

    @cached_property
    def weight(self) -> Vector:
        """The weights of all nodes, branch by branch."""
        return np.concatenate([branch.weight.sum(axis=1) for branch in self.branches])

    @property
    def spiked(self) -> float:
        """The posterior chance that there are point masses at 0 and 1."""
        return float(sum(branch.weight.sum() for branch in self.branches if branch.zero.any()))


def learn(states: States, discount: float = 1.0, *, spikes: bool = True, fine: bool = False) -> Hierarchy:
    """The posterior of the shared prior, with point masses or not, on few nodes or many.

    Every question counts as ``discount`` of one.
    """
    evidence = _Evidence(states, discount)
    kinds: list[_Smooth] = [_Smooth(evidence)]
    if spikes and states.max_trials > 1 and evidence.ends.size:
        kinds.append(_Spiked(evidence))
    peaks = [peak(kind.log_posterior) for kind in kinds]
    likely = _shares([found.log_integral for found in peaks]) > DOUBTFUL / ROUGHLY
    found = [
        (kind, lattice(kind.log_posterior, start, MANY if fine else FEW))
        for kind, start, worth in zip(kinds, peaks, likely, strict=True)
        if worth
    ]
    shares = _shares([nodes.log_integral for _, nodes in found])
    branches = []
    for (kind, nodes), share in zip(found, shares, strict=True):
        if share > DOUBTFUL:
            keep = _heaviest(nodes.shares)
            branches.append(kind.branch(nodes.nodes[:, keep], share * nodes.shares[keep] / nodes.shares[keep].sum()))
    whole = sum(branch.weight.sum() for branch in branches)
    for branch in branches:
        branch.weight[:] /= whole
    return Hierarchy(tuple(branches), evidence.ends)


def _shares(log_integrals: list[float]) -> Vector:
    total = np.array(log_integrals)
    return np.asarray(np.exp(total - np.logaddexp.reduce(total)))


def _heaviest(shares: Vector) -> NDArray[np.intp]:
    """All nodes but the lightest, which together are negligible."""
    order = np.argsort(shares)
    return np.sort(order[np.cumsum(shares[order]) > NEGLIGIBLE])


class _Evidence:
    """Counts of a bank as the kernels take them; likelihoods leave out the binomial coefficients."""

    def __init__(self, states: States, discount: float) -> None:
        c, n = states.successes, states.trials
        weight = states.multiplicity.astype(np.float64) * discount
        self.tallies = (*_ascending(c, weight), *_ascending(n - c, weight), *_ascending(n, weight))
        self.ends = np.flatnonzero((c == 0) | (c == n))
        self.successes, self.trials = c[self.ends], n[self.ends]
        self.never, self.always = self.successes == 0, self.successes == self.trials
        self.weight = weight[self.ends]
        self.rest = max(float(weight.sum() - self.weight.sum()), 0.0)

    def log_likelihood(self, alpha: Vector, beta: Vector) -> Vector:
        """Of all questions."""
        out: Vector = np.empty(len(alpha))
        kernel.smooth(*self.tallies, alpha, beta, out)
        return out

    def log_ends(self, alpha: Vector, beta: Vector) -> Vector:
        """Of one question at each end, (J, E)."""
        out = np.empty((len(alpha), len(self.ends)))
        kernel.end_masses(self.successes, self.trials, alpha, beta, out)
        return out


def _ascending(counts: NDArray[np.int64], weight: Vector) -> tuple[NDArray[np.int64], Vector]:
    order = np.argsort(counts, kind="stable")
    return counts[order], weight[order]


class _Smooth:
    """All difficulties from one Beta."""

    log_chance = float(np.log1p(-SPIKED))

    def __init__(self, evidence: _Evidence) -> None:
        self.evidence = evidence

    def log_posterior(self, at: Vector) -> Vector:
        """Of points ``(logit m, logit r)``, with the prior chance of this kind."""
        alpha, beta, log_prior = _parameters(at)
        found: Vector = log_prior + self.log_chance + self._log_likelihood(alpha, beta)
        return found

    def branch(self, at: Vector, weight: Vector) -> Branch:
        """The nodes at these points, with these posterior weights."""
        alpha, beta, _ = _parameters(at)
        pairs, zero, one = self._spikes(alpha, beta)
        smooth = (1.0 - zero - one)[:, :, None] * np.exp(self.evidence.log_ends(alpha, beta))[:, None, :]
        at_zero, at_one = zero[:, :, None] * self.evidence.never, one[:, :, None] * self.evidence.always
        total = at_zero + at_one + smooth
        return Branch(alpha, beta, weight[:, None] * pairs, zero, one, at_zero / total, at_one / total)

    def _log_likelihood(self, alpha: Vector, beta: Vector) -> Vector:
        return self.evidence.log_likelihood(alpha, beta)

    def _spikes(self, alpha: Vector, beta: Vector) -> Vector:  # noqa: ARG002 - the same for every prior
        """Shares of the pairs of spike weights, and the weights at 0 and 1, (3, J, K)."""
        found = np.zeros((3, len(alpha), 1))
        found[0] = 1.0
        return found


class _Spiked(_Smooth):
    """Some questions never solved, some always, the others from one Beta."""

    log_chance = float(np.log(SPIKED))

    def _log_likelihood(self, alpha: Vector, beta: Vector) -> Vector:
        return self._integrated(alpha, beta)[0]

    def _spikes(self, alpha: Vector, beta: Vector) -> Vector:
        return self._integrated(alpha, beta)[1]

    def _integrated(self, alpha: Vector, beta: Vector) -> tuple[Vector, Vector]:
        evidence = self.evidence
        log_ends = evidence.log_ends(alpha, beta)
        log_integral, rule = np.empty(len(alpha)), np.empty((3, len(alpha), kernel.POINTS))
        kernel.spiked(
            np.exp(log_ends), evidence.never, evidence.always, evidence.weight, evidence.rest, log_integral, *rule
        )
        others = evidence.log_likelihood(alpha, beta) - log_ends @ evidence.weight
        return others + log_integral, rule


def _parameters(at: Vector) -> Vector:
    """Beta parameters at points ``(logit m, logit r)`` and the log prior density there, (3, J)."""
    found = np.empty((3, at.shape[1]))
    kernel.parameters(at, *CORRELATION, *found)
    return found
