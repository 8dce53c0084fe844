"""What OutcomeMatrix takes, and every error about what it does not."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from scorio.errors import OutcomeError
from scorio.outcomes import OutcomeMatrix

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
NAN = float("nan")


class NAType:
    """A nullable column's missing value, which refuses to be compared."""

    def __bool__(self):
        raise TypeError("ambiguous")

    def __eq__(self, other):
        return self

    def __ne__(self, other):
        return self

    __hash__ = object.__hash__


class Frame:
    """A data frame, as far as an array protocol goes."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


@pytest.mark.parametrize("dtype", ["f2", "g", ">i2", ">i8", ">u4", ">f4", ">f8", ">f2", "O"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_read_in_blocks(dtype, order):
    rows = [[(3 * a + j * j) % 5 for j in range(300)] for a in range(500)]
    values = np.array(rows, dtype=dtype, order=order)
    expected = [[Counter(row)[category] for category in range(5)] for row in rows]
    assert OutcomeMatrix(values).counts.tolist() == expected
    assert OutcomeMatrix(values[0], questions=[0]).counts.tolist() == expected[:1]
    assert OutcomeMatrix(list(values)).counts.tolist() == expected
    assert OutcomeMatrix([values[0], values[1][:7]], questions=range(2)).counts.tolist() == [
        expected[0],
        [Counter(rows[1][:7])[category] for category in range(5)],
    ]


def test_unaligned():
    raw = np.frombuffer(b"\x00" + np.array(A, "i8").tobytes(), np.uint8)[1:].view("i8").reshape(2, 5)
    assert not raw.flags.aligned
    assert OutcomeMatrix(raw) == OutcomeMatrix(A)


def test_what_is_read_is_not_kept():
    values = np.array(A)
    R = OutcomeMatrix(values)
    values[:] = 0
    assert R.successes.tolist() == [3, 4]
    counts = np.array([[1, 2]])
    R = OutcomeMatrix.from_counts(counts)
    counts[:] = 0
    assert R.counts.tolist() == [[1, 2]]


def test_objects_with_an_array():
    assert OutcomeMatrix(Frame(A)) == OutcomeMatrix(A)
    nullable = np.array([[0, NAType()], [True, np.int8(1)]], dtype=object)
    assert OutcomeMatrix(Frame(nullable), missing="omit").counts.tolist() == [[1, 0], [0, 2]]


def test_objects():
    values = np.array([[0, 1.0, True, np.bool_(1)], [np.float32(1), Fraction(2, 2), None, NAN]], dtype=object)
    assert OutcomeMatrix(values, missing="omit").counts.tolist() == [[1, 3], [0, 2]]
    assert OutcomeMatrix(values, missing="fail").counts.tolist() == [[1, 3], [2, 2]]


def test_a_question_may_lose_all_its_trials_but_not_all_questions():
    R = OutcomeMatrix([[NAN, NAN], [0, 1]], missing="omit")
    assert (R.trials.tolist(), R.min_trials, R.completeness) == ([0, 2], 0, 0.5)
    for values in ([[NAN, NAN]], [[None], [None, None]], np.ma.masked_all((2, 2))):
        with pytest.raises(OutcomeError, match="R has no trial: every one is missing"):
            OutcomeMatrix(values, missing="omit")


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "f4", "f8", "O"])
def test_masked_trials_are_left_out(dtype):
    data = np.array([[0, 1, 1], [1, 1, 0]]).astype(dtype)
    R = OutcomeMatrix(np.ma.array(data, mask=[[0, 1, 0], [0, 0, 0]]))
    assert (R.counts.tolist(), R.completeness) == ([[1, 1], [1, 2]], 5 / 6)
    assert OutcomeMatrix(np.ma.array(data)) == OutcomeMatrix(data)
    rows = [np.ma.array([1, 1], mask=[0, 1]), [0, 1, 1]]
    assert OutcomeMatrix(rows).counts.tolist() == [[0, 1], [1, 2]]


def test_what_is_masked_is_not_looked_at():
    hidden = np.ma.array([[-999.0, 1, NAN], [np.inf, 0.5, 1]], mask=[[1, 0, 0], [1, 1, 0]])
    assert OutcomeMatrix(hidden, missing="omit").counts.tolist() == [[0, 1], [0, 1]]
    assert OutcomeMatrix(hidden, missing="fail").counts.tolist() == [[1, 1], [0, 1]]
    with pytest.raises(OutcomeError, match=r"R\[0, 2\] is NaN"):
        OutcomeMatrix(hidden)


def test_ragged_rows():
    R = OutcomeMatrix([[0, 1, 1], [1], (0, 0, 0, 1)])
    assert (R.counts.tolist(), R.completeness, R.planned) == ([[1, 2], [0, 1], [3, 1]], 1.0, 8)
    assert (R.min_trials, R.max_trials) == (1, 4)
    assert OutcomeMatrix([[0, 2, None], [1]], missing="omit").counts.tolist() == [[1, 0, 1], [0, 1, 0]]
    assert OutcomeMatrix([[0, 2, None], [1]], missing="omit").completeness == 0.75
    assert OutcomeMatrix([[0, 1], []], missing="omit").trials.tolist() == [2, 0]
    series = np.empty(2, dtype=object)
    series[:] = [[0, 1], [1, 1, 1]]
    assert OutcomeMatrix(series).counts.tolist() == [[1, 1], [0, 3]]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "f8", ">i8", "O", "f2"])
@pytest.mark.parametrize("place", [(0, 0), (64, 3), (99, 129)])
def test_the_first_fault_is_named(order, dtype, place):
    values = np.zeros((100, 130), dtype, order=order)
    values[place] = -3
    values[99, 129] = -3
    with pytest.raises(OutcomeError, match=rf"^R\[{place[0]}, {place[1]}\] is -3(\.0)?: outcomes start at 0$"):
        OutcomeMatrix(values)


def test_categories_given():
    assert OutcomeMatrix([[300, 70]]).n_categories == 301
    assert OutcomeMatrix([[65535]], categories=65536).max_category == 65535
