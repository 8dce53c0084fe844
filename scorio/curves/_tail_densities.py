"""Densities of the success rate near 0, and draws of them that are close to what a few successes say.

A density is a function on ``v``, the log odds of a success rate above one over the trials, from 16 powers of e below.
Three kinds are drawn. A *path* is ``exp(a v + sum_i e_i t (knot_i - v)_+)``: a power of the rate
whose exponent changes, from one power of e to the next below it, by a normal step of standard deviation ``t``, a random
walk. How far the walk goes is not known, so there are three sizes ``t``. A *lump* is a power of the rate and, with a
share ``w``, questions whose rates are all about the same: real sets of questions, and those whose rates are few
numbers, have gaps that no random walk follows. In a *lone lump* are all questions of few successes: a rate common to
all is the limit.

Every density ends: it is multiplied by ``exp(-end/p)``, and the end is uniform on the log scale.

Draws are made by importance sampling. Those of a path come from Student's t around the mode of the posterior given the
counts above 0, which Newton steps find, because the density enters the likelihood log-linearly; those of a lump from t
around moments of a first sample. The random numbers are fixed, so that the same counts give the same numbers, and what
does not depend on the counts, the ends and the first sample, is computed once.
"""

from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._base.arrays import Flags, Indices, Vector
from .._base.special import gammaincinv, gammaln, ndtri

DEPTH = 16.0  # powers of e below one over the trials
_HEIGHT = 6.5  # powers of e above it: rates of which so few successes are impossible, or nearly so
_STEP = 0.25  # between points
V: Vector = np.arange(-DEPTH, _HEIGHT, _STEP)
_EXPONENT, _EXPONENT_SD = 0.25, 0.5
_WALKS = (0.1, 0.3, 1.0)  # standard deviations of a step of the exponent
DRAWS = 256  # of every kind
FIRST = 512  # draws of lumps, around which the second ones are
_DEGREES = 5.0  # of Student's t
_NEWTON, _HALVINGS, _GAIN = 15, 8, 1e-3
_LEAST = 1e-300
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
    most: float  # successes that are few

    def sums(self, density: Vector) -> tuple[Vector, Vector]:
        """Return the chance of each state, (states, draws), and that of few successes, (groups, draws)."""
        both = products(np.concatenate([self.chance, self.kept]), density)
        return both[: len(self.chance)], both[len(self.chance) :]


class Beside(Enum):
    """What there is beside a lump."""

    POWER = "a power of the rate"
    NOTHING = "nothing"
    LUMP = "another lump"


class Densities(NamedTuple):
    """Draws of one kind: their numbers, densities (points, draws) whose highest value is 1, and log weights."""

    numbers: Vector
    density: Vector
    log_weight: Vector


def grid(trials: float) -> Vector:
    """Return the points on the scale of log odds.

    >>> u = grid(64)
    >>> print(u[0].round(2), u[-1].round(2))
    -20.16 2.09
    """
    return np.asarray(V - np.log(trials))


def products(rows: Vector, columns: Vector) -> Vector:
    """Return the product of two matrices, to the bit whatever the number of threads.

    That of the linear algebra library adds in an order that depends on how many threads it has.

    >>> products(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[3.0], [4.0]])).tolist()
    [[11.0], [4.0]]
    """
    return np.asarray(np.einsum("ip,pj->ij", rows, columns))


# What does not depend on the counts.


@lru_cache(maxsize=64)
def _uniforms(draws: int, dimensions: int, seed: int) -> Vector:
    """Return a Latin hypercube of uniform numbers, (draws, dimensions)."""
    rng = np.random.default_rng(seed)
    ranks = np.array([rng.permutation(draws) for _ in range(dimensions)]).T
    return np.asarray((ranks + rng.random((draws, dimensions))) / draws)


@lru_cache(maxsize=64)
def _students(size: int, seed: int) -> tuple[Vector, Vector]:
    """Return draws of a multivariate t with so many numbers each, and the logarithms of their density.

    Two more uniform numbers belong to each draw: for the scale of all its numbers, and for the end of its density.
    """
    uniform = _uniforms(DRAWS, size + 2, seed)
    chi = 2.0 * gammaincinv(_DEGREES / 2.0, uniform[:, size])
    drawn = ndtri(uniform[:, :size]) * np.sqrt(_DEGREES / chi)[:, None]
    half = (_DEGREES + size) / 2.0
    constant = gammaln(half) - gammaln(_DEGREES / 2.0) - size / 2.0 * np.log(_DEGREES * np.pi)
    log_density = constant - half * np.log1p((drawn**2).sum(axis=1) / _DEGREES)
    return drawn, log_density


@lru_cache(maxsize=64)
def _ends(draws: int, size: int, seed: int) -> Vector:
    """Return the factors by which each draw's density ends, (points, draws)."""
    uniform = _uniforms(draws, size, seed)[:, -1]
    end = V[0] + (np.log(3.0) - V[0]) * uniform
    return np.asarray(np.exp(-np.exp(np.minimum(end - V[:, None], 6.0))))


