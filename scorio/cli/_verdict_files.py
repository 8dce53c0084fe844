"""What commands with a verdict write beside their answer: JUnit XML, the summary of a CI step, and the inputs read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._options import Option, file_option
from ._writing import check_outputs, replacing

if TYPE_CHECKING:
    from ..io import Reading as LogReading

_SUMMARY = "GITHUB_STEP_SUMMARY"  # the file to which a step of GitHub Actions appends its summary
_CHUNK = 1 << 20


def check_summary(sources: Sequence[str]) -> None:
    """Check that the summary of the step, if there is one, is no file that is read."""
    summary = os.environ.get(_SUMMARY)
    check_outputs({_SUMMARY: Path(summary)} if summary else {}, sources)


JUNIT: Option = file_option("--junit", "File for the result as JUnit XML, which CI systems show.")
ANNOTATIONS: Option = file_option(
    "--annotations",
    "File for the parts that failed or are undecided as annotations of GitHub Actions: print it in a step of a job.",
)


def publish(result: Any, junit: Path | None, annotations: Path | None) -> None:
    """Write the files that were asked for, and append to the summary of the step if there is one."""
    for path, text in ((junit, result.junit), (annotations, result.annotations)):
        if path is not None:
            with replacing(path) as unfinished:
                unfinished.write_text(text() + "\n", encoding="utf-8")
    summary = os.environ.get(_SUMMARY)
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(result.markdown() + "\n\n")


def inputs_of(readings: Sequence[LogReading], *more: Path) -> list[dict[str, Any]]:
    """Return the name, the size in bytes and the SHA-256 digest of each file that was read."""
    paths = [path for reading in readings for source in reading.sources for path in source.paths]
    return [_digest(path) for path in dict.fromkeys([*more, *paths]) if path.is_file()]


def _digest(path: Path) -> dict[str, Any]:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            found.update(part)
    return {"file": str(path), "bytes": path.stat().st_size, "sha256": found.hexdigest()}
