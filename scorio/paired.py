"""Several models on the same questions: the joint posterior of their means, and who beats whom.

Questions are shared, so what makes a question hard for all models cancels in a difference. With ``s[i, c]`` what
cluster ``c`` does to the score of model ``i`` (without clusters each question is one; the squares of a row add up to
the variance of that score over draws of clusters) and ``own[i]`` the variance that their spread does not show,

    Var[i - j] = sum_c (s[i, c] - s[j, c])^2 + own[i] + own[j]

which is the paired variance of Student's t. Sums of squares only, so near-equal models lose no digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from .grouped import frozen
from .interval import two_sided_z
from .metrics import Metric
from .metrics.population import cluster_count, groups, shifts, shifts_of_mean
from .metrics.terms import Linear
from .outcomes import OutcomeMatrix
from .prior import UNIFORM, PriorLike, is_learnt

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

    def reach(self, confidence: float) -> float:
        """How many standard deviations to either side of a mean, or of a difference, lie within ``confidence``."""
        if math.isinf(self.df):
            return two_sided_z(confidence)
        return float(stdtrit(self.df, (1.0 + confidence) / 2.0))

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


def by_question(metric: Metric, banks: Sequence[OutcomeMatrix], prior: PriorLike = UNIFORM) -> Joint:
    """Scores of models whose questions are a draw, by whole clusters, at least two.

    Where trials are too few for a score, posterior means under ``prior`` take their place, with their variance.

    >>> banks = [OutcomeMatrix.from_counts(counts, 10) for counts in ([9, 7, 2], [8, 5, 2])]
    >>> round(float(by_question(Metric.from_string("pass@1"), banks).sd(0, 1)), 6)  # of the differences .1, .2, 0
    0.057735
    """
    if min(bank.min_trials for bank in banks) >= metric.needs:
        alone = independent([metric.score(bank) for bank in banks], [0.0] * len(banks))
        moved = [shifts(metric, bank) for bank in banks]
    else:
        found = [metric.posterior(bank, prior=prior) for bank in banks]
        alone = independent([each.mu for each in found], [each.sigma for each in found])
        moved = [shifts_of_mean(question_values(metric, bank, prior), groups(bank)) for bank in banks]
    return replace(alone, shared=frozen(np.array(moved)), df=len(moved[0]) - 1.0)


def joint_of(metric: Metric, banks: Sequence[OutcomeMatrix], prior: PriorLike = UNIFORM) -> Joint:
    """The joint posterior of any number of models on the same questions.

    The posteriors' own variance counts once, as though it were one more cluster: it vanishes with many, keeps the
    variance above 0 where few differences happen to agree, and is all there is for a single question. A prior that is
    learnt from each bank pulls its questions together, and their spread would look too small: ``"jeffreys"``, which
    pulls the least, takes its place.
    """
    plain = "jeffreys" if is_learnt(prior) else prior
    mu, sigma = np.array([metric.interval(bank, prior=plain)[:2] for bank in banks]).T
    alone = independent(mu, sigma)
    count = cluster_count(banks[0])
    if count < 2:
        return alone
    joint = by_question(metric, banks, plain)
    return replace(joint, own=frozen(joint.own + alone.own / (count - 1)))


def question_values(metric: Metric, bank: OutcomeMatrix, prior: PriorLike = UNIFORM) -> Vector:
    """What each question adds to the metric, (M,): posterior means; of blends of dataset means, to first order."""
    if metric.additive or not isinstance(metric, Linear):
        return metric.moments(bank, prior=prior).mean
    parts = [gain * part.moments(bank, prior=prior).mean for gain, part in metric.linear_terms(bank, prior)]
    return np.asarray(np.sum(parts, axis=0))
