"""Files read side by side: the same outcomes, the same errors."""

import pytest

import scorio
from helpers.written import write_table
from scorio import OutcomeError
from scorio.io import recognise

joblib = pytest.importorskip("joblib")


@pytest.fixture
def folder(tmp_path):
    """Five files of three models, and one that is something else."""
    for shard in range(5):
        cells = [(f"m{model}", f"q{q}", shard, (model + q + shard) % 2) for model in range(3) for q in range(9)]
        write_table(tmp_path / f"{shard}.csv", ["model", "question", "trial", "correct"], cells)
    (tmp_path / "notes.txt").write_text("just words")
    return tmp_path


@pytest.mark.parametrize("n_jobs", [1, 2, 5, -1])
def test_any_number_of_jobs(folder, n_jobs):
    assert scorio.read(folder, n_jobs=n_jobs) == scorio.read(folder)
    assert str(recognise(folder, n_jobs=n_jobs)) == str(recognise(folder))


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_any_backend_of_joblib(folder, backend):
    alone = scorio.read(folder)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert scorio.read(folder) == alone


def test_errors_name_the_file(folder):
    (folder / "3.csv").write_text("model,question,trial,correct\nm1,q3,4,maybe\n")
    for n_jobs in (None, 3):
        with pytest.raises(OutcomeError, match=r"3\.csv: line 2: 'maybe' is not an outcome"):
            scorio.read(folder, n_jobs=n_jobs)


def test_tables_of_unknown_columns_are_told_as_alone(folder):
    (folder / "other.csv").write_text("a,b\n1,2\n")
    for source in (folder, [folder / "0.csv", folder / "other.csv"]):
        with pytest.raises(OutcomeError) as alone:
            scorio.read(source)
        with pytest.raises(OutcomeError) as together:
            scorio.read(source, n_jobs=2)
        assert str(together.value) == str(alone.value)
