"""The learned prior, and moments of metrics under its components, against exact arithmetic and enumeration."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from oracles import posterior as exact
from oracles.beta_binomial import Outcomes, log_hyperprior
from scorio._kernels import fitting_law, prior_moments, shared_prior
from scorio._kernels.states import States

BANK = ([0, 1, 3, 4], [4, 4, 4, 4], [3, 2, 4, 1])
CREDIT = np.array([0.0, 0.2, 0.7, 1.0])


def states_of(successes, trials, questions=1):
    """The states with these successes; one number of trials, or of questions, is that of all."""
    c = np.atleast_1d(np.asarray(successes, dtype=np.int64))
    return States(
        c, *(np.broadcast_to(np.asarray(each, dtype=np.int64), c.shape).copy() for each in (trials, questions))
    )


def beta_prior():
    return shared_prior.learn(states_of(*BANK), 1.0, False, False)


def test_components_are_those_of_the_beta_posteriors():
    prior = beta_prior()
    (out, by_tables), unseen = np.empty((2, 3, prior.size)), np.empty((2, prior.size))
    tables, checked = np.full((2, prior.size, len(BANK[0])), 0.5), range(0, prior.size, max(1, prior.size // 12))
    prior_moments.components(prior, CREDIT, out, 0.3)
    prior_moments.of_unseen(prior, CREDIT, *unseen)
    questions = sum(BANK[2])
    for node in checked:
        a, b = prior.alpha[node], prior.beta[node]
        states = [(count, *exact.moments(CREDIT, Fraction(a) + c, Fraction(b) + n - c)) for c, n, count in zip(*BANK)]
        tables[:, node] = np.array([[float(each), float(sd**2)] for _, each, sd in states]).T
        mean = sum(count * each for count, each, _ in states) / questions
        assert out[0, node] == pytest.approx(float(mean), rel=1e-12)
        variance = sum(count * sd**2 for count, _, sd in states) / questions**2
        assert out[1, node] == pytest.approx(float(variance), rel=1e-9)
        assert unseen[0, node] == pytest.approx(float(exact.mean(CREDIT, a, b)), rel=1e-12)
    assert (unseen[1] >= 0.0).all()
    prior_moments.components(prior, CREDIT, by_tables, 0.3, *tables)
    np.testing.assert_allclose(by_tables[:, checked], out[:, checked], rtol=1e-9)


def test_weights_of_nodes_follow_the_posterior_density():
    prior = beta_prior()
    x, y = np.log(prior.alpha / prior.beta), -np.log(prior.alpha + prior.beta)
    log_weight = log_hyperprior(x, y) + Outcomes(*(np.array(each, dtype=float) for each in BANK)).log_likelihood(x, y)
    weight = np.exp(log_weight - log_weight.max())
    np.testing.assert_allclose(prior.weight, weight / weight.sum(), rtol=1e-9)


@pytest.mark.parametrize("fine", [False, True])
def test_weights_add_to_one_and_every_kind_is_named(fine):
    prior = shared_prior.learn(states_of([0, 5, 8], [8, 8, 8], [40, 10, 40]), 1.0, True, True, fine)
    assert prior.trusted
    assert prior.weight.sum() == pytest.approx(1.0, abs=1e-12)
    assert len(prior.weight) == prior.size + prior.has_grid
    assert 0.0 < prior.point_mass_weight <= 1.0
    masses = [prior.point_masses(node) for node in range(prior.size)]
    shares = [each[0].sum() for each in masses if each is not None]
    assert shares
    assert shares == pytest.approx([1.0] * len(shares), abs=1e-12)


def test_the_grid_density_adds_to_one():
    x, density = shared_prior.learn(states_of(*BANK)).grid_density
    assert (x[0], x[-1]) == (0.0, 1.0)
    assert density.sum() == pytest.approx(1.0, abs=1e-12)
    assert shared_prior.learn(states_of(*BANK), 1.0, True, False).grid_density is None


def noise_of_scores(bank, credit):
    """The unbiased estimate of the variance of the mean score, by all pairs of disjoint draws of every question."""
    k, total = len(credit) - 1, Fraction(0)
    for c, n, questions in zip(*bank, strict=True):
        if n < 2 * k:
            return 0.0
        trials = [1] * c + [0] * (n - c)
        draws = list(combinations(range(n), k))
        worth = [Fraction(credit[sum(trials[i] for i in draw)]) for draw in draws]
        apart = [
            x * y
            for (one, x), (other, y) in product(zip(draws, worth, strict=True), repeat=2)
            if not set(one) & set(other)
        ]
        total += questions * ((sum(worth) / len(worth)) ** 2 - sum(apart) / len(apart))
    return float(max(total, 0) / sum(bank[2]) ** 2)


def best_shares(prior):
    """The distribution of rates on the grid that fits best, from the density of all questions."""
    states, (points, density) = prior.states, prior.grid_density
    c, n = states.successes[:, None], states.trials[:, None]
    share = density.copy()
    fitting_law.fit(points**c * (1.0 - points) ** (n - c), states.multiplicity.astype(float), share, 0.02)
    return share


@pytest.mark.parametrize("trials", [2, 3, 8, 16])
@pytest.mark.parametrize("draw", ["atoms", "smooth", "ragged"])
def test_the_distribution_that_fits_best_leaves_nothing_to_gain(draw, trials):
    """Its likelihood has no slope towards any rate: the gradient bounds what it lacks (Lindsay 1995)."""
    rng = np.random.default_rng(trials)
    rates = rng.choice([0.1, 0.5, 0.9], 400) if draw == "atoms" else rng.beta(0.6, 0.8, 400)
    n = rng.integers(1, trials + 1, 400) if draw == "ragged" else np.full(400, trials)
    table, count = np.unique(np.stack([rng.binomial(n, rates), n]), axis=1, return_counts=True)
    prior = shared_prior.learn(states_of(*table.tolist(), count.tolist()))
    share, points = best_shares(prior), prior.grid_density[0]
    assert share.min() >= 0.0
    assert share.sum() == pytest.approx(1.0, abs=1e-12)
    c, n = (each[:, None] for each in table)
    chance = points**c * (1.0 - points) ** (n - c)
    assert (count @ (chance / (chance @ share)[:, None])).max() - 400 < 0.02
    assert count @ np.log(chance @ share) >= count @ np.log(chance @ prior.grid_density[1])


@pytest.mark.parametrize(
    "bank",
    [
        ([0, 1, 2, 3, 4], [4, 4, 4, 4, 4], [300, 10, 10, 200, 10]),
        ([2, 3, 5, 6], [8, 8, 8, 8], [400, 700, 650, 420]),
        ([1, 2, 3, 5, 6, 7], [8, 8, 8, 7, 8, 9], [300, 200, 300, 400, 700, 20]),
    ],
)
def test_a_prior_that_is_not_believed_gives_way_to_the_scores_and_their_noise(bank):
    """By as much as the number of questions with a score of 1, or of 0, is known; the largest variance counts."""
    prior = shared_prior.learn(states_of(*bank), 1.0, True, False)
    c, n, count = (np.array(each, dtype=float) for each in bank)
    scores, credit = 1.0 - (n - c) * (n - c - 1) / (n * (n - 1)), np.array([0.0, 1.0, 1.0])
    centre = count @ scores / count.sum()
    before = np.empty((3, len(prior.weight)))
    prior_moments.components(prior, credit, before, centre)
    after = before.copy()
    prior_moments.toward_scores(prior, credit, scores, prior.weight, False, after)
    few = min(count @ (scores < 1.0), count @ (scores > 0.0))
    trust, between = few / (few + 5.0), prior.weight @ (before[0] - prior.weight @ before[0]) ** 2
    by_squares = (count @ (scores - centre) ** 2 / count.sum() - prior.weight @ before[2]) / count.sum()
    error = max(by_squares, prior.weight @ before[1] + between, noise_of_scores(bank, [0, 1, 1]))
    np.testing.assert_allclose(after[0], (1.0 - trust) * before[0] + trust * centre, rtol=1e-12)
    expected = (1.0 - trust) * before[1] + trust * (error + (1.0 - trust) * between)
    np.testing.assert_allclose(after[1], expected, rtol=1e-7)
