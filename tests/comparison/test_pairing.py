"""What pairing is worth: the ratio of the variances of the unpaired and the paired difference."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, compare


def values(seed=0, questions=50, shared=True):
    rng = np.random.default_rng(seed)
    rates = rng.beta(1, 1, questions)
    other = rates if shared else 1 - rates
    return [rng.binomial(1, p[:, None], (questions, 6)) for p in (rates, other)]


@pytest.mark.parametrize("shared", [True, False])
def test_the_number_is_that_of_the_variances(shared):
    A, B = values(shared=shared)
    means = A.mean(axis=1), B.mean(axis=1)
    unpaired = means[0].var(ddof=1) + means[1].var(ddof=1)
    exact = 50 * unpaired / (means[0] - means[1]).var(ddof=1)
    result = compare("pass@1", A, B, target="population")
    assert result.unpaired_questions == pytest.approx(exact, rel=1e-10)
    assert ("only" in result.pairing) is not shared
    assert f"the precision of {'' if shared else 'only '}{round(exact)} unpaired ones" in str(result)
    assert result.to_dict()["unpaired_questions"] == result.unpaired_questions


def test_so_many_unpaired_questions_are_as_precise():
    A, B = values(questions=200)
    paired = compare("pass@1", A, B, target="population")
    times = paired.unpaired_questions / 200
    unpaired = compare("pass@1", A, B, target="population", paired=False)
    assert paired.sigma == pytest.approx(unpaired.sigma / times**0.5, rel=0.03)  # the learned prior smooths a little


def test_clusters_count_as_the_draw():
    A, B = values()
    groups = [i // 5 for i in range(50)]
    one, other = (OutcomeMatrix(each, clusters=groups) for each in (A, B))
    means = [each.mean(axis=1).reshape(10, 5).sum(axis=1) for each in (A, B)]
    exact = 50 * (means[0].var() + means[1].var()) / (means[0] - means[1]).var()
    assert compare("pass@1", one, other, target="population").unpaired_questions == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("options", [{}, {"target": "population", "paired": False}])
def test_without_pairs_there_is_no_number(options):
    result = compare("pass@1", *values(), **options)
    assert result.unpaired_questions is None
    assert result.pairing == ""


def test_models_that_differ_by_a_constant_have_no_number():
    result = compare("pass@1", [[1, 1], [1, 1]], [[0, 0], [0, 0]], target="population")
    assert result.unpaired_questions is None
