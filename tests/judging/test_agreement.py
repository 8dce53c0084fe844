"""Kappa and rates against published examples, other formulas, and simulations with known truth."""

import numpy as np
import pytest

from scorio.judging import measure_agreement


def expand(table):
    """The labels of a judge (columns) and of people (rows) with this table."""
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return [j for _, j in cells], [i for i, _ in cells]


@pytest.mark.parametrize(
    ("table", "kappa"), [([[20, 5], [10, 15]], 0.4), ([[45, 15], [25, 15]], 0.1304), ([[25, 35], [5, 35]], 0.2593)]
)
def test_known_kappas(table, kappa):
    """The usual examples of text books, with their agreement beyond chance."""
    found = measure_agreement(*expand(table))
    assert found.kappa.mu == pytest.approx(kappa, abs=5e-5)
    assert found.share.mu == pytest.approx((table[0][0] + table[1][1]) / sum(map(sum, table)))
    assert found.table == tuple(map(tuple, table))
    assert found.rates[1].mu == table[1][1] / sum(table[1])
    assert found.rates[0].mu == table[0][0] / sum(table[0])


def test_the_standard_error_of_kappa_is_that_of_fleiss_cohen_and_everitt():
    """Their large-sample variance, for 2,000 labels."""
    table = np.array([[700, 150, 50], [100, 500, 80], [40, 60, 320]])
    found = measure_agreement(*expand(table.tolist()))
    p = table / table.sum()
    row, column = p.sum(axis=1), p.sum(axis=0)
    observed, expected = np.trace(p), row @ column
    kappa = (observed - expected) / (1 - expected)
    own = np.sum(np.diag(p) * (1 - (row + column) * (1 - kappa)) ** 2)
    other = (1 - kappa) ** 2 * sum(p[i, j] * (column[i] + row[j]) ** 2 for i in range(3) for j in range(3) if i != j)
    variance = (own + other - (kappa - expected * (1 - kappa)) ** 2) / ((1 - expected) ** 2 * table.sum())
    assert found.kappa.sigma == pytest.approx(np.sqrt(variance), rel=2e-3)


def test_the_rates_of_independent_labels_are_wilsons():
    found = measure_agreement(*expand([[80, 20], [30, 170]]))
    p, n, z = 0.85, 200, 1.972
    middle, reach = (p + z * z / 2 / n) / (1 + z * z / n), z * np.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    assert found.rates[1].lo == pytest.approx(middle - reach / (1 + z * z / n), abs=1e-3)
    assert found.rates[1].hi == pytest.approx(middle + reach / (1 + z * z / n), abs=1e-3)


def test_repeated_trials_are_no_new_questions():
    judge, human = expand([[20, 5], [10, 15]])
    once = measure_agreement(judge, human)
    questions = [i for i in range(50) for _ in range(4)]
    again = measure_agreement(np.repeat(judge, 4).tolist(), np.repeat(human, 4).tolist(), questions=questions)
    assert tuple(again.kappa) == pytest.approx(tuple(once.kappa))
    assert tuple(again.rates[1]) == pytest.approx(tuple(once.rates[1]))
    assert (again.n_trials, again.n_questions) == (200, 50)


def test_perfect_agreement_is_not_certain():
    found = measure_agreement([0, 1] * 20, [0, 1] * 20)
    assert found.kappa.mu == found.share.mu == 1.0
    assert 0.7 < found.kappa.lo < 0.95
    assert found.kappa.hi == 1.0


@pytest.mark.parametrize(("flips", "count", "trials"), [(0.1, 60, 1), (0.02, 60, 1), (0.15, 40, 4)])
def test_coverage(flips, count, trials):
    """Intervals over questions contain the kappa and the rates of the population."""
    rng, runs, hits = np.random.default_rng([4, trials, count]), 400, np.zeros(2)
    for _ in range(runs):
        p = rng.beta(1, 1, count)  # the truth of a trial depends on its question, and so do the judge's errors
        human = rng.random((count, trials)) < p[:, None]
        wrong = rng.random((count, trials)) < (2 * flips * rng.random((count, 1)))
        questions = np.repeat(np.arange(count), trials).tolist()
        found = measure_agreement((human ^ wrong).ravel().tolist(), human.ravel().tolist(), questions=questions)
        truths = (1 - 2 * flips, 1 - flips)
        intervals = (found.kappa, found.rates[True])
        hits += [each.lo <= truth <= each.hi for each, truth in zip(intervals, truths, strict=True)]
    assert (hits / runs > 0.95 - 4 * np.sqrt(0.95 * 0.05 / runs)).all(), hits / runs
