"""One file on disk: its first bytes, its JSON, its lines, the members of an archive. Nothing in it is executed.

No path of a member of an archive is ever used as a path. The size that an archive states for a member may be false, so
members are unpacked a few kilobytes of compressed data at a time: an archive that unpacks to far more than it says is
refused long before it fills the memory.
"""

from __future__ import annotations

import csv
import hashlib
import importlib
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TypedDict

from .._base.arrays import cached_property
from ..errors import OutcomeError, within
from ._walk import At

try:
    msgspec: Any = importlib.import_module("msgspec")
except ImportError:
    msgspec = None

_HEAD = 4096  # bytes of a file that are looked at first
_DUCKDB = b"DUCK"  # in a database of DuckDB, behind a checksum of eight bytes
MOST_VALUES = 5_000_000  # lists, objects and commas in one JSON text: at most about a gigabyte in memory
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)  # in JSON
_BLOCK = 1 << 20  # bytes read at once
_MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8
_JSON = re.compile(rb'\s*(\{|\[\s*([\[\]{"\-\d]|true|false|null|NaN|Infinity|$))')  # but not the [tool] of TOML
_DECODER = json.JSONDecoder()
LARGEST = 1 << 30  # bytes that are unpacked from one archive
_MOST_DIGITS = sys.get_int_max_str_digits() or 4300  # of a whole number in JSON
_LONG_NUMBER = re.compile(rf"\d{{{_MOST_DIGITS + 1},}}")
_MOSTLY = 0.4  # of every second byte is NUL in a text of UTF-16 without a mark
AS_UTF8 = "save the file as UTF-8"
_SETTING = re.compile(r"([^=]+)=([^=]+)|(temperature|top_?[pk])[-_]?(\d[.\d]*)", re.IGNORECASE)  # names of folders
_NO_SETTINGS = (
    "seed random_seed run run_id job job_id trial repeat replicate rep repetition epoch attempt iteration "
    "sample shard part chunk batch index rank worker process node host machine gpu device user id date day time "
    "timestamp year month hour"
)  # what folders name that number or date runs, or say where these were made
_STEP = 4096  # bytes that are unpacked at once
_ZSTANDARD = 93  # the number of this compression in zip archives
_HAS_ZSTANDARD = sys.version_info >= (3, 14)  # in the standard library


