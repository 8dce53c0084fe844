"""Tensors of outcomes in npz and npy files."""

import pickle

import numpy as np
import pytest

from helpers.written import refused
from scorio import read

TENSOR = np.array([[[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [1, 1, 1]]])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"R": TENSOR[0]},
            r"one numeric tensor models x questions x trials was expected; 0 are there: R \(\d+, \d+\) int",
        ),
        ({"R": TENSOR, "S": TENSOR}, "2 are there: R .*, S "),
        ({"R": np.zeros((2, 0, 3))}, r"the tensor is empty: its shape is \(2, 0, 3\)"),
        ({"R": TENSOR - 1}, r"model-0: R\[0, 2\] is -1: outcomes start at 0"),
        ({"R": TENSOR + np.inf}, "model-0: an outcome is infinite"),
        ({"R": TENSOR, "models": ["a"]}, "models must be 2 different names; there are 1"),
        ({"R": TENSOR, "questions": ["x", "x"]}, "questions must be 2 different names; there are 1"),
        ({"R": TENSOR, "models": np.array(["a", None], object)}, "models: not an array of plain numbers or text"),
    ],
)
def test_faults_are_named(tmp_path, arrays, message):
    np.savez(tmp_path / "t.npz", **arrays)
    refused(tmp_path / "t.npz", f"t.npz: .*{message}")


class Trap:
    def __reduce__(self):
        return open, ("trap.txt", "w")


def test_pickles_are_not_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save(tmp_path / "t.npy", np.array([Trap()], object), allow_pickle=True)
    refused(tmp_path / "t.npy", "not an array of plain numbers or text")
    (tmp_path / "p.npz").write_bytes(pickle.dumps(Trap()))
    refused(tmp_path / "p.npz", "no known format")
    assert not (tmp_path / "trap.txt").exists()


def test_a_tensor_that_ends_early(tmp_path):
    np.save(tmp_path / "t.npy", TENSOR)
    (tmp_path / "t.npy").write_bytes((tmp_path / "t.npy").read_bytes()[:-5])
    refused(tmp_path / "t.npy", "not an array")


def test_a_tensor_of_one_model_is_that_of_the_file(tmp_path):
    for i, name in enumerate(("gpt.npy", "claude.npy")):
        np.save(tmp_path / name, TENSOR[i : i + 1])
    outcomes = read(tmp_path)
    assert outcomes.models == ("claude", "gpt")
    assert outcomes["gpt"].counts.tolist() == [[1, 2], [3, 0]]


def test_models_that_two_files_only_number_are_not_added_up(tmp_path):
    np.save(tmp_path / "monday.npy", TENSOR)
    np.savez(tmp_path / "tuesday.npz", R=1 - TENSOR)
    refused(tmp_path, r"tuesday.npz has no names of its models, and .*monday.npy has a 'model-0' as")
    np.savez(tmp_path / "tuesday.npz", R=1 - TENSOR, models=["c", "d"])
    assert sorted(read(tmp_path)) == ["c", "d", "model-0", "model-1"]
    refused(tmp_path / "monday.npy", "is a name for one model", model="m")
