"""Blends: products of powers of two count metrics, with first-order posteriors that count their covariance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._kernels import power
from .._kernels.states import States
from ..errors import ParameterError
from ..hierarchy import Branch
from ..mixture import Mixture
from ..outcomes import OutcomeMatrix
from ..params import nonnegative, optional, param, simplex, unit
from ..prior import PriorLike, beta_prior
from .base import Vector
from .by_state import ByState
from .count import CountMetric
from .nodes import Ends, each_node, of_population, pooled_moments
from .population import shared_prior
from .spectrum import MGPass, ThresholdSpectrum
from .terms import Terms, state_covariance
from .threshold import PassAtK, PassHatK

Part = tuple[CountMetric, float]


@dataclass(frozen=True)
class Blend(ByState):
    """``x^u y^v`` of each question, ``x`` and ``y`` two count metrics of one budget ``k``."""

    @abstractmethod
    def parts(self) -> tuple[Part, Part]:
        """``(x, u), (y, v)``."""

    @cached_property
    def _parts(self) -> tuple[Part, Part]:
        return self.parts()

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:
        """The two count metrics, times the derivatives at each question's posterior means."""
        (x, u), (y, v) = self._parts
        centre = x.moments(bank, prior=prior).mean, y.moments(bank, prior=prior).mean
        return list(zip(_slopes(*centre, u, v), (x, y), strict=True))

    @property
    def _ends(self) -> Ends:
        """The blend of a question that always fails, and of one that always succeeds."""
        (x, u), (y, v) = self._parts
        return x._ends[0] ** u * y._ends[0] ** v, x._ends[1] ** u * y._ends[1] ** v

    def _state_scores(self, states: States) -> Vector:
        (x, u), (y, v) = self._parts
        found: Vector = x._state_scores(states) ** u * y._state_scores(states) ** v
        return found

    def _state_moments(self, states: States, prior: PriorLike) -> tuple[Vector, Vector]:
        (x, u), (y, v) = self._parts
        joint = state_covariance(x, y, states, *beta_prior(prior))
        found = first_order(*x._state_moments(states, prior), *y._state_moments(states, prior), joint, u, v)
        return np.asarray(found[0]), np.asarray(found[1])


