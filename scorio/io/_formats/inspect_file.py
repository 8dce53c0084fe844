"""A log of Inspect as a file: an archive or a document, of which only the parts that are needed are decoded."""

from __future__ import annotations

import json
import re
from typing import Any, TypedDict

from ..._arrays import cached_property
from ...errors import OutcomeError, within
from .._files import Archive, LogFile, decoded
from .._walk import At
from .inspect_samples import SampleRow

HEADER, START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL = "summaries.json", "_journal/summaries/"
START_OF_LOG = re.compile(rb'\s*\{\s*("version"\s*:\s*\d+\s*,\s*)?"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*(?=\{)')
_MOST_BYTES = 1 << 28  # of the header, or of the summaries of the samples; logs of 100,000 samples have a third of it
_DECODER = json.JSONDecoder()
_WINDOW = 1 << 16  # bytes in which the specification of a log is looked for
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


def opened(file: LogFile) -> Archived | Whole:
    """Return a log, an archive or a document, of which only parts are decoded."""
    return Archived(file.archive) if file.archive else Whole(file)


class Whole:
    """A log as one JSON document."""

    def __init__(self, file: LogFile) -> None:
        self._file = file
        self._content = file.content() if START_OF_LOG.match(file.head) else b""

    @property
    def spec(self) -> At:
        """What was evaluated, which stands before the samples and is decoded without them where that is possible."""
        start = START_OF_LOG.match(self._content)
        window = self._content[start.end() : start.end() + _WINDOW].decode(errors="ignore") if start else ""
        try:
            return At(_DECODER.raw_decode(window)[0], "", "eval")
        except (ValueError, RecursionError):
            return self.header["eval"]

    @cached_property
    def header(self) -> At:
        return At(decoded(self._content, _Log) if self._content else self._file.document)

    def rows(self) -> list[At]:
        samples = self.header["samples"]
        if samples.value is None and self.header["status"].value in (None, "success"):
            raise OutcomeError(_NO_SAMPLES)
        return samples.rows

    def answered(self) -> list[At]:
        """Return the samples with their answers."""
        return self.rows()


class Archived:
    """A log as an archive, of which the header and the summaries of the samples are read."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.header = self._member(HEADER if HEADER in archive.names else START, _Log)
        self.spec = self.header["eval"]

    def _member(self, name: str, shape: Any) -> At:
        with within(name):
            return At(decoded(self._archive.member(name, _MOST_BYTES), shape), name)

    def rows(self) -> list[At]:
        names = [_SUMMARIES] if _SUMMARIES in self._archive.names else self._journal()
        rows = [row for name in names for row in self._member(name, list[SampleRow]).rows]
        if not rows and self.header["status"].value == "success":
            raise OutcomeError(_NO_SAMPLES)
        return [self._with_invalidation(row) for row in rows] if self.header["invalidated"] else rows

    def _journal(self) -> list[str]:
        known = {name: name.removeprefix(_JOURNAL).removesuffix(".json") for name in self._archive.names}
        return sorted((name for name, number in known.items() if number.isdecimal()), key=lambda name: int(known[name]))

    def answered(self) -> list[At]:
        """Return the samples with their answers, which summaries leave out: each sample is read."""
        return [self._with_answers(row) for row in self.rows()]

    def _full(self, row: At) -> At | None:
        name = f"samples/{row['id'].value}_epoch_{row['epoch'].value}.json"
        return self._member(name, SampleRow) if name in self._archive.names else None

    def _with_invalidation(self, row: At) -> At:
        """Return the summary with the sample's mark of being invalid, which summaries leave out."""
        full = self._full(row)
        if full is None:
            name = f"samples/{row['id'].value}_epoch_{row['epoch'].value}.json"
            what = "samples of the log are invalid, but the archive lacks"
            raise OutcomeError(f"{what} {name}, which says whether this is one")
        return At(row.obj | {"invalidation": full["invalidation"].value}, row.where)

    def _with_answers(self, row: At) -> At:
        """Return the summary with the answers of its scores, which the file of the sample has."""
        full = self._full(row) if row["scores"] else None
        if full is None:
            return row
        answers = {key: score.get("answer") for key, score in full["scores"].obj.items() if score}
        scores = {key: {**(each or {}), "answer": answers.get(key)} for key, each in row["scores"].obj.items()}
        return At(row.obj | {"scores": scores}, row.where)
