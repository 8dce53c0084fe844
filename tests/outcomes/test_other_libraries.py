"""Arrays of JAX and data sets of Hugging Face, with these libraries; skipped where they are not installed."""

import pytest

from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, PassAtK, compare, eval

TABLE = [[0, 1], [1, 1]]
ROWS = [
    {"model": model, "question": f"q{question}", "trial": trial, "correct": (question + trial) % 2}
    for model in "ab"
    for question in range(3)
    for trial in range(2)
]


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "bfloat16", "float32"])
def test_arrays_of_jax(dtype):
    numpy = pytest.importorskip("jax.numpy")
    array = numpy.array(TABLE).astype(dtype)
    assert OutcomeMatrix(array) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix(list(array)) == OutcomeMatrix(TABLE)
    assert OutcomeMatrix([list(row) for row in array]) == OutcomeMatrix(TABLE)
    assert PassAtK(2).score(array) == PassAtK(2).score(TABLE)
    assert compare("pass@1", array, array).difference == 0
    assert OutcomeSet(array[None])["model-0"] == OutcomeMatrix(TABLE)
    assert eval.pass_at_k(numpy.array([2, 2]), numpy.array([1, 2]), 2) == 1.0


def test_data_sets_of_hugging_face():
    datasets, pandas = pytest.importorskip("datasets"), pytest.importorskip("pandas")
    data, frame = datasets.Dataset.from_list(ROWS), pandas.DataFrame(ROWS)
    assert OutcomeSet(data) == OutcomeSet(frame)
    assert str(Leaderboard("pass@1", data)) == str(Leaderboard("pass@1", frame))
    some = data.shuffle(seed=1).select(range(8))
    names = {"model": "model", "question": "question", "outcome": "correct", "trial": "trial", "missing": "omit"}
    assert OutcomeSet.from_frame(some, **names) == OutcomeSet.from_frame(some.to_pandas(), **names)
    one = data.select(range(6))
    assert PassAtK(2).score(one) == PassAtK(2).score(frame[:6])
    stream = data.to_iterable_dataset()
    assert OutcomeSet(stream) == OutcomeSet(frame)
    assert OutcomeSet(stream.take(6)) == OutcomeSet(frame[:6])
