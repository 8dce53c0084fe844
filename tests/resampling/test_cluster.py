"""A cluster of worker processes, one of which is killed: the result is that of one process, to the last bit."""

import csv
import os
import signal
import threading
import time

import pytest

import scorio

joblib = pytest.importorskip("joblib")
distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.dask, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes that talk TCP over the loopback interface."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(host="tcp://127.0.0.1", silence_logs=50, **options) as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as made:
        made.wait_for_workers(2)
        yield made


class Killer(threading.Thread):
    """Kills a worker once some tasks are done and it is at work on another."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client = client
        self.pids = client.run(os.getpid)
        self.done = self.left = None

    def run(self):
        while self.left is None:
            tasks = list(self.client.cluster.scheduler.tasks.values())
            busy = [task for task in tasks if task.state == "processing" and task.processing_on is not None]
            done = sum(task.state in ("memory", "released", "forgotten") for task in tasks)
            if busy and done:
                self.done, self.left = done, len(busy)
                os.kill(self.pids[busy[0].processing_on.address], signal.SIGKILL)
            time.sleep(0.002)


def with_a_worker_killed(client, job):
    """What a job returns on the cluster, one worker of which dies in the middle."""
    killer = Killer(client)
    before = set(killer.pids.values())
    with joblib.parallel_config(backend="dask"):
        killer.start()
        found = job()
    killer.join(10)
    assert killer.left, "no worker was killed while tasks were left"
    client.wait_for_workers(2)
    assert set(client.run(os.getpid).values()) != before
    return found


def shards(folder, count):
    """A table in files: some trials of every question of each model in each."""
    for shard in range(count):
        with (folder / f"{shard:03}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["model", "question", "trial", "correct"])
            for i in range(20_000):
                model, question = i % 4, i // 4 % 500
                trial = 10 * shard + i // 2000
                writer.writerow([f"m{model}", f"q{question:03}", trial, (trial * 7 + question * (model + 1)) % 3 % 2])
    return folder


@pytest.mark.slow
def test_files(client, tmp_path):
    folder = shards(tmp_path, 16)
    alone = scorio.read(folder)
    assert alone["m0"].trials.tolist() == [160] * 500
    assert with_a_worker_killed(client, lambda: scorio.read(folder)) == alone


@pytest.mark.slow
def test_a_frame(client):
    pandas, dask = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    trials = [(f"m{i % 3}", f"q{i // 3 % 50}", i // 150, i * 7919 % 13 > 6) for i in range(15_000)]
    frame = pandas.DataFrame(trials, columns=["model", "task.id", "try", "passed"])
    names = {"model": "model", "question": "task.id", "outcome": "passed", "trial": "try"}
    spread = dask.from_pandas(frame, npartitions=12)
    assert scorio.OutcomeSet.from_frame(spread, **names) == scorio.OutcomeSet.from_frame(frame, **names)
