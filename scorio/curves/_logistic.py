"""A logistic curve through the values of questions, and what each cluster of questions contributes to its error.

The value ``y`` of question ``i`` lies between 0 and 1, and its weight is ``w``. With ``z = (1, x)``, the curve solves

    sum_i w_i (y_i - p_i) z_i + penalty = 0,    p_i = 1 / (1 + exp(-b z_i)).

So it is defined without a model: put in the true rates of these questions, it is their best logistic curve; averaged
over questions that one might have drawn, it is that of questions like these. The penalty of Firth (1993) takes away the
bias of few trials, and keeps the slope finite where one value separates successes from failures; a ridge on the slope
replaces it where it is asked for.

Covariances are those of estimating equations (a sandwich). For these questions, the middle is the variance of each
question's trials. For questions like these, it is made of residuals by cluster, corrected for the fit that took part of
them (CR2), with the degrees of freedom of Bell and McCaffrey (2002); Pustejovsky and Tipton (2018) have both for
weights.

The values at which the curve may cross a rate are those that the likelihood does not reject. It is that of the outcomes
with what the penalty for few trials adds to either of them, which is held at the fit, less the ridge. Of the curves
with the logit ``t`` at the value ``h``, ``t + b (x - h)``, the best one loses some of it. Twice the loss is the square
of a signed root whose variance the sandwich knows:

    z(h)^2 = 2 (l(fit) - max_b l(t + b (x - h))) naive(h) / robust(h),

with the variances of ``intercept + slope h`` by the information and by the covariance of the fit. To first order it is
the square of Wald's statistic, which Fieller's theorem inverts. But where the slope is uncertain, that one grows too
slowly (Hauck and Donner 1977), and intervals for a crossing are too wide; those of the likelihood are shorter and cover
as they should (Williams 1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from .._base.arrays import Indices, Vector, cached_property
from .._base.special import brentq, expit
from ..errors import OutcomeError
from ..inference._level import Level, p_of_statistic

Matrix: TypeAlias = Vector  # of two dimensions or more

_STEPS = 100  # of Newton's method
_LARGEST_STEP = 4.0  # of the parameters in one of them
_FITTED = 1e-10  # change of the parameters at which they are found
_LEAST_EIGENVALUE = 1e-6  # of what the fit left of a cluster's residuals
_LEAST_DEGREES = 1.0
_ROUNDS, _UNDAMPED = 500, 40  # of the penalty, and those of them that take whole steps
_LEAST = 1e-300  # variance to divide by
_SINGULAR = 1e-20  # determinant of the information
_PLACES = 32  # values between which the ends of a crossing are looked for


class Forms(NamedTuple):
    """The contributions of clusters to an error as linear forms of independent noise of variance 1.

    Their covariance is a diagonal less a matrix of low rank, so both traces cost one pass over the clusters.
    """

    blocks: Matrix
    plain: Matrix
    weighted: Matrix
    bread: Matrix
    meat: Matrix

    def traces(self, contrast: Vector) -> tuple[float, float]:
        """Return the sum of the eigenvalues and that of their squares."""
        diagonal = np.einsum("fij,i,j->f", self.blocks, contrast, contrast)
        low = np.hstack([self.plain @ contrast, self.weighted @ contrast])
        core = np.block([[self.meat, -self.bread], [-self.bread, np.zeros_like(self.bread)]])
        lowered = np.einsum("fi,ij,fj->f", low, core, low)
        square = core @ (low.T @ low)
        total = float(diagonal.sum() + lowered.sum())
        return total, float((diagonal**2).sum() + 2.0 * (diagonal * lowered).sum() + np.trace(square @ square))


@dataclass(frozen=True)
class LogisticError:
    """What each cluster contributes to the error of intercept and slope, whose sum of squares is their covariance.

    ``influence`` has one row per cluster; for these questions, a cluster is a question.
    """

    influence: Matrix
    forms: Forms | None = None

    @property
    def covariance(self) -> Matrix:
        """The covariance matrix of the parameters."""
        return self.influence.T @ self.influence

    def sd(self, contrast: Vector) -> float:
        """Return the standard error of ``contrast @ parameters``."""
        return float(np.linalg.norm(self.influence @ contrast))

    def degrees(self, contrast: Vector) -> float:
        """Return the degrees of freedom of that variance, by how evenly clusters contribute."""
        parts = (self.influence @ contrast) ** 2
        traces = (float(parts.sum()), float((parts**2).sum())) if self.forms is None else self.forms.traces(contrast)
        return max(traces[0] ** 2 / traces[1], _LEAST_DEGREES) if traces[1] > 0.0 else _LEAST_DEGREES


@dataclass(frozen=True, eq=False)
class Logistic:
    """A logistic curve through the rates ``y`` of questions with the values ``x``, and shares that sum to 1.

    ``clusters`` numbers those of the questions; ``firth`` is that of ``parameters_of``.
    """

    x: Vector
    y: Vector
    share: Vector
    clusters: Indices
    firth: Vector | None
    ridge: float
    parameters: Vector

    @cached_property
    def design(self) -> Matrix:
        """The rows ``(1, x)``."""
        return np.column_stack([np.ones_like(self.x), self.x])

    @cached_property
    def p(self) -> Vector:
        """The height of the curve at each question."""
        return np.asarray(expit(self.design @ self.parameters))

    @property
    def is_unanimous(self) -> bool:
        """Whether there are only failures, or only successes, so that there is no slope, whatever the fit says."""
        return float(self.y.min()) == float(self.y.max()) and float(self.y[0]) in (0.0, 1.0)

    def place_of(self, rate: float) -> float:
        """Return the ``x`` at which the curve crosses a rate; NaN without a slope."""
        intercept, slope = self.parameters
        if self.is_unanimous or slope == 0.0:
            return math.nan
        return float((math.log(rate / (1.0 - rate)) - intercept) / slope)

    @property
    def ridges(self) -> Vector:
        """The ridge on intercept and slope."""
        return np.array([0.0, self.ridge])

    @cached_property
    def inverse(self) -> Matrix:
        """The inverse of the information."""
        return np.asarray(np.linalg.inv(_information(self.design, self.share, self.p, self.ridges)), np.float64)

    def over_trials(self, variance: Vector) -> LogisticError:
        """Return the error for these questions, whose values have these variances over repeated trials."""
        return LogisticError((self.share * np.sqrt(variance))[:, None] * (self.design @ self.inverse))

    def over_clusters(self, *, is_silent: bool) -> LogisticError:
        """Return the error for questions like these, which come in clusters.

        Where all questions are solved, or none, residuals are as small as the penalty makes them and ``is_silent``
        about how much questions vary. They then vary as much as the curve allows, ``p (1 - p)``, a cluster as one.
        """
        root = np.sqrt(np.maximum(self.p * (1.0 - self.p), 1e-300))
        z, w = root[:, None] * self.design, self.share
        scaled = w[:, None] * z
        meat = self.inverse @ (scaled.T @ scaled) @ self.inverse
        member, count = self.clusters, int(self.clusters.max()) + 1
        residual = np.ones_like(self.y) if is_silent else (self.y - self.p) / root
        forms = np.empty((len(self.x), 2))  # what a residual of variance 1 adds to the parameters
        for rows in _by_size(member, count):
            left = _left_over(z[rows], w[rows], self.inverse, meat)
            forms[rows] = left @ (w[rows, None] * z[rows] @ self.inverse)
        influence = _summed(forms * residual[:, None], member, count)
        blocks, plain, weighted = (
            _summed(factor[:, :, None] * forms[:, None, :], member, count) for factor in (forms, z, scaled)
        )
        return LogisticError(influence, Forms(blocks, plain, weighted, self.inverse, meat))

    def chance_of_bend(self) -> float:
        """Return the p-value of the score test that the log-odds bend over ``x``, for questions like these.

        The score of a quadratic term, less its regression on ``(1, x)``, is a sum over clusters, and its variance is
        the sum of their squares. It needs no fit of the quadratic term. Without a failure, or a success, it is 1.
        """
        if self.y.min() == self.y.max():
            return 1.0
        weighted = (self.share * self.p * (1.0 - self.p))[:, None] * self.design
        square = self.x**2
        bend = square - self.design @ np.linalg.lstsq(self.design.T @ weighted, weighted.T @ square, rcond=None)[0]
        parts = np.bincount(self.clusters, self.share * bend * (self.y - self.p))
        size = float(np.linalg.norm(parts))
        return float(p_of_statistic(parts.sum() / size)) if size > 0.0 else 1.0

    def crossing(self, error: LogisticError, rate: float, level: Level) -> tuple[float, float, float]:
        """Return the ``x`` at which the curve crosses a rate, and the ends of its interval, within the data.

        The interval has the values that are not rejected, with the degrees of freedom that the error has there. A
        crossing beyond the data, or an end there, is infinite, and a crossing NaN without a slope. Where the values
        that are not rejected lie apart from each other, because the slope cannot be told from 0, both ends are.
        """
        raw, span = self.place_of(rate), (float(self.x.min()), float(self.x.max()))
        if math.isnan(raw):
            return (math.inf if self.is_unanimous else math.nan), -math.inf, math.inf
        added = np.zeros_like(self.x)
        if self.firth is not None:
            added = self.firth * _leverage(self.design, self.share, self.ridges, self.parameters)
        share, y = self.share * (1.0 + added), (self.y + 0.5 * added) / (1.0 + added)
        information = _information(self.design, share, self.p, self.ridges)
        logit, (intercept, slope) = math.log(rate / (1.0 - rate)), self.parameters

        def likelihood(predictor: Vector, slope: float) -> float:
            return float(np.sum(share * (y * predictor - np.logaddexp(0.0, predictor)))) - 0.5 * self.ridge * slope**2

        highest = likelihood(self.design @ self.parameters, slope)

        def excess(place: float) -> float:
            contrast = np.array([1.0, place])
            moved = np.linalg.solve(information, contrast)
            naive, robust = float(contrast @ moved), error.sd(contrast) ** 2
            start = slope - float(moved[1]) * (intercept + slope * place - logit) / naive  # of a quadratic likelihood
            farthest = float(np.abs(self.x - place).max())
            away = ((self.x - place) / farthest)[:, None]
            ridges = np.array([self.ridge / farthest**2])
            best = _solved(away, share, y, ridges, np.array([start * farthest]), logit)
            loss = highest - likelihood(logit + away @ best, float(best[0]) / farthest)
            z = math.sqrt(max(2.0 * loss, 0.0) * naive / max(robust, _LEAST))
            return z - level.critical(error.degrees(contrast))

        lo, hi = _ends(excess, raw, span)
        return raw if span[0] <= raw <= span[1] else math.copysign(math.inf, raw - span[0]), lo, hi


def _ends(excess: Callable[[float], float], raw: float, span: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the part of the data that is not rejected; an end beyond the data is infinite.

    Where all of the data is rejected, the crossing lies beyond them, on the side of the estimate.
    """
    places = np.linspace(*span, _PLACES)
    if span[0] < raw < span[1]:
        places = np.union1d(places, raw)
    inside = np.array([excess(float(place)) <= 0.0 for place in places])
    if not inside.any():
        return (span[1], math.inf) if raw > span[1] else (-math.inf, span[0])
    first, last = int(np.argmax(inside)), len(places) - 1 - int(np.argmax(inside[::-1]))
    is_one = bool(inside[first : last + 1].all())
    is_on_its_side = span[0] <= raw <= span[1] or (inside[-1] if raw > span[1] else inside[0])
    if not (is_one and is_on_its_side):
        return -math.inf, math.inf
    lo = -math.inf if first == 0 else brentq(excess, places[first - 1], places[first])
    hi = math.inf if last == len(places) - 1 else brentq(excess, places[last], places[last + 1])
    return lo, hi


