"""Sets of outcomes of every size and shape, and how far an answer is from the oracle's."""

from typing import NamedTuple

import numpy as np

from oracles import beta_mixture as mixture_of_betas, learned_prior as oracle
from oracles.beta_binomial import Outcomes
from scorio import GPassTau, MGPass, OutcomeMatrix, PassAtK, PassHatK
from scorio._kernels import beta_mixture, prior_moments
from scorio._kernels.shared_prior import learn

METRICS = [PassAtK(1), PassAtK(4), PassAtK(8), PassHatK(3), GPassTau(6, 0.5), MGPass(5)]
SHAPES = {
    "uniform": lambda rng, m: rng.random(m),
    "two-sided": lambda rng, m: rng.beta(0.3, 0.3, m),
    "hard": lambda rng, m: rng.beta(0.3, 8.0, m),
    "easy": lambda rng, m: rng.beta(8.0, 0.3, m),
    "narrow": lambda rng, m: rng.beta(60.0, 40.0, m),
    "common": lambda rng, m: np.full(m, rng.random()),
    "nearly empty": lambda rng, m: np.full(m, 1e-3),
    "nearly full": lambda rng, m: np.full(m, 1.0 - 1e-3),
    "point masses": lambda rng, m: rng.choice([0.0, 0.3, 0.7, 1.0], m),
    "hopeless": lambda rng, m: np.where(rng.random(m) < 0.1, 0.0, rng.beta(8.0, 1.5, m)),
}
POINTS = {100: 61, 1000: 41, np.inf: 25}  # of an axis of the grid, by the largest number of states
MOST_LATENT = 1000  # pairs of numbers of questions in the point masses that the oracle goes through


def draw(seed, most_questions=10**5, most_trials=1000):
    """One set: successes, trials, shape, metric and target."""
    rng = np.random.default_rng([11, seed])
    shape = list(SHAPES)[seed % len(SHAPES)]
    questions = int(np.round(most_questions ** rng.uniform(0.0, 1.0)))
    trials = int(np.round(most_trials ** rng.uniform(0.0, 1.0)))
    p = SHAPES[shape](rng, questions)
    kind = rng.random()
    n = rng.integers(1, trials + 1, questions) if kind < 0.15 else np.full(questions, trials)
    c = rng.binomial(n, p)
    if kind > 0.93:
        c = np.round(n * p).astype(int)  # spread below the binomial one
    metric = METRICS[rng.integers(len(METRICS))]
    return c, n, shape, metric, ("questions", "population")[seed // len(SHAPES) % 2]


class Answer(NamedTuple):
    """Mean, standard deviation and both ends of the 95% interval."""

    mu: float
    sigma: float
    low: float
    high: float


def allows_point_masses(c, n):
    """Whether the oracle can integrate over the weights of the point masses."""
    return (n == n[0]).all() and ((c == 0).sum() + 1) * ((c == n).sum() + 1) <= MOST_LATENT


def truth(c, n, metric, target):
    """The oracle's answer, on a coarser grid where there are many states."""
    states = len(set(zip(c.tolist(), n.tolist(), strict=True)))
    points = next(points for most, points in POINTS.items() if states <= most)
    masses = allows_point_masses(c, n)
    population = target == "population"
    parts = oracle.posterior(
        Outcomes.of(c, n),
        metric.credit_values,
        population,
        point_masses=masses,
        with_grid=not population,
        points=points,
    )
    return Answer(*mixture_of_betas.moments(parts), *mixture_of_betas.quantiles(parts))


def answer(c, n, metric, target):
    """The package's answer, and the fitted prior."""
    population = target == "population"
    prior = learn(OutcomeMatrix.from_counts(c, n).states, 1.0, allows_point_masses(c, n), not population, population)
    room, ends = np.empty((3, prior.size + prior.has_grid)), np.empty(2)
    parts = room[:2]
    if population:
        prior_moments.of_unseen(prior, metric.credit_values, *parts)
    else:
        prior_moments.components(prior, metric.credit_values, room)
    beta_mixture.quantiles(prior.weight, *parts, 0.0, 1.0, np.array([0.025, 0.975]), ends)
    return Answer(*mixture_of_betas.moments((prior.weight, *parts)), *map(float, ends)), prior


def is_as_rough(prior, c, n, metric):
    """Whether the package and the oracle take the same roughness; where two are about as likely, they may differ."""
    return (
        not prior.has_grid
        or prior.grid_roughness == oracle.grid_kind(Outcomes.of(c, n), metric.credit_values).roughness
    )


def errors(mine, true):
    """Errors of the mean (in sigmas), of sigma (relative) and of both ends (in widths)."""
    # Below these, neither an error nor the oracle's digits count. A standard deviation as small as this belongs to a
    # kind of prior that is hardly believed, so it repeats the approximation of that kind's evidence.
    sigma, width = max(true.sigma, 2e-5), max(true.high - true.low, 1e-6)
    return {
        "mean": (mine.mu - true.mu) / sigma,
        "sigma": (mine.sigma - true.sigma) / sigma,
        "low": (mine.low - true.low) / width,
        "high": (mine.high - true.high) / width,
    }
