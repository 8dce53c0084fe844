"""Moments of metrics under the components of a learned prior against mpmath."""

from fractions import Fraction
from itertools import combinations, product

import mpmath
import numpy as np
import pytest

from helpers.states import states_of
from scorio._kernels import fitting_law, prior_moments, shared_prior
from scorio.metrics._shared_prior import at_points
from scorio.metrics._worth import worth_of

BANK = ([0, 1, 3, 4], [4, 4, 4, 4], [3, 2, 4, 1])
CREDIT = np.array([0.0, 0.2, 0.7, 1.0])


def beta_prior():
    return shared_prior.learn(states_of(*BANK), 1.0, False, False)


def components(prior, about=0.0):
    """Mean, variance and mean square about a value at every component, (3, components)."""
    out = np.empty((3, prior.size + prior.has_grid))
    prior_moments.components(prior, CREDIT, out, about)
    return out


def checked(prior):
    """The nodes that are compared with mpmath: a dozen or so."""
    return slice(None, None, max(1, prior.size // 12))


def expectation(a, b, credit):
    """The expected credit of k trials whose rate has a Beta distribution, in mpmath."""
    k = len(credit) - 1
    return sum(
        mpmath.mpf(x) * mpmath.binomial(k, j) * mpmath.beta(a + j, b + k - j) / mpmath.beta(a, b)
        for j, x in enumerate(credit)
    )


def moments(a, b, credit):
    """Mean and variance of ``sum_j x_j C(k, j) p^j q^(k - j)``, by quadrature of the exact polynomial."""
    mean, k = expectation(a, b, credit), len(credit) - 1
    square = [mpmath.mpf(0)] * (2 * k + 1)
    for i, x in enumerate(credit):
        for j, y in enumerate(credit):
            square[i + j] += (
                (mpmath.mpf(x) - mean) * (mpmath.mpf(y) - mean) * mpmath.binomial(k, i) * mpmath.binomial(k, j)
            )
    variance = sum(z * mpmath.beta(a + j, b + 2 * k - j) / mpmath.beta(a, b) for j, z in enumerate(square))
    return mean, variance


def exact_components(prior):
    found = []
    for a, b in zip(prior.alpha[checked(prior)], prior.beta[checked(prior)], strict=True):
        each = [moments(mpmath.mpf(a) + c, mpmath.mpf(b) + n - c, CREDIT) for c, n, _ in zip(*BANK, strict=True)]
        mean = sum(count * e for count, (e, _) in zip(BANK[2], each, strict=True)) / sum(BANK[2])
        variance = sum(count * v for count, (_, v) in zip(BANK[2], each, strict=True)) / sum(BANK[2]) ** 2
        found.append((float(mean), float(variance)))
    return np.array(found).T


def test_components_are_those_of_the_beta_posteriors():
    prior = beta_prior()
    mean, variance, _ = components(prior)
    with mpmath.workdps(40):
        exact = exact_components(prior)
    np.testing.assert_allclose(mean[checked(prior)], exact[0], rtol=1e-12)
    np.testing.assert_allclose(variance[checked(prior)], exact[1], rtol=1e-9)


def test_tables_give_what_credits_give():
    prior = beta_prior()
    other, tables = np.empty((3, prior.size)), np.full((2, prior.size, 4), 0.5)
    some = checked(prior)
    for node in range(prior.size)[some]:
        a, b = prior.alpha[node], prior.beta[node]
        for state, (c, n) in enumerate(zip(*BANK[:2], strict=True)):
            tables[:, node, state] = [float(each) for each in moments(mpmath.mpf(a) + c, mpmath.mpf(b) + n - c, CREDIT)]
    prior_moments.components(prior, CREDIT, other, 0.3, *tables)
    np.testing.assert_allclose(components(prior, 0.3)[:, some], other[:, some], rtol=1e-9)


def test_another_question_has_the_mean_of_the_prior():
    prior = beta_prior()
    mean, variance = np.empty((2, prior.size))
    prior_moments.of_unseen(prior, CREDIT, mean, variance)
    exact = [
        float(expectation(mpmath.mpf(a), mpmath.mpf(b), CREDIT)) for a, b in zip(prior.alpha, prior.beta, strict=True)
    ]
    np.testing.assert_allclose(mean, exact, rtol=1e-12)
    assert (variance >= 0.0).all()


def test_the_states_add_up_to_the_components():
    prior = shared_prior.learn(states_of([0, 5, 8], [8, 8, 8], [40, 10, 40]), 1.0, True, False)
    totals = np.zeros((3, 3))
    mean, _, second = components(prior, 0.3)
    prior_moments.of_states(prior, CREDIT, totals)
    own, within, square = totals
    assert own @ [40, 10, 40] / 90 == pytest.approx(prior.weight @ mean, rel=1e-12)
    apart = within + square - 0.6 * own + 0.09
    assert apart @ [40, 10, 40] / 90 == pytest.approx(prior.weight @ second, rel=1e-12)


def test_values_at_rates_are_binomial_expectations():
    prior = shared_prior.learn(states_of(*BANK))
    k, j, x = len(CREDIT) - 1, np.arange(len(CREDIT)), prior.grid_density[0]
    choose = np.array([float(mpmath.binomial(k, i)) for i in range(k + 1)])
    exact = (choose * x[:, None] ** j * (1 - x[:, None]) ** (k - j)) @ CREDIT
    np.testing.assert_allclose(at_points(worth_of(CREDIT), prior), exact, rtol=1e-13, atol=1e-300)


def test_the_grid_component_is_what_its_posterior_says():
    prior = shared_prior.learn(states_of(*BANK))
    count = np.array(BANK[2], dtype=float)
    values, share = at_points(worth_of(CREDIT), prior), prior_moments.grid_posterior(prior)
    mean, variance, second = components(prior, 0.3)
    own = share @ values
    away = share * (values - own[:, None])
    scores = count @ prior_moments.grid_scores(prior, away)
    spread = count @ (away * (values - own[:, None])).sum(axis=1)
    assert mean[-1] == pytest.approx(count @ own / 10, rel=1e-13)
    assert variance[-1] == pytest.approx((spread + scores @ scores) / 100, rel=1e-10)
    assert second[-1] == pytest.approx(count @ (share @ (values - 0.3) ** 2) / 10, rel=1e-12)


def test_intervals_are_those_of_the_mixture():
    prior = shared_prior.learn(states_of(*BANK))
    out, parts = np.empty((1, 4)), components(prior)
    prior_moments.intervals(prior, [CREDIT], [None], True, np.array([[0.0, 1.0]]), 0.9, out)
    mu = prior.weight @ parts[0]
    assert out[0, 0] == pytest.approx(mu, rel=1e-13)
    assert out[0, 1] ** 2 == pytest.approx(prior.weight @ (parts[1] + (parts[0] - mu) ** 2), rel=1e-12)
    assert 0.0 < out[0, 2] < mu < out[0, 3] < 1.0


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


def moved(prior, credit, scores, noise):
    """Components that were moved toward the scores, by the formulas of ``toward_scores`` in plain numpy."""
    count, weight = np.asarray(prior.states.multiplicity, dtype=float), prior.weight
    centre = count @ scores / count.sum()
    mean, variance, second = out = np.empty((3, len(weight)))
    prior_moments.components(prior, credit, out, centre)
    spread = count @ (scores - centre) ** 2 / count.sum()
    few = min(count @ (scores < credit.max()), count @ (scores > credit.min()))
    trust = few / (few + 5.0)
    if prior.grid_roughness:
        error = max(variance[-1], (spread - second[-1]) / count.sum(), noise)
        mean[-1] = (1 - trust) * mean[-1] + trust * centre
        variance[-1] = (1 - trust) * variance[-1] + trust * error
    mu = weight @ mean
    own = weight @ (variance + (mean - mu) ** 2)
    between = own - weight @ variance
    error = max((spread - weight @ second) / count.sum(), own)
    share = trust * max(0.0, 1.0 - max(error - own, 0.05 * own) / (centre - mu) ** 2)
    error = max(error, noise)
    unseen = max(0.25 * trust - share, 0.0) * (error - own)
    error += (1 - share) * between  # so that the variance of the mixture is (1 - w) sigma^2 + w V
    return share, (1 - share) * mean + share * centre, (1 - share) * variance + share * error + unseen


def noise_of_best_law(prior, credit, scores):
    """The variance of the mean score under the distribution of rates that fits best."""
    count = np.asarray(prior.states.multiplicity, dtype=float)
    centre, values = count @ scores / count.sum(), at_points(worth_of(credit), prior)
    spread = count @ (scores - centre) ** 2 / count.sum()
    return (spread - best_shares(prior) @ (values - centre) ** 2) / count.sum()


def best_shares(prior):
    """The distribution of rates on the grid that fits best, from the density of all questions."""
    states, (points, density) = prior.states, prior.grid_density
    c, n = states.successes[:, None], states.trials[:, None]
    share = density.copy()
    fitting_law.fit(points**c * (1.0 - points) ** (n - c), states.multiplicity.astype(float), share, 0.02)
    return share


@pytest.mark.parametrize(
    ("bank", "moves"),
    [
        (([0, 1, 3, 4], [4, 4, 4, 4], [3, 2, 4, 1]), False),
        (([0, 1, 2, 3, 4], [4, 4, 4, 4, 4], [300, 10, 10, 200, 10]), True),
        (([2, 3, 5, 6], [8, 8, 8, 8], [400, 700, 650, 420]), True),
        (([1, 2, 3, 5, 6, 7], [8, 8, 8, 7, 8, 9], [300, 200, 300, 400, 700, 20]), True),
        (([0, 1, 2, 3], [3, 3, 3, 3], [100, 400, 100, 400]), True),  # too few trials for the noise
    ],
)
def test_components_move_toward_an_unbiased_score(bank, moves):
    prior = shared_prior.learn(states_of(*bank))
    credit = np.array([0.0, 1.0, 1.0])
    c, n = (np.array(each, dtype=float) for each in bank[:2])
    scores = 1.0 - (n - c) * (n - c - 1) / (n * (n - 1))
    noise = noise_of_scores(bank, [0, 1, 1]) if min(bank[1]) >= 4 else noise_of_best_law(prior, credit, scores)
    share, mean, variance = moved(prior, credit, scores, noise)
    assert (share > 0.0 or prior.grid_roughness > 0) == moves
    centre = np.asarray(prior.states.multiplicity) @ scores / prior.states.n_questions
    out = np.empty((3, len(prior.weight)))
    prior_moments.components(prior, credit, out, centre)
    prior_moments.toward_scores(prior, credit, scores, prior.weight, True, out)
    np.testing.assert_allclose(out[0], mean, rtol=1e-10)
    np.testing.assert_allclose(out[1], variance, rtol=1e-7)
    whole = np.empty((1, 4))
    prior_moments.intervals(prior, [credit], [scores], True, np.array([[0.0, 1.0]]), 0.95, whole)
    assert whole[0, 0] == pytest.approx(prior.weight @ mean, rel=1e-10)


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


def test_a_prior_that_is_not_believed_gives_way_to_the_scores():
    bank = ([0, 1, 2, 3, 4], [4, 4, 4, 4, 4], [30, 20, 20, 30, 40])
    prior = shared_prior.learn(states_of(*bank))
    scores, credit = np.arange(5) / 4.0, np.array([0.0, 1.0])
    centre = np.asarray(prior.states.multiplicity) @ scores / 140
    out = np.empty((3, len(prior.weight)))
    prior_moments.components(prior, credit, out, centre)
    trust = 100 / 105
    expected = (1.0 - trust) * out[0] + trust * centre
    prior_moments.toward_scores(prior, credit, scores, prior.weight, False, out)
    np.testing.assert_allclose(out[0], expected, rtol=1e-12)