def parameters_of(x: Vector, y: Vector, weights: Vector, firth: Vector | None, ridge: float) -> Vector:
    """Return intercept and slope; ``firth`` is the variance of each ``y`` in units of ``p (1 - p)``, None without it.

    >>> parameters_of(np.array([-1.0, 1.0]), np.array([0.25, 0.75]), np.ones(2), None, 0.0).round(4)
    array([0.    , 1.0986])
    """
    share = weights / weights.sum()
    center = float(share @ x)
    scale = float(np.sqrt(share @ (x - center) ** 2))
    if not scale > 0.0:
        raise OutcomeError("all questions have the same value, so there is no curve over it")
    design = np.column_stack([np.ones_like(x), (x - center) / scale])
    ridges = np.array([0.0, ridge / scale**2])
    parameters, added = np.zeros(2), np.zeros_like(x)
    for i in range(_ROUNDS):
        before = parameters
        if firth is not None:
            pull = 1.0 if i < _UNDAMPED else 0.5  # where it would swing back and forth
            added = (1.0 - pull) * added + pull * firth * _leverage(design, share, ridges, parameters)
        parameters = _solved(design, share * (1.0 + added), (y + 0.5 * added) / (1.0 + added), ridges, parameters)
        if firth is None or np.abs(parameters - before).max() < _FITTED * (1.0 + np.abs(parameters).max()):
            slope = float(parameters[1]) / scale
            return np.array([parameters[0] - slope * center, slope])
    raise OutcomeError("no logistic curve fits: the penalty for few trials does not settle")


