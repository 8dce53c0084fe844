r"""The score of a model that was chosen because it scored high, corrected for the choice.

The noise of the highest of many scores is mostly upward, so the score is too high and its interval lies too high. How
much depends on how close the true values are, which the scores themselves show. Let ``x_i`` be the scores, ``v_i`` the
variances of what the models do not have in common, and ``s`` the square root of the median variance.

**The prior.** The true values form groups. Within a group they are normal around its level, with a standard deviation
``tau`` that is 0 with probability .4 and else half-Cauchy with the scale ``s``. The levels are uniform, one in
``RANGE s`` on average. Groups are those of a Dirichlet process with the concentration ``c``, which are kept in the
order of the scores: each is a run of neighbours. A model far from all others is thus a group of its own and keeps its
score, models that are alike share one level, and a few good models do not move toward many bad ones.

**How many groups** there are, scores hardly show: the best of many equal models and a model that is ahead by three
standard errors look alike. So the interval holds for every concentration from 1 to 4: where there are few groups, the
leader moves most toward the others, which gives the lower end, and where there are many, least, which gives the upper
one. What is less probable than the error of the interval is no reason to widen it, so that much probability is taken
from the runs in which the model is not alone: without it, a model that is ahead by six standard errors would have an
interval 4% wider than its own.

With ``w_i = 1 / (v_i + tau^2)``, a run ``i..j`` has the evidence

    E_ij = (j-i)!  sum over tau of  p(tau)  (2 pi / W)^(1/2) prod (w / 2 pi)^(1/2) exp(-Q / 2),

    W = sum w,    Q = sum w (x - m)^2,    m = sum w x / W,

and sums over all partitions into runs take one pass, ``Z_i = sum_j c E_ij Z_(j+1) / (RANGE s)``. Given the run and
``tau``, the true value of a model in it is normal with ``b = tau^2 / (v + tau^2)``, mean ``b x + (1-b) m`` and variance
``b v + (1-b)^2 / W``. The interval is that of this mixture of normal laws.

**The corrected score** is the score less the mean excess of the winner when the evaluation is repeated: true values are
drawn and scored anew with noise of the variances ``v``, and the noise of the model that then comes first is averaged.
No estimator is without bias: the excess of equal errors is ``v`` times the density of the gap between the first two at
0, which one gap does not show (Putter and Rubinstein 1968). Less of the excess of equal models is left where the scores
decide between partitions than where all are averaged, so the draws are those of partitions by their evidence to the
power 3, with the concentration 4. The score is kept within the interval.

**What models have in common**, such as the draw of questions, moves all scores alike. It does not change who is first,
and the levels of groups have no known origin, so it says nothing of the excess: it only widens the interval, by the
rest of the model's variance.

**The scale.** Near 0 and 1 the noise of a score depends on its true value: a model without a success has next to none.
The skewness of a model's own interval shows this. So its law is that of all scores on the scale on which its own
interval is normal, a shifted logarithm (``SmoothLaw``): each score and its noise are taken to that scale first, so that
the level of a group lies where its scores say. The variances ``v`` are those of draws, which are wider than intervals
where trials are few. They decide on groups, and the law is then as wide as the interval: where no other model is near,
it is the model's own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Indices, Vector, underflow_is_zero
from .._base.exports import Exports
from .._base.numbers import number, span
from .._base.special import gammaln, ndtr
from ..inference import Interval, Mixture
from ..inference._interval import within
from ..inference._level import p_of_statistic

RANGE = 14.0  # standard errors per level of a group
_FEW, _MANY = 1.0, 4.0  # concentrations: few groups, and many
_DECIDED = 3.0  # the power of the evidence of partitions for the corrected score
_EQUAL = 0.4  # probability that the true values of a group are equal
_SPREADS = np.concatenate([[0.0], np.geomspace(0.2, 30.0, 9)])  # of a group, in standard errors
_DRAWS = 2000  # pairs of repeated evaluations with opposite noise
_LEAST_SHARE = 1e-9  # of a model's variance that is its own, and of the largest variance that any model has
_FAR = 25.0  # standard errors from which on a model is no neighbour
_SYMMETRIC = 1e-6  # skewness below which the interval of a smooth law counts as symmetric
_LEAST_SIDE = 1e-6  # the shorter side of that interval is at least this share of the longer one
_LEAST_WEIGHT = 1e-12  # of a component of the posterior
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class ChosenScore(Exports):
    """The score of the best of ``n_models`` models, corrected for having been chosen because it is the highest.

    ``score`` is corrected, and ``lo`` to ``hi`` is the interval of the true value at the confidence of ``plain``, the
    interval of the same model without correction. ``observed`` is its score as it is.

    >>> ChosenScore("a", 40, 0.611, 0.57, 0.64, 0.643, Interval(0.643, 0.02, 0.604, 0.682)).n_models
    40
    """

    model: str
    n_models: int
    score: float
    lo: float
    hi: float
    observed: float
    plain: Interval
    _also: ClassVar = ("confidence",)

    @property
    def excess(self) -> float:
        """How much the score is too high because it was chosen, on average over repetitions."""
        return self.observed - self.score

    @property
    def confidence(self) -> float:
        """The confidence of the interval."""
        return self.plain.confidence

    def as_records(self) -> list[dict[str, Any]]:
        return [self.to_dict() | {"plain": None, "plain_lo": self.plain.lo, "plain_hi": self.plain.hi}]

    def __str__(self) -> str:
        corrected = f"corrected for having been chosen {number(self.score)} {span(self.lo, self.hi)}"
        return f"the best of {self.n_models} scores {number(self.observed)}; {corrected}"


@underflow_is_zero
def chosen_score(
    names: Sequence[str],
    scores: Vector,
    covariance: Vector,
    intervals: Sequence[Interval],
    critical: Vector,
    seed: int = 0,
) -> ChosenScore:
    """Return the corrected score of the model that scores highest: the first of several.

    ``covariance`` is that of the scores, (L, L), and ``critical`` how many standard deviations each interval reaches.

    >>> of = [Interval(mu, 0.02, mu - 0.0392, mu + 0.0392) for mu in (0.60, 0.59, 0.61)]
    >>> scores = np.array([each.mu for each in of])
    >>> print(chosen_score("abc", scores, np.eye(3) * 0.02**2, of, np.full(3, 1.96)))
    the best of 3 scores 0.610; corrected for having been chosen 0.593 [0.574, 0.644]
    """
    order = np.argsort(-scores, kind="stable")
    variance = np.maximum(np.diag(covariance), 0.0)
    not_shared = np.maximum(_own_share(covariance) * variance, _LEAST_SHARE * variance.max(initial=0.0))
    first = int(order[0])
    plain, observed = intervals[first], float(scores[first])
    score, lo, hi = observed, plain.lo, plain.hi
    if len(scores) > 1 and not_shared.any() and lo < hi:
        ordered, own = scores[order], not_shared[order]
        lo, hi = _ends(ordered, own, float(variance[first]), plain, float(critical[first]))
        score = _bounded(plain, within((lo, hi), observed - Groups(ordered, own).excess(seed)))
    return ChosenScore(str(names[first]), len(scores), score, lo, hi, observed, plain)


def _own_share(covariance: Vector) -> float:
    """Return the share of the variance of scores that models do not have in common: that of their differences."""
    models, total = len(covariance), float(np.trace(covariance))
    if models == 1 or total <= 0.0:
        return 1.0
    common = (float(covariance.sum()) - total) / (models - 1)
    return min(max(1.0 - common / total, _LEAST_SHARE), 1.0)


@dataclass(frozen=True)
class SmoothLaw:
    """The distribution with median ``center`` whose quantiles at ``Phi(-z)`` and ``Phi(z)`` are ``lo`` and ``hi``.

    It is normal if the interval is symmetric. Otherwise it is a shifted lognormal distribution ``c + s (exp(k Z) - 1)``
    with ``Z`` standard normal: its median is the center, and its central interval has the given ends, because
    ``(exp(k z) - 1) / (1 - exp(-k z)) = exp(k z)`` is the ratio of the longer side to the shorter one.

    >>> law = SmoothLaw(0.5, 0.4, 0.7, 1.96)
    >>> law.beyond(np.array([-1.96, 0.0, 1.96])).round(6).tolist()
    [0.4, 0.5, 0.7]
    """

    center: float
    lo: float
    hi: float
    z: float

    def _shape(self) -> tuple[float, float, float]:
        """Return the skewness, the scale, and the direction of the longer side; the skewness is 0 for a normal."""
        sides = (self.center - self.lo, self.hi - self.center)
        long = max(sides)
        short = max(min(sides), _LEAST_SIDE * long)
        skewness = math.log(long / short) / self.z if long > 0.0 else 0.0
        if skewness < _SYMMETRIC:
            return 0.0, (short + long) / (2.0 * self.z), 1.0
        return skewness, long / math.expm1(skewness * self.z), math.copysign(1.0, sides[1] - sides[0])

    def deviates(self, x: Vector) -> tuple[Vector, Vector]:
        """Return the standard normal numbers with the probability below ``x``, and how fast they grow with it."""
        skewness, scale, direction = self._shape()
        if skewness == 0.0:
            return (x - self.center) / scale, np.full_like(x, 1.0 / scale)
        argument = np.maximum(1.0 + direction * (x - self.center) / scale, np.finfo(float).tiny)
        return direction * np.log(argument) / skewness, 1.0 / (skewness * scale * argument)

    def beyond(self, z: Any) -> Any:
        """Return the number with the probability below it that a normal law has below ``z`` standard deviations."""
        skewness, scale, direction = self._shape()
        if skewness == 0.0:
            return self.center + scale * z
        return self.center + direction * scale * np.expm1(skewness * direction * z)


def _ends(scores: Vector, not_shared: Vector, variance: float, plain: Interval, reach: float) -> tuple[float, float]:
    """Return the interval of the first model, from all scores on the scale on which its plain one is normal.

    The variance of its score that is not its ``own`` is in common; it counts as far as it is in the plain interval.
    """
    smooth = SmoothLaw(plain.mu, plain.lo, plain.hi, reach)
    near = np.clip(scores - scores[0] + plain.mu, *smooth.beyond(np.array([-_FAR, _FAR])))
    x, slope = smooth.deviates(near)
    v = not_shared * (slope / (slope[0] * plain.sigma)) ** 2
    common = max(min(1.0, variance / plain.sigma**2) - float(v[0]), 0.0)
    groups, ends = Groups(x, v), []
    for concentration in (_FEW, _MANY):
        law = groups.law(concentration, float(p_of_statistic(reach)))
        scaled = Mixture(law.weights, law.means, (law.variances + common) / (float(v[0]) + common))
        ends.append(smooth.beyond(np.array(scaled.equal_tailed(float(ndtr(-reach))))))
    return _bounded(plain, float(np.min(ends))), _bounded(plain, float(np.max(ends)))


def _bounded(plain: Interval, value: float) -> float:
    return value if plain.bounds is None else within(plain.bounds, value)


class Groups:
    """The posterior of true values, given scores ``x``, highest first, with independent noise of variances ``v``."""

    def __init__(self, x: Vector, v: Vector) -> None:
        self._unit = math.sqrt(float(np.median(v)))
        self._center = float(x.mean())
        self._x = (x - self._center) / self._unit
        self._v = np.maximum(v / self._unit**2, _LEAST_SHARE)
        self._tau = _SPREADS[:, None] ** 2
        self._log_prior = np.log(_prior_of_spreads())[:, None]
        self._tables: dict[float, Vector] = {}

    def _row(self, first: int) -> tuple[Vector, Vector, Vector]:
        """Return log evidence, level, and its variance of each run from ``first`` on, by spread, (T, L - first)."""
        x, w = self._x[first:] - self._x[first], 1.0 / (self._v[first:] + self._tau)
        total = w.cumsum(axis=1)
        level = (w * x).cumsum(axis=1) / total
        before = np.concatenate([np.zeros((len(w), 1)), level[:, :-1]], axis=1)
        added = w * (x - before) * (x - level)  # a sum of squares about the mean, one model at a time
        log_density = 0.5 * np.log(w).cumsum(axis=1) - np.arange(1, len(x) + 1) * _HALF_LOG_2PI
        evidence = self._log_prior + log_density + _HALF_LOG_2PI - 0.5 * np.log(total) - 0.5 * added.cumsum(axis=1)
        return evidence + gammaln(np.arange(1.0, len(x) + 1.0)), level + self._x[first], 1.0 / total

    def _runs(self, power: float) -> Vector:
        """The log evidence of the run from ``i`` to ``j`` to a power, with the density of its level, (L, L)."""
        if power not in self._tables:
            count = len(self._x)
            table = self._tables[power] = np.full((count, count), -np.inf)
            for i in range(count):
                table[i, i:] = np.logaddexp.reduce(power * self._row(i)[0], axis=0) - power * math.log(RANGE)
        return self._tables[power]

    def _from(self, concentration: float, power: float = 1.0) -> Vector:
        """Return the log evidence of all partitions of the models from ``i`` on, (L + 1,)."""
        runs = self._runs(power) + power * math.log(concentration)
        evidence = np.zeros(len(self._x) + 1)
        for i in reversed(range(len(self._x))):
            evidence[i] = np.logaddexp.reduce(runs[i, i:] + evidence[i + 1 :])
        return evidence

    def law(self, concentration: float, error: float = 0.0) -> Mixture:
        """Return the law of the true value of the first model: a mixture over the spreads and ends of its run.

        The probability ``error`` is taken from the runs in which the model is not alone, or all that these have.
        """
        evidence, level, spread = self._row(0)
        logs = evidence + self._from(concentration)[1:]
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        together = float(weights[:, 1:].sum())
        if error > 0.0 and 0.0 < together < 1.0:
            left = max(together - error, 0.0) / (1.0 - error)
            weights[:, 0] *= (1.0 - left) / (1.0 - together)
            weights[:, 1:] *= left / together
        shrinkage = self._tau / (self._v[0] + self._tau)
        means = shrinkage * self._x[0] + (1.0 - shrinkage) * level
        variances = shrinkage * self._v[0] + (1.0 - shrinkage) ** 2 * spread
        kept = weights > _LEAST_WEIGHT
        scale = weights[kept] / weights[kept].sum()
        return Mixture(scale, self._center + self._unit * means[kept], self._unit**2 * variances[kept])

    def draws(self, n: int, rng: np.random.Generator, power: float = 1.0) -> Vector:
        """Return ``n`` draws of all true values, in units of the noise around the mean, (n, L).

        Partitions are drawn by their evidence to the power.
        """
        count, of_later = len(self._x), self._from(_MANY, power)
        drawn, starts = np.empty((n, count)), np.zeros(n, dtype=np.intp)
        for first in range(count):
            here = np.flatnonzero(starts == first)
            if len(here):
                last, spread, level = self._run_from(first, power, of_later, len(here), rng)
                starts[here] = last + 1
                shrinkage = spread[:, None] / (self._v[first:] + spread[:, None])
                noise = rng.standard_normal((len(here), count - first))
                value = (
                    shrinkage * self._x[first:]
                    + (1.0 - shrinkage) * level[:, None]
                    + np.sqrt(shrinkage * self._v[first:]) * noise
                )
                inside = np.arange(first, count) <= last[:, None]
                drawn[here, first:] = np.where(inside, value, drawn[here, first:])
        return drawn

    def _run_from(
        self, first: int, power: float, of_later: Vector, n: int, rng: np.random.Generator
    ) -> tuple[Indices, Vector, Vector]:
        """Return draws of the last model of a run, of its squared spread, and of its level, (n,) each."""
        evidence, level, variance = self._row(first)
        logs = (power * evidence + of_later[first + 1 :]).ravel()
        chances = np.exp(logs - logs.max()).cumsum()
        drawn = np.searchsorted(chances, rng.random(n) * chances[-1], side="right").clip(max=len(chances) - 1)
        spread, length = np.divmod(drawn, evidence.shape[1])
        at = level[spread, length] + np.sqrt(variance[spread, length]) * rng.standard_normal(n)
        return first + length, self._tau[spread, 0], at

    def excess(self, seed: int) -> float:
        """Return by how much the highest score is too high, on average over repeated evaluations."""
        rng = np.random.default_rng(seed)
        true = self.draws(_DRAWS, rng, _DECIDED)
        noise = rng.standard_normal(true.shape) * np.sqrt(self._v)
        of_best = [
            np.take_along_axis(errors, (true + errors).argmax(axis=1)[:, None], axis=1).mean()
            for errors in (noise, -noise)
        ]
        return self._unit * float(np.mean(of_best))


def _prior_of_spreads() -> Vector:
    """Return the probability of each spread of a group: the half-Cauchy law between the middles, and that of 0."""
    middles = np.sqrt(_SPREADS[1:-1] * _SPREADS[2:])
    ends = np.concatenate([[0.0, _SPREADS[1] / 2.0], middles, [np.inf]])
    law = 2.0 / math.pi * np.diff(np.arctan(ends))
    law *= 1.0 - _EQUAL
    law[0] += _EQUAL
    return np.asarray(law)
