r"""The joint law of all differences between models: which pairs are called at one error rate for all of them.

The statistic of a pair is its difference over its standard deviation, on the scale on which its p-value is read. Pairs
are called step by step (Westfall and Young 1993; Romano and Wolf 2005): the smallest p-value is judged by the law of
the smallest p-value of all pairs, and each further one by that of the pairs that are left. Any false call is made with
a probability of at most ``1 - confidence``.

For up to ``DRAWN`` models the statistics are drawn around differences of zero with the correlation of the joint
posterior. The sum of the p-values (Bonferroni) is a limit too, whatever the dependence, and the only one of more
models. Both hold for the pairs that are left and fall as they become fewer, so the smaller one is valid at every step,
and no call of Holm's method is lost.

Where models share a draw of questions, a draw turns all effects by a random rotation (Langsrud 2005). Every statistic
is then exactly Student's, with a denominator of its own and one degree of freedom for each further effect, and all have
the correlation of the data. Elsewhere draws are normal. A p-value has the tails of its own pair, and draws add the
dependence only.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base.arrays import Indices, Vector, cached_property, underflow_is_zero
from ..estimates._joint import Joint, difference
from ..estimates._stack import Stack
from ..inference._level import Level, p_of_statistic, quantile_of

DRAWN = 60  # models; the pairs of more are corrected by their number
_DRAWS = 20_000  # for few models; fewer for more, so that the work per ranking is limited
_WORK = 1_000_000  # draws times pairs, from which on there are fewer draws
_LEAST_DRAWS = 10_000
_PAIRS_AT_ONCE = 500  # whose differences per question are in memory


def stepped(families: Sequence[Any]) -> Vector:
    """Return the p-values of the pairs of all families, one after the other, corrected step by step.

    Chances of independent or dependent families are added (Bonferroni).
    """
    p = np.concatenate([family.p_each for family in families])
    corrected, order = np.minimum(np.sum([family.beyond(p) for family in families], axis=0), 1.0), np.argsort(p)
    corrected[order] = np.maximum.accumulate(corrected[order])
    return np.asarray(corrected)


@dataclass(frozen=True, eq=False)
class AllPairs:
    """All differences between the models of one ranking, judged together.

    ``supports`` returns the least and the greatest value of each model, (L, 2), which ends intervals.
    """

    stack: Stack
    seed: int = 0
    supports: Callable[[], Vector] | None = None

    @cached_property
    def pairs(self) -> tuple[Indices, Indices]:
        """The models of each pair, in the order of posterior means: the first has the higher one."""
        order = np.argsort(-self.stack.joint.mu, kind="stable")
        i, j = np.triu_indices(len(order), 1)
        return order[i], order[j]

    @property
    def _models(self) -> int:
        return len(self.stack.joint.mu)

    @cached_property
    @underflow_is_zero
    def statistic(self) -> Vector:
        """The statistic of each pair, at least 0."""
        i, j = self.pairs
        parts = np.array_split(np.arange(len(i)), max(1, len(i) // _PAIRS_AT_ONCE))
        statistics = [self.stack.statistic(difference(i[part], j[part])) for part in parts]
        return np.asarray(np.abs(np.concatenate(statistics)))

    @cached_property
    def p_each(self) -> Vector:
        """The two-sided p-value of each pair alone."""
        return np.asarray(p_of_statistic(self.statistic, self.df))

    def beyond(self, levels: Vector) -> Vector:
        """Return, for each level, a limit of the chance of a p-value below it if all pairs that are left are equal.

        The pairs that are left at a level are those with p-values of at least that.
        """
        left = len(self.p_each) - np.searchsorted(np.sort(self.p_each), levels)
        if self._models > DRAWN:
            return np.asarray(left * levels)
        joint = self._drawn[1] if np.array_equal(levels, self.p_each) else self._draw(levels)[1]
        return np.minimum(np.maximum(joint, levels), left * levels)

    def critical(self, error: float) -> float:
        """Return the statistic that no pair of equal models passes, but for ``error``."""
        df = self.df
        if self._models <= 2:
            return Level.of_error(error).critical(df)
        separate = Level.of_error(error / len(self.pairs[0])).critical(df)
        if self._models > DRAWN:
            return separate
        drawn = p_of_statistic(np.quantile(self._drawn[0], 1.0 - error), _degrees(self.stack.joint))
        return min(-float(quantile_of(df, drawn / 2.0)), separate)

    def interval(self, critical: float) -> tuple[Vector, Vector, Vector]:
        """Return the difference of each pair, and the ends of its interval at a critical statistic."""
        i, j = self.pairs
        pairs = difference(i, j)
        gap = np.asarray(self.stack.value(pairs))
        below, above = (side * (critical / self.stack.unit) for side in self.stack.reach(pairs))
        if self.supports is None:
            return gap, gap - below, gap + above
        low, high = self.supports().T
        return gap, np.maximum(gap - below, low[i] - high[j]), np.minimum(gap + above, high[i] - low[j])

    @property
    def df(self) -> float:
        """The degrees of freedom of each statistic."""
        return self.stack.joint.df

    @underflow_is_zero
    def ranks(self, error: float) -> tuple[Indices, Indices]:
        """Return the first and the last rank of each model, (L,) each; all hold together, but for ``error``."""
        called, (i, j), count = stepped([self]) <= error, self.pairs, self._models
        return 1 + np.bincount(j[called], minlength=count), count - np.bincount(i[called], minlength=count)

    @cached_property
    def _drawn(self) -> tuple[Vector, Vector]:
        """The maximum over all pairs in each draw, and the chance that the pairs left pass each pair's statistic."""
        return self._draw(self.p_each)

    def _draw(self, levels: Vector) -> tuple[Vector, Vector]:
        count = min(_DRAWS, max(_LEAST_DRAWS, _WORK // max(len(self.statistic), 1)))
        draw = _Draw(self.stack.joint, count, np.random.default_rng(self.seed))
        limits = -quantile_of(draw.df, levels / 2.0)
        passed, highest = np.empty(len(levels)), np.zeros(count)
        i, j = self.pairs
        left = iter(np.argsort(-self.p_each, kind="stable").tolist())
        pair = next(left, None)
        for place in np.argsort(-levels, kind="stable"):
            while pair is not None and self.p_each[pair] >= levels[place]:
                np.maximum(highest, draw.statistic(int(i[pair]), int(j[pair])), out=highest)
                pair = next(left, None)
            passed[place] = (np.count_nonzero(highest >= limits[place]) + 1.0) / (count + 1.0)
        return highest, passed


class _Draw:
    """Draws of the absolute statistic of any pair, around differences of zero, from the joint law of all models."""

    def __init__(self, joint: Joint, draws: int, rng: np.random.Generator) -> None:
        self._draws, self._rng, self._joint = draws, rng, joint
        self._effects, self.df = self._joint.effects, _degrees(joint)
        order = np.argsort(-self._joint.mu, kind="stable")  # so that the models' own order has no influence
        self._noise = np.empty((len(order), draws))
        self._noise[order] = _turned(self._effects[order], draws, rng, math.isfinite(self.df))

    def statistic(self, i: int, j: int) -> Vector:
        """Return the draws of one pair's statistic."""
        df = self.df
        if not self._joint.has_spread(difference(i, j)) and not (self._joint.alone[i] + self._joint.alone[j]):
            return np.asarray(np.abs(quantile_of(df, self._rng.random(self._draws))))
        usual = math.sqrt(float(((self._effects[i] - self._effects[j]) ** 2).sum()))
        ratio = np.abs(self._noise[i] - self._noise[j]) / usual
        return np.asarray(ratio if math.isinf(df) else ratio * np.sqrt(df / np.maximum(1.0 - ratio * ratio, 1e-12)))


def _degrees(joint: Joint) -> float:
    """Return the degrees of freedom of statistics that are drawn: one less than there are effects to turn."""
    return math.inf if math.isinf(joint.df) else joint.effects.shape[1] - 1.0


def _turned(effects: Vector, draws: int, rng: np.random.Generator, is_rotation: bool) -> Vector:
    """Return the sums of each model's effects after random turns, (L, draws): rotations, or normal weights."""
    triangle = np.linalg.qr(effects.T, mode="r")
    turn = rng.standard_normal((draws, len(triangle)))
    length = np.ones(draws)
    if is_rotation:
        square = (turn * turn).sum(axis=1)
        others = effects.shape[1] - len(triangle)
        length = np.sqrt(square + rng.chisquare(others, draws)) if others else np.sqrt(square)
    return np.ascontiguousarray((turn @ triangle).T / length)