def _ended(density: Vector, size: int, seed: int) -> Vector:
    """Return the densities with ends; the highest value is 1."""
    density *= _ends(density.shape[1], size, seed)
    density /= density.max(axis=0)
    return density


@lru_cache(maxsize=32)
def _bases(most: float) -> Vector:
    """Return log densities per standard normal number, (walks, numbers, points): of the exponent, and its steps."""
    near = np.arange(np.log(most), -3.0, -1.0)
    knots = np.concatenate([near, np.arange(near[-1] - 2.0, 1.0 - DEPTH, -2.0)])
    gaps = -np.diff(knots, prepend=knots[0] + 1.0)
    steps = -np.maximum(knots[:, None] - V, 0.0) * np.sqrt(gaps)[:, None]
    return np.array([np.concatenate([_EXPONENT_SD * V[None], walk * steps]) for walk in _WALKS])


# Paths.


def draw_paths(seen: FewSuccesses) -> list[Densities]:
    """Return draws of paths whose exponents walk in steps of each size."""
    bases, drawn_paths = _bases(seen.most), []
    for kind, (basis, center, curvature, axes) in enumerate(zip(bases, *_modes(seen, bases), strict=True)):
        size = len(basis)
        drawn, proposed = _students(size, kind)
        numbers = center + products(drawn, (axes / np.sqrt(curvature)).T)
        prior = -0.5 * (numbers**2).sum(axis=1) - size / 2.0 * np.log(2.0 * np.pi)
        log_density = products(basis.T, np.ascontiguousarray(numbers.T)) + _EXPONENT * V[:, None]
        log_density -= log_density.max(axis=0)
        density = _ended(np.exp(log_density, out=log_density), size + 2, kind)
        drawn_paths.append(Densities(numbers, density, prior - proposed - 0.5 * np.log(curvature).sum()))
    return drawn_paths


class _Climb:
    """The log posterior of the numbers of paths given which questions have which counts above 0; all walks at once."""

    def __init__(self, seen: FewSuccesses, bases: Vector) -> None:
        solved = ~seen.is_zero
        self.bases, self.turned = bases, bases.transpose(0, 2, 1)
        self.chance, self.questions = seen.chance[solved], seen.questions[solved]
        self.reached = np.maximum(seen.kept - seen.unseen, 0.0)
        self.of_group = np.bincount(seen.group[solved], self.questions, minlength=len(self.reached))

    def at(self, x: Vector) -> tuple[Vector, Vector, Vector]:
        """Return the value, (walks,), its slope, (walks, numbers), and its curvature."""
        log_density = _EXPONENT * V + (x[:, None] @ self.bases)[:, 0]
        density = np.exp(log_density - log_density.max(axis=1, keepdims=True))[:, None]
        value, slope, curvature = -0.5 * (x**2).sum(axis=1), -x, np.eye(x.shape[1])[None]
        for chances, weight, sign in ((self.chance, self.questions, 1.0), (self.reached, self.of_group, -1.0)):
            weighed = chances * density
            sums = np.maximum(weighed.sum(axis=2), _LEAST)
            weighed /= sums[:, :, None]
            mean = weighed @ self.turned
            value = value + sign * (np.log(sums) @ weight)
            slope = slope + sign * (weight @ mean)
            among = weight @ weighed
            within = (self.bases * among[:, None]) @ self.turned
            between = (mean.transpose(0, 2, 1) * weight) @ mean
            curvature = curvature - sign * (within - between)
        return value, slope, curvature


def _modes(seen: FewSuccesses, bases: Vector) -> tuple[Vector, Vector, Vector]:
    """Return, for every size of walk, the mode, and eigenvalues and vectors of the curvature there."""
    walks, size = bases.shape[:2]
    x = np.zeros((walks, size))
    if seen.is_zero.all():
        return x, np.ones((walks, size)), np.broadcast_to(np.eye(size), (walks, size, size))
    climb = _Climb(seen, bases)
    value, slope, hessian = climb.at(x)
    for _ in range(_NEWTON):
        curvature, axes = np.linalg.eigh(hessian)
        along = (axes.transpose(0, 2, 1) @ slope[:, :, None]) / np.maximum(curvature, 0.9)[:, :, None]
        step = (axes @ along)[:, :, 0]
        further = climb.at(x + step)
        for halving in range(_HALVINGS):
            worse = further[0] < value
            if not worse.any():
                break
            step[worse] *= 0.5 if halving < _HALVINGS - 1 else 0.0
            further = climb.at(x + step)
        gain, x = further[0] - value, x + step
        value, slope, hessian = further
        if gain.max() < _GAIN:
            break
    curvature, axes = np.linalg.eigh(hessian)
    return x, np.maximum(curvature, 0.9), axes


