"""OutcomeMatrix: what it is made of, what it says, and that it stays as it is; merging, selecting and drawing."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from scorio.errors import OutcomeError
from scorio.outcomes import OutcomeMatrix

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
B = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
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


def test_masked_trials_are_left_out():
    masked = np.ma.array([[0, 1, 1], [1, 1, 0]], mask=[[0, 1, 0], [0, 0, 0]])
    for rows in (masked, masked.astype(bool), list(masked), [masked[0], [1, 1, 0]]):
        assert OutcomeMatrix(rows).counts.tolist() == [[1, 1], [1, 2]]
    assert OutcomeMatrix(masked).completeness == 5 / 6
    assert OutcomeMatrix(np.ma.array(A)) == OutcomeMatrix(A)


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
    assert OutcomeMatrix([[65535]]).max_category == 65535


def test_from_counts():
    assert OutcomeMatrix.from_counts([3, 4], 5) == OutcomeMatrix(A)
    assert OutcomeMatrix.from_counts([3.0, 4.0], [5, 5]) == OutcomeMatrix(A)
    assert OutcomeMatrix.from_counts(np.array([3, 4], ">i2"), np.uint8(5)) == OutcomeMatrix(A)
    assert OutcomeMatrix.from_counts([[1, 2, 2], [1, 2, 2]]) == OutcomeMatrix(B)
    assert OutcomeMatrix.from_counts([[1, 2, 2], [1, 2, 2]], [5, 5]) == OutcomeMatrix(B)
    R = OutcomeMatrix.from_counts([3, 0], [4, 0], questions=["ab", "c"], clusters=[1, 1])
    assert (R.trials.tolist(), R.questions, R.clusters, R.completeness) == ([4, 0], ("ab", "c"), (1, 1), 1.0)
    R = OutcomeMatrix([[0, 1, 1, 1]], prior=[[1, 2, 2]])
    assert (R.counts.tolist(), R.prior_counts.tolist()) == ([[1, 3, 0]], [[0, 1, 2]])
    assert OutcomeMatrix.from_counts([1], 2, levels=[-0.5, 2]).levels == (-0.5, 2.0)
    big = OutcomeMatrix.from_counts([10**12], 2**53)
    assert (big.states.successes.tolist(), big.states.trials.tolist()) == ([10**12], [2**53])


def test_from_rewards():
    R = OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, -3]], questions=["a", "b"], clusters=[0, 1])
    assert R.levels == (-3.0, 0.2, 0.75, 1.0)
    assert R.counts.tolist() == [[0, 2, 0, 1], [1, 0, 1, 1]]
    assert (R.questions, R.clusters, R.completeness) == (("a", "b"), (0, 1), 1.0)
    R = OutcomeMatrix.from_rewards([[0.5, -0.0, 0.0], [1]])
    assert (R.levels, R.counts.tolist()) == ((0.0, 0.5, 1.0), [[2, 1, 0], [0, 0, 1]])
    assert OutcomeMatrix.from_rewards([True, False]) == OutcomeMatrix([1, 0])
    assert OutcomeMatrix.from_rewards(np.array([[Fraction(1, 4), None]], object), missing="omit").levels == (0.0, 0.25)


def test_merge_by_label():
    mine = OutcomeMatrix([[0, 0], [1, 1]], questions=["a", "b"], clusters=[1, 2], prior=[[0], [1]])
    theirs = OutcomeMatrix([[1], [0]], questions=["b", "a"], clusters=[2, 1], prior=[[1], [0]])
    R = mine.merge(theirs)
    assert R.counts.tolist() == [[3, 0], [0, 3]]
    assert (R.questions, R.clusters, R.prior_counts.tolist()) == (("a", "b"), (1, 2), [[1, 0], [0, 1]])
    assert theirs.merge(mine) == R.select(["b", "a"])
    rewards = OutcomeMatrix.from_rewards([[0.5, 1]])
    assert rewards.merge(rewards).counts.tolist() == [[2, 2]]


def test_select_by_index():
    R = OutcomeMatrix([[0], [1], [2]], clusters=["x", "y", "z"], prior=[[0], [0], [1]])
    chosen = R.select([2, 0])
    assert chosen.counts.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert (chosen.clusters, chosen.prior_counts.tolist()) == (("z", "x"), [[0, 1, 0], [1, 0, 0]])
    assert R.select(-1) == R.select([2]) == R.select(slice(2, None)) == R.select([False, False, True])
    assert R.select(np.array([True, False, True])) == R.select(slice(None, None, 2)) == R.select((0, 2))
    assert R.select([1, 1]).n_questions == 2


def test_select_by_label():
    R = OutcomeMatrix([[0, NAN], [1, 1], [1, 0]], questions=["a", ("b", 1), 7], missing="omit")
    assert R.select([7, "a"]).successes.tolist() == [1, 0]
    assert R.select("a") == R.select(["a"]) == R.select(slice(0, 1)) == R.select(np.array([True, False, False]))
    assert R.select([("b", 1)]) == R.select(("b", 1)) == R.select([False, True, False])
    assert R.select(7).questions == (7,)
    assert (R.select("a").planned, R.select("a").completeness) == (2, 0.5)
    assert OutcomeMatrix(A, questions=[10, 20]).select(np.array([20])).successes.tolist() == [4]


def test_categories():
    R = OutcomeMatrix(B)
    assert R.counts.tolist() == [[1, 2, 2], [1, 2, 2]]
    assert (R.n_categories, R.max_category, R.has_two_categories) == (3, 2, False)
    assert (R.min_trials, R.max_trials) == (5, 5)


def test_a_category_need_not_occur():
    R = OutcomeMatrix.from_counts([[2, 3, 0, 0], [1, 4, 0, 0]])
    assert R.counts.tolist() == [[2, 3, 0, 0], [1, 4, 0, 0]]
    assert (R.n_categories, R.max_category, R.has_two_categories) == (4, 1, True)
    assert R.profile_rows.tolist() == [[2, 3, 0, 0], [1, 4, 0, 0]]
    assert OutcomeMatrix([[0, 0]]).counts.tolist() == [[2, 0]]


def test_prior():
    R = OutcomeMatrix(B, prior=[[0, 2], [1, 2]])
    assert R.prior_counts.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert R.counts.tolist() == [[1, 2, 2], [1, 2, 2]]
    assert R.with_prior_counts.counts.tolist() == [[2, 2, 3], [1, 3, 3]]
    assert R.with_prior_counts.with_prior_counts is R.with_prior_counts
    assert R.with_prior_counts is R.with_prior_counts
    assert OutcomeMatrix(B, prior=[0, 2, 1, 2]) == R
    assert OutcomeMatrix(B, prior=[[0, 2], [1, 2, 2]]).prior_counts.tolist() == [[1, 0, 1], [0, 1, 2]]
    assert OutcomeMatrix(B, prior=[[], [1]]).prior_counts.tolist() == [[0, 0, 0], [0, 1, 0]]
    assert OutcomeMatrix(B, prior=np.zeros((2, 0))).with_prior_counts.counts.tolist() == R.counts.tolist()
    assert OutcomeMatrix([1, 0, 1], prior=[1, 1]).prior_counts.tolist() == [[0, 2]]


def test_prior_widens_the_categories():
    R = OutcomeMatrix(A, prior=[[3], [0]])
    assert (R.n_categories, R.max_category, R.has_two_categories) == (4, 3, False)
    R = OutcomeMatrix(B, prior=[[1], [0]])
    assert (R.n_categories, R.prior_counts.shape) == (3, (2, 3))


def test_labels():
    R = OutcomeMatrix(A, questions=["q1", ("q", 2)], clusters=np.array(["c", "c"]))
    assert (R.questions, R.clusters) == (("q1", ("q", 2)), ("c", "c"))


def test_immutable():
    R = OutcomeMatrix(A, prior=A)
    for array in (
        R.counts,
        R.trials,
        R.successes,
        R.prior_counts,
        R.state_of_question,
        R.profile_rows,
        R.groups.multiplicity,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for array in (R.states.successes, R.states.trials, R.states.multiplicity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for name in ("counts", "trials", "successes", "questions", "levels", "planned", "states", "anything"):
        with pytest.raises(AttributeError, match=name):
            setattr(R, name, 1)


def test_equal_by_content():
    parts = {"questions": ["a", "b"], "clusters": [1, 2], "prior": [[0], [1]]}
    R = OutcomeMatrix(A, **parts)
    same = OutcomeMatrix(np.array(A, np.int8)[:, ::-1], **parts)
    assert R == same
    assert hash(R) == hash(same)
    others = [
        OutcomeMatrix(A),
        OutcomeMatrix(A[::-1], **parts),
        OutcomeMatrix(A, **parts | {"questions": ["a", "c"]}),
        OutcomeMatrix(A, **parts | {"clusters": None}),
        OutcomeMatrix(A, **parts | {"prior": [[0], [0]]}),
        OutcomeMatrix([[*row, None] for row in A], missing="omit", **parts),
        OutcomeMatrix.from_counts(R.counts, planned=9, questions=["a", "b"], clusters=[1, 2]),
        OutcomeMatrix.from_counts(R.counts, levels=[0, 0.5], questions=["a", "b"], clusters=[1, 2]),
        A,
    ]
    assert all(R != other for other in others)
    assert OutcomeMatrix.from_counts([3, 4], 5) == OutcomeMatrix(A)


def test_pickles_and_copies():
    R = OutcomeMatrix(B, prior=[[0], [1]], questions=["a", "b"], clusters=[1, 2])
    assert R.groups.multiplicity.sum() == 2
    for again in (pickle.loads(pickle.dumps(R)), copy.copy(R), copy.deepcopy(R)):
        assert again == R
        assert not again.counts.flags.writeable
        assert again._cache.keys() <= {"hash", "max_category"}
        assert again.groups.multiplicity.tolist() == R.groups.multiplicity.tolist()


def test_repr():
    assert repr(OutcomeMatrix(A)) == "OutcomeMatrix(2 questions x 5 trials, binary)"
    assert repr(OutcomeMatrix([1])) == "OutcomeMatrix(1 question x 1 trial, binary)"
    gaps = OutcomeMatrix([[0, 1, 2], [0, 1, None]], missing="omit")
    assert repr(gaps) == "OutcomeMatrix(2 questions x 2..3 trials, 3 categories, completeness 0.833)"


@pytest.mark.parametrize("layout", ["C", "F", "strided"])
def test_memory_stays_small(layout):
    shape = (20_000, 1000)
    values = np.zeros(shape, np.int8, order="F" if layout == "F" else "C")
    if layout == "strided":
        values = np.zeros((20_000, 2000), np.int8)[:, ::2]
    tracemalloc.start()
    try:
        OutcomeMatrix(values)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000


# Random dtypes, layouts, gaps and faults, against plain enumeration.


INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">u8"]
FLOATS = ["f2", "f4", "f8", "g", ">f4", ">f8"]


def tables(top=20, least=1):
    """Rows of one length, of categories up to a random maximum."""
    return st.tuples(st.integers(0, top), st.integers(1, 12), st.integers(least, 40)).flatmap(
        lambda drawn: st.lists(
            st.lists(st.integers(0, drawn[0]), min_size=drawn[2], max_size=drawn[2]),
            min_size=drawn[1],
            max_size=drawn[1],
        )
    )


@st.composite
def layouts(draw, array):
    """The same entries, differently laid out in memory."""
    padded = np.zeros((2 * array.shape[0], 3 * array.shape[1]), array.dtype, order=draw(st.sampled_from("CF")))
    rows, columns = draw(st.sampled_from([1, 2])), draw(st.sampled_from([1, 2, 3]))
    view = padded[: rows * array.shape[0] : rows, : columns * array.shape[1] : columns]
    view = view[:: draw(st.sampled_from([1, -1])), :: draw(st.sampled_from([1, -1]))]
    view[:] = array
    view.setflags(write=draw(st.booleans()))
    return view


def plain_counts(rows, width):
    return [[sum(entry == category for entry in row) for category in range(width)] for row in rows]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(INTEGERS + FLOATS + ["O"]), st.data())
def test_any_type_and_layout(rows, dtype, data):
    values = data.draw(layouts(np.array(rows, dtype)))
    R = OutcomeMatrix(values)
    assert R.counts.tolist() == plain_counts(rows, R.n_categories)
    assert R.n_categories == max(1, *map(max, rows)) + 1
    assert R == OutcomeMatrix(rows)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(tables(top=4), st.sampled_from([*FLOATS, "O"]), st.sampled_from(["omit", "fail"]), st.data())
def test_missing_marks(rows, dtype, missing, data):
    flat = [(a, j) for a, row in enumerate(rows) for j in range(len(row))]
    gone = data.draw(st.sets(st.sampled_from(flat), max_size=len(flat) - 1))
    kept = [[x for j, x in enumerate(row) if (a, j) not in gone] for a, row in enumerate(rows)]
    values = np.array(rows, dtype)
    for place in gone:
        values[place] = np.nan
    R = OutcomeMatrix(data.draw(layouts(values)), missing=missing)
    expected = kept if missing == "omit" else [[*row, *[0] * (len(rows[0]) - len(row))] for row in kept]
    assert R.counts.tolist() == plain_counts(expected, R.n_categories)
    assert R.planned == len(flat)
    if gone:
        first = min(gone)
        with pytest.raises(OutcomeError, match=rf"^R\[{first[0]}, {first[1]}\] is NaN"):
            OutcomeMatrix(values)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=12), st.data())
def test_ragged_and_masked(rows, data):
    width = max(map(len, rows))
    if not width:
        return
    R = OutcomeMatrix(rows, missing="omit")
    assert R.counts.tolist() == plain_counts(rows, R.n_categories)
    padded = np.ma.masked_all((len(rows), width), data.draw(st.sampled_from(["i1", "i8", "f4", "f8", "O"])))
    for a, row in enumerate(rows):
        padded[a, : len(row)] = row
    masked = OutcomeMatrix(padded)
    assert masked.counts.tolist() == R.counts.tolist()
    assert masked.planned == len(rows) * width


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.one_of(st.integers(), st.floats(), st.none(), st.text(), st.binary(), st.complex_numbers())))
)
def test_nonsense_is_an_error_and_sense_is_not(rows):
    try:
        R = OutcomeMatrix(rows)
    except OutcomeError:
        return
    assert R.counts.sum() == sum(map(len, rows))
    assert all(float(entry).is_integer() and entry >= 0 for row in rows for entry in row)


@settings(max_examples=60, deadline=None)
@given(tables(top=3, least=2), st.data())
def test_merging_what_was_split_gives_it_back(rows, data):
    cut = data.draw(st.integers(1, len(rows[0]) - 1))
    order = data.draw(st.permutations(range(len(rows))))
    left = OutcomeMatrix([row[:cut] for row in rows], questions=range(len(rows)))
    right = OutcomeMatrix([rows[a][cut:] for a in order], questions=order)
    whole = OutcomeMatrix(rows, questions=range(len(rows)))
    assert left.merge(right) == whole
    assert right.merge(left) == whole.select(order)
