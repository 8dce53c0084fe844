"""The same seed gives the same replicates: any number of jobs, threads, processes, a cluster; progress; no joblib."""

import os
import subprocess
import sys

import numpy as np
import pytest

import scorio
from scorio import AvgMetric, simulate
from scorio._base.jobs import Progress, run
from scorio.curves import analyze_convergence

joblib = pytest.importorskip("joblib")
WORLD = simulate.coins(simulate.rates([0.0, 0.3, 0.6], 12, rng=0), 16, rng=1)
METRICS = ["avg", "pass@2", "geomds@2"]


def said(**options):
    """All that convergence says, to the last bit."""
    found = analyze_convergence(METRICS, WORLD.outcomes, **{"replicates": 150, "rng": 7} | options)
    return [each.tau.tobytes() + each.converged.tobytes() for each in found.values()]


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_any_number_of_jobs(n_jobs):
    assert said(n_jobs=n_jobs) == said()


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_any_backend_of_joblib(backend):
    expected = said()
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert said() == expected


def test_more_replicates_begin_with_the_same():
    few, many = (analyze_convergence("avg", WORLD.outcomes, replicates=count, rng=7)["avg"] for count in (41, 150))
    np.testing.assert_array_equal(few.tau, many.tau[:41])
    assert few.converged.tolist() == many.converged[:41].tolist()


def test_more_metrics_change_nothing():
    alone = analyze_convergence("pass@2", WORLD.outcomes, replicates=64, rng=7)["pass@2"]
    among = analyze_convergence(METRICS, WORLD.outcomes, replicates=64, rng=7)["pass@2"]
    np.testing.assert_array_equal(alone.tau, among.tau)


def test_seeds():
    assert said(rng=8) != said() == said(rng=np.int64(7))
    assert said(rng=np.random.default_rng(7)) == said(rng=np.random.default_rng(7)) != said()
    drawn = analyze_convergence("avg", WORLD.outcomes, replicates=40)["avg"]
    again = analyze_convergence("avg", WORLD.outcomes, replicates=40, rng=drawn.seed)["avg"]
    np.testing.assert_array_equal(drawn.tau, again.tau)
    assert drawn.seed != analyze_convergence("avg", WORLD.outcomes, replicates=1)["avg"].seed


def test_every_chunk_has_replicates_of_its_own():
    found = analyze_convergence("avg", WORLD.outcomes, replicates=320, rng=0)["avg"]
    assert len({chunk.tobytes() for chunk in np.split(found.tau, 10)}) == 10


def test_an_error_in_a_job_comes_out():
    for n_jobs in (None, 2):
        with pytest.raises(ZeroDivisionError):
            run([(1, 0)], divmod, n_jobs, Progress("work", 1, enabled=False))


WITHOUT_JOBLIB = """
import sys
class NoJoblib:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "joblib":
            raise ImportError(name)
sys.meta_path.insert(0, NoJoblib())
from scorio.curves import analyze_convergence
print(analyze_convergence("avg", [[[1, 0]], [[1, 1]]], replicates=3, rng=0)["avg"].replicates)
try:
    analyze_convergence("avg", [[[1, 0]], [[1, 1]]], replicates=3, rng=0, n_jobs=2)
except ImportError as error:
    print(error)
"""


def test_one_job_needs_no_joblib():
    done = subprocess.run([sys.executable, "-c", WITHOUT_JOBLIB], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["3", "n_jobs=2 needs joblib: pip install joblib"]


@pytest.fixture
def two_workers():
    """A Dask cluster of two processes, which joblib uses."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        yield client


@pytest.mark.dask
def test_two_worker_processes_of_a_cluster(two_workers):
    assert len({os.getpid(), *two_workers.run(os.getpid).values()}) == 3
    with joblib.parallel_config(backend="sequential"):
        expected = said()
    assert said() == expected


@pytest.mark.slow
@pytest.mark.dask
def test_files_are_read_by_worker_processes_as_by_one(two_workers, tmp_path):
    for shard, outcomes in enumerate(np.random.default_rng(1).integers(0, 2, (8, 4000))):
        rows = (f"m{i % 4},q{i // 4 % 100},{10 * shard + i // 400},{outcome}" for i, outcome in enumerate(outcomes))
        (tmp_path / f"{shard}.csv").write_text("\n".join(["model,question,trial,correct", *rows]))
    with joblib.parallel_config(backend="sequential"):
        alone = scorio.read(tmp_path)
    assert alone["m0"].trials.tolist() == [80] * 100
    assert scorio.read(tmp_path) == alone


@pytest.mark.dask
def test_a_worker_that_dies_is_replaced(two_workers, tmp_path):
    here, died = os.getpid(), tmp_path / "died"

    class Deadly(AvgMetric):
        """Kills the first other process that asks it."""

        is_mean_over_questions = False

        def score(self, R, *, too_few="raise"):
            if os.getpid() != here and not died.exists():
                died.touch()
                os._exit(1)
            return super().score(R, too_few=too_few)

    found = analyze_convergence(Deadly(), WORLD.outcomes, n=[3, 9], replicates=150, rng=7)["Deadly"]
    assert died.exists()
    with joblib.parallel_config(backend="sequential"):
        expected = analyze_convergence("avg", WORLD.outcomes, n=[3, 9], replicates=150, rng=7)["avg"]
    np.testing.assert_array_equal(found.tau, expected.tau)
