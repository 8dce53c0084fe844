"""The joint law of all differences between models: which pairs are called at one error rate for all of them.

The statistic of a pair is its difference over its standard deviation. For up to ``STEPWISE`` models the statistics are
drawn from the joint posterior around differences of zero, so that the correlation between them is used, and the pairs
are called step by step (Westfall and Young 1993; Romano and Wolf 2005): the largest statistic is judged by the law of
the maximum over all pairs, and each further one by that of the maximum over the pairs that are left. Any false call is
made with a probability of at most ``1 - confidence``. For more models, one critical value of the range holds for all
pairs.

Where models share a draw of questions, a draw turns the effects of the questions by a random rotation (Langsrud 2005).
Every statistic is then exactly Student's, with a denominator of its own, and all have the correlation of the data.
Where models have posteriors of their own, a draw also varies the variance of each (``_variance_degrees``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._arrays import Flags, Indices, Vector, underflow_is_zero
from .._special import stdtr
from ._differences import Differences
from ._joint import quantile_of
from ._overall import OverallDifferences, SummedJoint
from ._range_law import critical_range, p_of_range

STEPWISE = 30  # models; more are judged by one critical value
_DRAWS = 20_000  # for few models; fewer for more, so that the work per ranking is limited
_WORK = 1_000_000  # draws times pairs, from which on there are fewer draws
_LEAST_DRAWS = 10_000


class Ranks(NamedTuple):
    """The first and the last rank of each model that its calls leave, (L,) each."""

    first: Indices
    last: Indices


@dataclass(frozen=True, eq=False)
class Family:
    """All differences between the models of one ranking, judged together.

    ``support`` has the least and the greatest value of each model, (L, 2), which ends intervals.
    """

    differences: Differences
    seed: int = 0
    support: Vector | None = None

    @cached_property
    def _base(self) -> Differences:
        """The differences; those of the task if there is only one."""
        whole = self.differences
        return whole.tasks[0] if isinstance(whole, OverallDifferences) and len(whole.tasks) == 1 else whole

    @cached_property
    def pairs(self) -> tuple[Indices, Indices]:
        """The models of each pair, in the order of posterior means: the first has the higher one."""
        order = np.argsort(-self._base.joint.mu, kind="stable")
        i, j = np.triu_indices(len(order), 1)
        return order[i], order[j]

    @property
    def _models(self) -> int:
        return len(self._base.joint.mu)

    @cached_property
    @underflow_is_zero
    def statistic(self) -> Vector:
        """The statistic of each pair, at least 0."""
        return np.asarray(np.abs(self._base.statistic(*self.pairs)))

    @cached_property
    def p_each(self) -> Vector:
        """The two-sided p-value of each pair alone."""
        return np.asarray(2.0 * stdtr(self.df, -self.statistic))

    @cached_property
    def p_family(self) -> Vector:
        """The p-value of each pair, corrected by the joint law of all pairs."""
        if len(self.statistic) <= 1:
            return self.p_each
        if self._models > STEPWISE:
            return np.asarray(np.maximum(p_of_range(self.statistic, self._models, self._range_df), self.p_each))
        return np.maximum(self._stepped, self.p_each)

    def critical(self, error: float) -> float:
        """Return the statistic that no pair of equal models passes, but for ``error``."""
        df = self.df
        if self._models <= 2:
            return -float(quantile_of(df, error / 2.0))
        if self._models > STEPWISE:
            return critical_range(error, self._models, self._range_df)
        return float(np.quantile(self._maxima, 1.0 - error))

    def interval(self, critical: float) -> tuple[Vector, Vector, Vector]:
        """Return the difference of each pair, and the ends of its interval at a critical statistic."""
        i, j = self.pairs
        base = self._base
        gap = np.asarray(base.joint.mu[i] - base.joint.mu[j])
        below, above = (side * (critical / base.unit) for side in base.reach(i, j))
        if self.support is None:
            return gap, gap - below, gap + above
        low, high = self.support.T
        return gap, np.maximum(gap - below, low[i] - high[j]), np.minimum(gap + above, high[i] - low[j])

    @property
    def df(self) -> float:
        """The degrees of freedom of each statistic."""
        return self._base.joint.df

    @property
    def _range_df(self) -> float:
        """The degrees of freedom of a typical statistic, with those of the variances of both models."""
        own = self._base.variance_degrees
        if own is None or math.isfinite(self.df):
            return self.df
        both = 2.0 * float(np.median(own))
        return float(f"{both:.2g}")

    @underflow_is_zero
    def ranks(self, error: float) -> Ranks:
        """Return the interval of each rank; all of them hold together, but for ``error``."""
        count = self._models
        better, worse = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp)
        if count <= STEPWISE:
            i, j = (side[self.p_family <= error] for side in self.pairs)
            better, worse = np.bincount(j, minlength=count), np.bincount(i, minlength=count)
        else:
            for model in range(count):
                called = self._beats(model, np.arange(count), error)
                better += called
                worse[model] = called.sum()
        return Ranks(1 + better, count - worse)

    @underflow_is_zero
    def best(self, error: float) -> Flags:
        """Return which models no other model is called better than, (L,)."""
        count = self._models
        if count <= STEPWISE:
            return np.asarray(self.ranks(error).first == 1)
        is_best = ~self._beats(int(np.argmax(self._base.joint.mu)), np.arange(count), error)
        for i in np.flatnonzero(is_best):
            is_best[i] = not self._beats(np.arange(count), int(i), error).any()
        return is_best

    def _beats(self, i: Indices | int, j: Indices | int, error: float) -> Flags:
        return np.asarray(self._base.statistic(i, j) > self.critical(error))

    @cached_property
    def _drawn(self) -> tuple[Vector, Vector]:
        """The maximum over all pairs in each draw, and the p-value of each pair by the maximum over the pairs left."""
        draws = min(_DRAWS, max(_LEAST_DRAWS, _WORK // len(self.statistic)))
        draw = _Draw(self._base, draws, np.random.default_rng(self.seed))
        corrected, highest = np.empty(len(self.statistic)), np.zeros(draws)
        order = np.argsort(self.statistic, kind="stable")
        i, j = self.pairs
        for pair in order:
            np.maximum(highest, draw.statistic(int(i[pair]), int(j[pair])), out=highest)
            corrected[pair] = (np.count_nonzero(highest >= self.statistic[pair]) + 1.0) / (draws + 1.0)
        descending = order[::-1]
        corrected[descending] = np.maximum.accumulate(corrected[descending])
        return highest, corrected

    @property
    def _maxima(self) -> Vector:
        return self._drawn[0]

    @property
    def _stepped(self) -> Vector:
        return self._drawn[1]


class _Draw:
    """Draws of the absolute statistic of any pair, around differences of zero, from the joint law of all models."""

    def __init__(self, differences: Differences, draws: int, rng: np.random.Generator) -> None:
        self._differences, self._draws, self._rng = differences, draws, rng
        self._variances: Vector | None = None  # of each model, as it would be estimated in each draw
        self._joint = joint = differences.joint
        if math.isfinite(joint.df):
            self._effects = joint.shared
            if joint.own.any():
                self._effects = np.hstack([joint.shared, np.diag(np.sqrt(joint.own))])
            self._noise = _rotated(self._effects, draws, rng)
        elif joint.is_independent:  # in the order of the means, so that the models' own order has no influence
            order = np.argsort(-joint.mu, kind="stable")
            self._noise = np.empty((len(order), draws))
            self._noise[order] = rng.standard_normal((len(order), draws))
            self._noise *= np.sqrt(joint.own)[:, None]
            if differences.variance_degrees is not None:
                self._variances = _estimates(joint.own, differences.variance_degrees, draws, order, rng)
        else:
            self._noise = np.ascontiguousarray((joint.for_draws().draw(draws, rng) - joint.mu).T)

    def statistic(self, i: int, j: int) -> Vector:
        """Return the draws of one pair's statistic."""
        gap, joint = np.abs(self._noise[i] - self._noise[j]), self._joint
        if math.isfinite(joint.df):
            if not (joint.has_spread(i, j) or joint.own.any()):
                return np.abs(self._rng.standard_t(joint.df, self._draws))
            cosine = gap / math.sqrt(float(((self._effects[i] - self._effects[j]) ** 2).sum()))
            return np.asarray(cosine * np.sqrt(joint.df / np.maximum(1.0 - cosine * cosine, 1e-12)))
        if self._variances is not None:
            usual = np.sqrt(self._variances[i] + self._variances[j])
            return np.asarray(np.divide(gap, usual, out=np.zeros_like(gap), where=usual > 0.0))
        usual = float(joint.sd(i, j))
        if isinstance(joint, SummedJoint):  # a sum of Student laws: scaled so that its interval is the one shown
            usual = float(np.quantile(gap, self._differences.confidence)) / self._differences.unit
        return gap / usual if usual > 0.0 else np.zeros(self._draws)


def _estimates(own: Vector, degrees: Vector, draws: int, order: Indices, rng: np.random.Generator) -> Vector:
    """Return draws of the estimated variances of models, (L, draws), in the order given."""
    variances = np.empty((len(own), draws))
    for model in order:
        df = float(degrees[model])
        variances[model] = own[model] * (rng.chisquare(df, draws) / df if math.isfinite(df) else 1.0)
    return variances


def _rotated(effects: Vector, draws: int, rng: np.random.Generator) -> Vector:
    """Return the sums of each model's effects after random rotations of the questions, (L, draws)."""
    triangle = np.linalg.qr(effects.T, mode="r")
    turn = rng.standard_normal((draws, len(triangle)))
    square = (turn * turn).sum(axis=1)
    others = effects.shape[1] - len(triangle)
    length = np.sqrt(square + rng.chisquare(others, draws)) if others else np.sqrt(square)
    return np.ascontiguousarray((turn @ triangle).T / length)