@dataclass(frozen=True)
class DatasetBlend(Blend):
    """``x^u y^v`` of the dataset means of ``x`` and ``y``.

    ``per_question`` and ``moments`` are those of each question alone; the score is not their mean.
    """

    additive: ClassVar[bool] = False

    def score(self, R: Any, *, short: str = "raise") -> float:
        """``x^u y^v`` of the scores ``x`` and ``y``."""
        enough = self._long_enough(self._admit(R), short)
        if enough is None:
            return float("nan")
        (x, u), (y, v) = self._parts
        return float(x.score(enough) ** u * y.score(enough) ** v)

    def without_each(self, bank: OutcomeMatrix, group: NDArray[np.intp]) -> Vector:
        """The same, from sums over the other questions."""
        (x, u), (y, v) = self._parts
        x_rest, y_rest = (_means_without_each(part.per_question(bank), group) for part in (x, y))
        return np.asarray(x_rest**u * y_rest**v)

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:
        """The two count metrics, times the derivatives at the posterior means."""
        (x, u), (y, v) = self._parts
        centre = x.interval(bank, prior=prior).mu, y.interval(bank, prior=prior).mu
        return list(zip(_slopes(*centre, u, v), (x, y), strict=True))

    def _estimate(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        states = bank.informed.states
        (x, u), (y, v) = self._parts
        count = states.n_questions
        (x_mean, x_sd), (y_mean, y_sd) = (part._state_moments(states, prior) for part in (x, y))
        joint = states.mean(state_covariance(x, y, states, *beta_prior(prior))) / count
        spread = states.norm(x_sd) / count, states.norm(y_sd) / count
        centre = states.mean(x_mean), states.mean(y_mean)
        mu, sigma = first_order(centre[0], spread[0], centre[1], spread[1], joint, u, v)
        return float(mu), float(sigma)

    def _calibrated(self, bank: OutcomeMatrix) -> Mixture:
        (x, u), (y, v) = self._parts
        informed = bank.informed
        of_x, of_y = cache(each_node(x._state_moments)), cache(each_node(y._state_moments))

        def of_sum(states: States, branch: Branch) -> tuple[Vector, Vector]:
            """Moments of ``x + y``, whose variance tells the covariance."""
            (x_mean, x_variance), (y_mean, y_variance) = of_x(states, branch), of_y(states, branch)
            joint = np.array([state_covariance(x, y, states, *prior) for prior in branch.priors])
            return x_mean + y_mean, np.maximum(x_variance + y_variance + 2.0 * joint, 0.0)

        (x_mean, x_variance), (y_mean, y_variance), (_, both) = (
            pooled_moments(law, values, informed.states, informed.learnt())
            for law, values in ((of_x, x._ends), (of_y, y._ends), (of_sum, _added(x._ends, y._ends)))
        )
        joint = (both - x_variance - y_variance) / 2.0
        mu, sigma = first_order(x_mean, np.sqrt(x_variance), y_mean, np.sqrt(y_variance), joint, u, v)
        return Mixture(informed.learnt().weight, mu, sigma**2)

    def _of_population(self, bank: OutcomeMatrix) -> Mixture:
        hierarchy = shared_prior(bank.informed)
        (x, u), (y, v) = (
            (of_population(part._state_moments, part._ends, hierarchy), power) for part, power in self._parts
        )
        return Mixture(x.weight, x.mean**u * y.mean**v, np.zeros_like(x.mean))


def _means_without_each(values: Vector, group: NDArray[np.intp]) -> Vector:
    """The mean of values that are at least 0, without each group of them."""
    rest = len(values) - np.bincount(group)
    return np.asarray(np.maximum(values.sum() - np.bincount(group, values), 0.0) / rest)


def _added(one: Ends, other: Ends) -> Ends:
    return one[0] + other[0], one[1] + other[1]


def _slopes(x: Any, y: Any, u: float, v: float) -> tuple[Vector, Vector]:
    """Derivatives of ``x^u y^v``; 0 where a base is 0."""
    value = x**u * y**v
    return _ratio(u * value, x), _ratio(v * value, y)


def first_order(x: Any, x_sd: Any, y: Any, y_sd: Any, joint: Any, u: float, v: float) -> tuple[Any, Any]:
    """``x^u y^v`` and its first-order standard deviation, by relative deviations so that no square vanishes.

    A base of 0 with a positive power makes the blend and its deviation 0.
    """
    value = x**u * y**v
    x_part, y_part = (_ratio(sd, base) * power for sd, base, power in ((x_sd, x, u), (y_sd, y, v)))
    correlation = _ratio(_ratio(joint, x_sd), y_sd)
    scale = np.maximum(x_part, y_part)
    a, b = _ratio(x_part, scale), _ratio(y_part, scale)
    square = np.maximum(a * a + b * b + 2.0 * correlation * a * b, 0.0)
    return value, value * scale * np.sqrt(square)


def _ratio(top: Any, bottom: Any) -> Vector:
    """``top / bottom``, 0 where ``bottom`` is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(top, dtype=np.float64), bottom)
    found: Vector = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom > 0.0)
    return found


@dataclass(frozen=True)
class _PassAndUnanimous(Blend):
    """Pass@k and Pass^k."""

    pass_power: float = param(nonnegative, default=0.5)
    unanimous_power: float = param(nonnegative, default=0.5)

    def parts(self) -> tuple[Part, Part]:
        """Pass@k and Pass^k with their powers."""
        return (PassAtK(self.k), self.pass_power), (PassHatK(self.k), self.unanimous_power)


@dataclass(frozen=True)
class GeomDsAtK(_PassAndUnanimous, DatasetBlend):
    """``P^a U^b`` of the dataset's Pass@k and Pass^k.

    >>> round(GeomDsAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.653835
    """

    name: ClassVar[str] = "geomds"


@dataclass(frozen=True)
class GeomAtK(_PassAndUnanimous):
    """The mean over questions of ``P_a^a U_a^b``, Pass@k and Pass^k of each question.

    >>> round(GeomAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.647106
    """

    name: ClassVar[str] = "geom"

    def _state_moments(self, states: States, prior: PriorLike) -> tuple[Vector, Vector]:
        mean, sd = np.empty(states.n_states), np.empty(states.n_states)
        power.blend(states, self.k, self.pass_power, self.unanimous_power, *beta_prior(prior), mean, sd)
        return mean, sd


@dataclass(frozen=True)
class GeoSpectrum(DatasetBlend):
    """``P^lam S^(1 - lam)`` of the dataset's Pass@k and threshold spectrum; without weights, S is mG-Pass@k.

    >>> round(GeoSpectrum(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.408248
    """

    name: ClassVar[str] = "geospectrum"
    aliases: ClassVar[dict[str, str]] = {"w": "weights", "lambda": "lam", "lambda_": "lam"}
    lam: float = param(unit, default=0.5)
    weights: Sequence[float] | None = param(optional(simplex), default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and len(self.weights) != self.k:
            raise ParameterError(f"weights must be k = {self.k} numbers; got {len(self.weights)}")

    def parts(self) -> tuple[Part, Part]:
        """Pass@k and the spectrum with their powers."""
        spectrum = MGPass(self.k) if self.weights is None else ThresholdSpectrum(self.k, self.weights)
        return (PassAtK(self.k), self.lam), (spectrum, 1.0 - self.lam)
