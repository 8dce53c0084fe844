"""Tensors of outcomes and saved counts in npz and npy files, alone and beside logs."""

import pickle

import numpy as np
import pytest

from helpers.saved_counts import examples
from helpers.written import refused
from scorio import OutcomeMatrix, OutcomeSet, read
from scorio.errors import AxesWarning
from scorio.io import recognise
from scorio.outcomes import SavedCounts

TENSOR = np.array([[[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [1, 1, 1]]])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"R": TENSOR[0, 0]},
            r"one numeric array models x questions x trials, .* was expected; 0 are there: R \(\d+,\) int",
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


def test_a_table_is_questions_by_trials_of_one_model(tmp_path):
    rates = np.random.default_rng(1).random(200)
    solved = (np.random.default_rng(0).random((8, 200)) < rates).astype(int)
    np.save(tmp_path / "mine.npy", solved.T)
    assert read(tmp_path / "mine.npy")["mine"].successes.tolist() == solved.sum(axis=0).tolist()
    np.savez(tmp_path / "named.npz", R=solved, questions=list("abcdefgh"))
    assert read(tmp_path / "named.npz")["named"].questions == tuple("abcdefgh")
    np.save(tmp_path / "swapped.npy", solved)
    with pytest.warns(AxesWarning, match="8 questions with up to 200 trials each: if the rows are trials, transpose"):
        read(tmp_path / "swapped.npy")


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


# Saved counts: nothing is lost, and nothing counts twice.


ROWS = "model,question,trial,correct\na,q1,1,1\na,q3,2,0\na,q1,3,\n"


@pytest.mark.parametrize("name", [name for name in examples() if name != "suite"])
def test_a_file_reads_as_it_was_saved(name, tmp_path):
    path = tmp_path / "counts.npz"
    examples()[name].save(path)
    assert read(path) == examples()[name]
    assert [source.format for source in recognise(path).sources] == ["saved-counts"] * len(examples()[name])


def saved(folder, rows, part, **options):
    outcomes = OutcomeSet({"a": OutcomeMatrix(rows, missing="omit"), "b": OutcomeMatrix(rows, missing="omit")})
    SavedCounts(outcomes, part=part, **options).save(folder / f"{part}.npz")
    return folder / f"{part}.npz"


def test_logs_add_up_with_saved_counts(tmp_path):
    counts, log = saved(tmp_path, {"q1": [0, 1], "q2": [1, None]}, "night"), tmp_path / "day.csv"
    log.write_text(ROWS)
    outcomes = read([counts, log])
    assert outcomes.questions == ("q1", "q2", "q3")
    assert outcomes["a"].counts.tolist() == [[1, 2], [0, 1], [1, 0]]
    assert outcomes["a"].planned_trials.tolist() == [4, 2, 1]
    assert outcomes["b"].planned_trials.tolist() == [2, 2, 2]  # a question that was not asked, as for logs
    failed = read([counts, log], missing="fail")
    assert failed["a"].counts.tolist() == [[2, 2], [1, 1], [1, 0]]
    assert failed["b"].counts.tolist() == [[1, 1], [1, 1], [2, 0]]
    assert failed["a"].completeness == failed["b"].completeness == 1.0
    refused(counts, "1 trial of question 'q2' of 'a' has no outcome", missing="raise")


def test_the_same_trials_as_logs_and_as_counts(tmp_path):
    """Reading logs of two nights is reading the counts of both, in every order."""
    nights = []
    for night in (1, 2):
        log = tmp_path / f"{night}.csv"
        rows = [f"m{m},q{q},{night},{(m * q + night) % 3 / 2}\n" for m in range(3) for q in range(4)]
        log.write_text("model,question,trial,reward\n" + "".join(rows))
        read(log).save(tmp_path / f"{night}.npz", part=f"night {night}")
        nights.append((log, tmp_path / f"{night}.npz"))
    truth = read([log for log, _ in nights])
    (log_1, counts_1), (log_2, counts_2) = nights
    for sources in ([counts_1, counts_2], [counts_2, counts_1], [counts_1, log_2], [log_1, counts_2]):
        assert read(sources) == truth


def test_no_part_counts_twice(tmp_path):
    first, second = saved(tmp_path, [[0, 1]], "one"), saved(tmp_path, [[1, 1]], "two")
    merged = tmp_path / "merged.npz"
    SavedCounts.load(first).merge(second).save(merged)
    assert read([first, second])["a"].counts.tolist() == [[1, 3]]
    refused([first, merged], "both files hold the part 'one' of 'a': read only one of them")
    alone = tmp_path / "alone.npz"
    SavedCounts(OutcomeSet({"a": [[0, 1]]}), part="one").save(alone)
    assert list(read([first, alone], model={str(alone): "other"})) == ["a", "b", "other"]
