"""Saved counts: what comes back is what was saved, from files of this and of every earlier version."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from helpers.saved_counts import METADATA, examples, sets, write_examples
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, RewardMatrix, SavedCounts, Suite, read
from scorio.outcomes._saved_layout import narrow

FIXTURES = Path(__file__).parent / "saved_v1"


def needs(ending):
    if ending == "parquet":
        pytest.importorskip("duckdb")


def parts_of(outcomes):
    """Everything that a matrix holds, also what equality leaves out."""
    for models in outcomes.values() if isinstance(outcomes, Suite) else [outcomes]:
        for name, matrix in models.items():
            numbers = [matrix.planned_trials, matrix.trials]
            if isinstance(matrix, RewardMatrix):
                summary = matrix._summary
                numbers += [summary.mean, summary.squares, summary.cubes]
                numbers += [] if summary.values is None else [summary.values]
            else:
                numbers += [matrix.counts] + ([] if matrix.prior_counts is None else [matrix.prior_counts])
            labels = [matrix.questions, matrix.clusters, matrix.levels, matrix.is_adaptive]
            yield name, [each.tolist() for each in numbers], labels, getattr(matrix, "support", None)


def same(one, other):
    return one == other and repr(list(parts_of(one))) == repr(list(parts_of(other)))


@pytest.mark.parametrize("ending", ["npz", "parquet"])
@pytest.mark.parametrize("name", examples())
def test_everything_comes_back(name, ending, tmp_path):
    needs(ending)
    outcomes = examples()[name]
    outcomes.save(tmp_path / f"counts.{ending}")
    assert same(type(outcomes).load(tmp_path / f"counts.{ending}"), outcomes)


@pytest.mark.slow
@given(sets())
def test_any_outcomes_come_back(outcomes):
    saved = SavedCounts(outcomes)
    assert same(SavedCounts.from_bytes(saved.to_bytes()).outcomes, outcomes)
    assert pickle.loads(pickle.dumps(saved)) == saved


@pytest.mark.parametrize("ending", ["npz", "parquet"])
@pytest.mark.parametrize("name", examples())
def test_files_of_version_1_are_read_for_ever(name, ending):
    """These files are never written again: a later layout reads them, or users lose their counts."""
    needs(ending)
    saved = SavedCounts.load(FIXTURES / f"{name}.{ending}")
    assert same(saved.outcomes, examples()[name])
    assert list(saved.parts) == [f"part {name}"]
    assert saved.metadata == (METADATA if name in ("binary", "suite") else {})


def test_equal_outcomes_are_equal_bytes(tmp_path):
    write_examples(tmp_path) if pytest.importorskip("duckdb") else None
    for path in FIXTURES.glob("*.npz"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_numpy_reads_the_arrays(tmp_path):
    examples()["binary"].save(tmp_path / "counts.npz")
    with np.load(tmp_path / "counts.npz", allow_pickle=False) as arrays:
        assert arrays["0/counts"].tolist() == [[[1, 1], [0, 2], [2, 0]], [[0, 2], [1, 1], [1, 1]]]
        assert arrays["scorio.json"].startswith(b'{"format":"scorio saved counts","version":1,')


def test_duckdb_reads_the_table(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "counts.parquet"
    examples()["suite"].save(path)
    query = (
        f"SELECT task, model, question, trials, count_0, mean FROM '{path}' WHERE model IN ('b', 'kept') ORDER BY 1, 3"
    )
    assert duckdb.sql(query).fetchall() == [
        ("x", "b", "q1", 2, 0, None),
        ("x", "b", "q2", 2, 1, None),
        ("x", "b", "q3", 2, 1, None),
        ("y", "kept", "r1", 3, None, pytest.approx(1.375 / 3)),
        ("y", "kept", "r2", 1, None, 0.25),
    ]


def test_trials_beyond_the_narrow_types(tmp_path):
    matrix = OutcomeMatrix.from_counts([[2**32, 1], [0, 2**53]])
    OutcomeSet({"a": matrix}).save(tmp_path / "counts.npz")
    assert OutcomeSet.load(tmp_path / "counts.npz")["a"] == matrix
    assert [narrow(np.array([top])).dtype.itemsize for top in (255, 256, 65535, 65536, 2**32 - 1, 2**32)] == [
        1,
        2,
        2,
        4,
        4,
        8,
    ]


@pytest.mark.parametrize(
    ("label", "message"),
    [(b"x", "a bytes, which cannot be saved"), (float("inf"), "cannot be saved"), (1j, "a complex")],
)
def test_labels_that_json_cannot_hold_are_refused(label, message, tmp_path):
    with pytest.raises(OutcomeError, match=message):
        OutcomeSet({"a": [[1]]}, questions=[label]).save(tmp_path / "counts.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "metadata",
    [
        {"z": {}},
        {"a": 1},
        {"a": {"x": object()}},
        {"a": {"x": float("nan")}},
        {"a": {1: 2}},
        {"a": {"costs": {"usd": "1"}}},
    ],
)
def test_metadata_that_json_cannot_hold_is_refused(metadata):
    with pytest.raises(ParameterError, match="^metadata "):
        SavedCounts(OutcomeSet({"a": [[1]]}), metadata=metadata)


def test_files_are_named_by_their_kind(tmp_path):
    outcomes = OutcomeSet({"a": [[1]]})
    with pytest.raises(ParameterError, match=r"path must end with .npz or .parquet"):
        outcomes.save(tmp_path / "counts.csv")
    with pytest.raises(FileNotFoundError, match="no such file"):
        OutcomeSet.load(tmp_path / "counts.npz")
    with pytest.raises(ParameterError, match="path must be the name of a file"):
        outcomes.save(3)
    with pytest.raises(ParameterError, match="outcomes must be an OutcomeSet or a Suite"):
        SavedCounts([[1]])


def test_a_set_and_a_suite_are_told_apart(tmp_path):
    outcomes = examples()
    outcomes["suite"].save(tmp_path / "suite.npz")
    outcomes["one"].save(tmp_path / "set.npz")
    with pytest.raises(OutcomeError, match=r"several tasks.*scorio.Suite.load"):
        OutcomeSet.load(tmp_path / "suite.npz")
    with pytest.raises(OutcomeError, match=r"without tasks.*scorio.OutcomeSet.load"):
        Suite.load(tmp_path / "set.npz")


def test_a_newer_layout_is_refused_with_a_way_out(tmp_path):
    path = tmp_path / "counts.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("scorio.json", '{"format": "scorio saved counts", "version": 3}')
    with pytest.raises(OutcomeError, match="layout 3 was written by a newer scorio.*pip install -U scorio"):
        OutcomeSet.load(path)


def outcome_of(content, truth):
    """Read bytes: they hold the truth, or are refused in one line."""
    try:
        assert same(SavedCounts.from_bytes(content).outcomes, truth)
    except OutcomeError as error:
        assert "\n" not in str(error)
        return 1
    return 0


@pytest.mark.parametrize("name", ["one", "ragged", "continuous"])
def test_no_changed_byte_changes_a_number(name):
    """Every byte of a file, one by one, and every place where it may be cut off."""
    truth = examples()[name]
    content = SavedCounts(truth).to_bytes()
    changed = [bytes([*content[:i], content[i] ^ 0x55, *content[i + 1 :]]) for i in range(len(content))]
    assert sum(outcome_of(each, truth) for each in changed) > len(content) // 2
    assert all(outcome_of(content[:end], truth) for end in range(0, len(content), 7))


@pytest.mark.slow
def test_no_changed_byte_of_parquet_changes_a_number(tmp_path):
    pytest.importorskip("duckdb")
    path, truth = tmp_path / "counts.parquet", examples()["ragged"]
    truth.save(path)
    content, refused = path.read_bytes(), 0
    for i in range(0, len(content), 53):
        path.write_bytes(bytes([*content[:i], content[i] ^ 0x55, *content[i + 1 :]]))
        try:
            assert same(OutcomeSet.load(path), truth)
        except OutcomeError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > len(content) // 212


def test_an_array_that_was_exchanged_is_refused(tmp_path):
    path, other = tmp_path / "counts.npz", tmp_path / "other.npz"
    examples()["binary"].save(path)
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as changed:
        for name in archive.namelist():
            content = archive.read(name)
            changed.writestr(name, content[:-2] + b"\2\0" if name == "0/counts.npy" else content)
    assert OutcomeSet.load(path) == examples()["binary"]
    for load in (OutcomeSet.load, read):
        with pytest.raises(
            OutcomeError, match="the saved counts are damaged: the counts are not those that were saved"
        ):
            load(other)
