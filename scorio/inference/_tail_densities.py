"""Densities of the success rate near 0, and draws of them that are close to what a few successes say.

A density is a function on ``u``, the log odds of a success rate, over about 16 powers of e below one over the trials.
Three kinds are drawn. A *path* is ``exp(a v + sum_i e_i t (knot_i - v)_+)`` with ``v = u + log N``: a power of the rate
whose exponent changes, from one power of e to the next below it, by a normal step of standard deviation ``t``, a random
walk. How far the walk goes is not known, so there are three sizes ``t``. A *lump* is a power of the rate and, with a
share ``w``, questions whose rates are all about the same: real sets of questions, and those whose rates are few
numbers, have gaps that no random walk follows. In a *lone lump* are all questions of few successes: a rate common to
all is the limit.

Every density ends: it is multiplied by ``exp(-end/p)``, and the end is uniform on the log scale.

Draws are made by importance sampling. Those of a path come from Student's t around the mode of the posterior given the
counts above 0, which Newton steps find, because the density enters the likelihood log-linearly; those of a lump from t
around moments of a first sample. The random numbers are fixed, so that the same counts give the same numbers.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._arrays import Flags, Indices, Vector
from .._special import gammaincinv, gammaln, ndtri

DEPTH = 16.0  # powers of e below one over the trials
_STEP = 0.25  # between points
_EXPONENT, _EXPONENT_SD = 0.25, 0.5
_WALKS = (0.1, 0.3, 1.0)  # standard deviations of a step of the exponent
_DRAWS = 384  # of every kind
_FIRST = 512  # draws of lumps, around which the second ones are
_DEGREES = 5.0  # of Student's t
_NEWTON, _HALVINGS, _GAIN = 15, 8, 1e-3
_SPREADS = (0.12, 1.5)  # smallest and largest standard deviation of a lump


class FewSuccesses(NamedTuple):
    """Questions of few successes: ``questions`` of them in each state, and the chance of each state at every point.

    ``group`` numbers the states whose numbers of trials are alike; ``kept`` is the probability, per group and point,
    that a question is one of few successes.
    """

    u: Vector
    is_zero: Flags
    questions: Vector
    group: Indices
    chance: Vector
    kept: Vector
    unseen: Vector  # the probability of no success at all, per group and point
    trials: float
    most: float  # successes that are few

    @property
    def v(self) -> Vector:
        """The log odds, above one over the trials."""
        return np.asarray(self.u + np.log(self.trials))


class Densities(NamedTuple):
    """Logarithms of densities, (draws, points), and of their importance weights."""

    log_density: Vector
    log_weight: Vector


def grid(trials: float) -> Vector:
    """Return the points on the scale of log odds.

    >>> u = grid(64)
    >>> print(u[0].round(2), u[-1].round(2))
    -20.16 3.84
    """
    return np.arange(-DEPTH - np.log(trials), max(4.0 - np.log(trials), 0.0) + 4.0, _STEP)


Judge = Callable[[Vector], Vector]  # the log likelihood of logarithms of densities


def draw_densities(seen: FewSuccesses, judge: Judge) -> list[Densities]:
    """Return draws of every kind of density, each as probable as the others before there are outcomes."""
    paths = [_paths(seen, kind, walk) for kind, walk in enumerate(_WALKS)]
    return [*paths, _lumps(seen, judge, len(_WALKS), lone=False), _lumps(seen, judge, len(_WALKS) + 1, lone=True)]


@lru_cache(maxsize=64)
def _uniforms(draws: int, dimensions: int, seed: int) -> Vector:
    """Return a Latin hypercube of uniform numbers, (draws, dimensions)."""
    rng = np.random.default_rng(seed)
    ranks = np.array([rng.permutation(draws) for _ in range(dimensions)]).T
    return np.asarray((ranks + rng.random((draws, dimensions))) / draws)


def _students(uniform: Vector) -> tuple[Vector, Vector]:
    """Return draws of a multivariate t from uniform numbers, the last of which is their common scale, and densities."""
    size = uniform.shape[1] - 1
    chi = 2.0 * gammaincinv(_DEGREES / 2.0, uniform[:, -1])
    drawn = ndtri(uniform[:, :-1]) * np.sqrt(_DEGREES / chi)[:, None]
    half = (_DEGREES + size) / 2.0
    constant = gammaln(half) - gammaln(_DEGREES / 2.0) - size / 2.0 * np.log(_DEGREES * np.pi)
    return drawn, constant - half * np.log1p((drawn**2).sum(axis=1) / _DEGREES)


def _ended(log_density: Vector, seen: FewSuccesses, uniform: Vector) -> Vector:
    """Return the densities with ends; the highest value is 0."""
    lowest, highest = seen.u[0], np.log(3.0 / seen.trials)
    end = lowest + (highest - lowest) * uniform
    ended = log_density - np.exp(np.minimum(end[:, None] - seen.u, 50.0))
    return np.asarray(ended - ended.max(axis=1, keepdims=True))


def _basis(seen: FewSuccesses, walk: float) -> Vector:
    """Return the log density per standard normal number: of the exponent, and of each of its steps."""
    v = seen.v
    near = np.arange(np.log(seen.most), -3.0, -1.0)
    knots = np.concatenate([near, np.arange(near[-1] - 2.0, 1.0 - DEPTH, -2.0)])
    gaps = -np.diff(knots, prepend=knots[0] + 1.0)
    steps = -np.maximum(knots[:, None] - v, 0.0) * (walk * np.sqrt(gaps))[:, None]
    return np.concatenate([_EXPONENT_SD * v[None], steps])


def _paths(seen: FewSuccesses, kind: int, walk: float) -> Densities:
    basis = _basis(seen, walk)
    size = len(basis)
    uniform = _uniforms(_DRAWS, size + 2, kind)
    center, curvature, axes = _mode(seen, basis)
    drawn, density = _students(uniform[:, : size + 1])
    numbers = center + (drawn / np.sqrt(curvature)) @ axes.T
    proposed = density + 0.5 * np.log(curvature).sum()
    prior = -0.5 * (numbers**2).sum(axis=1) - size / 2.0 * np.log(2.0 * np.pi)
    return Densities(_ended(_EXPONENT * seen.v + numbers @ basis, seen, uniform[:, -1]), prior - proposed)


def _mode(seen: FewSuccesses, basis: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the mode given which questions have which counts above 0; eigenvalues and vectors of the curvature."""
    solved = ~seen.is_zero
    size = len(basis)
    if not solved.any():
        return np.zeros(size), np.ones(size), np.eye(size)
    chance, questions = seen.chance[solved], seen.questions[solved]
    reached = seen.kept - seen.unseen
    of_group = np.bincount(seen.group[solved], questions, minlength=len(reached))
    offset = _EXPONENT * seen.v

    def climb(x: Vector) -> tuple[float, Vector, Vector]:
        log_density = offset + x @ basis
        density = np.exp(log_density - log_density.max())
        own, among = chance * density, reached * density
        sums, totals = own.sum(axis=1), among.sum(axis=1)
        own /= sums[:, None]
        among /= totals[:, None]
        mean, expected = own @ basis.T, among @ basis.T
        value = float(questions @ np.log(sums) - of_group @ np.log(totals) - x @ x / 2.0)
        within = basis * (of_group @ among) @ basis.T - (expected.T * of_group) @ expected
        within -= basis * (questions @ own) @ basis.T - (mean.T * questions) @ mean
        return value, questions @ mean - of_group @ expected - x, within + np.eye(size)

    x = np.zeros(size)
    value, slope, hessian = climb(x)
    for _ in range(_NEWTON):
        curvature, axes = np.linalg.eigh(hessian)
        step = (axes / np.maximum(curvature, 0.9)) @ (axes.T @ slope)
        for _ in range(_HALVINGS):
            further = climb(x + step)
            if further[0] >= value:
                break
            step /= 2.0
        else:
            break
        gain, x = further[0] - value, x + step
        value, slope, hessian = further
        if gain < _GAIN:
            break
    curvature, axes = np.linalg.eigh(hessian)
    return x, np.maximum(curvature, 0.9), axes


