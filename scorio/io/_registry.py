"""All formats, the built-in ones and those of plug-ins; the format of a file is detected from its content.

Of a file of no format it is said why it is not read. What is left out in silence is lost: a file that may hold outcomes
(a compressed log, a table without a header) is an error beside tables and a warning beside logs of tools.
"""

import itertools
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TypeVar

from .._base.words import pluralize, shorten, unknown, warn
from ..errors import FilesWarning, OutcomeError, ParameterError, Remedy
from . import _formats
from ._files import AS_UTF8, LogFile, encoding_fault
from ._format import FORESEEN, Format, Layout, failed
from .checks import shown

T = TypeVar("T")
_GROUP = "scorio.formats"  # entry points of this group are formats of plug-ins
_PAGE = "it is a web page: have the tool export its results as JSON"
_OPENING = 20  # bytes that show that a text is a web page
_TABLES = {".csv", ".tsv"}  # the endings of files that are tables
_LINES = {".jsonl", ".ndjson"}  # the endings of JSON lines
_TEXTS = _TABLES | {".json", ".jsonl"}
_FIRST_LINES = 20  # of a text, one of which is the header if the text is a table
_TAR, _TAR_AT = b"ustar", 257  # what an archive of tar has, and where
_TARRED = "it is a tar archive: unpack it first"
_DUCKDB = "it is a file of DuckDB: write the table as Parquet (COPY ... TO 'runs.parquet'), or pass it to OutcomeSet"
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


@cache
def formats() -> dict[str, Format]:
    """Return the formats by name, in the order of detection: plug-ins, built-in formats, generic formats."""
    unordered = [*map(_loaded, sorted(entry_points(group=_GROUP))), *_built_in()]
    by_name: dict[str, Format] = {}
    for form in sorted(unordered, key=lambda form: (form.is_generic, not _is_plugin(form), form.name)):
        if form.name in by_name:
            raise ParameterError(f"two formats are called {form.name!r}; uninstall one of the plug-ins that define it")
        by_name[form.name] = form
    return by_name


def format_named(name: str) -> Format:
    """Return the format of this name."""
    if name not in formats():
        raise ParameterError(unknown("format", name, formats()))
    return formats()[name]


def _built_in() -> Iterator[Format]:
    """Yield the formats of the modules of ``_formats``."""
    for info in pkgutil.iter_modules(_formats.__path__):
        module = import_module(f"{_formats.__name__}.{info.name}")
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, Format) and kind.__module__ == module.__name__:
                yield kind()


def _is_plugin(form: Format) -> bool:
    return not type(form).__module__.startswith(_formats.__name__)


def _loaded(entry: EntryPoint) -> Format:
    """Return the format of a plug-in: a class, or an instance of one."""
    plugin = f"the format plug-in {entry.name!r} ({entry.value})"
    try:
        value = entry.load()
        form = value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:
        raise ParameterError(f"{plugin} cannot be loaded: {error!r}") from error
    if not (isinstance(form, Format) and isinstance(getattr(form, "name", None), str)):
        raise ParameterError(f"{plugin} must be a scorio.io.Format with a name")
    return form


def detect(file: LogFile, choice: str | Format | None) -> Format | str:
    """Return the format of a file, or the reason why the file is not read; ``choice`` overrules the detection."""
    if choice is not None:
        return format_named(choice) if isinstance(choice, str) else choice
    packed = _packed(file)  # which only plug-ins read
    forms = [form for form in formats().values() if packed is None or _is_plugin(form)]
    special = [form for form in forms if not form.is_generic and (file.is_json or not form.is_json)]
    return (
        _first_of(file, [(form, form.matches, form) for form in special])
        or _first_of(file, [(form, other.matches, other.reason) for form in forms for other in form.companions])
        or packed
        or _page(file)
        or _first_of(file, [(form, form.matches, form) for form in forms if form.is_generic])
        or reason_to_skip(file)
        or "it is of no known format"
    )


def _first_of(file: LogFile, layouts: Iterable[tuple[Format, Layout, T]]) -> T | None:
    """Return what belongs to the first layout that a file has; the format of a layout that fails is named."""
    for form, matches, answer in layouts:
        try:
            if matches(file):
                return answer
        except FORESEEN:
            raise
        except Exception as error:
            raise failed([form.name], error) from error
    return None


