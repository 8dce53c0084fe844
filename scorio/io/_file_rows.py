"""The rows of a small file that people fill, such as labels: CSV with a line of headings, or JSON lines."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import OutcomeError


def file_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each row stands, as ``labels.csv:2``, and its values; a file ``.jsonl`` has a record on each line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        if path.suffix.lower() != ".jsonl":
            for row in (reader := csv.DictReader(file)):
                yield f"{path}:{reader.line_num}", dict(row)
            return
        for number, line in enumerate(file, 1):
            if line.strip():
                yield f"{path}:{number}", _record(line, f"{path}:{number}")


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise OutcomeError(f"this is no JSON: {error}", where=where) from None
    if not isinstance(row, dict):
        raise OutcomeError("a JSON object was expected", where=where)
    return row
