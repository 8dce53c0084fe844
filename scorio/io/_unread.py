"""Files of a folder that may hold outcomes, and are not read as they are: compressed logs, and tables without a header.

What is left out in silence is lost, so such a file is an error beside tables and a warning beside logs of tools.
"""

import itertools
from collections.abc import Mapping
from pathlib import Path

from .._display.words import pluralize, shorten, warn
from ..errors import FilesWarning, OutcomeError, Remedy
from ._files import LogFile
from ._remote import url_text
from .checks import shown

_TABLES = {".csv", ".tsv"}  # the endings of files that are tables
_LINES = {".jsonl", ".ndjson"}  # the endings of JSON lines
_FIRST_LINES = 20  # of a text, one of which is the header if the text is a table
_TAR, _TAR_AT = b"ustar", 257  # what an archive of tar has, and where
_ZIP = b"PK\x03\x04"  # at the start of a zip archive, which some tools write
_COMPRESSED = {
    b"\x1f\x8b": "it is compressed with gzip: unpack it first",
    b"\x28\xb5\x2f\xfd": "it is compressed with Zstandard: unpack it first",
    b"BZh": "it is compressed with bzip2: unpack it first",
    b"\xfd7zXZ\0": "it is compressed with xz: unpack it first",
    b"7z\xbc\xaf\x27\x1c": "it is a 7z archive: unpack it first",
    b"Rar!\x1a\x07": "it is a RAR archive: unpack it first",
    b"\xd0\xcf\x11\xe0": "it is a workbook of an old version of Excel: save it as .xlsx or CSV",
}  # by the first bytes of a file
SKIP_BAD = Remedy("skip_bad", True, "leaves out files that cannot be read")


class Unread(str):
    """The reason why a file that may hold outcomes is not read."""

    __slots__ = ()


def other_archive(file: LogFile) -> Unread | None:
    """Return the reason why a zip archive of no known format is not read."""
    is_zip = file.head.startswith(_ZIP)
    return Unread("it is a zip archive of something else: unpack it first") if is_zip else None


def compressed(file: LogFile) -> Unread | None:
    """Return the reason why a compressed file, or an archive that no tool writes, is not read."""
    if file.head[_TAR_AT:].startswith(_TAR):
        return Unread("it is a tar archive: unpack it first")
    return next((Unread(reason) for start, reason in _COMPRESSED.items() if file.head.startswith(start)), None)


def is_named_table(path: Path) -> bool:
    """Return whether the name of a file says that it is a table.

    >>> is_named_table(Path("runs.CSV")), is_named_table(Path("README.md"))
    (True, False)
    """
    return path.suffix.lower() in _TABLES


def without_json(file: LogFile) -> Unread | None:
    """Return the reason why a file that is JSON lines by its name, and begins with another line, is not read."""
    if file.path.suffix.lower() not in _LINES or file.is_json or b"\0" in file.head:
        return None
    first = next((text.strip() for _, text in file.lines() if text.strip()), "")
    return Unread(f"its first line, {shown(first)}, is not JSON: remove the lines that are none")


def without_header(file: LogFile) -> Unread | None:
    """Return the reason why a file that is a table by its name, but has no names of columns first, is not read."""
    if not is_named_table(file.path) or b"\0" in file.head:
        return None
    lines = [(number, text.strip()) for number, text in itertools.islice(file.lines(), _FIRST_LINES) if text.strip()]
    header = next((number for number, text in lines if any(mark in text for mark in ",\t;|")), None)
    if header is None:
        return None
    first = f"its first line, {shown(lines[0][1])}, does not name columns"
    return Unread(f"{first}: remove the lines above the header, which may be line {header}")


def check_unread(unread: Mapping[Path, str], *, is_error: bool) -> None:
    """Raise an error for the first of the files that may hold outcomes, or warn of all of them.

    A file that lies there unpacked as well is no loss.
    """
    lost = {path: reason for path, reason in unread.items() if not _lies_unpacked(path)}
    for path, reason in lost.items():
        if is_error and _is_part_of_data(path):
            raise OutcomeError(reason, where=str(path), remedies=[SKIP_BAD])
    if lost:
        path, reason = next(iter(lost.items()))
        more = f" (also {shorten([each.name for each in lost][1:])})" if len(lost) > 1 else ""
        many = f"{pluralize(len(lost), 'file')} may hold outcomes and {'was' if len(lost) == 1 else 'were'} not read"
        warn(f"{many}; {url_text(path)}{more}: {reason}", FilesWarning)


def _lies_unpacked(path: Path) -> bool:
    return path.with_suffix("").is_file()


def _is_part_of_data(path: Path) -> bool:
    """Return whether a file is a table, or a compressed one, by its name: archives and workbooks may be anything."""
    return any(each.suffix.lower() in _TABLES | _LINES for each in (path, path.with_suffix("")))