# Lumps.


class Lumps:
    """A lump of questions and what else has few successes: nothing, a power of the rate, or another lump.

    The numbers of a density are the place and the log spread of its lump; then, of a power, its exponent or, of a
    higher lump, its place and log spread; and the log odds of the first lump's share.
    """

    def __init__(self, most: float, beside: Beside) -> None:
        self.beside, self.kind = beside, len(_WALKS) + list(Beside).index(beside)
        self.places = -5.0, float(np.log(most)) + (1.5 if beside is Beside.LUMP else 0.5)
        self.spreads = float(np.log(_SPREADS[0])), float(np.log(_SPREADS[1]))
        self.window = np.logical_and(V > -3.0, self.places[1] > V)
        self.size = {Beside.NOTHING: 2, Beside.POWER: 4, Beside.LUMP: 5}[beside]
        uniform = _uniforms(FIRST, self.size + 1, self.kind)
        self.first = self.at(uniform)
        self.first_density = _ended(self.density(self.first), self.size + 1, self.kind)

    def at(self, uniform: Vector) -> Vector:
        """Return numbers as probable as they are before there are outcomes, from uniform ones."""
        (first, last), (low, high) = self.places, self.spreads
        place, spread = first + (last - first) * uniform[:, 0], low + (high - low) * uniform[:, 1]
        if self.beside is Beside.NOTHING:
            return np.column_stack([place, spread])
        odds = np.log(uniform[:, self.size - 1]) - np.log1p(-uniform[:, self.size - 1])
        if self.beside is Beside.POWER:
            return np.column_stack([place, spread, ndtri(uniform[:, 2]), odds])
        other = [place + (last - place) * uniform[:, 2], low + (high - low) * uniform[:, 3]]
        return np.column_stack([place, spread, *other, odds])

    def log_prior(self, numbers: Vector) -> Vector:
        """Return the logarithm of how probable draws are before there are outcomes."""
        (first, last), (low, high) = self.places, self.spreads
        place, spread = numbers[:, 0], numbers[:, 1]
        inside = (place > first) & (place < last) & (spread > low) & (spread < high)
        log_density = np.full(len(numbers), -np.log((last - first) * (high - low)))
        if self.beside is not Beside.NOTHING:
            odds = np.abs(numbers[:, -1])
            log_density += -odds - 2.0 * np.log1p(np.exp(-odds))
        if self.beside is Beside.POWER:
            log_density += -0.5 * numbers[:, 2] ** 2 - 0.5 * np.log(2.0 * np.pi)
        elif self.beside is Beside.LUMP:
            place_2, spread_2 = numbers[:, 2], numbers[:, 3]
            inside &= (place_2 > place) & (place_2 < last) & (spread_2 > low) & (spread_2 < high)
            log_density += -np.log(np.maximum(last - place, _LEAST) * (high - low))
        return np.where(inside, log_density, -np.inf)

    def density(self, numbers: Vector) -> Vector:
        """Return the densities, (points, draws)."""
        lump = self._lump(numbers[:, 0], numbers[:, 1])
        if self.beside is Beside.NOTHING:
            return lump
        if self.beside is Beside.POWER:
            other = np.exp(np.minimum((_EXPONENT + _EXPONENT_SD * numbers[:, 2]) * V[:, None], 200.0))
            other /= other[self.window].sum(axis=0) * _STEP
        else:
            other = self._lump(numbers[:, 2], numbers[:, 3])
        share = 1.0 / (1.0 + np.exp(-numbers[:, -1]))
        lump *= share
        other *= 1.0 - share
        lump += other
        return lump

    def _lump(self, place: Vector, log_spread: Vector) -> Vector:
        spread = np.exp(log_spread)
        away = (V[:, None] - place) * (np.sqrt(0.5) / spread)
        away *= -away
        density = np.exp(away, out=away)
        density *= 1.0 / (spread * np.sqrt(2.0 * np.pi))
        density += _LEAST
        return np.asarray(density)

    def draw_around(self, numbers: Vector, log_likelihood: Vector) -> Densities:
        """Return draws around the moments of other draws, whose log likelihoods these are."""
        middle, root = _moments(numbers, log_likelihood)
        drawn, proposed = _students(self.size, self.kind)
        numbers = middle + products(drawn, root.T)
        density = _ended(self.density(numbers), self.size + 2, self.kind)
        return Densities(numbers, density, self.log_prior(numbers) - proposed + np.log(np.diag(root)).sum())


@lru_cache(maxsize=8)
def lumps_of(most: float) -> tuple[list[Lumps], Vector]:
    """Return every kind of lump, and all densities of their first samples."""
    kinds = [Lumps(most, beside) for beside in Beside]
    return kinds, np.concatenate([lumps.first_density for lumps in kinds], axis=1)


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
