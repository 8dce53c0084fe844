"""Scores of recorded trials against exact fractions: single states (direct) and all counts at once (tables)."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from helpers.states import states_of as states
from oracles import finite_scores as exact
from scorio._kernels import finite_scores

TOLERANCE = 1e-12
TINY = 1e-290


def run(kernel, of, *arguments):
    out = np.full(of.n_states, np.nan)
    kernel(of, *arguments, out)
    return out


def chosen(n):
    return sorted({0, 1, min(2, n), n // 3, n // 2, max(n - 2, 0), n - 1, n})


def auc_credit(k):
    """The trapezoid over Pass@1..Pass@k, given j successes among k: by its definition, not in closed form."""
    if k == 1:
        return [Fraction(0), Fraction(1)]

    def found(i, j):  # at least one success in the first i of k draws
        return 1 - Fraction(comb(k - j, i), comb(k, i))

    return [sum((found(i, j) + found(i + 1, j)) / 2 for i in range(1, k)) / (k - 1) for j in range(k + 1)]


def at_least(k, j0):
    return [int(j >= j0) for j in range(k + 1)]


def excess(k, j0):
    return [Fraction(2 * max(j - j0, 0), k) for j in range(k + 1)]


def kernels(n, k):
    """Each kernel with its arguments and its exact credit."""
    found = [
        (finite_scores.any_success, (k,), at_least(k, 1)),
        (finite_scores.all_success, (k,), at_least(k, k)),
        (finite_scores.trapezoid, (k,), auc_credit(k) if k <= 64 else None),
    ]
    found += [
        (finite_scores.threshold, (k, j), at_least(k, j))
        for j in sorted({1, (k + 1) // 2, k // 2 + 1, max(k - 1, 1), k})
    ]
    found += [(finite_scores.excess, (k, j), excess(k, j)) for j in sorted({1, (k + 1) // 2, max(k - 1, 1)})]
    return [each for each in found if each[2] is not None]


def check(kernel, arguments, credit, n, c, value):
    truth = exact.score(credit, n, c)
    if truth == 0:
        assert value == 0.0, (kernel, arguments, n, c)
    elif truth > Fraction(TINY):
        error = abs(Fraction(float(value)) / truth - 1)
        assert error <= TOLERANCE, (kernel.__name__, arguments, n, c, float(error))


SIZES = [(1, 1), (2, 1), (2, 2), (5, 3), (10, 10), (80, 20), (80, 79), (256, 64), (1000, 300)]


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_single_states(n, k):
    for kernel, arguments, credit in kernels(n, k):
        for c in chosen(n):
            check(kernel, arguments, credit, n, c, run(kernel, states([c], n), *arguments)[0])


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_all_counts_at_once(n, k):
    every = states(range(n + 1), n)
    for kernel, arguments, credit in kernels(n, k):
        values = run(kernel, every, *arguments)
        assert ((values >= 0) & (values <= float(max(credit)))).all()
        for c in chosen(n):
            check(kernel, arguments, credit, n, c, values[c])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(2000, 500), (10000, 1000), (10000, 10)])
def test_many_trials(n, k):
    every = states(range(n + 1), n)
    for kernel, arguments, credit in kernels(n, k):
        if kernel is finite_scores.trapezoid:
            continue
        values = run(kernel, every, *arguments)
        for c in chosen(n):
            check(kernel, arguments, credit, n, c, values[c])
            check(kernel, arguments, credit, n, c, run(kernel, states([c], n), *arguments)[0])


@pytest.mark.parametrize("c", [0, 1, 7, 400, 9000, 9999, 10000])
@pytest.mark.parametrize("k", [2, 65, 1000])
def test_trapezoid_by_its_curve(c, k):
    n = 10000
    curve = [1 - Fraction(comb(n - c, i), comb(n, i)) for i in range(1, k + 1)]
    truth = (sum(curve) - (curve[0] + curve[-1]) / 2) / (k - 1)
    value = run(finite_scores.trapezoid, states([c], n), k)[0]
    assert abs(Fraction(float(value)) - truth) <= truth * Fraction(TOLERANCE)


RNG = np.random.default_rng(11)
CREDITS = {
    "random": RNG.random(21),
    "only the top": np.eye(21)[20],
    "only the bottom": np.eye(21)[0],
    "only one hit": np.eye(21)[1],
    "constant": np.full(21, 0.3),
    "rises": np.sort(RNG.random(21)),
}


@pytest.mark.parametrize("name", CREDITS)
@pytest.mark.parametrize("n", [20, 21, 80, 10000])
def test_any_credit(name, n):
    x = CREDITS[name]
    every = states(range(n + 1), n)
    values = run(finite_scores.credit, every, 20, x)
    for c in chosen(n):
        check(finite_scores.credit, (name,), x.tolist(), n, c, values[c])


def test_a_signed_credit():
    x = RNG.normal(size=13)
    values = run(finite_scores.credit, states(range(41), 40), 12, x)
    for c in range(41):
        assert values[c] == pytest.approx(float(exact.score(x.tolist(), 40, c)), abs=1e-14)


@pytest.mark.parametrize("outcomes", [(0, 1, 1, 0, 1), (1, 1, 0, 1, 1), (0, 0, 0), (1,)])
def test_enumeration_of_every_draw(outcomes):
    n, c = len(outcomes), sum(outcomes)
    for k in range(1, n + 1):
        x = RNG.integers(-8, 9, k + 1) / 8
        truth = exact.enumerated(lambda draw, x=x: float(x[sum(draw)]), outcomes, k)
        assert run(finite_scores.credit, states([c], n), k, x)[0] == pytest.approx(float(truth), abs=1e-15)


def test_ragged_states_run_by_run():
    c, n = [0, 3, 1, 4, 5, 0, 12], [4, 4, 5, 5, 5, 12, 12]
    for kernel, arguments, credit in kernels(4, 3):
        for value, trials, successes in zip(run(kernel, states(c, n), *arguments), n, c, strict=True):
            check(kernel, arguments, credit, trials, successes, value)


@pytest.mark.parametrize("k", [1, 10, 1000, 100_000])
def test_a_million_trials_stay_finite_and_within_bounds(k):
    n = 1_000_000
    every = states([0, 1, 2, 1000, n // 2, n - 1000, n - 1, n], n)
    jobs = [(finite_scores.any_success, (k,)), (finite_scores.all_success, (k,)), (finite_scores.trapezoid, (k,))]
    jobs += [
        (kernel, (k, j)) for kernel in (finite_scores.threshold, finite_scores.excess) for j in (1, (k + 1) // 2, k)
    ]
    for kernel, arguments in jobs:
        values = run(kernel, every, *arguments)
        assert np.isfinite(values).all()
        assert (values >= 0).all()
        assert (values <= 2 if kernel is finite_scores.excess else values <= 1).all()
        assert (np.diff(values) >= 0).all()