class _Lumps:
    """A power of the rate and a lump of questions: place and log spread of the lump, exponent, log odds of its share.

    A ``lone`` lump has all questions of few successes, and the first two numbers only.
    """

    def __init__(self, seen: FewSuccesses, *, lone: bool) -> None:
        self.v, self.lone = seen.v[None], lone
        self.places = -5.0, float(np.log(seen.most)) + 0.5
        self.spreads = float(np.log(_SPREADS[0])), float(np.log(_SPREADS[1]))
        self.window = (seen.v > -3.0) & (seen.v < self.places[1])

    def at(self, uniform: Vector) -> Vector:
        """Return draws from what is probable before there are outcomes."""
        low, high = np.array([self.places, self.spreads]).T
        drawn = low + (high - low) * uniform[:, :2]
        if self.lone:
            return np.asarray(drawn)
        odds = np.log(uniform[:, 3]) - np.log1p(-uniform[:, 3])
        return np.column_stack([drawn, ndtri(uniform[:, 2]), odds])

    def log_prior(self, numbers: Vector) -> Vector:
        """Return the logarithm of how probable draws are before there are outcomes."""
        place, spread = numbers[:, 0], numbers[:, 1]
        (first, last), (low, high) = self.places, self.spreads
        inside = (place > first) & (place < last) & (spread > low) & (spread < high)
        found = np.where(inside, -np.log((last - first) * (high - low)), -np.inf)
        if not self.lone:
            exponent, odds = numbers[:, 2], np.abs(numbers[:, 3])
            found += -0.5 * exponent**2 - 0.5 * np.log(2.0 * np.pi) - odds - 2.0 * np.log1p(np.exp(-odds))
        return np.asarray(found)

    def log_density(self, numbers: Vector) -> Vector:
        """Return the densities."""
        place, spread = numbers[:, :1], np.exp(numbers[:, 1:2])
        away = 0.5 * ((self.v - place) / spread) ** 2
        if self.lone:
            return np.asarray(-away)
        lump = np.exp(-away) / (spread * np.sqrt(2.0 * np.pi))
        power = np.exp(np.minimum((_EXPONENT + _EXPONENT_SD * numbers[:, 2:3]) * self.v, 200.0))
        background = power / (power[:, self.window].sum(axis=1, keepdims=True) * _STEP)
        share = 1.0 / (1.0 + np.exp(-numbers[:, 3:]))
        return np.asarray(np.log((1.0 - share) * background + share * lump + 1e-300))


