"""The counting kernels against plain enumeration."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter

import numpy as np
import pytest

from scorio._kernels.count_outcomes import scan
from scorio._kernels.distinct import distinct, distinct_rows, locate, sorted_states
from scorio._kernels.states import States

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def enumerated(rows, width):
    """Counts by looking at every entry."""
    table = [Counter(int(entry) for entry in row) for row in rows]
    return [[row[category] for category in range(width)] for row in table]


def random_outcomes(shape, categories=2, dtype="i8", seed=0):
    return np.random.default_rng(seed).integers(0, categories, shape).astype(dtype)


SHAPES = [(1, 1), (1, 7), (3, 8), (5, 31), (4, 256), (2, 2041), (3, 4097), (70, 65), (129, 3)]
SIZES = [(shape, 2) for shape in SHAPES] + [((7, 5000), width) for width in (3, 15, 16, 17, 18, 100, 127)]
SIZES += [((3, 900), top + 1) for top in (254, 255, 256, 257, 3000)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "categories"), SIZES)
def test_counts(dtype, shape, categories):
    if (dtype == "?" and categories > 2) or (np.dtype(dtype).itemsize == 1 and categories > 128):
        return  # what the type cannot hold
    values = random_outcomes(shape, categories, dtype)
    values[0] = values[0].astype(int) % 2
    values[-1, -1] = categories - 1
    counts, row = scan(values)
    assert row == -1
    assert counts.dtype == np.int64
    assert counts.tolist() == enumerated(values, categories)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fill", [0, 1])
def test_extreme_rows(dtype, fill):
    values = np.full((3, 10_007), fill, dtype)
    assert scan(values)[0].tolist() == [[10_007 * (1 - fill), 10_007 * fill]] * 3


def test_counts_widen_as_larger_categories_show_up():
    values = np.array([[a % 40, min(a, 90)] for a in range(200)])
    for array in (values, np.asfortranarray(values), values.astype("i1"), values.astype("f8")):
        assert scan(array)[0].tolist() == enumerated(values, 91)


LAYOUTS = {
    "fortran": np.asfortranarray,
    "every second column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "reversed": lambda x: x[::-1, ::-1],
    "reversed fortran": lambda x: np.asfortranarray(x)[::-1, ::-1],
    "one row for all": lambda x: np.broadcast_to(x[0], x.shape),
    "one column for all": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "one entry for all": lambda x: np.broadcast_to(x[1, 1], x.shape),
    "sliding windows": lambda x: np.lib.stride_tricks.sliding_window_view(x.ravel(), 9)[: len(x)],
    "half of a pair": lambda x: np.stack([x, x], axis=2)[:, :, 1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize(("shape", "categories"), [((130, 150), 2), ((3, 4099), 2), ((66, 70), 5)])
def test_layouts(layout, dtype, shape, categories):
    values = LAYOUTS[layout](random_outcomes(shape, 2 if dtype == "?" else categories, dtype))
    counts, _ = scan(values)
    assert counts.tolist() == enumerated(values, counts.shape[1])


def test_negative_zero_is_zero():
    assert scan(np.array([[-0.0, 1.0, -0.0]]))[0].tolist() == [[2, 1]]


WHOLE = [-1, -2, -128, -(2**15), 2**31, 2**32, 2**32 + 1, -(2**32), 2**52, 2**63, 2**63 + 1, -(2**63)]
REAL = [*map(float, WHOLE), 0.5, 1.5, -0.5, 0.999, 1e300, 1e-40, 5e-324, np.inf, -np.inf, np.nan]


def fits(entry, dtype):
    limits = np.iinfo(dtype)
    return limits.min <= entry <= limits.max


@pytest.mark.parametrize(
    ("dtype", "entry"),
    [(dtype, entry) for dtype in DTYPES[1:-2] for entry in WHOLE if fits(entry, dtype)]
    + [("f8", entry) for entry in REAL]
    + [("f4", entry) for entry in REAL if not 1e38 < abs(entry) < np.inf and entry != 5e-324],
)
def test_no_faulty_entry_is_counted(dtype, entry):
    values = random_outcomes((90, 40), dtype=dtype)
    values[77, 13] = entry
    assert values[77, 13] not in (0, 1)
    for array in (values, np.asfortranarray(values), values[:, ::-1]):
        counts, row = scan(array)
        assert counts is None
        assert 0 <= row <= 77


def test_signed_entries_stay_negative_when_categories_are_many():
    assert scan(np.array([[0, -1]], "i1"))[0] is None
    assert scan(np.array([[0, -1]], "i2"))[0] is None
    assert scan(np.array([[0, 255]], "u1"))[0][0, 255] == 1
    assert scan(np.array([[0, 65535]], "u2"))[0][0, 65535] == 1


def test_the_gil_is_released():
    endless = np.broadcast_to(np.int64(1), (4000, 100_000))
    events = []

    def count():
        events.append("started")
        scan(endless)
        events.append("done")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100.0)
    try:
        thread = threading.Thread(target=count)
        thread.start()
        deadline = time.monotonic() + 60.0
        while not events and time.monotonic() < deadline:
            time.sleep(0)
        seen = list(events)
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert seen == ["started"]


def described(states):
    return list(zip(states.trials.tolist(), states.successes.tolist(), states.multiplicity.tolist(), strict=True))


def expected_states(counts):
    occurs = Counter((int(row[0] + row[1]), int(row[1])) for row in counts)
    return [(*state, occurs[state]) for state in sorted(occurs)]


STATE_TABLES = {
    "uniform": lambda rng: np.stack([80 - (c := rng.integers(0, 81, 500)), c], axis=1),
    "one question": lambda rng: np.array([[3, 4]]),
    "one empty question": lambda rng: np.array([[0, 0], [1, 1]]),
    "ragged": lambda rng: rng.integers(0, 30, (2000, 2)),
    "far apart": lambda rng: rng.integers(0, 10**6, (300, 2)).repeat(2, axis=0),
    "more than four billion": lambda rng: rng.integers(0, 3, (40, 2)) * 2**50 + 1,
    "wider": lambda rng: np.hstack([rng.integers(0, 4, (50, 2)), np.zeros((50, 2), int)]),
}


@pytest.mark.parametrize("name", STATE_TABLES)
def test_states(name):
    counts = np.ascontiguousarray(STATE_TABLES[name](np.random.default_rng(3)), dtype=np.int64)
    states = distinct(counts)
    assert described(states) == expected_states(counts)
    assert described(sorted_states(counts)) == expected_states(counts)
    trials = counts[:, 0] + counts[:, 1]
    assert (states.min_trials, states.max_trials) == (trials.min(), trials.max())
    assert (states.n_questions, states.n_states) == (len(counts), len(expected_states(counts)))
    where = np.empty(len(counts), np.intp)
    locate(counts, states, where)
    assert states.successes[where].tolist() == counts[:, 1].tolist()
    assert states.trials[where].tolist() == trials.tolist()


def test_states_weigh_by_multiplicity():
    states = States(np.array([0, 2]), np.array([2, 2]), np.array([3, 1]))
    assert states.mean(np.array([1.0, 5.0])) == 2.0
    assert states.norm(np.array([1.0, 5.0])) == pytest.approx(28**0.5, rel=1e-15)
    assert states.norm(np.array([0.0, 0.0])) == 0.0
    assert states.norm(np.array([3e-200, 3e-200])) == pytest.approx(6e-200, rel=1e-15)
    with pytest.raises(ValueError, match="one value for each state or profile"):
        states.mean(np.zeros(3))
    with pytest.raises(ValueError, match="three arrays of one length"):
        States(np.array([0, 2]), np.array([2]), np.array([3, 1]))


@pytest.mark.parametrize(
    ("rows", "width", "top"), [(1, 2, 3), (1000, 3, 2), (1000, 3, 1000), (5000, 20, 2), (257, 4, 2)]
)
def test_distinct_rows(rows, width, top):
    counts = np.random.default_rng(4).integers(0, top, (rows, width))
    profiles, groups, index = distinct_rows(counts)
    occurs = Counter(map(tuple, counts.tolist()))
    assert profiles.flags.c_contiguous
    assert dict(zip(map(tuple, profiles.tolist()), groups.multiplicity.tolist(), strict=True)) == occurs
    assert len(profiles) == len(occurs)
    assert profiles[index].tolist() == counts.tolist()
    trials = profiles.sum(axis=1)
    assert (np.diff(trials) >= 0).all()
    assert (groups.n_questions, groups.min_trials, groups.max_trials) == (rows, trials.min(), trials.max())
    assert groups.mean(profiles[:, 0].copy()) == pytest.approx(counts[:, 0].mean(), rel=1e-12)
