"""Blends: products of powers of two count metrics, with first-order posteriors that include their covariance.

The score of a metric that is no polynomial of the rate, such as Geom@k, is biased. But a smooth function is a
polynomial of a degree not far above ``k`` to many digits, and a polynomial of degree ``d`` is the expected credit of a
draw of ``d`` trials: its score over the draws from a question's trials has no bias.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._base.arrays import Indices, Vector, cached_property, read_only, underflow_is_zero
from .._kernels.states import States
from ..errors import ParameterError
from ..inference import Mixture, Prior
from ..inference._interval import Bounds
from ..inference._level import Level
from ..outcomes import OutcomeMatrix
from ..params import nonnegative, optional, param, simplex, unit
from ._checks import with_enough_trials
from ._count import ByState, CountMetric
from ._shared_prior import law_of_worth
from ._threshold import MGPass, PassAtK, PassHatK, ThresholdSpectrum
from ._worth import CovarianceTerms, Worth, credit_at, credit_scores, state_covariance, worth_of

MOST_TRIALS = 128  # of a draw; solving for the credits takes some 20 ms there
_STEPS = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0)  # degrees that are tried, in multiples of k
_LEAST_STRENGTH = 1e-7  # of a direction of the credits, relative to the strongest: others would only make them large
_RANGE = 0.01  # by which credits may leave the range of the function

Function = Callable[[Vector, Vector], Vector]  # of p and q = 1 - p


class NearCredit(NamedTuple):
    """Credits of a draw of ``len(values) - 1`` trials, and how far from the function the expected credit can be."""

    values: Vector
    error: float


def near_credit(function: Function, degree: int) -> NearCredit:
    """Return the credits whose expectation is nearest to a function of the rate, and equal to it at rates of 0 and 1.

    >>> near = near_credit(lambda p, q: np.sqrt(p * (2 - p)) * p, 8)
    >>> near.values.round(3).tolist()[:3], near.error < 5e-4
    ([0.0, 0.018, 0.176], True)
    """
    p, q = _rates(4 * degree + 8)
    share = np.arange(degree + 1) / degree
    credit = np.array(function(share, 1.0 - share))
    basis = np.array([credit_at(unit, p, q) for unit in np.eye(degree + 1)[1:-1]]).reshape(degree - 1, len(p)).T
    missing = function(p, q) - credit_at(credit, p, q)
    credit[1:-1] += np.linalg.lstsq(basis, missing, rcond=_LEAST_STRENGTH)[0]
    p, q = _rates(16 * degree + 33)
    return NearCredit(read_only(credit), float(np.abs(function(p, q) - credit_at(credit, p, q)).max()))


def nearest(of_degree: Callable[[int], NearCredit], k: int, trials: int, tolerance: float) -> NearCredit | None:
    """Return the credits of the fewest trials, at most ``trials``, whose error is within the tolerance, if any are.

    ``k`` is the budget of the function, which changes no faster than a polynomial of about that degree.
    """
    if tolerance < _LEAST_STRENGTH:  # finer than credits are known
        return None
    most = min(trials, MOST_TRIALS)
    for degree in sorted({max(round(step * k), 2) for step in _STEPS}):
        if degree > most:
            return None
        near = of_degree(degree)
        low, high = sorted((near.values[0], near.values[-1]))
        margin = _RANGE * (high - low)
        if near.error <= tolerance and low - margin <= near.values.min() <= near.values.max() <= high + margin:
            return near
    return None


def _rates(count: int) -> tuple[Vector, Vector]:
    """Return rates at equal distances of the angle whose squared sine they are, where polynomials need them."""
    angle = (np.arange(count) + 0.5) * (np.pi / 2.0 / count)
    return np.sin(angle) ** 2, np.cos(angle) ** 2


__all__ = ["GeomAtK", "GeomDsAtK", "GeoSpectrum"]  # noqa: RUF022 - in the order of lists and tables

Part = tuple[CountMetric, float]
_NEGLIGIBLE = 0.1  # of a posterior's standard deviation: an error of its score that does no harm


@dataclass(frozen=True)
class Blend(ByState):
    """The mean over questions of ``x^u y^v``, where ``x`` and ``y`` are count metrics of the same budget ``k``."""

    _has_biased_score: ClassVar[bool] = True

    @cached_property
    @abstractmethod
    def parts(self) -> tuple[Part, Part]:
        """``(x, u), (y, v)``."""

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms:
        """Return the two count metrics times the derivatives at each question's posterior means."""
        (x, u), (y, v) = self.parts
        centre = x.moments(outcomes, prior=prior).mean, y.moments(outcomes, prior=prior).mean
        return list(zip(_slopes(*centre, u, v), (x, y), strict=True))

    def _exact_mean(self, outcomes: OutcomeMatrix, prior: Prior) -> float | None:
        states = outcomes.with_prior_counts.states
        return states.mean(self._worth.moments(states, [prior.pair()])[0][0])

    @cached_property
    def _worth(self) -> Worth:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The blend as a function of the success rate; its own score is biased."""
        ends = self._at_rate(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
        return Worth(self.k, ends, self._at_rate, is_credit=False)

    def _at_rate(self, p: Vector, q: Vector) -> Vector:
        (x, u), (y, v) = self.parts
        return np.asarray(credit_at(x.credit_values, p, q) ** u * credit_at(y.credit_values, p, q) ** v)

    def _learned_law(self, outcomes: OutcomeMatrix, target: str) -> Mixture:
        """Return the posterior, moved toward the score of the nearest polynomial as others are toward their own."""
        recorded = outcomes.with_prior_counts
        plain = law_of_worth(self._worth, recorded, target)
        near = nearest(partial(_near, self), self.k, recorded.min_trials, _NEGLIGIBLE * plain.sd)
        if near is None:
            return plain
        score, states, (low, high) = partial(credit_scores, near.values), recorded.states, self.support(recorded)
        if not low <= states.mean(score(states)) <= high:  # too few successes show anything of the polynomial
            return plain
        return law_of_worth(replace(self._worth, credits=near.values, score=score), recorded, target)

    def _state_scores(self, states: States) -> Vector:
        (x, u), (y, v) = self.parts
        return np.asarray(x._state_scores(states) ** u * y._state_scores(states) ** v)

    @underflow_is_zero
    def _state_moments(self, states: States, alpha: float, beta: float) -> tuple[Vector, Vector]:
        (x, u), (y, v) = self.parts
        joint = state_covariance(x, y, states, alpha, beta)
        of_x, of_y = (part._state_moments(states, alpha, beta) for part in (x, y))
        mean, sd = first_order(*of_x, *of_y, joint, u, v)
        return np.asarray(mean), np.asarray(sd)


@dataclass(frozen=True)
class DatasetBlend(Blend):
    """``x^u y^v`` of the means of ``x`` and ``y`` over the whole dataset.

    ``per_question`` and ``moments`` are about single questions; the score is not their mean.
    """

    is_mean_over_questions: ClassVar[bool] = False
    _has_biased_score: ClassVar[bool] = False

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return ``x^u y^v`` of the scores of ``x`` and ``y``."""
        enough = with_enough_trials(self, self.admit(R), too_few)
        if enough is None:
            return float("nan")
        (x, u), (y, v) = self.parts
        return float(x.score(enough) ** u * y.score(enough) ** v)

    def _without_each(self, outcomes: OutcomeMatrix, group: Indices) -> Vector:
        """Return the score without each group of questions, (groups,), from sums over the other questions."""
        (x, u), (y, v) = self.parts
        x_rest, y_rest = (_means_without_each(part.per_question(outcomes), group) for part in (x, y))
        return np.asarray(x_rest**u * y_rest**v)

    def _range(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds | None:
        """Return the products of the least and of the largest values of both means."""
        ranges = [ends for part, _ in self.parts if (ends := part._range(outcomes, level, target)) is not None]
        if len(ranges) < len(self.parts):
            return None
        (x_low, x_high), (y_low, y_high) = ranges
        (_, u), (_, v) = self.parts
        return x_low**u * y_low**v, x_high**u * y_high**v

    def _questions_behind(self, outcomes: OutcomeMatrix) -> int | None:
        """Return the fewest questions that the mean of ``x`` or ``y`` rests on; None if trials are too few for them."""
        if outcomes.min_trials < self.k:
            return None
        return min(int((part.per_question(outcomes) > 0.0).sum()) for part, _ in self.parts)

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms:
        """Return the two count metrics times the derivatives at the posterior means."""
        (x, u), (y, v) = self.parts
        plain = outcomes.without_runs
        centre = x.interval(plain, prior=prior).mu, y.interval(plain, prior=prior).mu
        return list(zip(_slopes(*centre, u, v), (x, y), strict=True))

    @underflow_is_zero
    def _estimate(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[float, float]:
        states = outcomes.with_prior_counts.states
        (x, u), (y, v) = self.parts
        count, pair = states.n_questions, prior.pair()
        (x_mean, x_sd), (y_mean, y_sd) = (part._state_moments(states, *pair) for part in (x, y))
        joint = states.mean(state_covariance(x, y, states, *pair)) / count
        spread = states.norm(x_sd) / count, states.norm(y_sd) / count
        centre = states.mean(x_mean), states.mean(y_mean)
        mu, sigma = first_order(centre[0], spread[0], centre[1], spread[1], joint, u, v)
        return float(mu), float(sigma)

    def _learned_law(self, outcomes: OutcomeMatrix, target: str) -> Mixture:
        """Return the law of the blend from those of both means and of their sum."""
        (x, u), (y, v), recorded = *self.parts, outcomes.with_prior_counts
        worths = x._worth, y._worth, worth_of(x.credit_values + y.credit_values)
        of_x, of_y, of_sum = (law_of_worth(worth, recorded, target) for worth in worths)
        most = np.sqrt(of_x.variances * of_y.variances)  # the three may have moved toward their scores differently
        joint = np.clip((of_sum.variances - of_x.variances - of_y.variances) / 2.0, -most, most)
        mu, sigma = first_order(of_x.means, np.sqrt(of_x.variances), of_y.means, np.sqrt(of_y.variances), joint, u, v)
        return Mixture(of_x.weights, mu, sigma**2)


@lru_cache(maxsize=256)
def _near(metric: Blend, degree: int) -> NearCredit:
    return near_credit(metric._at_rate, degree)


def _means_without_each(values: Vector, group: Indices) -> Vector:
    """Return the mean of nonnegative values without each group of them."""
    rest = len(values) - np.bincount(group)
    return np.asarray(np.maximum(values.sum() - np.bincount(group, values), 0.0) / rest)


def _slopes(x: Any, y: Any, u: float, v: float) -> tuple[Vector, Vector]:
    value = x**u * y**v
    return u * value / _or_one(x), v * value / _or_one(y)


def _or_one(base: Any) -> Vector:
    """Return a divisor of what is 0 where the base is 0."""
    return np.where(base > 0.0, base, 1.0)


def first_order(x: Any, x_sd: Any, y: Any, y_sd: Any, joint: Any, u: float, v: float) -> tuple[Any, Any]:
    """Return ``x^u y^v`` and its first-order standard deviation.

    Relative deviations are used, so that no square underflows. If a base is 0 and its power positive, both are 0.
    """
    value = x**u * y**v
    x, y = _or_one(x), _or_one(y)
    x_part, y_part = u * x_sd / x, v * y_sd / y
    scale = np.maximum(x_part, y_part)
    unit = _or_one(scale)
    square = (x_part / unit) ** 2 + (y_part / unit) ** 2 + 2.0 * u * v * (joint / x / unit / y / unit)
    return value, value * scale * np.sqrt(np.maximum(square, 0.0))


@dataclass(frozen=True)
class PassAndUnanimous(Blend):
    """A blend of Pass@k and Pass^k."""

    pass_power: float = param(nonnegative, default=0.5)
    unanimous_power: float = param(nonnegative, default=0.5)

    @cached_property
    def parts(self) -> tuple[Part, Part]:
        """Pass@k and Pass^k with their powers."""
        return (PassAtK(self.k), self.pass_power), (PassHatK(self.k), self.unanimous_power)


@dataclass(frozen=True)
class GeomDsAtK(PassAndUnanimous, DatasetBlend):
    """``P^a U^b``, where ``P`` is Pass@k and ``U`` Pass^k of the whole dataset.

    >>> round(GeomDsAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.653835
    """

    name: ClassVar[str] = "geomds"
    aliases: ClassVar[tuple[str, ...]] = ("geom_ds",)


@dataclass(frozen=True)
class GeomAtK(PassAndUnanimous):
    """The mean over questions of ``P_a^a U_a^b``, where ``P_a`` is Pass@k and ``U_a`` Pass^k of one question.

    >>> round(GeomAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.647106
    """

    name: ClassVar[str] = "geom"

    @property
    def _trend(self) -> int:  # type: ignore[override]
        """``P_a U_a`` never rises as k grows, and ``U_a`` neither."""
        return -1 if self.pass_power <= self.unanimous_power else 0


@dataclass(frozen=True)
class GeoSpectrum(DatasetBlend):
    """``P^lam S^(1 - lam)``, where ``P`` is Pass@k and ``S`` a threshold spectrum of the whole dataset.

    Without weights, ``S`` is mG-Pass@k.

    >>> round(GeoSpectrum(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.408248
    """

    name: ClassVar[str] = "geospectrum"
    aliases: ClassVar[tuple[str, ...]] = ("geo_spectrum",)
    parameter_aliases: ClassVar[dict[str, str]] = {"w": "weights", "lambda": "lam", "lambda_": "lam"}
    lam: float = param(unit, default=0.5)
    weights: Sequence[float] | None = param(optional(simplex), default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and len(self.weights) != self.k:
            raise ParameterError(f"must be k = {self.k} numbers; got {len(self.weights)}", argument="weights")

    @cached_property
    def parts(self) -> tuple[Part, Part]:
        """Pass@k and the spectrum with their powers."""
        spectrum = MGPass(self.k) if self.weights is None else ThresholdSpectrum(self.k, self.weights)
        return (PassAtK(self.k), self.lam), (spectrum, 1.0 - self.lam)
