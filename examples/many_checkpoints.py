"""A thousand checkpoints in one table, scored on one machine, on Dask with a worker that is killed, and on Spark.

The table has one row per trial and lies in a folder of Parquet files. The workers count their partitions and write
saved counts; the scores and intervals of all checkpoints are the same to the last bit, whoever counts and whatever
dies. Run:
``python examples/many_checkpoints.py [--engines alone dask spark] [--checkpoints 1000]``
"""

import argparse
import hashlib
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

import scorio
from scorio.io import count_partitions

QUESTIONS, TRIALS, FILES = 20, 4, 16
COLUMNS = {"model": "checkpoint", "question": "task", "outcome": "passed"}


def write_table(folder: Path, checkpoints: int) -> None:
    """Write the trials, those of every checkpoint spread over all files."""
    rng = np.random.default_rng(0)
    rates = np.clip(np.linspace(0.2, 0.8, checkpoints)[:, None] + rng.normal(0, 0.2, (checkpoints, QUESTIONS)), 0, 1)
    cell = rng.permutation(np.repeat(np.arange(checkpoints * QUESTIONS), TRIALS))
    checkpoint, question = np.divmod(cell, QUESTIONS)
    passed = rng.random(cell.size) < rates[checkpoint, question]
    names = np.array([f"step-{i:05}" for i in range(checkpoints)])
    table = pd.DataFrame({"checkpoint": names[checkpoint], "task": question, "passed": passed})
    for i in range(FILES):
        table[i::FILES].to_parquet(folder / f"{i:03}.parquet")


def alone(table: Path, counts: Path) -> scorio.outcomes.SavedCounts:
    """Count in this process."""
    frame = pd.concat([pd.read_parquet(path) for path in sorted(table.iterdir())])
    return count_partitions(frame, **COLUMNS, folder=counts, name="checkpoints")


def dask(table: Path, counts: Path) -> scorio.outcomes.SavedCounts:
    """Count on two worker processes, one of which is killed while it counts."""
    import dask.dataframe
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(host="tcp://127.0.0.1", **options) as cluster, Client(cluster) as client:
        client.wait_for_workers(2)
        workers = client.run(os.getpid)
        killer = threading.Thread(target=kill_one, args=(cluster, workers), daemon=True)
        killer.start()
        frame = dask.dataframe.read_parquet(sorted(map(str, table.iterdir())))
        saved = count_partitions(frame, **COLUMNS, folder=counts, name="checkpoints")
        killer.join(10)
        client.wait_for_workers(2)
        killed = set(workers.values()) - set(client.run(os.getpid).values())
    print(f"dask: {len(killed)} worker was killed while it counted")
    return saved


def kill_one(cluster: object, workers: dict[str, int]) -> None:
    """Kill a worker once one task is done and another is under way."""
    while True:
        tasks = list(cluster.scheduler.tasks.values())
        busy = [task for task in tasks if task.state == "processing" and task.processing_on is not None]
        if busy and any(task.state == "memory" for task in tasks):
            os.kill(workers[busy[0].processing_on.address], signal.SIGKILL)
            return
        time.sleep(0.002)


def spark(table: Path, counts: Path) -> scorio.outcomes.SavedCounts:
    """Count on a local Spark."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.log.level": "OFF"}
    session = SparkSession.builder.config(map=local).master("local[2]").getOrCreate()
    try:
        frame = session.read.parquet(str(table)).repartition(FILES)
        return count_partitions(frame, **COLUMNS, folder=counts, name="checkpoints")
    finally:
        session.stop()


def main() -> None:
    """Count on each engine, and print what comes out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", nargs="+", choices=["alone", "dask", "spark"], default=["alone", "dask"])
    parser.add_argument("--checkpoints", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        table = Path(name, "table")
        table.mkdir()
        write_table(table, asked.checkpoints)
        for engine in asked.engines:
            counts = Path(name, engine)
            saved = globals()[engine](table, counts)
            outcomes = saved.outcomes
            numbers = scorio.compute_intervals(["pass@1", "pass@4"], outcomes.values())
            content = scorio.outcomes.SavedCounts(outcomes, part="all").to_bytes() + numbers.tobytes()
            digest = hashlib.blake2b(content, digest_size=8)
            mean, _, low, high = numbers[-1, 0]
            files = len(list(counts.iterdir()))
            print(f"{engine}: {len(outcomes)} checkpoints, {files} files of counts, ", end="")
            print(f"last pass@1 {mean:.3f} [{low:.3f}, {high:.3f}], bits {digest.hexdigest()}")


if __name__ == "__main__":
    main()
