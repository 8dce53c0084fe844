"""The format of a file, detected from its content."""

from __future__ import annotations

from ..errors import OutcomeError
from ._files import LogFile
from ._format import Format
from ._formats.databases import DatabaseFormat
from ._registry import format_named, formats
from ._tabular.database import is_database

_UNREADABLE = {
    b"\x1f\x8b": "it is compressed with gzip: unpack it first",
    b"\x28\xb5\x2f\xfd": "it is compressed with Zstandard: unpack it first",
    b"PK\x03\x04": "it is a zip archive of something else: unpack it first",
    b"\xff\xfe": "it is UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "it is UTF-16 text: save it as UTF-8",
}  # by the first bytes of a file


def detect(file: LogFile, choice: str | Format | None) -> Format | str:
    """Return the format of a file, or the reason why the file is not read; ``choice`` overrules the detection."""
    if choice is not None:
        return format_named(choice) if isinstance(choice, str) else choice
    if is_database(file):  # a file of DuckDB begins with a checksum, which may look like anything
        return formats()[DatabaseFormat.name]
    known = formats().values()
    companions = (other.reason for each in known for other in each.companions if other.matches(file))
    if not file.head.strip():
        if (reason := next(companions, None)) is None:
            raise OutcomeError("the file is empty")
        return reason
    return (
        next((each for each in known if not each.is_generic and each.matches(file)), None)
        or next(companions, None)
        or next((reason for start, reason in _UNREADABLE.items() if file.head.startswith(start)), None)
        or next((each for each in known if each.is_generic and each.matches(file)), None)
        or f"it is of no known format: {', '.join(formats())}"
    )
