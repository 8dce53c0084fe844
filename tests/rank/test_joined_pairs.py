"""Pairs of several metrics, tasks and benchmarks at one error rate: exact corrections, and what is joined."""

import math
from fractions import Fraction

import numpy as np
import pytest

from scorio import Leaderboard, Looks, OutcomeSet, Suite, compare, simulate
from scorio.comparison._families import CORRECTIONS
from scorio.errors import ParameterError
from scorio.inference._level import Level
from scorio.rank import join_pairs

FAMILIES = ("each", "holm", "fdr", "simultaneous")
TASKS = {
    task: simulate.coins(
        simulate.rates([1.0, 0.8, 0.0], questions, rng=questions), 6, models=["a", "b", "c"], rng=seed
    ).outcomes
    for seed, (task, questions) in enumerate({"algebra": 25, "chess": 40}.items())
}
SUITE = Suite(TASKS)
METRICS = ["pass@1", "pass@3"]


class Known:
    """The pairs of one ranking with known p-values, all of which are small if one is."""

    df = math.inf

    def __init__(self, *p):
        self.p_each = np.array([float(each) for each in p])

    def beyond(self, levels):
        return np.where(levels <= self.p_each.max(), levels, 0.0)

    def critical(self, error):
        return Level.of_error(error).critical(self.df)


def hundredths(*numbers):
    return [Fraction(each, 100) for each in numbers]


# Worked by hand: Holm takes p_(i) (m - i + 1) and the running maximum; Benjamini and Hochberg take p_(i) m / i and the
# running minimum from the largest. The joint law takes p for every ranking with a pair that is left, and the running
# maximum.
PARTS = ([hundredths(1, 4), hundredths(3)], [hundredths(2, 60, 5)])
EXPECTED = {
    "each": PARTS,
    "holm": ([hundredths(3, 6), hundredths(6)], [hundredths(6, 60, 10)]),
    "fdr": (
        [hundredths(3, 4), hundredths(4)],
        [[Fraction(6, 100), Fraction(60, 100), Fraction(15, 200)]],
    ),
    "simultaneous": ([hundredths(2, 6), hundredths(6)], [hundredths(2, 60, 5)]),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("case", [0, 1])
def test_p_values_of_several_rankings_are_corrected_as_by_hand(family, case):
    corrected = CORRECTIONS[family].apply([Known(*p) for p in PARTS[case]], 0.05)
    for values, fractions in zip(corrected.p, EXPECTED[family][case], strict=True):
        assert values.tolist() == pytest.approx([float(each) for each in fractions], abs=1e-15)


@pytest.mark.parametrize(
    ("family", "levels"),
    [
        ("each", (0.05, 0.05)),
        ("holm", (0.05 / 3, 0.05 / 3)),
        ("simultaneous", (0.1 / 3, 0.05 / 3)),  # in proportion to the pairs of a ranking
        ("fdr", (0.05, 0.05)),
    ],
)
def test_the_level_of_intervals_counts_the_pairs_of_all_rankings(family, levels):
    corrected = CORRECTIONS[family].apply([Known(*p) for p in PARTS[0]], 0.05)
    assert corrected.critical == pytest.approx([Level.of_error(level).critical(math.inf) for level in levels])


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("family", FAMILIES)
def test_comparisons_by_several_metrics_are_the_leaderboard_of_two_models(target, family):
    two = OutcomeSet({name: TASKS["chess"][name] for name in "ac"})
    board = Leaderboard(METRICS, two, target=target)
    results = [compare(metric, two["a"], two["c"], names=("a", "c"), target=target) for metric in METRICS]
    joined = join_pairs(results, family)
    assert joined.error_rate == board.pairs(family).error_rate
    _assert_alike(joined, board.pairs(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_comparisons_of_suites_are_joined_with_those_of_their_tasks(family):
    sides = [SUITE.select(models=[name]) for name in ("c", "a")]
    result = compare("pass@1", *sides, names=("c", "a"))
    joined = join_pairs({"overall": result, **result.tasks}, family)
    board = Leaderboard("pass@1", SUITE.select(models=["a", "c"]))
    assert [row.task for row in joined] == ["overall", "algebra", "chess"]
    _assert_alike(joined, join_pairs({"overall": board, **board.tasks}, family))


def test_intervals_keep_to_the_differences_there_are():
    sure = compare("pass@1", [[1, 1, 1, 1]] * 12, [[0, 0, 0, 0]] * 12)
    other = compare("pass@1", [[0, 0, 0, 0]] * 12, [[1, 1, 1, 1]] * 12)
    rows = join_pairs({"x": sure, "y": other}, "holm").rows
    assert [row.better for row in rows] == ["A", "B"]
    assert all(0.0 < row.lo < sure.lo and sure.hi <= row.hi <= 1.0 for row in rows)
    many = {str(i): sure for i in range(10**4)}
    assert {row.hi for row in join_pairs(many, "holm")} == {1.0}


def test_errors_say_what_to_do():
    one, other = (compare("pass@1", [[1, 0]], [[1, 1]], confidence=level) for level in (0.9, 0.95))
    with pytest.raises(
        ParameterError,
        match=r"one confidence, one target and one kind of runs; got '0.9 for questions, runs independent', '0.95",
    ):
        join_pairs([one, other])
    with pytest.raises(ParameterError, match=r"pass@1 of 'A', 'B' twice.*name the parts"):
        join_pairs([one, one])
    with pytest.raises(ParameterError, match="parts has a str"):
        join_pairs(["pass@1"])
    with pytest.raises(ParameterError, match="parts is empty"):
        join_pairs([])
    with pytest.raises(ParameterError, match="'published', which is one-sided"):
        join_pairs([compare("pass@1", [[1, 0]], [[1, 1]], rule="published")])
    with pytest.raises(ParameterError, match="at many looks"):
        join_pairs([compare("pass@1", [[1, 0]], [[1, 1]], looks=Looks(trials=4))])


def _assert_alike(joined, pairs):
    for one, other in zip(joined, pairs, strict=True):
        assert one[:4] == other[:4]
        assert one[4:9] == pytest.approx(other[4:9], rel=1e-9, abs=1e-12)
        assert one.better == other.better
