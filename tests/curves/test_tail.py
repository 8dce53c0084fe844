"""The law of rates near 0, against quadrature and against plain sums over all densities."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from scorio.curves._tail import TailPrior, few_successes

C = np.array([0, 1, 2, 3, 8, 20, 64])
M = np.array([30, 6, 4, 3, 1, 2, 4])


def fitted(c=C, n=64, m=M, **options):
    return TailPrior(c, np.broadcast_to(n, c.shape).copy(), m, **options)


def test_the_share_of_rates_of_0_is_integrated_out():
    """The nodes of a truncated Beta distribution give the integral over a uniform share that quadrature gives."""
    tail = fitted()
    seen = tail._seen
    rate = np.exp(seen.u - np.logaddexp(0.0, seen.u))
    density = tail.density[:, :3]
    log_rows, _ = tail._of_shares(*seen.sums(density))
    for i, each in enumerate(density.T):
        chances = binom.pmf(np.arange(9)[:, None], 64, rate) @ each
        kept, counts = chances.sum(), np.array([30, 6, 4, 3, 0, 0, 0, 0, 1])
        given = np.log(chances[counts > 0] / kept) @ counts[counts > 0]

        def likelihood(share, chances=chances, kept=kept, counts=counts, given=given):
            mixed = (1.0 - share) * chances / kept
            mixed[0] += share
            return np.exp(np.log(mixed[counts > 0]) @ counts[counts > 0] - given)

        whole = quad(likelihood, 0.0, 1.0, epsabs=1e-12)[0]
        assert np.exp(log_rows[0, i] - given) == pytest.approx(0.5)
        assert np.exp(log_rows[1:, i] - given).sum() == pytest.approx(0.5 * whole, rel=0.01)


def test_the_share_is_integrated_out_where_no_question_was_solved():
    tail = TailPrior(np.array([0]), np.array([4]), np.array([20]))
    rate = np.exp(tail._seen.u - np.logaddexp(0.0, tail._seen.u))
    log_rows, _ = tail._of_shares(*tail._seen.sums(tail.density))
    for rows, density in zip(np.exp(log_rows[1:].T), tail.density.T, strict=True):
        chances = binom.pmf(np.arange(3)[:, None], 4, rate) @ density
        least = chances[0] / chances.sum()
        whole = quad(lambda share, least=least: (share + (1.0 - share) * least) ** 20, 0.0, 1.0)[0]
        assert rows.sum() == pytest.approx(0.5 * whole, rel=1e-6)


def test_unequal_trials_weigh_the_same_integral():
    c, n, m = np.array([0, 0, 1, 2, 3, 1]), np.array([64, 32, 64, 32, 64, 32]), np.array([12, 10, 4, 3, 2, 2])
    tail = TailPrior(c, n, m)
    rate = np.exp(tail._seen.u - np.logaddexp(0.0, tail._seen.u))
    each = tail.density[:, 0]
    kept = [float(binom.cdf(few_successes(np.array([t]))[0], t, rate) @ each) for t in n]
    chances = [float(binom.pmf(a, b, rate) @ each) for a, b in zip(c, n, strict=True)]
    reference = sum(m[i] * np.log(chances[i] / kept[i]) for i in range(6))
    log_rows, _ = tail._of_shares(*tail._seen.sums(tail.density[:, :1]))
    assert log_rows[0, 0] == pytest.approx(reference + np.log(0.5))


def test_moments_are_sums_over_densities():
    tail, k = fitted(), 3000
    rate = np.exp(tail._seen.u - np.logaddexp(0.0, tail._seen.u))
    value = 1.0 - (1.0 - rate) ** k
    found = tail.moments(k)
    mean, chances = 0.0, [binom.pmf(c, 64, rate) for c in C[tail.is_low]]
    for share, weights in enumerate(tail.weight):
        for i, weight in enumerate(weights):
            total = 0.0
            for c, m, chance in zip(C[tail.is_low], M[tail.is_low], chances, strict=True):
                own = chance * tail.density[:, i]
                total += m * (own @ value) / (own.sum() + (tail.odds[share, i] if c == 0 else 0.0))
            mean += weight * total
    assert found.weight @ found.mean == pytest.approx(mean, rel=1e-9)
    each_mean, each_variance = tail.each_state(k)
    assert each_mean @ M[tail.is_low] == pytest.approx(mean, rel=1e-9)
    assert (each_variance >= 0.0).all() and (np.diff(each_mean) > 0.0).all()


def test_the_exponent_is_learned_from_the_low_counts():
    """Counts that fall slowly foretell more than counts of which most are large; the body does not enter."""
    slow = fitted(np.array([0, 1, 2, 3, 64]), 64, np.array([40, 16, 4, 2, 38]))
    fast = fitted(np.array([0, 5, 7, 8, 64]), 64, np.array([40, 2, 8, 12, 38]))
    assert slow.each_state(2000)[0][0] > 2.0 * fast.each_state(2000)[0][0]
    other = fitted(np.array([0, 1, 2, 3, 40]), 64, np.array([40, 16, 4, 2, 38]))
    assert np.array_equal(slow.each_state(2000)[0], other.each_state(2000)[0])


def test_the_same_counts_give_the_same_numbers_whatever_their_order():
    one, other = fitted(), fitted(C[::-1], 64, M[::-1])
    assert one.moments(5000).mean @ one.moments(5000).weight == pytest.approx(
        other.moments(5000).mean @ other.moments(5000).weight, rel=1e-6
    )


def test_trials_that_outcomes_decided_have_the_same_law_where_they_are_equal():
    """Only how densities are drawn could differ, and must not: drawn too far off, a few of them decide."""
    plain, declared = fitted(), fitted(declared=True)
    for one, other in zip(plain.moments(3000), declared.moments(3000), strict=True):
        assert other == pytest.approx(one, rel=1e-9)


def test_densities_are_drawn_where_unequal_trials_put_them():
    """Trials until the first success, at most 120 of each question: many densities must count, and not a few."""
    rng = np.random.default_rng(5)
    first = rng.geometric(0.01, 60)
    c, n = np.append(first <= 120, np.zeros(30)).astype(int), np.append(np.minimum(first, 120), np.full(30, 120))
    tail = TailPrior(c, n, np.ones(90, dtype=int), declared=True)
    each = tail.weight.sum(axis=0)
    assert 1.0 / (each @ each) > 60.0


def test_few_successes_are_few_of_the_fewest_trials_that_many_questions_have():
    """4 trials of each, then 60 more of those without success: no count is likelier than that it is one of few."""
    rng = np.random.default_rng(6)
    rate = rng.beta(0.4, 2.0, 100)
    solved = rng.binomial(4, rate)
    n = np.where(solved > 0, 4, 64)
    tail = TailPrior(solved + rng.binomial(n - 4, rate), n, np.ones(100, dtype=int), declared=True)
    assert (tail._seen.chance <= tail._seen.kept[tail._seen.group] + 1e-12).all()
    law = tail.moments(10_000)
    mean = law.weight @ law.mean
    sd = np.sqrt(law.weight @ (law.variance + (law.mean - mean) ** 2))
    assert abs(mean - (1.0 - (1.0 - rate[tail.is_low]) ** 10_000).sum()) < 3.0 * sd