def _lumps(seen: FewSuccesses, judge: Judge, kind: int, *, lone: bool) -> Densities:
    """Return draws of lumps: a first sample from the prior, and a second around its moments."""
    lumps, size = _Lumps(seen, lone=lone), 2 if lone else 4
    first = _uniforms(_FIRST, size + 1, kind)
    numbers = lumps.at(first)
    middle, root = _moments(numbers, judge(_ended(lumps.log_density(numbers), seen, first[:, -1])))
    uniform = _uniforms(_DRAWS, size + 2, kind)
    drawn, density = _students(uniform[:, :-1])
    numbers = middle + drawn @ root.T
    proposed = density - np.log(np.diag(root)).sum()
    log_density = _ended(lumps.log_density(numbers), seen, uniform[:, -1])
    return Densities(log_density, lumps.log_prior(numbers) - proposed)


def _moments(numbers: Vector, log_likelihood: Vector) -> tuple[Vector, Vector]:
    """Return the mean and a root of the covariance of draws, their weights tempered until some 40 of them count."""
    power = 1.0
    away = log_likelihood - log_likelihood.max()
    while True:
        weight = np.exp(power * away)
        weight /= weight.sum()
        if 1.0 / float(weight @ weight) >= 40.0 or power < 1e-3:
            break
        power *= 0.7
    middle = weight @ numbers
    centered = numbers - middle
    covariance = (centered.T * weight) @ centered
    return middle, np.linalg.cholesky(1.2 * covariance + 1e-6 * np.eye(numbers.shape[1]))
