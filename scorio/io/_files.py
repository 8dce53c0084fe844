"""One file on disk: its first bytes, its JSON, its lines. Nothing in it is executed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from .._kernels.json_text import scan
from ..errors import OutcomeError
from ._archive import Archive
from ._validate import shown, within

_HEAD = 4096  # bytes of a file that are looked at first
MOST_VALUES = 5_000_000  # lists, objects and commas in one JSON text: at most about a gigabyte in memory
_DUCKDB = b"DUCK"  # in a database of DuckDB, behind a checksum that may look like JSON
_BLOCK = 1 << 20  # bytes read at once
_MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8
_JSON = re.compile(rb'\s*(\{|\[\s*([\[\]{"\-\d]|true|false|null|NaN|Infinity|$))')  # but not the [tool] of TOML


class LogFile:
    """One file. Its properties are read when first used, and kept."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.path.stat().st_size

    @cached_property
    def head(self) -> bytes:
        """The first 4,096 bytes."""
        with self._open() as stream:
            return stream.read(_HEAD)

    @cached_property
    def digest(self) -> str:
        """A hash of the content, equal for two copies of a file."""
        digest = hashlib.sha256()
        with self._open() as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    @cached_property
    def archive(self) -> Archive | None:
        """The file as a zip archive; None if it is none."""
        return Archive(self.path, self.head) if self.head.startswith(b"PK") else None

    @cached_property
    def is_json(self) -> bool:
        """Whether the file starts as JSON or JSON lines do."""
        return _JSON.match(self.head.removeprefix(_MARK)) is not None and self.head[8:12] != _DUCKDB

    @cached_property
    def is_lines(self) -> bool:
        """Whether the file is JSON lines: the first line is an object by itself, and more lines follow."""
        return self.is_json and isinstance(self.first_row, dict) and self._has_more

    @cached_property
    def first_row(self) -> Any:
        """The value of the first line; None if the first line is not JSON by itself."""
        try:
            return parsed(next(self.lines(), (0, ""))[1])
        except OutcomeError:
            return None

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value; None for JSON lines and for files that are not JSON."""
        if not self.is_json or self.is_lines:
            return None
        if self.first_row is not None and not self._has_more:
            return self.first_row
        return parsed("".join(text for _, text in self.lines()))

    def content(self) -> bytes:
        """Return all bytes of the file."""
        with self._open() as stream:
            return stream.read()

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every object of JSON lines or of a JSON list, with its place as text."""
        if self.head.removeprefix(_MARK).lstrip().startswith(b"["):
            numbered = enumerate(self.document) if isinstance(self.document, list) else []
            placed = ((f"record {i}", row) for i, row in numbered)
        else:
            placed = ((f"line {number}", text) for number, text in self.lines() if text.strip())
        for place, value in placed:
            with within(place):
                row = parsed(value) if isinstance(value, str) else value
                if not isinstance(row, dict):
                    raise OutcomeError("an object was expected")
            yield place, row

    @cached_property
    def first_record(self) -> Any:
        """The first of the records; None if there is none."""
        return self.first_row or (self.document[0] if isinstance(self.document, list) and self.document else None)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield every line of text with its number."""
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


def beside(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file that a tool writes beside its logs; empty if there is no such file."""
    with within(path.name):
        document = LogFile(path).document if path.is_file() else None
    return document if isinstance(document, dict) else {}


def parsed(text: str | bytes) -> Any:
    """Return a JSON value; NaN is allowed. A key that an object has twice, and too many values, are errors."""
    try:
        decoded = text if isinstance(text, str) else text.decode(json.detect_encoding(text))
        if len(decoded) > MOST_VALUES:
            check_values(scan(decoded.encode())[0])
        return _DECODER.decode(decoded.removeprefix("\ufeff"))
    except RecursionError:
        raise OutcomeError("the JSON is nested too deeply") from None
    except OutcomeError:
        raise
    except json.JSONDecodeError as error:
        if not error.doc[error.pos :].strip() or error.msg.startswith("Unterminated"):
            raise OutcomeError("the JSON ends in the middle: the file is half-written") from None
        raise OutcomeError(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise OutcomeError(f"not JSON: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a key that occurs twice is an error, because readers of JSON disagree which one counts."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise OutcomeError(f"key {shown(twice)} occurs twice in one JSON object")
    return made


def check_values(values: int) -> None:
    """Check that JSON does not hold so many lists, objects and commas that they would fill the memory.

    A few characters of text, such as ``[],``, become some hundred bytes.
    """
    if values > MOST_VALUES:
        raise OutcomeError(f"the JSON holds {values:,} values; the most that are read at once are {MOST_VALUES:,}")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)
