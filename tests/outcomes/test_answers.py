"""When two answers are equal, against a list written by hand."""

from fractions import Fraction

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix
from scorio.outcomes import normalize_answer

EQUAL = [
    ["0.50", "1/2", ".5", " 50% ", "$0.5$", r"\boxed{1/2}", 0.5, Fraction(1, 2), "5e-1", "2/4", "+0.5"],
    ["1,024", "1024", 1024, "1024.0", 1024.0, r"\(1024\)", "1024.", np.int64(1024)],
    ["The Hague", " the  hague ", "THE HAGUE.", "the\nhague"],
    ["-3", -3, "-3.00", "-6/2"],
    ["true", True, "True"],
    ["B", "b", "b."],
]


@pytest.mark.parametrize("answers", EQUAL, ids=str)
def test_equal_answers_have_one_label(answers):
    assert len({normalize_answer(each) for each in answers}) == 1


def test_different_answers_have_different_labels():
    firsts = [each[0] for each in EQUAL]
    others = ["1/3", "x + x", "2x", "1,02,4", "10 24", "1/0", "12 apples", "(b)", "b or c", "-0.5", "1024%"]
    assert len({normalize_answer(each) for each in [*firsts, *others]}) == len(firsts) + len(others)


@pytest.mark.parametrize("answer", ["", "  ", "none", "None", "N/A", "[invalid]", "null", None])
def test_no_answer(answer):
    assert normalize_answer(answer) is None


ODD = ["1e999", "9" * 400, "1/" + "7" * 300, float("inf"), "\u221e", "\u00bd", "\uff11\uff12"]


@pytest.mark.parametrize("answer", ODD)
def test_odd_numbers_are_labels_too(answer):
    assert isinstance(normalize_answer(answer), str)


def test_normalizing_twice_changes_nothing():
    for answers in EQUAL:
        once = normalize_answer(answers[0])
        assert normalize_answer(once) == once


def test_the_function_can_be_replaced():
    R, answers = [[0, 1, 1]], [["a b", "a  b", "A B"]]
    assert OutcomeMatrix(R, answers=answers).answer_counts == [{"a b": 3}]
    assert OutcomeMatrix(R, answers=answers, normalize=None).answer_counts == [{"a b": 1, "a  b": 1, "A B": 1}]
    assert OutcomeMatrix(R, answers=answers, normalize=len).answer_counts == [{3: 2, 4: 1}]


def test_answers_of_two_types_are_kept_apart_where_they_are_taken_as_they_are():
    counts = OutcomeMatrix([[0, 1, 1]], answers=[["1", (1, 2), "1"]], normalize=None).answer_counts
    assert counts == [{"1": 2, (1, 2): 1}]


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(OutcomeError, match="cannot be compared"):
        OutcomeMatrix([[0, 1]], answers=[[{}, "1"]])
    with pytest.raises(ValueError, match="normalize"):
        OutcomeMatrix([[0, 1]], answers=[["1", "1"]], normalize="strip")
