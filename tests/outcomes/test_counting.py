"""Arrays in files, and of types that are converted: the counts of memory."""

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix, OutcomeSet

SHAPE = (3, 50, 40)


@pytest.mark.parametrize("top", range(2, 12))
@pytest.mark.parametrize("odd", [None, 0.5, 2.5, -1, np.nan, 6e-8, 1.001])
def test_categories_of_16_bits(top, odd):
    table = np.random.default_rng(top).integers(0, top, (60, 40)).astype(np.float16)
    if odd is not None:
        table[7, 3] = odd
    results = []
    for kind in (np.float16, np.float32):
        try:
            results.append(OutcomeMatrix(table.astype(kind), missing="omit"))
        except OutcomeError as error:
            results.append(str(error).partition(" is ")[0])  # each type prints numbers in its own way
    assert results[0] == results[1]
    assert isinstance(results[0], OutcomeMatrix) == (odd is None or odd != odd)


def mapped(path, tensor, mode="r"):
    np.save(path, tensor)
    return np.load(path, mmap_mode=mode)


def tensor(dtype="i1", categories=2, order="C"):
    return np.random.default_rng(0).integers(0, categories, SHAPE).astype(dtype, order=order)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize(
    ("dtype", "categories"), [("i1", 2), ("?", 2), ("i8", 5), ("f4", 3), (">i2", 3), ("f2", 2), ("f2", 5), (">f2", 2)]
)
def test_counts_are_those_of_memory(tmp_path, order, mode, dtype, categories):
    plain = tensor(dtype, categories, order)
    array = mapped(tmp_path / "R.npy", plain, mode)
    assert OutcomeSet(array) == OutcomeSet(plain)
    assert OutcomeMatrix(array[1]) == OutcomeMatrix(plain[1])
    assert OutcomeMatrix(array[:, ::-2, 7]) == OutcomeMatrix(plain[:, ::-2, 7])
    assert OutcomeSet(np.asarray(array), models="xyz") == OutcomeSet(plain, models="xyz")


def test_late_categories_widen_all_counts(tmp_path):
    plain = tensor()
    plain[2, -1, -1] = 7
    found = OutcomeSet(mapped(tmp_path / "R.npy", plain))
    assert found == OutcomeSet(plain)
    assert found.n_categories == 8


@pytest.mark.parametrize(("bad", "reason"), [(-1, "outcomes start at 0"), (np.nan, "a trial without an outcome")])
def test_faults_are_found_where_they_are(tmp_path, bad, reason):
    plain = tensor("f4")
    plain[1, 43, 2] = bad
    array = mapped(tmp_path / "R.npy", plain)
    with pytest.raises(OutcomeError, match=rf"R\[43, 2\] is .*{reason}"):
        OutcomeMatrix(array[1])
    with pytest.raises(OutcomeError, match=rf"model-1: R\[43, 2\] is .*{reason}"):
        OutcomeSet(array)


def test_too_many_categories_are_refused_as_in_memory(tmp_path):
    plain = np.zeros((3000, 2), np.int64)
    plain[-1, -1] = 60_000
    for array in (plain, mapped(tmp_path / "R.npy", plain)):
        with pytest.raises(OutcomeError, match=r"R\[2999, 1\] is 60000: above 0\.\."):
            OutcomeMatrix(array)


@pytest.mark.parametrize("mode", ["c", "r+"])
def test_changes_are_kept(tmp_path, mode):
    array = mapped(tmp_path / "R.npy", np.zeros((100, 40), np.int8), mode)
    array[:, 0] = 1
    assert OutcomeMatrix(array).successes.tolist() == [1] * 100
    assert array[:, 0].all()


def test_numbers_beyond_double_precision_are_refused():
    large = np.longdouble(np.finfo(np.float64).max) * 4
    if not np.isfinite(large):
        pytest.skip("a long double is a double here")
    with pytest.raises(OutcomeError, match=r"R\[1\] is \d.*e\+30\d: above 0..65535"):
        OutcomeMatrix(np.array([1, large]))
