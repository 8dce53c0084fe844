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
from enum import Enum
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
    trials: float
    most: float  # successes that are few

    @property
    def v(self) -> Vector:
        """The log odds, above one over the trials."""
        return np.asarray(self.u + np.log(self.trials))


class Beside(Enum):
    """What there is beside a lump."""

    POWER = "a power of the rate"
    NOTHING = "nothing"
    LUMP = "another lump"


class Densities(NamedTuple):
    """Densities, (draws, points), whose highest value is 1, and logarithms of their importance weights."""

    density: Vector
    log_weight: Vector


def grid(trials: float) -> Vector:
    """Return the points on the scale of log odds.

    >>> u = grid(64)
    >>> print(u[0].round(2), u[-1].round(2))
    -20.16 3.84
    """
    return np.arange(-DEPTH - np.log(trials), max(4.0 - np.log(trials), 0.0) + 4.0, _STEP)


def products(rows: Vector, others: Vector) -> Vector:
    """Return the sums of products of every row with every other row, to the bit whatever the number of threads.

    A product of matrices adds in an order that depends on how many threads the linear algebra library has.

    >>> products(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[3.0, 4.0]])).tolist()
    [[11.0], [4.0]]
    """
    return np.asarray(np.einsum("ip,jp->ij", rows, others))


def summed(rows: Vector, weights: Vector) -> Vector:
    """Return the weighted sum of each row, to the bit whatever the number of threads."""
    return products(rows, weights[None])[:, 0]


Judge = Callable[[Vector], Vector]  # the log likelihood of densities


def draw_densities(seen: FewSuccesses, judge: Judge) -> list[Densities]:
    """Return draws of every kind of density, each as probable as the others before there are outcomes."""
    paths = [_paths(seen, kind, walk) for kind, walk in enumerate(_WALKS)]
    return paths + [_lumps(seen, judge, len(_WALKS) + kind, beside) for kind, beside in enumerate(Beside)]


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
    uniform = _uniforms(_DRAWS, size + 2, seed)
    chi = 2.0 * gammaincinv(_DEGREES / 2.0, uniform[:, size])
    drawn = ndtri(uniform[:, :size]) * np.sqrt(_DEGREES / chi)[:, None]
    half = (_DEGREES + size) / 2.0
    constant = gammaln(half) - gammaln(_DEGREES / 2.0) - size / 2.0 * np.log(_DEGREES * np.pi)
    log_density = constant - half * np.log1p((drawn**2).sum(axis=1) / _DEGREES)
    return drawn, log_density


@lru_cache(maxsize=32)
def _ends(trials: float, draws: int, size: int, seed: int) -> Vector:
    """Return what each draw takes from the logarithm of a density so that it ends, (draws, points)."""
    u = grid(trials)
    uniform = _uniforms(draws, size, seed)[:, -1:]
    end = u[0] + (np.log(3.0 / trials) - u[0]) * uniform
    return np.asarray(np.exp(np.minimum(end - u, 50.0)))


def _ended(log_density: Vector, seen: FewSuccesses, size: int, seed: int) -> Vector:
    """Return the densities with ends, from their logarithms; the highest value is 1."""
    ended = log_density - _ends(seen.trials, len(log_density), size, seed)
    ended -= ended.max(axis=1, keepdims=True)
    return np.asarray(np.exp(ended, out=ended))


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
    center, curvature, axes = _mode(seen, basis)
    drawn, proposed = _students(size, kind)
    numbers = center + products(drawn / np.sqrt(curvature), axes)
    proposed = proposed + 0.5 * np.log(curvature).sum()
    prior = -0.5 * (numbers**2).sum(axis=1) - size / 2.0 * np.log(2.0 * np.pi)
    return Densities(_ended(_EXPONENT * seen.v + products(numbers, basis.T), seen, size + 2, kind), prior - proposed)


