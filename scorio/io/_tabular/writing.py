"""Records written as Parquet, by DuckDB."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import duck


def write_parquet(path: Path, records: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> None:
    """Write records to a Parquet file; ``columns`` are the SQL types by name."""
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "records.jsonl")
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        with duck.connected(lines, path, problem=f"{path} cannot be written") as connection:
            connection.execute(
                f"COPY (SELECT * FROM {duck.json_records(lines, columns)}) "  # noqa: S608 - paths and names are quoted
                f"TO {duck.literal(str(path.absolute()))} (FORMAT parquet, USE_TMP_FILE false)"
            )
