"""What OutcomeMatrix takes, and every error about what it does not."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from scorio.errors import OutcomeError, ParameterError
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


def test_read_only_and_memory_mapped(tmp_path):
    values = np.array(A, np.int16)
    values.setflags(write=False)
    assert OutcomeMatrix(values) == OutcomeMatrix(A)
    np.save(tmp_path / "outcomes.npy", values)
    mapped = np.load(tmp_path / "outcomes.npy", mmap_mode="r")
    assert OutcomeMatrix(mapped) == OutcomeMatrix(A)


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


BAD_ENTRIES = [
    (
        [[0, 1], [0, 2.5]],
        r"^R\[1, 1\] is 2.5: outcomes must be whole numbers: .*from_rewards.*values >= 0.5$",
    ),
    ([[0, np.inf]], r"^R\[0, 1\] is inf: outcomes must be whole numbers$"),
    (
        [[0, 1, NAN]],
        r'^R\[0, 2\] is NaN, a trial without an outcome: missing="omit" leaves it out; missing="fail" counts it as a f',
    ),
    ([[0, None]], r"^R\[0, 1\] is None, a trial without an outcome"),
    ([[0], [-1]], r"^R\[1, 0\] is -1: outcomes start at 0$"),
    ([0, 1, -1], r"^R\[2\] is -1: outcomes start at 0$"),
    ([[0, 10**9]], r"^R\[0, 1\] is 1000000000: above 0\.\.65535, pass categories=.*from_rewards$"),
    (np.array([[0, 2**63]], np.uint64), r"^R\[0, 1\] is 9223372036854775808: above"),
    ([[0, 10**400]], r"^R\[0, 1\] is 1000.*: above"),
    ([[0, Fraction(1, 3)]], r"^R\[0, 1\] is 1/3: outcomes must be whole numbers: .*from_rewards"),
    (
        np.array([[0, "1"]], object),
        r"^R\[0, 1\]: '1' is a number written as text: numpy.asarray",
    ),
    (np.array([[0, 1j]], object), r"^R\[0, 1\] is 1j: outcomes must be whole numbers$"),
    (np.array([[0, 0.5]], np.float16), r"^R\[0, 1\] is 0.5: outcomes must be whole numbers: .*from_rewards"),
    (
        np.array([[0, 1 + np.finfo("g").eps]], "g"),
        r"^R\[0, 1\] is 1\.0+[1-9]\d*: outcomes must be whole .*from_rewards",
    ),
    (np.array([[1, -7]], ">i4"), r"^R\[0, 1\] is -7: outcomes start at 0$"),
    (np.array([[0, 1, 2]], np.uint8).view(bool), r"^R\[0, 2\] is 2: only categories 0\.\.1 are allowed$"),
    ([[0, 1], [1, 0, 3.5]], r"^R\[1, 2\] is 3.5: outcomes must be whole numbers: .*from_rewards"),
    ([[0, 1], 1], r"^R\[1\] is 1: where one row is a sequence"),
    ([[0, 1], []], r'^R\[1\] has no trial: missing="omit" keeps'),
    ([[[0], [1, 2]], [[0]]], r"^R: every row must be a (flat )?sequence of whole numbers$"),
    ([[1j, 0]], "^R holds complex numbers: outcomes must be whole numbers$"),
    ([[1, 0], [1, "maybe"]], r"^R\[1, 1\]: 'maybe' is not an outcome: outcomes are numbers, or words throughout$"),
    ([["0", "1"]], r"^R\[0, 0\]: '0' is a number written as text: numpy.asarray"),
    ([[b"1"]], "^R holds |S1: outcomes must be whole numbers$"),
    (np.array([[b"1", b"0"]]), r"^R holds bytes: .*astype\(int\)"),
    ((row for row in A), r"got generator object: wrap it in list\(\)"),
    (np.array([["2020-01-01"]], "M8[D]"), r"^R holds dates: outcomes"),
    (np.zeros((2, 2), "m8[s]"), r"^R holds durations: outcomes"),
    (np.zeros(2, [("a", "i4")]), "^no column of questions was found; the columns are 'a': OutcomeSet.from_frame"),
    ([], "^R has no trial$"),
    ([[], []], "^R has no trial$"),
    (np.zeros((0, 3)), "^R has no question$"),
    (np.zeros((3, 0)), "^R has no trial$"),
    (1, "^R must be an array, or lists, of questions x trials; got 1$"),
    (np.zeros((2, 2, 2)), "^R must have one or two dimensions, questions x trials; got 3$"),
]


@pytest.mark.parametrize(("values", "message"), BAD_ENTRIES)
def test_errors(values, message):
    with pytest.raises(OutcomeError, match=message):
        OutcomeMatrix(values)


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
    with pytest.raises(OutcomeError, match=r"^R\[0, 1\] is 4: only categories 0\.\.2 are allowed$"):
        OutcomeMatrix([[0, 4]], categories=3)
    for categories in (1, 0, -1, 2.0, True, "3", 2**16 + 1):
        with pytest.raises(ParameterError, match="categories must be an integer from 2 to 65536"):
            OutcomeMatrix(A, categories=categories)
    assert OutcomeMatrix([[300, 70]]).n_categories == 301
    assert OutcomeMatrix([[65535]], categories=65536).max_category == 65535
