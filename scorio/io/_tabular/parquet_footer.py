"""The footer of a Parquet file, read without DuckDB: whether two files have the same columns of the same types.

A footer is a struct in Thrift's compact encoding: its version, its schema, then what differs between files. Equal bytes
up to the end of the schema are equal schemas, which is much faster to see than to let DuckDB list all columns.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import OutcomeError
from .._files import LogFile

_BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 3, 7, 8, 9, 10, 11, 12  # Thrift's numbers of types
_WHOLE = (4, 5, 6)
_SCHEMA = 2  # the number of the field


def footer(file: LogFile) -> bytes:
    """Return the footer of a Parquet file."""
    with file.path.open("rb") as stream:
        stream.seek(-min(8, file.size), 2)
        size = int.from_bytes(stream.read(4), "little")
        stream.seek(-min(8 + size, file.size), 2)
        return stream.read(size)


def schemas(files: Iterable[LogFile]) -> dict[LogFile, bytes]:
    """Return the bytes of each file's schema; damaged files are left out."""
    known: list[bytes] = []
    found: dict[LogFile, bytes] = {}
    for file in files:
        content = footer(file)
        schema = next((each for each in known if content.startswith(each)), None)
        if schema is None:
            try:
                schema = schema_of(content)
            except (IndexError, OutcomeError, RecursionError):
                continue
            known.append(schema)
        found[file] = schema
    return found


def schema_of(content: bytes) -> bytes:
    """Return a footer up to the end of its schema."""
    place, field = 0, 0
    while head := content[place]:
        place += 1
        if head >> 4:
            field += head >> 4
        else:
            number, place = _varint(content, place)
            field = number >> 1
        place = _after(head & 15, content, place)
        if field == _SCHEMA:
            return content[:place]
    raise OutcomeError("the footer has no schema")


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """Return a number of seven bits per byte, and the place behind it."""
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7


def _after(kind: int, content: bytes, place: int) -> int:
    """Return the place behind a value of a type."""
    if kind in _WHOLE:
        return _varint(content, place)[1]
    if kind == _BINARY:
        size, place = _varint(content, place)
        return place + size
    if kind in (_LIST, _SET):
        return _after_list(content, place)
    if kind == _STRUCT:
        while head := content[place]:
            place += 1
            if not head >> 4:
                _, place = _varint(content, place)
            place = _after(head & 15, content, place)
        return place + 1
    if kind == _MAP:
        raise OutcomeError("a schema has no map")
    return place + {_BYTE: 1, _DOUBLE: 8}.get(kind, 0)  # true and false are types of their own, without a value


def _after_list(content: bytes, place: int) -> int:
    size, kind = content[place] >> 4, content[place] & 15
    place += 1
    if size == 15:
        size, place = _varint(content, place)
    for _ in range(size):
        place = _after(kind, content, place)
    return place
