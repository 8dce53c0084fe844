"""Outcomes of a partitioned table as saved counts, made by the workers that hold the partitions.

Each worker counts its partition; nothing but counts leaves it. The name of a part is the name of the job and the number
of the partition, so a task that runs a second time, because its worker died or was slow, writes the same bytes under
the same name, and counts nothing twice.
"""

import importlib
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import OutcomeError, ParameterError
from ..outcomes import Columns, OutcomeSet, Row, SavedCounts, count_rows, merged_partitions, parts_of_rows

_SCHEMA = "number bigint, counts binary"
_NO_ROWS = b""


def count_partitions(
    frame: Any,
    *,
    question: str,
    outcome: str,
    model: str | None = None,
    cluster: str | None = None,
    factors: Iterable[str] = (),
    levels: Mapping[Any, float | None] | None = None,
    folder: Any = None,
    name: str | None = None,
) -> SavedCounts:
    """Count the trials of a table where its partitions are: on the executors of Spark, or the workers of Dask.

    Other data frames are one partition. The columns are those of ``OutcomeSet.from_frame``; null outcomes are missing
    trials. The counts are the same on any number of workers, also where a worker dies and its tasks are repeated.

    Parameters
    ----------
    frame
        A data frame with one row per trial: PySpark (classic or Connect), Dask, pandas, Polars, PyArrow, DuckDB.
    question, outcome, model, cluster, factors, levels
        Names of columns, and the reward of further words.
    folder
        A folder that all workers can write to, for one ``.npz`` file per partition; without it, workers send their
        counts back.
    name
        The name of the job, which names the parts; by default a random one. The same name for the same table makes
        the same bytes, and keeps its trials from being counted twice.

    Examples
    --------
    >>> import pyarrow
    >>> from scorio.io import count_partitions
    >>> table = pyarrow.table({"checkpoint": ["100", "100", "200"], "task": [1, 2, 1], "passed": [True, False, True]})
    >>> counted = count_partitions(table, model="checkpoint", question="task", outcome="passed", name="night 1")
    >>> counted.outcomes["100"].counts.tolist(), list(counted.parts)
    ([[0, 1], [1, 0]], ['night 1, partition 0'])

    """
    columns = Columns(question, outcome, model, None, cluster, factors=tuple(factors))
    place = None if folder is None else str(Path(folder).resolve())
    if place is not None:
        Path(place).mkdir(parents=True, exist_ok=True)
    job = _Job(columns, dict(levels or {}), name or uuid.uuid4().hex, place)
    parts = [_loaded(job, number, counts) for number, counts in sorted(_results(frame, job)) if counts != _NO_ROWS]
    if not parts:
        raise OutcomeError("the data frame has no rows")
    return merged_partitions(parts)


@dataclass(frozen=True)
class _Job:
    """What a worker needs to count a partition."""

    columns: Columns
    levels: Mapping[Any, float | None]
    name: str
    folder: str | None

    @property
    def names(self) -> list[str]:
        """The columns that are needed, each once."""
        return list(dict.fromkeys(self.columns.counted))

    def counted(self, frames: Iterable[Any], number: int) -> bytes:
        """Return the counts of the frames of a partition; those that are in a file are its name."""
        rows: Counter[Row] = Counter()
        for frame in frames:
            rows.update(count_rows(frame, self.columns.counted))
        if not rows:
            return _NO_ROWS
        outcomes = OutcomeSet._of_parts(*parts_of_rows(rows, self.columns, self.levels))
        saved = SavedCounts(outcomes, part=f"{self.name}, partition {number}")
        if self.folder is None:
            return saved.to_bytes()
        path = Path(self.folder, f"part-{number:05}.npz")
        saved.save(path)
        return path.name.encode()

    def of_batches(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Count a partition of Spark, which comes as record batches."""
        arrow = importlib.import_module("pyarrow")
        number = importlib.import_module("pyspark").TaskContext.get().partitionId()
        tables = (arrow.Table.from_batches([batch]).rename_columns(self.names) for batch in batches)
        counts = self.counted(tables, number)
        yield arrow.RecordBatch.from_pydict({"number": [number], "counts": [counts]})

    def of_frame(self, frame: Any, number: int) -> tuple[int, bytes]:
        """Count a partition of Dask."""
        return number, self.counted([frame], number)


def _results(frame: Any, job: _Job) -> list[tuple[int, bytes]]:
    """Return the counts of every partition with its number."""
    names = job.names
    if hasattr(frame, "mapInArrow"):  # Spark, which cannot hand over columns with dots in their names
        chosen = frame.select(*(f"`{name.replace('`', '``')}`" for name in names))
        rows = chosen.toDF(*(f"column_{i}" for i in range(len(names)))).mapInArrow(job.of_batches, _SCHEMA).collect()
        return [(int(row["number"]), bytes(row["counts"])) for row in rows]
    if hasattr(frame, "to_delayed"):  # Dask
        dask = importlib.import_module("dask")
        count = dask.delayed(job.of_frame, pure=False)
        missing = [name for name in names if name not in frame.columns]
        if missing:
            raise ParameterError(f"there is no column {missing[0]!r}; there are {', '.join(map(str, frame.columns))}")
        partitions = frame[names].to_delayed()
        return list(dask.compute(*(count(each, number) for number, each in enumerate(partitions))))
    return [job.of_frame(frame, 0)]


def _loaded(job: _Job, number: int, counts: bytes) -> SavedCounts:
    if job.folder is None:
        return SavedCounts.from_bytes(counts)
    path = Path(job.folder, counts.decode())
    if not path.is_file():
        raise OutcomeError(
            f"the counts of partition {number} are not there",
            where=str(path),
            hint="folder= must be a folder that all workers share",
        )
    return SavedCounts.load(path)
