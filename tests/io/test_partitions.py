"""Tables counted where their partitions are: equal to counting the whole table, to the last bit, whatever dies."""

import os
import sys

import pytest

from helpers.frames import SPARK, spark
from scorio import OutcomeError, OutcomeSet, ParameterError, read
from scorio.io import count_partitions
from scorio.outcomes import SavedCounts

pandas = pytest.importorskip("pandas")
pytest.importorskip("narwhals")
pytest.importorskip("pyarrow")
NAMES = {"model": "model", "question": "task.id", "outcome": "out come"}
OUTCOMES = {
    "binary": [True, False, None, True],
    "levels": [0.25, 1.0, 0.5, None, 0.25],
    "words": ["C", "I", "P", None],
    "many levels": [i / 64 for i in range(45)],
    "continuous": [i / 997 for i in range(997)],
}


def table(kind, rows=4000):
    values = OUTCOMES[kind]
    trials = [(f"m{i % 3}", f"q{i // 3 % 20}", values[i * 7919 % 4001 % len(values)]) for i in range(rows)]
    return pandas.DataFrame(trials, columns=["model", "task.id", "out come"])


def expected(kind):
    return OutcomeSet.from_frame(table(kind), **NAMES, missing="omit")


@pytest.mark.parametrize("kind", OUTCOMES)
def test_parts_by_hand_merge_to_the_whole(kind):
    """Partitions as counted on two clusters, merged as saved counts."""
    frame = table(kind)
    halves = [count_partitions(frame[i::2], **NAMES, name=f"half {i}") for i in (0, 1)]
    merged = halves[0].merge(halves[1]).outcomes
    whole = expected(kind)
    for name, matrix in merged.items():
        assert matrix.trials.tolist() == whole[name].trials.tolist()
        assert matrix.planned_trials.tolist() == whole[name].planned_trials.tolist()
        assert matrix.as_continuous() == whole[name].as_continuous()


@pytest.mark.slow
@pytest.mark.dask
@pytest.mark.parametrize("kind", OUTCOMES)
def test_dask(kind, tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(table(kind), npartitions=7)
    counted = count_partitions(frame, **NAMES, name="job", folder=tmp_path)
    assert counted.outcomes == expected(kind)
    paths = sorted(tmp_path.iterdir())
    assert [path.name for path in paths] == [f"part-{i:05}.npz" for i in range(7)]
    assert count_partitions(frame, **NAMES, name="job").to_bytes() == counted.to_bytes()
    back = read(tmp_path)
    assert {name: each.trials.sum() for name, each in back.items()} == {
        name: each.trials.sum() for name, each in expected(kind).items()
    }
    with pytest.raises(OutcomeError, match="would be counted twice"):
        counted.merge(SavedCounts.load(paths[3]))


@pytest.mark.dask
def test_a_partition_without_rows_or_outcomes():
    dask = pytest.importorskip("dask.dataframe")
    frame = table("levels")
    frame.loc[frame.index < 1000, "out come"] = float("nan")
    spread = dask.from_pandas(frame, npartitions=8)
    spread = spread[(spread["model"] != "m0") | (spread["out come"] > 0.3)]
    counted = count_partitions(spread, **NAMES)
    assert counted.outcomes == OutcomeSet.from_frame(spread.compute(), **NAMES, missing="omit")
    with pytest.raises(OutcomeError, match="the data frame has no rows"):
        count_partitions(spread[spread["model"] == "none"], **NAMES)
    with pytest.raises(ParameterError, match="there is no column 'nothing'"):
        count_partitions(spread, question="task.id", outcome="nothing")


@pytest.mark.parametrize("mode", [pytest.param(mode, marks=SPARK) for mode in ("classic", "connect")])
def test_spark(mode, tmp_path, monkeypatch):
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    with spark(mode) as session:
        for kind in ("binary", "continuous"):
            frame = table(kind).astype(object).where(table(kind).notna(), None)
            spread = session.createDataFrame(frame, schema=f"model string, `task.id` string, `out come` {TYPES[kind]}")
            counted = count_partitions(spread.repartition(5, "`task.id`"), **NAMES, name="job", folder=tmp_path / kind)
            assert counted.outcomes == expected(kind)
            assert len(list((tmp_path / kind).iterdir())) == len(counted.parts) > 1


TYPES = {"binary": "boolean", "continuous": "double"}
