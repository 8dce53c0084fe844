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
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from .._arrays import Indices, Vector, cached_property
from .._special import expit, ndtr
from ..errors import OutcomeError

Matrix: TypeAlias = Vector  # of two dimensions or more

_STEPS = 100  # of Newton's method
_LARGEST_STEP = 4.0  # of the linear predictor at one standard deviation
_FITTED = 1e-10  # change of the parameters at which they are found
_LEAST_EIGENVALUE = 1e-6  # of what the fit left of a cluster's residuals
_LEAST_DEGREES = 1.0
_ROUNDS, _UNDAMPED = 500, 40  # of the penalty, and those of them that take whole steps
_SINGULAR = 1e-20  # determinant of the information


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

    ``influence`` has one row per cluster, in the order of their names; for these questions, a cluster is a question.
    """

    influence: Matrix
    clusters: Indices
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

    ``firth`` is that of ``parameters_of``.
    """

    x: Vector
    y: Vector
    share: Vector
    firth: Vector | None
    ridge: float
    parameters: Vector

    @classmethod
    def fitted(cls, x: Vector, y: Vector, weights: Vector, firth: Vector | None, ridge: float) -> Logistic:
        """Return the curve through these questions."""
        return cls(x, y, weights / weights.sum(), firth, ridge, parameters_of(x, y, weights, firth, ridge))

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

    def information(self, share: Vector) -> Matrix:
        """Return the information on intercept and slope, with these shares of the questions."""
        spread = share * self.p * (1.0 - self.p)
        return np.asarray(self.design.T @ (spread[:, None] * self.design) + np.diag([0.0, self.ridge]), np.float64)

    @cached_property
    def inverse(self) -> Matrix:
        """The inverse of the information."""
        return np.asarray(np.linalg.inv(self.information(self.share)), np.float64)

    @property
    def added(self) -> Vector:
        """What the penalty for few trials adds to the weight of each question."""
        if self.firth is None:
            return np.zeros_like(self.x)
        return self.firth * _leverage(self.design, self.share, np.array([0.0, self.ridge]), self.parameters)

    def over_trials(self, variance: Vector) -> LogisticError:
        """Return the error for these questions, whose values have these variances over repeated trials."""
        influence = (self.share * np.sqrt(variance))[:, None] * (self.design @ self.inverse)
        return LogisticError(influence, np.arange(len(self.x)))

    def over_clusters(self, clusters: Indices, *, is_silent: bool) -> LogisticError:
        """Return the error for questions like these, which come in clusters.

        Where all questions are solved, or none, residuals are as small as the penalty makes them and ``is_silent``
        about how much questions vary. They then vary as much as the curve allows, ``p (1 - p)``, a cluster as one.
        """
        root = np.sqrt(np.maximum(self.p * (1.0 - self.p), 1e-300))
        z, w = root[:, None] * self.design, self.share
        scaled = w[:, None] * z
        meat = self.inverse @ (scaled.T @ scaled) @ self.inverse
        names, member = np.unique(clusters, return_inverse=True)
        residual = np.ones_like(self.y) if is_silent else (self.y - self.p) / root
        forms = np.empty((len(self.x), 2))  # what a residual of variance 1 adds to the parameters
        for rows in _by_size(member, len(names)):
            left = _left_over(z[rows], w[rows], self.inverse, meat)
            forms[rows] = left @ (w[rows, None] * z[rows] @ self.inverse)
        influence = _summed(forms * residual[:, None], member, len(names))
        blocks, plain, weighted = (
            _summed(factor[:, :, None] * forms[:, None, :], member, len(names)) for factor in (forms, z, scaled)
        )
        return LogisticError(influence, names, Forms(blocks, plain, weighted, self.inverse, meat))

    def chance_of_bend(self, clusters: Indices) -> float:
        """Return the p-value of the score test that the log-odds bend over ``x``, for questions like these.

        The score of a quadratic term, less its regression on ``(1, x)``, is a sum over clusters, and its variance is
        the sum of their squares. It needs no fit of the quadratic term. Without a failure, or a success, it is 1.
        """
        if self.y.min() == self.y.max():
            return 1.0
        weighted = (self.share * self.p * (1.0 - self.p))[:, None] * self.design
        square = self.x**2
        bend = square - self.design @ np.linalg.lstsq(self.design.T @ weighted, weighted.T @ square, rcond=None)[0]
        parts = np.bincount(np.unique(clusters, return_inverse=True)[1], self.share * bend * (self.y - self.p))
        size = float(np.linalg.norm(parts))
        return 2.0 * float(ndtr(-abs(parts.sum()) / size)) if size > 0.0 else 1.0


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


def _solved(design: Matrix, share: Vector, y: Vector, ridges: Vector, start: Vector) -> Vector:
    """Return the parameters of a weighted fit by Newton's method."""
    parameters = start
    for _ in range(_STEPS):
        p = np.asarray(expit(design @ parameters))
        information = design.T @ ((share * p * (1.0 - p))[:, None] * design) + np.diag(ridges)
        if not np.linalg.det(information) > _SINGULAR:
            break
        step = np.linalg.solve(information, design.T @ (share * (y - p)) - ridges * parameters)
        step *= min(1.0, _LARGEST_STEP / max(np.abs(step).max(), 1e-300))
        parameters = parameters + step
        if np.abs(step).max() < _FITTED:
            return parameters
    raise OutcomeError("no logistic curve fits: successes and failures are separated by the value")


def _leverage(design: Matrix, share: Vector, ridges: Vector, b: Vector) -> Vector:
    """Return by how much each question decides its own fit, of which Firth's penalty adds half to either outcome."""
    p = np.asarray(expit(design @ b))
    spread = share * p * (1.0 - p)
    information = design.T @ (spread[:, None] * design) + np.diag(ridges)
    return np.asarray(np.einsum("ni,ij,nj->n", design, np.linalg.inv(information), design) * spread)


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