def _solved(design: Matrix, share: Vector, y: Vector, ridges: Vector, start: Vector, offset: float = 0.0) -> Vector:
    """Return the parameters of a weighted fit by Newton's method; all curves begin at the ``offset``."""
    parameters = start
    for _ in range(_STEPS):
        p = np.asarray(expit(offset + design @ parameters))
        information = _information(design, share, p, ridges)
        if not np.linalg.det(information) > _SINGULAR:
            break
        step = np.linalg.solve(information, design.T @ (share * (y - p)) - ridges * parameters)
        step *= min(1.0, _LARGEST_STEP / max(np.abs(step).max(), 1e-300))
        parameters = parameters + step
        if np.abs(step).max() < _FITTED:
            return parameters
    raise OutcomeError("no logistic curve fits: successes and failures are separated by the value")


def _information(design: Matrix, share: Vector, p: Vector, ridges: Vector) -> Matrix:
    return np.asarray(design.T @ ((share * p * (1.0 - p))[:, None] * design) + np.diag(ridges), np.float64)


def _leverage(design: Matrix, share: Vector, ridges: Vector, b: Vector) -> Vector:
    """Return by how much each question decides its own fit, of which Firth's penalty adds half to either outcome."""
    p = np.asarray(expit(design @ b))
    inverse = np.linalg.inv(_information(design, share, p, ridges))
    return np.asarray(np.einsum("ni,ij,nj->n", design, inverse, design) * share * p * (1.0 - p))


def _by_size(member: Indices, count: int) -> Iterator[Indices]:
    """Yield the questions of all clusters of one size, (clusters, size)."""
    sizes = np.bincount(member, minlength=count)
    order = np.argsort(member, kind="stable")
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        yield order[starts[sizes == size, None] + np.arange(size)]


def _summed(values: Matrix, member: Indices, count: int) -> Matrix:
    total = np.zeros((count, *values.shape[1:]))
    np.add.at(total, member, values)
    return total


def _left_over(z: Matrix, w: Matrix, inverse: Matrix, meat: Matrix) -> Matrix:
    """Return the inverse root of the covariance that the residuals of each cluster have after the fit."""
    across = z.swapaxes(-1, -2)
    taken = z @ inverse @ (w[..., None] * z).swapaxes(-1, -2)
    covariance = np.eye(w.shape[-1]) - taken - taken.swapaxes(-1, -2) + z @ meat @ across
    values, vectors = np.linalg.eigh(covariance)
    roots = np.sqrt(np.maximum(values, _LEAST_EIGENVALUE))
    return np.asarray((vectors / roots[..., None, :]) @ vectors.swapaxes(-1, -2))
