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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .._arrays import Indices, Vector
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


@dataclass(frozen=True)
class LogisticFit:
    """The parameters for ``(1, x)``, the covariance of both, and what its degrees of freedom are made of.

    ``influence`` has one row per cluster, whose sum of squares is the covariance, in the order of the clusters' names;
    for these questions, a cluster is a question.
    """

    parameters: Vector
    influence: Matrix
    clusters: Indices
    degrees_of: "Degrees | EvenDegrees"

    @property
    def covariance(self) -> Matrix:
        """The covariance matrix of the parameters."""
        return self.influence.T @ self.influence

    def sd(self, contrast: Vector) -> float:
        """Return the standard error of ``contrast @ parameters``."""
        return float(np.linalg.norm(self.influence @ contrast))

    def degrees(self, contrast: Vector) -> float:
        """Return the degrees of freedom of the variance of ``contrast @ parameters``."""
        return self.degrees_of(contrast)


class Degrees:
    """The degrees of freedom of a variance that is a sum of squares of cluster contributions.

    ``forms`` are the contributions as linear forms of independent noise of variance 1: their covariance is a diagonal
    less a matrix of low rank, so both traces cost one pass over the clusters.
    """

    def __init__(self, blocks: Matrix, plain: Matrix, weighted: Matrix, bread: Matrix, meat: Matrix) -> None:
        self.blocks, self.plain, self.weighted, self.bread, self.meat = blocks, plain, weighted, bread, meat

    def __call__(self, contrast: Vector) -> float:
        """Return ``(sum of eigenvalues)^2 / sum of squared eigenvalues``."""
        own = np.einsum("fij,i,j->f", self.blocks, contrast, contrast)
        low = np.hstack([self.plain @ contrast, self.weighted @ contrast])
        core = np.block([[self.meat, -self.bread], [-self.bread, np.zeros_like(self.bread)]])
        lowered = np.einsum("fi,ij,fj->f", low, core, low)
        square = core @ (low.T @ low)
        total = float(own.sum() + lowered.sum())
        squares = float((own**2).sum() + 2.0 * (own * lowered).sum() + np.trace(square @ square))
        return max(total**2 / squares, _LEAST_DEGREES) if squares > 0.0 else _LEAST_DEGREES


class EvenDegrees:
    """The degrees of freedom of a variance that is a sum of known variances: how evenly questions contribute."""

    def __init__(self, influence: Matrix) -> None:
        self.influence = influence

    def __call__(self, contrast: Vector) -> float:
        """Return ``(sum of variances)^2 / sum of their squares``."""
        parts = (self.influence @ contrast) ** 2
        squares = float((parts**2).sum())
        return max(float(parts.sum()) ** 2 / squares, _LEAST_DEGREES) if squares > 0.0 else _LEAST_DEGREES


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
    found, added = np.zeros(2), np.zeros_like(x)
    for i in range(_ROUNDS):
        before = found
        if firth is not None:
            pull = 1.0 if i < _UNDAMPED else 0.5  # where it would swing back and forth
            added = (1.0 - pull) * added + pull * firth * _leverage(design, share, ridges, found)
        found = _solved(design, share * (1.0 + added), (y + 0.5 * added) / (1.0 + added), ridges, found)
        if firth is None or np.abs(found - before).max() < _FITTED * (1.0 + np.abs(found).max()):
            slope = float(found[1]) / scale
            return np.array([found[0] - slope * center, slope])
    raise OutcomeError("no logistic curve fits: the penalty for few trials does not settle")


def _solved(design: Matrix, share: Vector, y: Vector, ridges: Vector, start: Vector) -> Vector:
    """Return the parameters of a weighted fit by Newton's method."""
    found = start
    for _ in range(_STEPS):
        p = np.asarray(expit(design @ found))
        information = design.T @ ((share * p * (1.0 - p))[:, None] * design) + np.diag(ridges)
        if not np.linalg.det(information) > _SINGULAR:
            break
        step = np.linalg.solve(information, design.T @ (share * (y - p)) - ridges * found)
        step *= min(1.0, _LARGEST_STEP / max(np.abs(step).max(), 1e-300))
        found = found + step
        if np.abs(step).max() < _FITTED:
            return found
    raise OutcomeError("no logistic curve fits: successes and failures are separated by the value")


def _leverage(design: Matrix, share: Vector, ridges: Vector, b: Vector) -> Vector:
    """Return by how much each question decides its own fit, of which Firth's penalty adds half to either outcome."""
    p = np.asarray(expit(design @ b))
    spread = share * p * (1.0 - p)
    information = design.T @ (spread[:, None] * design) + np.diag(ridges)
    return np.asarray(np.einsum("ni,ij,nj->n", design, np.linalg.inv(information), design) * spread)


