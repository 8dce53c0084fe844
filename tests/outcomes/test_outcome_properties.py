"""OutcomeMatrix on random dtypes, layouts, gaps and faults, against plain enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio.errors import OutcomeError
from scorio.outcomes import OutcomeMatrix

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
    tables(top=3),
    st.sampled_from(["i1", "i8", "f2", "f4", "f8", "g", ">i4", "O"]),
    st.sampled_from([-1, -77, 4, 99]),
    st.data(),
)
def test_a_fault_anywhere_is_found(rows, dtype, fault, data):
    a = data.draw(st.integers(0, len(rows) - 1))
    j = data.draw(st.integers(0, len(rows[0]) - 1))
    values = np.array(rows, dtype)
    values[a, j] = fault
    with pytest.raises(OutcomeError, match=rf"^R\[{a}, {j}\] is {fault}(\.0)?: "):
        OutcomeMatrix(data.draw(layouts(values)), categories=4)


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
    left = OutcomeMatrix([row[:cut] for row in rows], questions=range(len(rows)), categories=4)
    right = OutcomeMatrix([rows[a][cut:] for a in order], questions=order, categories=4)
    whole = OutcomeMatrix(rows, questions=range(len(rows)), categories=4)
    assert left.merge(right) == whole
    assert right.merge(left) == whole.select(order)