def _mode(seen: FewSuccesses, basis: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the mode given which questions have which counts above 0; eigenvalues and vectors of the curvature."""
    solved = ~seen.is_zero
    size = len(basis)
    if not solved.any():
        return np.zeros(size), np.ones(size), np.eye(size)
    chance, questions = seen.chance[solved], seen.questions[solved]
    reached = np.maximum(seen.kept - seen.unseen, 0.0)
    of_group = np.bincount(seen.group[solved], questions, minlength=len(reached))
    offset = _EXPONENT * seen.v

    def climb(x: Vector) -> tuple[float, Vector, Vector]:
        log_density = offset + x @ basis
        density = np.exp(log_density - log_density.max())
        own, among = chance * density, reached * density
        sums, totals = np.maximum(own.sum(axis=1), _LEAST), np.maximum(among.sum(axis=1), _LEAST)
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
    """A lump of questions and what else has few successes: nothing, a power of the rate, or another lump.

    The numbers of a density are the place and the log spread of its lump; then, of a power, its exponent or, of a
    higher lump, its place and log spread; and the log odds of the first lump's share.
    """

    def __init__(self, seen: FewSuccesses, beside: Beside) -> None:
        self.v, self.beside = seen.v[None], beside
        self.places = -5.0, float(np.log(seen.most)) + (1.5 if beside is Beside.LUMP else 0.5)
        self.spreads = float(np.log(_SPREADS[0])), float(np.log(_SPREADS[1]))
        self.window = (seen.v > -3.0) & (seen.v < self.places[1])
        self.size = {Beside.NOTHING: 2, Beside.POWER: 4, Beside.LUMP: 5}[beside]

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
        found = np.full(len(numbers), -np.log((last - first) * (high - low)))
        if self.beside is not Beside.NOTHING:
            odds = np.abs(numbers[:, -1])
            found += -odds - 2.0 * np.log1p(np.exp(-odds))
        if self.beside is Beside.POWER:
            found += -0.5 * numbers[:, 2] ** 2 - 0.5 * np.log(2.0 * np.pi)
        elif self.beside is Beside.LUMP:
            place_2, spread_2 = numbers[:, 2], numbers[:, 3]
            inside &= (place_2 > place) & (place_2 < last) & (spread_2 > low) & (spread_2 < high)
            found += -np.log(np.maximum(last - place, _LEAST) * (high - low))
        return np.where(inside, found, -np.inf)

    def log_density(self, numbers: Vector) -> Vector:
        """Return the densities."""
        if self.beside is Beside.NOTHING:
            return np.asarray(-0.5 * ((self.v - numbers[:, :1]) / np.exp(numbers[:, 1:2])) ** 2)
        if self.beside is Beside.POWER:
            power = np.exp(np.minimum((_EXPONENT + _EXPONENT_SD * numbers[:, 2:3]) * self.v, 200.0))
            other = power / (power[:, self.window].sum(axis=1, keepdims=True) * _STEP)
        else:
            other = self._lump(numbers[:, 2:4])
        share = 1.0 / (1.0 + np.exp(-numbers[:, -1:]))
        return np.asarray(np.log((1.0 - share) * other + share * self._lump(numbers) + _LEAST))

    def _lump(self, numbers: Vector) -> Vector:
        spread = np.exp(numbers[:, 1:2])
        away = 0.5 * ((self.v - numbers[:, :1]) / spread) ** 2
        return np.asarray(np.exp(-away) / (spread * np.sqrt(2.0 * np.pi)))


def _lumps(seen: FewSuccesses, judge: Judge, kind: int, beside: Beside) -> Densities:
    """Return draws of lumps: a first sample from the prior, and a second around its moments."""
    lumps = _Lumps(seen, beside)
    first = _uniforms(_FIRST, lumps.size + 1, kind)
    numbers = lumps.at(first)
    middle, root = _moments(numbers, judge(_ended(lumps.log_density(numbers), seen, lumps.size + 1, kind)))
    drawn, proposed = _students(lumps.size, kind)
    numbers = middle + products(drawn, root)
    proposed = proposed - np.log(np.diag(root)).sum()
    return Densities(
        _ended(lumps.log_density(numbers), seen, lumps.size + 2, kind), lumps.log_prior(numbers) - proposed
    )


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
