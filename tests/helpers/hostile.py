"""Hostile inputs of the constructors and the name reader, and what must hold whatever is thrown at them.

Each property takes its inputs to a sound object or to one of the two errors, nothing else. ``test_fuzz.py`` tries a
few hundred inputs of each, ``tools/fuzz.py`` a million.
"""

from __future__ import annotations

import array
import math
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from scorio import Looks, Metric, OutcomeError, OutcomeMatrix, ParameterError, PassAtK
from scorio.metrics import METRICS

NUMPY_S_OWN = ".*converting a masked element to nan"  # what numpy says of np.ma.masked in a list
REFUSED = (OutcomeError, ParameterError)
DTYPES = ["?", "i1", "u1", "i2", "i4", "i8", "u8", ">i4", "f2", "f4", "f8", ">f8", "g", "c16", "O", "S2", "U2", "M8[s]"]
HOSTILE = [
    *(-1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, math.nan, math.inf, -math.inf, 1e308, 5e-324, 1j),
    *("", "1", b"1", None, ..., object, np.ma.masked, np.float32(1), np.int8(-1), np.bool_(1)),
    *(Decimal(1), Decimal("NaN"), Decimal("sNaN"), Fraction(1, 2), Fraction(3), [], (), {}, {0: 1}, set(), range(3)),
    *(np.array(1), np.zeros(0), np.zeros((2, 0)), np.zeros((1, 2, 1)), np.zeros(2, "i4,f8")),
    *(array.array("d", [0, 1]), np.ma.masked_all((2, 2)), np.ma.array([[0, 7]], mask=[[0, 1]])),
    np.datetime64("NaT", "s"),
]

outcomes = st.integers(0, 3)
buffers = st.builds(lambda size: memoryview(bytearray(size)), st.integers(0, 3))
hostile = st.one_of(st.sampled_from(HOSTILE), st.integers(), st.floats(), st.text(max_size=3), buffers)
numbers = st.one_of(outcomes, outcomes, outcomes, hostile)
rows = st.lists(st.lists(outcomes, min_size=1, max_size=6), min_size=1, max_size=5)
odd_rows = st.lists(st.one_of(st.lists(numbers, max_size=5), numbers), max_size=5)
labels = st.one_of(st.none(), st.none(), st.lists(st.one_of(st.text(max_size=1), numbers), max_size=5), hostile)


@st.composite
def arrays(draw):
    """An array of any type, shape and layout, with arbitrary bits in it unless it holds objects."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    size = math.prod(shape)
    if dtype.hasobject:
        values = np.empty(size, dtype)
        values[:] = draw(st.lists(st.one_of(outcomes, st.none(), st.floats()), min_size=size, max_size=size))
    elif draw(st.booleans()):
        values = np.frombuffer(draw(st.binary(min_size=size * dtype.itemsize, max_size=size * dtype.itemsize)), dtype)
    else:
        values = np.array(draw(st.lists(outcomes, min_size=size, max_size=size)), np.int8).astype(dtype)
    values = values.reshape(shape)
    return values[..., :: draw(st.sampled_from([1, -1, 2]))].T if values.ndim and draw(st.booleans()) else values


tables = st.one_of(rows, odd_rows, arrays(), hostile)
amounts = st.one_of(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=5), numbers, arrays())
missing = st.one_of(st.sampled_from(["raise", "omit", "fail"]), st.sampled_from(["raise", "omit", "fail"]), hostile)


def sound(R):
    """What holds of every matrix that was let through."""
    assert R.counts.dtype == np.int64
    assert R.counts.shape == (R.n_questions, R.n_categories)
    assert R.counts.min() >= 0
    assert R.counts.sum() > 0
    assert 0 < R.completeness <= 1
    assert R == pickle.loads(pickle.dumps(R))
    assert hash(R) == hash(R.select(slice(None)))
    assert repr(R).startswith("OutcomeMatrix(")
    if R.is_pass_fail and R.prior_counts is None:
        mu, sigma, lo, hi = PassAtK(2).interval(R, prior="uniform")
        assert 0 <= lo <= mu <= hi <= 1
        assert sigma > 0


def outcome_matrix(values, prior, questions, clusters, missing):
    try:
        R = OutcomeMatrix(values, prior=prior, questions=questions, clusters=clusters, missing=missing)
    except REFUSED:
        return
    sound(R)


def from_counts(counts, trials, planned, levels):
    try:
        R = OutcomeMatrix.from_counts(counts, trials, planned=planned, levels=levels)
    except REFUSED:
        return
    sound(R)


def from_rewards(values, questions, clusters, missing):
    try:
        R = OutcomeMatrix.from_rewards(values, questions=questions, clusters=clusters, missing=missing)
    except REFUSED:
        return
    sound(R)
    levels = R.levels or (0.0, 1.0)
    assert len(levels) == R.n_categories
    assert list(levels) == sorted(set(levels))


def metric_name(text):
    try:
        metric = Metric.from_string(text)
    except REFUSED:
        return
    assert Metric.from_string(str(metric)) == metric
    assert type(metric) is METRICS[metric.name]


def interval_with_looks(metric, counts, trials, share, far, around):
    """An interval at any look has finite ends in order, or is refused."""
    R = OutcomeMatrix.from_counts([min(each, trials) for each in counts], trials)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            looks = Looks(**{"around" if around else "trials": trials * far}, share=share)
            interval = Metric.from_string(metric).interval(R, looks=looks)
        except REFUSED:
            return
    assert -1e-9 <= interval.lo <= interval.hi <= 1.0 + 1e-9


def perhaps(strategy):
    return st.one_of(st.none(), strategy)


ARGUMENTS = ["k=", "tau=", "w=", "weights=", "lam=", "pass_power=", "nan", "inf", "1e999", "²"]
PARTS = [*METRICS, *"@^:=,.+-_ e0189", *ARGUMENTS]
options = st.text("taulmwk=.,0159", max_size=9)
names = st.one_of(
    st.lists(st.sampled_from(PARTS), max_size=12).map("".join),
    st.builds("{}@{}:{}".format, st.sampled_from(list(METRICS)), st.integers(-1, 2**32), options),
    st.text(max_size=12),
    hostile,
)
ON_BINARY = ["pass@1", "pass@6", "passhat@3", "gpass@4:tau=0.5", "mgpass@4", "maj@3", "auc@4", "max@2", "avg", "bayes"]
PROPERTIES = {
    outcome_matrix: (tables, perhaps(tables), labels, labels, missing),
    from_counts: (amounts, perhaps(amounts), perhaps(amounts), labels),
    from_rewards: (tables, labels, labels, missing),
    metric_name: (names,),
    interval_with_looks: (
        st.sampled_from(ON_BINARY),
        st.lists(st.integers(0, 12), min_size=1, max_size=30),
        st.integers(1, 12),
        st.sampled_from([1, 3, 1000]),
        st.one_of(st.integers(1, 100), st.sampled_from([10**3, 10**5, 10**7, 10**9]), st.floats(1.0, 1e9)),
        st.booleans(),
    ),
}