def penalty_of(x: Vector, share: Vector, parameters: Vector, ridge: float) -> Vector:
    """Return what Firth's penalty adds to the weight of each question whose trial has the variance ``p (1 - p)``."""
    return _leverage(np.column_stack([np.ones_like(x), x]), share, np.array([0.0, ridge]), parameters)


def information_of(x: Vector, share: Vector, parameters: Vector, ridge: float) -> Matrix:
    """Return the information on intercept and slope, with weights that sum to about 1."""
    design = np.column_stack([np.ones_like(x), x])
    p = np.asarray(expit(design @ parameters))
    return np.asarray(design.T @ ((share * p * (1.0 - p))[:, None] * design) + np.diag([0.0, ridge]), np.float64)


@dataclass(frozen=True)
class _Bread:
    """What both covariances share: ``(1, x)``, the curve, weights that sum to 1, and the inverse of the information."""

    design: Matrix
    p: Vector
    share: Vector
    inverse: Matrix

    @classmethod
    def of(cls, x: Vector, weights: Vector, parameters: Vector, ridge: float) -> "_Bread":
        design = np.column_stack([np.ones_like(x), x])
        p = expit(design @ parameters)
        share = weights / weights.sum()
        inverse = np.asarray(np.linalg.inv(information_of(x, share, parameters, ridge)), np.float64)
        return cls(design, p, share, inverse)


def of_trials(x: Vector, weights: Vector, parameters: Vector, variance: Vector, ridge: float = 0.0) -> LogisticFit:
    """Return the fit for these questions, whose values have these variances over repeated trials."""
    bread = _Bread.of(x, weights, parameters, ridge)
    influence = (bread.share * np.sqrt(variance))[:, None] * (bread.design @ bread.inverse)
    return LogisticFit(parameters, influence, np.arange(len(x)), EvenDegrees(influence))


def of_clusters(
    x: Vector,
    y: Vector,
    weights: Vector,
    parameters: Vector,
    clusters: Indices,
    ridge: float = 0.0,
    *,
    is_silent: bool = False,
) -> LogisticFit:
    """Return the fit for questions like these, which come in clusters.

    Where all questions are solved, or none, residuals are as small as the penalty makes them and ``is_silent`` about
    how much questions vary. They then vary as much as the curve allows, ``p (1 - p)``, all of a cluster alike.
    """
    bread = _Bread.of(x, weights, parameters, ridge)
    root = np.sqrt(np.maximum(bread.p * (1.0 - bread.p), 1e-300))
    z, w = root[:, None] * bread.design, bread.share
    scaled = w[:, None] * z
    meat = bread.inverse @ (scaled.T @ scaled) @ bread.inverse
    names, member = np.unique(clusters, return_inverse=True)
    residual = np.ones_like(y) if is_silent else (y - bread.p) / root
    forms = np.empty((len(x), 2))  # what a residual of variance 1 adds to the parameters
    for rows in _by_size(member, len(names)):
        left = _left_over(z[rows], w[rows], bread.inverse, meat)
        forms[rows] = left @ (w[rows, None] * z[rows] @ bread.inverse)
    influence = _summed(forms * residual[:, None], member, len(names))
    blocks = _summed(forms[:, :, None] * forms[:, None, :], member, len(names))
    plain = _summed(z[:, :, None] * forms[:, None, :], member, len(names))
    weighted = _summed(scaled[:, :, None] * forms[:, None, :], member, len(names))
    return LogisticFit(parameters, influence, names, Degrees(blocks, plain, weighted, bread.inverse, meat))


def chance_of_bend(x: Vector, y: Vector, weights: Vector, parameters: Vector, clusters: Indices) -> float:
    """Return the p-value of the score test that the log-odds bend over ``x``, for questions like these.

    The score of a quadratic term, less its regression on ``(1, x)``, is a sum over clusters, and its variance is the
    sum of their squares. It needs no fit of the quadratic term.
    """
    design = np.column_stack([np.ones_like(x), x])
    p = np.asarray(expit(design @ parameters))
    weighted = (weights * p * (1.0 - p))[:, None] * design
    bend = x**2 - design @ np.linalg.lstsq(design.T @ weighted, weighted.T @ x**2, rcond=None)[0]
    parts = np.bincount(np.unique(clusters, return_inverse=True)[1], weights * bend * (y - p))
    size = float(np.linalg.norm(parts))
    return 2.0 * float(ndtr(-abs(parts.sum()) / size)) if size > 0.0 else 1.0


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
