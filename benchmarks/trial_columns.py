"""Data frames with a trial column: ``python benchmarks/trial_columns.py``, with ``--write`` into ``docs/scaling.md``.

Every figure is of a process of its own: seconds of processor time, the least of three turns, and the most memory of the
process beyond that of the frame, as ``resource.getrusage`` tells it. The plain query is the engine's own group-by of
model, question and outcome, which knows nothing of trials. Spark works in another process: its seconds are those of
the clock.
"""

import argparse
import json
import subprocess
import sys

from marked import fill

MEASURED = """
import json, resource, sys, tempfile, time, warnings
import duckdb
from scorio import OutcomeSet

warnings.simplefilter("ignore")
engine, rows = sys.argv[1], int(sys.argv[2])
con = duckdb.connect()
con.execute(
    f"CREATE TABLE t AS SELECT 'model-' || (i % 20) AS model, 'question-' || ((i // 20) % 500) AS question,"
    f" (i // 10000)::INTEGER AS trial, (hash(i) % 3 = 0)::TINYINT AS correct FROM range({rows}) r(i)"
)
keys = ["model", "question", "correct"]
if engine == "DuckDB":
    frame = con.table("t")
    plain = lambda: con.sql("SELECT model, question, correct, count(*) FROM t GROUP BY ALL").fetchall()
elif engine == "Polars":
    frame = con.table("t").pl()
    plain = lambda: frame.group_by(keys).len()
elif engine == "Dask":
    import dask.dataframe
    frame = dask.dataframe.from_pandas(con.table("t").df(), npartitions=4)
    plain = lambda: frame.groupby(keys).size().compute()
else:
    from pyspark.sql import SparkSession
    session = SparkSession.builder.master("local[2]").config("spark.log.level", "OFF").getOrCreate()
    folder = tempfile.mkdtemp()
    con.execute(f"COPY t TO '{folder}/t.parquet' (FORMAT parquet)")
    frame = session.read.parquet(f"{folder}/t.parquet").cache()
    frame.count()
    plain = lambda: frame.groupBy(*keys).count().collect()
read = lambda: OutcomeSet.from_frame(frame, model="model", question="question", outcome="correct", trial="trial")

def least(job):
    times = []
    for _ in range(3):
        start, clock = time.process_time(), time.perf_counter()
        job()
        took = time.perf_counter() - clock if engine == "Spark" else time.process_time() - start
        times.append(took)
    return min(times)

memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
seconds = {"plain": least(plain)}
before = memory()
seconds["read"] = least(read)
print(json.dumps(seconds | {"extra": memory() - before}))
"""
ENGINES = ("DuckDB", "Polars", "Dask", "Spark")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("engines", nargs="*", default=ENGINES, help="engines (default: all four)")
    parser.add_argument("--rows", type=int, default=10**7, help="rows of the frame (default: 10^7)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/scaling.md")
    options = parser.parse_args()
    lines = ["| engine | its own group-by | `from_frame(.., trial=)` | ratio | more memory |", "|---|---|---|---|---|"]
    for engine in options.engines:
        command = [sys.executable, "-c", MEASURED, engine, str(options.rows)]
        took = json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
        )
        ratio, extra = took["read"] / took["plain"], took["extra"]
        lines.append(f"| {engine} | {took['plain']:.2f} s | {took['read']:.2f} s | {ratio:.2f} | {extra:.0f} MB |")
    print("\n".join(lines))
    if options.write:
        fill("scaling.md", "trial columns", "\n".join(lines))


if __name__ == "__main__":
    main()
