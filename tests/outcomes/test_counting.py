"""Arrays in files, and of types that are converted: the counts of memory."""

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix, OutcomeSet

SHAPE = (3, 50, 40)


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


def test_too_many_categories_are_refused_as_in_memory(tmp_path):
    plain = np.zeros((3000, 2), np.int64)
    plain[-1, -1] = 60_000
    for array in (plain, mapped(tmp_path / "R.npy", plain)):
        with pytest.raises(OutcomeError, match=r"R\[2999, 1\] is 60000: above 0\.\."):
            OutcomeMatrix(array)


def test_numbers_beyond_double_precision_are_refused():
    large = np.longdouble(np.finfo(np.float64).max) * 4
    if not np.isfinite(large):
        pytest.skip("a long double is a double here")
    with pytest.raises(OutcomeError, match=r"R\[1\] is \d.*e\+30\d: above 0..65535"):
        OutcomeMatrix(np.array([1, large]))