class ChangedFileError(OutcomeError):
    """A file that was written, replaced or deleted while it was read."""


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
        return Archive(self.path) if self.head.startswith(b"PK") else None

    @property
    def is_duckdb(self) -> bool:
        """Whether the file is a database of DuckDB, which begins with a checksum that may look like anything."""
        return self.head[8:12] == _DUCKDB

    @cached_property
    def is_json(self) -> bool:
        """Whether the file starts as JSON or JSON lines do."""
        return _JSON.match(unmarked(self.head)) is not None and not self.is_duckdb

    @cached_property
    def is_lines(self) -> bool:
        """Whether the file is JSON lines: the first line is an object by itself, and more lines follow."""
        return self.is_json and isinstance(self.first_row.value, dict) and self._has_more

    @cached_property
    def first_row(self) -> At:
        """The value of the first line; an empty one if the first line is not JSON by itself."""
        with suppress(OutcomeError):
            return At(parsed(next(self.lines(), (0, ""))[1]) if self.is_json else None)
        return At(None)

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value; None for JSON lines and for files that are not JSON."""
        if not self.is_json or self.is_lines:
            return None
        if self.first_row.value is not None and not self._has_more:
            return _records(self.first_row.value)
        return _records(parsed("".join(text for _, text in self.lines())))

    @property
    def at(self) -> At:
        """The document as a place to go down from."""
        return At(self.document)

    @property
    def folder(self) -> Path:
        """The folder of the file, whole: its name and those above may tell what the file does not."""
        return self.path.resolve().parent

    @property
    def settings(self) -> dict[str, str]:
        """The settings that its folders name, such as ``temperature=0.5``, but for those that number or date a run."""
        folders = [match.groups() for match in map(_SETTING.fullmatch, self.path.parts[:-1]) if match]
        settings = {name or short: value or number for name, value, short, number in folders}
        return {name: value for name, value in settings.items() if name.lower() not in _NO_SETTINGS.split()}

    def named(self, pattern: re.Pattern[str]) -> dict[str, str]:
        """Return the parts of the file's name that a pattern names and that are there; none if it has another form."""
        match = pattern.fullmatch(self.path.name)
        return {name: text for name, text in match.groupdict().items() if text} if match else {}

    def above(self, name: str, depth: int) -> list[Path]:
        """Return the files of a name in the folder of the file and in those above it: ``depth`` folders in all."""
        folder = self.path.parent
        return [path for up in range(depth) if (path := folder.joinpath(*[".."] * up, name)).is_file()]

    def beside(self, *names: str) -> At:
        """Return the JSON object in a file that the tool writes beside this one; empty if there is no such file."""
        path = self.path.parent.joinpath(*names)
        with within(path.name):
            document = LogFile(path).document if path.is_file() else None
        return At(document if isinstance(document, dict) else {}, path.name)

    def content(self) -> bytes:
        """Return all bytes of the file."""
        with self._open() as stream:
            return stream.read()

    def walk(self) -> Iterator[At]:
        """Yield every object of JSON lines or of a JSON list as a place to go down from."""
        if isinstance(self.document, list):
            placed = ((f"record {i}", row) for i, row in enumerate(self.document))
        else:
            placed = ((f"line {number}", text) for number, text in self.lines() if text.strip())
        for place, value in placed:
            with within(place):
                row = parsed(value) if isinstance(value, str) else value
                if not isinstance(row, dict):
                    raise OutcomeError("an object was expected")
            yield At(row, place)

    @property
    def first_record(self) -> At:
        """The first of the records; an empty value if there is none."""
        return self.at.first if isinstance(self.document, list) else self.first_row

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield every line of text with its number."""
        if (fault := encoding_fault(self.head)) is not None:
            raise OutcomeError(fault, hint=AS_UTF8)
        with self._open() as stream:
            for number, line in enumerate(stream, 1):
                try:
                    text = line.decode()
                except UnicodeDecodeError:
                    raise OutcomeError(f"line {number} is not UTF-8 text", hint=AS_UTF8) from None
                yield number, text.lstrip("\ufeff") if number == 1 else text

    @cached_property
    def _has_more(self) -> bool:
        return any(text.strip() for number, text in self.lines() if number > 1)

    def _open(self) -> BinaryIO:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise OutcomeError(f"it cannot be read: {error.strerror}") from None


def _records(document: Any) -> Any:
    """Return a table of columns and lists, as ``wandb.Table`` is written, as records; another document as it is."""
    if isinstance(document, dict) and document.keys() >= {"columns", "data"}:
        columns, rows = document["columns"], document["data"]
        are_lists = isinstance(columns, list) and isinstance(rows, list)
        if are_lists and all(isinstance(row, list) and len(row) == len(columns) for row in rows):
            return [dict(zip(map(str, columns), row, strict=True)) for row in rows]
    return document


def file_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the values of each row of a small file that people fill: CSV, or JSON lines if its name says.

    Places are written as ``labels.csv: line 2``.
    """
    if path.suffix.lower() == ".jsonl":
        with within(path):
            yield from ((f"{path}: {row.where}", row.value) for row in LogFile(path).walk())
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        yield from ((f"{path}: line {reader.line_num}", dict(row)) for row in reader)


def unmarked(head: bytes) -> bytes:
    """Return the first bytes of a file without byte order marks of UTF-8, of which some writers leave two."""
    while head.startswith(_MARK):
        head = head.removeprefix(_MARK)
    return head


def encoding_fault(head: bytes) -> str | None:
    """Return why text that begins so is not UTF-8, or None.

    >>> encoding_fault("question,correct".encode("utf-16-le")), encoding_fault(b"question,correct")
    ('it is UTF-16 text without a byte order mark', None)
    """
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "it is UTF-32 text"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is UTF-16 text"
    if b"\0" not in head:
        return None
    lost = "".join("01"[head[start::4].count(0) * 4 > _MOSTLY * len(head)] for start in range(4))
    bits = {"0101": 16, "1010": 16, "0111": 32, "1110": 32}.get(lost)
    return f"it is UTF-{bits} text without a byte order mark" if bits else "it holds NUL characters, as no text does"


def stamp(path: Path) -> tuple[int, int, int]:
    """Return what changes with a file: its size, the time of its last change, and its number on the disk."""
    about = path.stat()
    return about.st_size, about.st_mtime_ns, about.st_ino


def check_unchanged(path: Path, before: tuple[int, int, int]) -> None:
    """Check that a file is the one that had a stamp before: a part of one version and a part of another are neither."""
    if not path.exists() or stamp(path) != before:
        hint = "read it again when nothing writes to it, or read a copy"
        raise ChangedFileError("it was changed while it was read", hint=hint)


