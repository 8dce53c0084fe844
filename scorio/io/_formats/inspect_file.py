"""A log of Inspect as a file: an archive or a document, of which only the parts that are needed are decoded."""

from __future__ import annotations

import re
from typing import Any, TypedDict

from ...errors import OutcomeError, within
from .._files import Archive, decoded
from . import At, LogFile
from .inspect_samples import SampleRow

HEADER, START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL = "summaries.json", "_journal/summaries/"
START_OF_LOG = re.compile(rb'\s*\{\s*("version"\s*:\s*\d+\s*,\s*)?"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*(?=\{)')
_MOST_BYTES = 1 << 28  # of the header, or of the summaries of the samples; logs of 100,000 samples have a third of it
_NO_SAMPLES = "the log holds no samples: it was written without them"


class _Log(TypedDict, total=False):
    """What is read of a log's header."""

    eval: Any
    status: Any
    error: Any
    invalidated: Any
    plan: Any
    results: Any
    stats: Any
    samples: list[SampleRow] | None


class Whole:
    """A log as one JSON document."""

    def __init__(self, file: LogFile) -> None:
        self.header = At(decoded(file.content(), _Log) if START_OF_LOG.match(file.head) else file.document)

    def rows(self, *, with_answers: bool) -> list[At]:  # noqa: ARG002 - they are there in any case
        """Return the samples."""
        samples = self.header["samples"]
        if samples.value is None and self.header["status"].value in (None, "success"):
            raise OutcomeError(_NO_SAMPLES)
        return samples.rows


class Archived:
    """A log as an archive, of which the header and the summaries of the samples are read."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.header = self._member(HEADER if HEADER in archive.names else START, _Log)

    def _member(self, name: str, shape: Any) -> At:
        with within(name):
            return At(decoded(self._archive.member(name, _MOST_BYTES), shape), name)

    def rows(self, *, with_answers: bool) -> list[At]:
        """Return the summaries of the samples, with what only the samples themselves have where this is needed."""
        names = [_SUMMARIES] if _SUMMARIES in self._archive.names else self._journal()
        rows = [row for name in names for row in self._member(name, list[SampleRow]).rows]
        if not rows and self.header["status"].value == "success":
            raise OutcomeError(_NO_SAMPLES)
        return [self._whole(row) for row in rows] if with_answers or self.header["invalidated"] else rows

    def _journal(self) -> list[str]:
        order = {name: name.removeprefix(_JOURNAL).removesuffix(".json") for name in self._archive.names}
        return sorted((name for name, number in order.items() if number.isdecimal()), key=lambda name: int(order[name]))

    def _whole(self, row: At) -> At:
        """Return a summary with the answers of its scores, and with its mark of being invalid."""
        name = f"samples/{row['id'].value}_epoch_{row['epoch'].value}.json"
        if name in self._archive.names:
            full = self._member(name, SampleRow).obj
            return At(row.obj | {key: full[key] for key in ("invalidation", "scores") if key in full}, row.where)
        if self.header["invalidated"]:
            what = "samples of the log are invalid, but the archive lacks"
            raise OutcomeError(f"{what} {name}, which says whether this is one")
        return row


def opened(file: LogFile) -> Archived | Whole:
    """Return a log, an archive or a document, of which only parts are decoded."""
    return Archived(file.archive) if file.archive else Whole(file)
