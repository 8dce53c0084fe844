"""Variance components of questions in clusters: all worlds of small models, known components, the words."""

import itertools

import numpy as np
import pytest

from helpers.crossed import crossed
from scorio import analyze_factors
from scorio.factorial._mean_squares import ALL, CLUSTER, QUESTION, Term, clustered_components, components

GROUPS = (np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))


def every_world(shape, group, effects):
    """All arrays that sums of effects of +-1 make, one per level of each term, all equally likely."""
    first = {ALL: 1, CLUSTER: group.max() + 1, QUESTION: len(group)}
    sizes = [[first[term.kind], *(n if i in term.axes else 1 for i, n in enumerate(shape[1:], 1))] for term in effects]
    for signs in itertools.product((-1.0, 1.0), repeat=sum(int(np.prod(size)) for size in sizes)):
        total, rest = np.zeros(shape), np.array(signs)
        for term, size in zip(effects, sizes, strict=True):
            part, rest = rest[: np.prod(size)].reshape(size), rest[np.prod(size) :]
            total = total + (part[group] if term.kind == CLUSTER else part)
        yield total


@pytest.mark.parametrize("group", GROUPS, ids=["equal", "unequal"])
@pytest.mark.parametrize(
    "effects",
    [
        [Term(CLUSTER, ())],
        [Term(QUESTION, ()), Term(ALL, (1,))],
        [Term(CLUSTER, ()), Term(QUESTION, ())],
        [Term(CLUSTER, (1,)), Term(ALL, (1,))],
        [Term(QUESTION, (1,))],
        [Term(CLUSTER, (1,)), Term(QUESTION, ())],
    ],
    ids=str,
)
def test_components_are_unbiased_over_all_worlds(group, effects):
    """Every effect has variance 1: the mean estimate over all worlds is 1 for those that are there, and 0 else."""
    rows = [clustered_components(array, group, 0.0, 0.9) for array in every_world((4, 2), group, effects)]
    for term in rows[0]:
        assert np.mean([row[term].variance for row in rows]) == pytest.approx(float(term in effects), abs=1e-9)


def test_clusters_of_no_effect_change_little():
    """With two questions in each of many clusters, what both have in common is nil, and questions are as without."""
    rng = np.random.default_rng(1)
    array = rng.normal(size=(600, 1, 1)) + 0.5 * rng.normal(size=(1, 3, 1)) + 0.7 * rng.normal(size=(600, 3, 4))
    plain = components(array, 0.1, 0.95)
    nested = clustered_components(array, np.repeat(np.arange(300), 2), 0.1, 0.95)
    assert nested[Term(CLUSTER, ())].variance == pytest.approx(0.0, abs=0.15)
    assert nested[Term(QUESTION, ())].variance == pytest.approx(plain[(0,)].variance, abs=0.15)
    assert nested[Term(QUESTION, (1, 2))].variance == pytest.approx(0.39, abs=0.05)
    assert nested[Term(ALL, (1,))].variance == pytest.approx(plain[(1,)].variance, rel=0.05)


def test_known_components_are_found_with_their_intervals():
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(60), rng.integers(1, 6, 60))
    hits = []
    for _ in range(60):
        array = (
            1.0 * rng.normal(size=60)[group][:, None, None]
            + 0.5 * rng.normal(size=(len(group), 1, 1))
            + 0.8 * rng.normal(size=(60, 3, 1))[group]
            + 0.3 * rng.normal(size=(len(group), 3, 2))
        )
        parts = clustered_components(array, group, 0.0, 0.95)
        truth = {Term(CLUSTER, ()): 1.0, Term(QUESTION, ()): 0.25, Term(CLUSTER, (1,)): 0.64}
        hits.append([parts[term].lo <= variance <= parts[term].hi for term, variance in truth.items()])
    assert np.mean(hits, axis=0).min() > 0.85


def test_factors_names_clusters():
    rng = np.random.default_rng(3)
    rates = 1.0 / (1.0 + np.exp(-2.0 * rng.normal(size=12)[np.repeat(np.arange(12), 3)]))
    trials = (rng.random((36, 2, 3, 4)) < rates[:, None, None, None]).astype(int)
    clusters = [f"text {i // 3}" for i in range(36)]
    analysis = analyze_factors("pass@1", crossed(trials, clusters=clusters))
    names = [each.name for each in analysis.components]
    assert names[:2] == ["cluster", "question"]
    assert {"model", "cluster x prompt", "question x model x prompt", "trial"} < set(names)
    assert analysis.component("cluster").share > 0.2 > analysis.component("question").share
    assert next(each.name for each in analyze_factors("pass@1", crossed(trials)).components) == "question"
