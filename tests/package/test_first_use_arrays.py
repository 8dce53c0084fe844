"""Frames and arrays of other libraries as a new user passes them: every one is taken as it is."""

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeError, OutcomeMatrix, OutcomeSet

TABLE = [[0, 1], [1, 1]]
WIDE = {"question": ["q1", "q2"], "t1": [0, 1], "t2": [1, 1]}
LONG = {"problem": ["q1", "q2", "q1", "q2"], "passed": [0, 1, 1, 1]}
SET = {"model": ["a"] * 4 + ["b"] * 4, "problem": LONG["problem"] * 2, "passed": LONG["passed"] * 2}
LABELED = OutcomeMatrix(TABLE, questions=["q1", "q2"])


def frames(columns):
    """The same table in several libraries."""
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    pytest.importorskip("narwhals")
    yield pandas.DataFrame(columns)
    yield polars.DataFrame(columns)
    yield polars.LazyFrame(columns)
    yield arrow.table(columns)
    kinds = [(name, "U5" if isinstance(values[0], str) else int) for name, values in columns.items()]
    yield np.array(list(zip(*columns.values(), strict=True)), kinds)


def test_frames_with_a_column_of_questions():
    for frame in [*frames(WIDE), *frames(LONG)]:
        assert OutcomeMatrix(frame) == LABELED
    for frame in frames(SET):
        assert OutcomeSet(frame) == OutcomeSet({"a": LABELED, "b": LABELED})
        assert Leaderboard("pass@1", frame).models == ("a", "b")
    for frame in frames({"model": ["a", "a", "b", "b"]} | {name: column * 2 for name, column in WIDE.items()}):
        assert OutcomeSet(frame) == OutcomeSet({"a": LABELED, "b": LABELED})


def test_pandas_frames_with_an_index_of_questions():
    pandas = pytest.importorskip("pandas")
    index = pandas.Index(["q1", "q2"])
    assert OutcomeMatrix(pandas.DataFrame(TABLE, index=index)) == LABELED
    assert OutcomeMatrix(pandas.DataFrame(TABLE, index=index).astype("Int64")) == LABELED
    assert OutcomeMatrix(pandas.DataFrame({"passed": LONG["passed"]}, index=LONG["problem"])) == LABELED
    assert OutcomeMatrix(pandas.DataFrame(TABLE)) == OutcomeMatrix(TABLE)
    single = OutcomeMatrix.from_single_run(pandas.Series([True, False], index=index))
    assert (single.successes.tolist(), single.questions) == ([1, 0], ("q1", "q2"))
    assert OutcomeSet({"a": pandas.DataFrame(WIDE), "b": pandas.DataFrame(LONG)})["b"] == LABELED
    twice = pandas.DataFrame([[0, 1]], columns=["t", "t"])
    with pytest.raises(OutcomeError, match="two columns of the data frame have one name"):
        OutcomeMatrix(twice)


def test_the_axes_of_pivoted_frames_say_what_they_hold():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    rows = [(model, f"q{q}", trial, rng.integers(2)) for model in "ab" for q in range(4) for trial in range(3)]
    long = pandas.DataFrame(rows, columns=["model", "question", "trial", "correct"])
    models, first = OutcomeSet(long), long[long.trial == 0]
    pivot = first.pivot(index="question", columns="model", values="correct")
    trials = long[long.model == "a"].pivot(index="trial", columns="question", values="correct")
    for frame in (pivot, pivot.T, pivot.T.rename_axis(columns=None)):
        assert OutcomeSet(frame) == OutcomeSet(first)
        assert Leaderboard("pass@1", frame).models == ("a", "b")
        with pytest.raises(OutcomeError, match="the table holds several models, 'a', 'b'"):
            OutcomeMatrix(frame)
    for frame in (trials, trials.T, trials.rename_axis(columns=None)):
        assert OutcomeMatrix(frame) == models["a"]
    for values in ("correct", ["correct"]):
        wide = long.pivot(index="question", columns=["model", "trial"], values=values)
        assert OutcomeSet(wide) == models
    assert OutcomeSet(long.set_index(["model", "question", "trial"]).correct) == models
    with pytest.raises(OutcomeError, match=r"levels of frame.columns have no name: None, None: name each"):
        OutcomeSet.from_frame(wide["correct"].rename_axis(columns=[None, None]))
    with pytest.raises(OutcomeError, match="no column of outcomes was found; the columns are 'sum', 'count'"):
        OutcomeSet(long.groupby(["model", "question"]).correct.agg(["sum", "count"]))
    assert all(OutcomeSet(long.set_index(names)) == models for names in ("model", "question", ["model", "question"]))
    for frame in (pivot, pivot.rename_axis(columns=None), pivot.reset_index()):
        assert OutcomeSet(frame, models=["b"])["b"] == OutcomeSet(first)["b"]
    with pytest.raises(OutcomeError, match="unknown model 'c'"):
        OutcomeSet(pivot, models=["b", "c"])


