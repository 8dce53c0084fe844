"""Replicates: draw by draw against numpy's generator, the law against enumeration, nested and exact counts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chisquare

from oracles.replicates import Draws, paths, row
from scorio._kernels import resample

both = pytest.mark.parametrize("replace", [False, True], ids=["orders", "bootstrap"])


def seeds(count, seed=0):
    return np.random.default_rng(seed).integers(2**64, size=(count, 3), dtype=np.uint64)


def counts_of(entries, replace, words, at, categories):
    out = np.zeros((len(words), len(at), len(entries), categories), np.int64)
    resample.counts(np.asarray(entries, np.int32), replace, words, np.asarray(at, np.intp), out)
    return out


def tally(categories, width):
    return [categories.count(j) for j in range(width)]


@both
@pytest.mark.parametrize(
    "entries",
    [[[3, 4], [5, 0], [0, 6]], [[1, 2, 3], [4, 0, 1]], [[2**31 - 6, 5], [2**30, 2**30 - 1]]],
    ids=["binary", "graded", "large"],
)
def test_rows_are_what_numpy_draws(entries, replace):
    length = min(12, *map(sum, entries))
    at, words, width = range(1, length + 1), seeds(40), len(entries[0])
    found = counts_of(entries, replace, words, at, width)
    for of_replicate, word in zip(found, words, strict=True):
        draws = Draws(word)
        for a, left in enumerate(entries):
            drawn = row(draws, left, length, replace)
            assert of_replicate[:, a].tolist() == [tally(drawn[:n], width) for n in at]


@both
def test_every_path_comes_as_often_as_it_should(replace):
    trials = (0, 1, 2, 2)
    found = counts_of([tally(trials, 3)], replace, seeds(30_000), range(1, 5), 3)[:, :, 0]
    steps = np.diff(found, axis=1, prepend=0).argmax(axis=2)
    seen, law = Counter(map(tuple, steps.tolist())), paths(trials, 4, replace)
    assert set(seen) <= set(law)
    expected = [float(chance) * len(steps) for chance in law.values()]
    assert chisquare([seen[path] for path in law], expected).pvalue > 1e-4


@both
def test_sums_are_the_tables_at_the_counts_of_the_same_draws(replace):
    random = np.random.default_rng(2)
    trials = random.integers(0, 2, (5, 9))
    entries = np.stack([9 - trials.sum(axis=1), trials.sum(axis=1)], axis=1)
    at, words = np.array([1, 3, 4, 9]), seeds(20)
    tables = random.random((2, len(at), 10))
    found = np.zeros((20, 2, len(at)))
    resample.sums(entries.astype(np.int32), replace, words, at, tables, found)
    successes = counts_of(entries, replace, words, at, 2)[..., 1]
    expected = [[table[np.arange(len(at))[:, None], each].sum(axis=1) for table in tables] for each in successes]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_replicate_depends_on_its_own_seed_alone():
    entries, words = [[5, 6], [2, 9]], seeds(6)
    together = counts_of(entries, True, words, [4, 8], 2)
    apart = [counts_of(entries, True, word[None], [4, 8], 2)[0] for word in words]
    assert (together == apart).all()
    assert len({each.tobytes() for each in apart}) > 1


tables = arrays(np.int32, st.tuples(st.integers(1, 4), st.integers(2, 4)), elements=st.integers(0, 5)).filter(
    lambda counts: counts.sum(axis=1).min() > 0
)


@given(tables, st.booleans(), st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_more_trials_only_add_to_the_counts(entries, replace, seed):
    trials = int(entries.sum(axis=1).min())
    found = counts_of(entries, replace, seeds(3, seed), range(1, trials + 1), entries.shape[1])
    assert (found.sum(axis=3) == np.arange(1, trials + 1)[:, None]).all()
    assert (np.diff(found, axis=1) >= 0).all()
    assert (found[..., entries == 0] == 0).all()
    if not replace:
        assert (found <= entries).all()
        full = entries.sum(axis=1) == trials
        assert (found[:, -1, full] == entries[full]).all()