class Unread(str):
    """The reason why a file that may hold outcomes is not read."""

    __slots__ = ()


def _page(file: LogFile) -> str | None:
    """Return the reason why a web page is not read, which may look like anything."""
    if not file.head.strip():
        raise OutcomeError("the file is empty")
    return _PAGE if file.head.lstrip()[:_OPENING].lower().startswith((b"<!doctype html", b"<html")) else None


def _packed(file: LogFile) -> Unread | None:
    """Return the reason why a compressed file, or an archive that no tool writes, or a file of DuckDB is not read."""
    is_tar = file.head[_TAR_AT:].startswith(_TAR)
    beginning = (reason for start, reason in _COMPRESSED.items() if file.head.startswith(start))
    reason = _DUCKDB if file.is_duckdb else _TARRED if is_tar else next(beginning, None)
    return None if reason is None else Unread(reason)


def is_named_table(path: Path) -> bool:
    """Return whether the name of a file says that it is a table.

    >>> is_named_table(Path("runs.CSV")), is_named_table(Path("README.md"))
    (True, False)
    """
    return path.suffix.lower() in _TABLES


def reason_to_skip(file: LogFile) -> str | None:
    """Return the reason why a file of no known format is not read, if more can be said than this."""
    if file.head.startswith(_ZIP):
        return Unread("it is a zip archive of something else: unpack it first")
    if fault := encoding_fault(file.head):
        if file.path.suffix.lower() in _TEXTS:  # which must not be missing among others
            raise OutcomeError(fault, hint=AS_UTF8)
        return f"{fault}: {AS_UTF8}" if "UTF" in fault else None
    return _object(file) if file.is_json else _without_header(file)


def _object(file: LogFile) -> Unread | None:
    """Return how to write the outcomes of a JSON object that holds them in lists, by name, or as records."""
    if not isinstance(file.document, dict):
        return None
    values = file.document.items()
    records = [name for name, value in values if isinstance(value, list) and value and isinstance(value[0], dict)]
    if len(records) == 1:
        what = f"an object with records in {shown(records[0])}"
        return Unread(f"it is of no known format, but {what}: write that list to a file of its own")
    inner = [part for _, value in values for part in (value.values() if isinstance(value, dict) else [value])]
    if inner and all(isinstance(part, list) for part in inner):
        call = "pass what json.load returns to OutcomeSet in Python"
        return Unread(f"it is of no known format, but an object of lists: write a row per trial, or {call}")
    return None


def _without_header(file: LogFile) -> Unread | None:
    """Return the reason why a file is not read that is JSON lines, or a table, by its name, but begins otherwise."""
    is_lines = file.path.suffix.lower() in _LINES
    if not (is_lines or is_named_table(file.path)):
        return None
    lines = [(number, text.strip()) for number, text in itertools.islice(file.lines(), _FIRST_LINES) if text.strip()]
    first = f"its first line, {shown(lines[0][1] if lines else '')}, "
    if is_lines:
        return Unread(f"{first}is not JSON: remove the lines that are none")
    header = next((number for number, text in lines if any(mark in text for mark in ",\t;|")), None)
    advice = f"remove the lines above the header, which may be line {header}"
    return None if header is None else Unread(f"{first}does not name columns: {advice}")


def check_unread(unread: Mapping[Path, str], *, is_error: bool) -> None:
    """Raise an error for the first of the files that may hold outcomes, or warn of all of them.

    A file that lies there unpacked as well is no loss.
    """
    lost = {path: reason for path, reason in unread.items() if not path.with_suffix("").is_file()}
    for path, reason in lost.items() if is_error else ():
        endings = {path.suffix.lower(), path.with_suffix("").suffix.lower()}
        if endings & (_TABLES | _LINES):  # a compressed one has two; archives and workbooks may be anything
            raise OutcomeError(reason, where=str(path), remedies=[SKIP_BAD])
    if lost:
        path, reason = next(iter(lost.items()))
        more = f" (also {shorten([other.name for other in lost][1:])})" if len(lost) > 1 else ""
        many = f"{pluralize(len(lost), 'file')} may hold outcomes and {'was' if len(lost) == 1 else 'were'} not read"
        warn(f"{many}; {path}{more}: {reason}", FilesWarning)
