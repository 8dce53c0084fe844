"""Files as they lie on disk: their first bytes, their JSON, their lines. Nothing is extracted, nothing executed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import OutcomeError
from .expect import within

_HEAD = 4096
_BLOCK = 1 << 20
_MARK = b"\xef\xbb\xbf"
_JSON = re.compile(rb'\s*(\{|\[\s*([\[\]{"\-\d]|true|false|null|NaN|Infinity|$))')  # not [tool]


class LogFile:
    """One file; what is asked of it more than once is read once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self.path.stat().st_size

    @cached_property
    def head(self) -> bytes:
        """The first bytes."""
        with self._open() as stream:
            return stream.read(_HEAD)

    @cached_property
    def digest(self) -> str:
        """A name for the content: two copies of a file have the same."""
        found = hashlib.sha256()
        with self._open() as stream:
            while block := stream.read(_BLOCK):
                found.update(block)
        return found.hexdigest()

    @cached_property
    def is_json(self) -> bool:
        """Whether it starts as JSON or JSON lines do."""
        return _JSON.match(self.head.removeprefix(_MARK)) is not None

    @cached_property
    def is_lines(self) -> bool:
        """Whether it is JSON lines: the first line is an object by itself, and there are more."""
        return self.is_json and isinstance(self.first_row, dict) and self._has_more

    @cached_property
    def first_row(self) -> Any:
        """The first line of JSON lines; None where the first line is no JSON by itself."""
        try:
            return parsed(next(self.lines(), (0, ""))[1])
        except OutcomeError:
            return None

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value; None for JSON lines and what is no JSON."""
        if not self.is_json or self.is_lines:
            return None
        if self.first_row is not None and not self._has_more:
            return self.first_row
        return parsed("".join(text for _, text in self.lines()))

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every object of JSON lines or of a JSON list, and where it stands."""
        if self.head.removeprefix(_MARK).lstrip().startswith(b"["):
            numbered = enumerate(self.document) if isinstance(self.document, list) else []
            placed = ((f"record {i}", row) for i, row in numbered)
        else:
            placed = ((f"line {number}", text) for number, text in self.lines() if text.strip())
        for place, found in placed:
            with within(place):
                row = parsed(found) if isinstance(found, str) else found
                if not isinstance(row, dict):
                    raise OutcomeError("an object was expected")
            yield place, row

    @cached_property
    def first_record(self) -> Any:
        """The first of the records; None where there is none."""
        return self.first_row or (self.document[0] if isinstance(self.document, list) and self.document else None)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line of text with its number."""
        if self.head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in self.head:
            raise OutcomeError("it is not UTF-8 text")
        with self._open() as stream:
            for number, line in enumerate(stream, 1):
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    raise OutcomeError(f"line {number} is not UTF-8 text") from None
                yield number, text

    @cached_property
    def _has_more(self) -> bool:
        return any(text.strip() for number, text in self.lines() if number > 1)

    def _open(self) -> BinaryIO:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise OutcomeError(f"it cannot be read: {error.strerror}") from None


def parsed(text: str | bytes) -> Any:
    """JSON, with NaN for a number that is missing."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if not error.doc[error.pos :].strip() or error.msg.startswith("Unterminated"):
            raise OutcomeError("the JSON ends in the middle: the file is half-written") from None
        raise OutcomeError(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise OutcomeError(f"not JSON: {error}") from None
