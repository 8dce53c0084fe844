"""Several models on the same questions: the joint posterior of their means, and who beats whom.

Questions are shared, so what makes a question hard for all models cancels in a difference. With ``v[i, a]`` the value
of question ``a`` for model ``i``, ``S[i, c]`` the sum over cluster ``c`` of ``(v[i, a] - mean) / M`` (a question is a
cluster of its own where there are no clusters) and ``K`` clusters,

    Var[i - j] = K / (K - 1) sum_c (S[i, c] - S[j, c])^2  +  (sigma_i^2 + sigma_j^2) / (K - 1)

The first term is the usual paired variance. The second counts the posterior's own variance once, as though it were one
more cluster: it vanishes with many, keeps the variance above 0 where few differences happen to agree, and is all there
is for a single question. Sums of squares only, so near-equal models lose no digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from .grouped import frozen
from .labels import Labels
from .metrics import Metric
from .metrics.terms import Linear
from .outcomes import OutcomeMatrix
from .prior import UNIFORM, PriorLike

Vector = NDArray[np.float64]
Which = int | np.integer[Any] | NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Joint:
    """A Student t over models: means ``mu``, squared scale ``shared @ shared.T + diag(own)``.

    With infinite ``df`` it is normal.

    >>> joint = independent([0.6, 0.5], [0.03, 0.04])
    >>> round(float(joint.sd(0, 1)), 6), round(float(joint.beats(0, 1)), 6)
    (0.05, 0.97725)
    """

    mu: Vector
    shared: Vector
    own: Vector
    df: float

    @property
    def is_independent(self) -> bool:
        """Whether models vary on their own only."""
        return not self.shared.shape[1]

    def sd(self, i: Which, j: Which) -> Any:
        """Standard deviation of the difference between models ``i`` and ``j``, indices that broadcast."""
        apart = self.shared[i] - self.shared[j]
        return np.sqrt((apart * apart).sum(axis=-1) + self.own[i] + self.own[j])

    def beats(self, i: Which, j: Which) -> Any:
        """P(model ``i`` has the higher mean than ``j``); equal means give 1/2."""
        gap, sd = np.broadcast_arrays(self.mu[i] - self.mu[j], self.sd(i, j))
        certain = np.where(gap > 0, np.inf, np.where(gap < 0, -np.inf, 0.0))
        return stdtr(self.df, np.divide(gap, sd, out=certain, where=sd > 0))

    def draw(self, n: int, rng: np.random.Generator) -> Vector:
        """``n`` draws of all means, (n, L)."""
        models, width = self.shared.shape
        noise = rng.standard_normal((n, width)) @ self.shared.T
        noise += rng.standard_normal((n, models)) * np.sqrt(self.own)
        if math.isfinite(self.df):
            noise *= np.sqrt(self.df / rng.chisquare(self.df, (n, 1)))
        return self.mu + noise


def independent(mu: Sequence[float] | Vector, sigma: Sequence[float] | Vector) -> Joint:
    """Models whose posteriors are independent normals: what they are, given the questions."""
    centre, spread = (np.array(each, dtype=np.float64) for each in (mu, sigma))
    return Joint(frozen(centre), frozen(np.zeros((len(centre), 0))), frozen(spread**2), math.inf)


def paired(
    mu: Sequence[float] | Vector,
    sigma: Sequence[float] | Vector,
    values: Any,
    clusters: Labels | None = None,
) -> Joint:
    """Models whose questions are shared draws: ``values`` is (L, M), ``sigma`` the posterior's own deviation of each.

    >>> joint = paired([0.6, 0.5], [0.0, 0.0], [[0.9, 0.7, 0.2], [0.8, 0.5, 0.2]])
    >>> round(float(joint.sd(0, 1)), 6)  # of the differences .1, .2, 0
    0.057735
    """
    table = np.asarray(values, dtype=np.float64)
    sums = _by_cluster(table - table.mean(axis=1, keepdims=True), clusters) / table.shape[1]
    count = sums.shape[1]
    alone = independent(mu, sigma)
    if count == 1:
        return alone
    shared = sums * math.sqrt(count / (count - 1))
    return Joint(alone.mu, frozen(shared), frozen(alone.own / (count - 1)), count - 1.0)


def _by_cluster(table: Vector, clusters: Labels | None) -> Vector:
    """The sum over each cluster's questions, in order of first appearance."""
    if clusters is None:
        return table
    place = {label: at for at, label in enumerate(dict.fromkeys(clusters))}
    member = np.zeros((len(clusters), len(place)))
    member[np.arange(len(clusters)), [place[label] for label in clusters]] = 1.0
    sums: Vector = table @ member
    return sums


def joint_of(
    metric: Metric, banks: Sequence[OutcomeMatrix], mu: Sequence[float] | Vector, prior: PriorLike = UNIFORM
) -> Joint:
    """The joint posterior of models on the same questions, centred at ``mu``.

    A prior that is learnt from each bank pulls its questions together, and their spread would look too small: spreads
    are then taken under ``"jeffreys"``, which pulls the least.
    """
    plain = "jeffreys" if isinstance(prior, str) and prior == "eb" else prior
    sigma = [metric.interval(bank, prior=plain).sigma for bank in banks]
    return paired(mu, sigma, [question_values(metric, bank, plain) for bank in banks], banks[0].clusters)


def question_values(metric: Metric, bank: OutcomeMatrix, prior: PriorLike = UNIFORM) -> Vector:
    """What each question adds to the metric, (M,): posterior means; of blends of dataset means, to first order."""
    if metric.additive or not isinstance(metric, Linear):
        return metric.moments(bank, prior=prior).mean
    parts = [gain * part.moments(bank, prior=prior).mean for gain, part in metric.linear_terms(bank, prior)]
    return np.asarray(np.sum(parts, axis=0))