def shape_of(*names: str, **shapes: Any) -> Any:
    """Return the shape of an object, of which parts with some names are read, and others that have a shape too."""
    return TypedDict("parts", {**dict.fromkeys(names, Any), **shapes}, total=False)  # type: ignore[operator]


def decoded(content: bytes, shape: Any) -> Any:
    """Return a JSON value, of which only the parts in ``shape``, as ``shape_of`` returns it, may be used.

    msgspec, where it is installed, skips what is not in the shape. Whatever it refuses (a bare NaN, a value of another
    kind, damage) is read by the standard library, which accepts it or names the fault.

    >>> decoded(b'[{"id": "q1"}, {"id": NaN}, 5]', list[dict[str, Any]])
    [{'id': 'q1'}, {'id': nan}, 5]
    """
    if msgspec is not None:
        if len(content) > MOST_VALUES:
            _check_values(content)
        try:
            content.decode()  # msgspec does not look into the texts that it skips
            return _decoder(shape).decode(content)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass
    return parsed(content)


@cache
def _decoder(shape: Any) -> Any:
    return msgspec.json.Decoder(shape)


def parsed(text: str | bytes) -> Any:
    """Return a JSON value; NaN is allowed, and of a key that an object has twice the last value counts."""
    characters = ""
    try:
        characters = text if isinstance(text, str) else text.decode(json.detect_encoding(text))
        if len(characters) > MOST_VALUES:
            _check_values(characters.encode())
        return _DECODER.decode(characters.lstrip("\ufeff"))
    except RecursionError:
        raise OutcomeError("the JSON is nested too deeply") from None
    except OutcomeError:
        raise
    except json.JSONDecodeError as error:
        if not error.doc[error.pos :].strip() or error.msg.startswith("Unterminated"):
            raise OutcomeError("the JSON ends in the middle: the file is half-written") from None
        raise OutcomeError(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError:
        raise OutcomeError("not UTF-8 text", hint=AS_UTF8) from None
    except ValueError:
        number = _LONG_NUMBER.search(characters)
        line = 1 + characters.count("\n", 0, number.start()) if number else 1
        where = f"line {line}" if "\n" in characters.strip() else ""
        raise OutcomeError(f"a whole number has more than {_MOST_DIGITS:,} digits", where=where) from None


def _check_values(content: bytes) -> None:
    """Check that JSON does not hold so many lists, objects and commas that they would fill the memory.

    A few characters of text, such as ``[],``, become some hundred bytes. Marks inside strings are left out only where
    there are too many marks in all, because this takes longer.
    """
    if _marks(content) > MOST_VALUES:
        values = _marks(_STRING.sub(b"", content))
        if values > MOST_VALUES:
            raise OutcomeError(f"the JSON holds {values:,} values; the most that are read at once are {MOST_VALUES:,}")


def _marks(content: bytes) -> int:
    return sum(map(content.count, (b"[", b"{", b",")))


class Archive:
    """A zip archive that is open for reading, until nothing refers to it."""

    def __init__(self, path: Path) -> None:
        with _plain_errors():
            self._zip: Any = zipfile.ZipFile(path)
            if not _HAS_ZSTANDARD and any(info.compress_type == _ZSTANDARD for info in self._zip.infolist()):
                self._zip = _module_with_zstandard().ZipFile(path)
        self._left = LARGEST
        self.names: frozenset[str] = frozenset(self._zip.namelist())

    def member(self, name: str, most: int = LARGEST) -> bytes:
        """Return the content of one member, which unpacks to at most so many bytes."""
        with _plain_errors():
            info = self._zip.getinfo(name)
            if info.file_size > most:
                raise OutcomeError(f"{name} unpacks to {info.file_size:,} bytes; the most that are read are {most:,}")
            self._left -= info.file_size
            if self._left < 0:
                size = f"{name} unpacks to {info.file_size:,} bytes"
                raise OutcomeError(f"{size}, which makes more than {LARGEST:,} in all")
            with self._zip.open(info) as stream:
                return b"".join(iter(lambda: stream.read(_STEP), b""))


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Raise an ``OutcomeError`` for whatever is wrong with an archive."""
    try:
        yield
    except (OutcomeError, MemoryError):
        raise
    except Exception as error:  # each module that unpacks has errors of its own
        raise OutcomeError(f"a truncated or damaged zip archive: {error}") from error


def _module_with_zstandard() -> Any:
    try:
        return importlib.import_module("backports.zstd.zipfile")
    except ImportError:
        raise OutcomeError("its members are packed with Zstandard", hint="pip install backports.zstd") from None