@pytest.mark.parametrize("name", ["q", "Unnamed: 0"])
def test_a_column_that_numbers_the_questions_is_no_trial(name):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(OutcomeError, match="is there twice|no column of questions"):
        OutcomeMatrix(pandas.DataFrame({name: [0, 1, 1], "r1": [1, 0, 1], "r2": [0, 0, 1]}))


def test_words_and_nulls_in_frames():
    for frame in frames({"id": ["q1", "q1", "q2"], "grade": ["pass", "fail", "pass"]}):
        assert OutcomeMatrix(frame).successes.tolist() == [1, 1]
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": ["q1", "q2"], "run_1": [1, 0], "run_2": [None, 1]})
    assert OutcomeMatrix(frame, missing="omit").trials.tolist() == [1, 2]


def test_arrow_columns():
    arrow = pytest.importorskip("pyarrow")
    assert OutcomeMatrix(arrow.array(TABLE)) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix(arrow.chunked_array([[[0, 1]], [[1, 1, 0]]])).trials.tolist() == [2, 3]
    assert OutcomeMatrix([arrow.array([True, False, None])], missing="omit").trials.tolist() == [2]
    assert OutcomeMatrix.from_single_run(arrow.array(["C", "I"])).successes.tolist() == [1, 0]

    class Column:
        """What speaks Arrow's protocol only."""

        def __arrow_c_array__(self, requested_schema=None):
            return arrow.array(TABLE).__arrow_c_array__(requested_schema)

    assert OutcomeMatrix(Column()) == OutcomeMatrix(TABLE)


class OnDevice:
    """An array on another device: numpy cannot read it, and it says so as PyTorch does."""

    def __init__(self, values):
        self.values = np.array(values)

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


class Tensor(OnDevice):
    dtype = "torch.int64"

    def detach(self):
        return self

    def cpu(self):
        return self.values


class CuPy(OnDevice):
    __cuda_array_interface__ = {"version": 3}

    def get(self):
        return self.values


class Numba(OnDevice):
    __cuda_array_interface__ = {"version": 3}

    def copy_to_host(self):
        return self.values


class OnHost:
    """What speaks DLPack only."""

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class DLPackOnDevice(OnHost):
    """What copies itself to the processor if it is told to."""

    def __dlpack__(self, *, dl_device=None, copy=None, **options):
        if dl_device != (1, 0) or not copy:
            raise BufferError("it is on a GPU")
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.parametrize("kind", [Tensor, CuPy, Numba, OnHost, DLPackOnDevice])
def test_arrays_on_other_devices_are_copied(kind):
    if kind is DLPackOnDevice and tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
        pytest.skip("numpy copies from devices since 2.1")
    assert OutcomeMatrix(kind(TABLE)) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix([kind([0, 1]), kind([1, 1])]) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix.from_rewards(kind([[0.5, 1.0]])).levels == (0.5, 1.0)
    assert OutcomeSet(kind([TABLE]))["model-0"] == OutcomeMatrix(TABLE)
    assert OutcomeMatrix.from_counts(kind([1, 2]), 2) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix.from_single_run(kind([1, 0])).successes.tolist() == [1, 0]


def test_what_cannot_be_copied_is_named():
    class Lost(Tensor):
        def cpu(self):
            raise RuntimeError("the device is gone")

    with pytest.raises(OutcomeError, match="a Lost cannot be copied to a numpy array: the device is gone: convert it"):
        OutcomeMatrix(Lost(TABLE))


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_types_of_ml_dtypes(dtype):
    kinds = pytest.importorskip("ml_dtypes")
    assert OutcomeMatrix(np.array(TABLE, getattr(kinds, dtype))) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix.from_rewards(np.array([[0.5, 1.0]], getattr(kinds, dtype))).levels == (0.5, 1.0)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "bfloat16", "float8_e4m3fn", "float32"])
def test_tensors_of_pytorch(dtype):
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(TABLE).to(getattr(torch, dtype))
    assert OutcomeMatrix(tensor) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix(list(tensor)) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix([list(row) for row in tensor]) == OutcomeMatrix(TABLE)
    if tensor.dtype.is_floating_point and tensor.dtype.itemsize > 1:
        assert OutcomeMatrix(tensor.requires_grad_()) == OutcomeMatrix(TABLE)
        assert OutcomeMatrix([list(row) for row in tensor.requires_grad_()]) == OutcomeMatrix(TABLE)
