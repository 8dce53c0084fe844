"""Mean squares and variance components: exact fractions, all worlds of a small model, and known components."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from scorio.factorial._mean_squares import components, mean_squares, spread_of_mean


def exact_mean_squares(table):
    """The classical two-way formulas in fractions, from sums and no differences of means."""
    a, b = len(table), len(table[0])
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    correction = Fraction(sum(rows) ** 2, a * b)
    of_rows = Fraction(sum(x * x for x in rows), b) - correction
    of_columns = Fraction(sum(x * x for x in columns), a) - correction
    total = sum(x * x for row in table for x in row) - correction
    rest = total - of_rows - of_columns
    return of_rows / (a - 1), of_columns / (b - 1), rest / ((a - 1) * (b - 1))


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (7, 2)])
def test_two_way_mean_squares_in_fractions(shape):
    table = np.random.default_rng(1).integers(0, 20, shape)
    exact = exact_mean_squares(table.tolist())
    squares = mean_squares(table.astype(float))
    for axes, value in zip([(0,), (1,), (0, 1)], exact, strict=True):
        assert squares[axes].value == pytest.approx(float(value), rel=1e-12)
    assert [each.degrees for each in squares.values()] == [
        shape[0] - 1,
        shape[1] - 1,
        (shape[0] - 1) * (shape[1] - 1),
    ]


def test_sums_of_squares_add_up_in_four_dimensions():
    array = np.random.default_rng(2).normal(size=(3, 2, 4, 5))
    squares = mean_squares(array)
    assert len(squares) == 15
    total = sum(each.value * each.degrees for each in squares.values())
    assert total == pytest.approx(np.sum((array - array.mean()) ** 2), rel=1e-12)


def every_world(shape, effects):
    """All arrays that sums of effects of +-1 make, one effect per level of each set of axes, all equally likely."""
    sizes = [[n if i in axes else 1 for i, n in enumerate(shape)] for axes in effects]
    counts = [int(np.prod(size)) for size in sizes]
    for signs in itertools.product((-1.0, 1.0), repeat=sum(counts)):
        parts = np.split(np.array(signs), np.cumsum(counts)[:-1])
        yield sum((part.reshape(size) for part, size in zip(parts, sizes, strict=True)), np.zeros(shape))


@pytest.mark.parametrize(
    ("shape", "effects"),
    [
        ((2, 3), [(0,), (1,), (0, 1)]),
        ((2, 3), [(1,)]),
        ((3, 2), [(0,), (0, 1)]),
        ((2, 2, 2), [(0,), (1, 2)]),
        ((2, 2, 2), [(0, 2), (0, 1, 2)]),
    ],
)
def test_components_are_unbiased_over_all_worlds(shape, effects):
    """Every effect has variance 1: the mean estimate over all worlds is 1 for those that are there, and 0 else."""
    estimates, means, spreads = [], [], []
    for array in every_world(shape, effects):
        squares = mean_squares(array)
        estimates.append(
            {
                axes: sum(
                    (-1) ** (len(other) - len(axes)) * each.value
                    for other, each in squares.items()
                    if set(axes) <= set(other)
                )
                * np.prod([shape[i] for i in axes])
                / array.size
                for axes in squares
            }
        )
        means.append(array.mean())
        spreads.append(sum((-1) ** (len(axes) + 1) * each.value for axes, each in squares.items()) / array.size)
    for axes in estimates[0]:
        assert np.mean([each[axes] for each in estimates]) == pytest.approx(float(axes in effects), abs=1e-12)
    assert np.mean(spreads) == pytest.approx(np.var(means), rel=1e-12)  # the formula of the variance of the mean


def test_estimates_are_those_of_expected_mean_squares():
    array = np.random.default_rng(3).normal(size=(6, 3, 4))
    parts, squares = components(array, 0.25, 0.9), mean_squares(array)
    ms = {axes: each.value for axes, each in squares.items()}
    assert parts[0, 1, 2].variance == pytest.approx(ms[0, 1, 2] - 0.25)
    assert parts[0, 1].variance == pytest.approx((ms[0, 1] - ms[0, 1, 2]) / 4)
    assert parts[1,].variance == pytest.approx((ms[1,] - ms[0, 1] - ms[1, 2] + ms[0, 1, 2]) / 24)
    assert all(0 <= part.lo <= part.hi for part in parts.values())


def test_the_spread_of_a_mean_over_one_dimension_is_that_of_a_sample():
    values = np.random.default_rng(4).normal(size=9)
    spread = spread_of_mean(values)
    assert spread.variance == pytest.approx(values.var(ddof=1) / 9)
    assert spread.degrees == 8


def test_the_spread_of_a_mean_is_no_smaller_than_that_of_one_dimension():
    opposite = np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]])  # no main effects at all
    assert spread_of_mean(opposite) == (0.0, 2.0) or spread_of_mean(opposite) == (0.0, 1.0)
    array = np.random.default_rng(5).normal(size=(4, 6)) + np.arange(6.0)
    squares = mean_squares(array)
    spread = spread_of_mean(array)
    assert spread.variance >= max(squares[0,].value, squares[1,].value) / 24 * (1 - 1e-12)
    assert spread.degrees >= 3


def test_constant_values_have_no_components():
    parts = components(np.full((4, 3), 0.5), 0.0, 0.95)
    assert all(part == (0.0, 0.0, 0.0) for part in parts.values())


@pytest.mark.simulation
def test_intervals_of_components_contain_known_ones():
    """Normal effects with known standard deviations; the standard error of a coverage is .011 in 400 worlds."""
    rng, sd = np.random.default_rng(6), {(0,): 1.0, (1,): 0.7, (2,): 0.5, (1, 2): 0.4, (0, 1): 0.3, (0, 1, 2): 0.6}
    hits = {axes: [] for axes in sd}
    means = {axes: [] for axes in sd}
    for _ in range(400):
        array = np.zeros((30, 3, 6))
        for axes, scale in sd.items():
            array = array + scale * rng.normal(size=[n if i in axes else 1 for i, n in enumerate(array.shape)])
        parts = components(array, 0.0, 0.95)
        for axes, scale in sd.items():
            hits[axes].append(parts[axes].lo <= scale**2 <= parts[axes].hi)
            means[axes].append(parts[axes].variance)
    for axes, scale in sd.items():
        assert np.mean(hits[axes]) > 0.92
        error = np.std(means[axes]) / np.sqrt(400)
        assert abs(np.mean(means[axes]) - scale**2) < 4 * error
