"""All formats, the built-in ones and those of plug-ins; the format of a file is detected from its content."""

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeGuard

from .._display.words import unknown
from ..errors import OutcomeError, ParameterError
from . import _formats
from ._files import AS_UTF8, LogFile, encoding_fault
from ._format import FORESEEN, Format, Layout, failed
from ._formats.databases import DatabaseFormat
from ._formats.excel import ExcelFormat
from ._tabular.database import is_database
from ._tabular.sheet import is_workbook
from ._unread import Unread, compressed, other_archive, without_header, without_json
from .checks import shown

_GROUP = "scorio.formats"  # entry points of this group are formats of plug-ins
_TEXTS = {".csv", ".tsv", ".json", ".jsonl"}
_PAGE = "it is a web page: have the tool export its results as JSON"
_OPENING = 20  # bytes that show that a text is a web page


@cache
def formats() -> dict[str, Format]:
    """Return the formats by name, in the order of detection: plug-ins, built-in formats, generic formats."""
    every = [*map(_loaded, sorted(entry_points(group=_GROUP))), *_built_in()]
    by_name: dict[str, Format] = {}
    for each in sorted(every, key=lambda each: (each.is_generic, not _is_plugin(each), each.name)):
        if each.name in by_name:
            raise ParameterError(f"two formats are called {each.name!r}; uninstall one of the plug-ins that define it")
        by_name[each.name] = each
    return by_name


def format_named(name: str) -> Format:
    """Return the format of this name."""
    if name not in formats():
        raise ParameterError(unknown("format", name, formats()))
    return formats()[name]


def _built_in() -> Iterator[Format]:
    """Yield the formats of the modules of ``_formats``."""
    for found in pkgutil.iter_modules(_formats.__path__):
        module = import_module(f"{_formats.__name__}.{found.name}")
        yield from (
            kind() for kind in vars(module).values() if isinstance(kind, type) and _is_of(kind, module.__name__)
        )


def _is_of(kind: type, module: str) -> bool:
    return issubclass(kind, Format) and kind.__module__ == module


@cache
def has_plugins() -> bool:
    """Return whether packages add formats."""
    return any(map(_is_plugin, formats().values()))


def _is_plugin(form: Format) -> bool:
    return not type(form).__module__.startswith(_formats.__name__)


def _loaded(entry: EntryPoint) -> Format:
    """Return the format of a plug-in: a class, or an instance of one."""
    try:
        value = entry.load()
        each = value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:
        raise ParameterError(
            f"the format plug-in {entry.name!r} ({entry.value}) cannot be loaded: {error!r}"
        ) from error
    if not (isinstance(each, Format) and isinstance(getattr(each, "name", None), str)):
        raise ParameterError(
            f"the format plug-in {entry.name!r} ({entry.value}) must be a scorio.io.Format with a name"
        )
    return each


def detect(file: LogFile, choice: str | Format | None) -> Format | str:
    """Return the format of a file, or the reason why the file is not read; ``choice`` overrules the detection."""
    if choice is not None:
        return format_named(choice) if isinstance(choice, str) else choice
    if is_database(file):  # a file of DuckDB begins with a checksum, which may look like anything
        return formats()[DatabaseFormat.name]
    if is_workbook(file):  # which other zip archives are not
        return formats()[ExcelFormat.name]
    return _by_content(file)


def _has(form: Format, layout: Layout, file: LogFile) -> bool:
    """Return whether a file has a layout of a format, which is named where it fails."""
    try:
        return layout(file)
    except FORESEEN:
        raise
    except Exception as error:
        raise failed([form.name], error) from error


def _by_content(file: LogFile) -> Format | str:
    packed = compressed(file)  # which only plug-ins read
    known = [each for each in formats().values() if packed is None or _is_plugin(each)]
    companions = (other.reason for each in known for other in each.companions if _has(each, other.matches, file))
    matching = (each for each in known if _has(each, each.matches, file))
    if packed is not None:
        return next(matching, None) or next(companions, packed)
    if not file.head.strip():
        if (reason := next(companions, None)) is None:
            raise OutcomeError("the file is empty")
        return reason
    return (
        next((each for each in known if not each.is_generic and _has(each, each.matches, file)), None)
        or next(companions, None)
        or other_archive(file)
        or (_PAGE if file.head.lstrip()[:_OPENING].lower().startswith((b"<!doctype html", b"<html")) else None)
        or next((each for each in known if each.is_generic and _has(each, each.matches, file)), None)
        or _no_text(file)
        or _of_json(file)
        or without_json(file)
        or without_header(file)
        or f"it is of no known format: {', '.join(formats())}"
    )


def _of_json(file: LogFile) -> Unread | None:
    """Return how to write the outcomes of a JSON object that holds them in lists, by name, or as records."""
    document = file.document if file.is_json else None
    if not isinstance(document, dict):
        return None
    records = [name for name, value in document.items() if isinstance(value, list) and value and _is_object(value[0])]
    if len(records) == 1:
        what = f"an object with records in {shown(records[0])}"
        return Unread(f"it is of no known format, but {what}: write that list to a file of its own")
    inner = [each for value in document.values() for each in (value.values() if _is_object(value) else [value])]
    if inner and all(isinstance(each, list) for each in inner):
        call = "pass what json.load returns to OutcomeSet in Python"
        return Unread(f"it is of no known format, but an object of lists: write a row per trial, or {call}")
    return None


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _no_text(file: LogFile) -> str | None:
    """Return the reason why a file that would be text in another encoding is not read."""
    fault, text = encoding_fault(file.head), file.head.replace(b"\0", b"").decode(errors="replace")
    is_text = file.head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or all(
        character.isspace() or (character.isprintable() and character != "\ufffd") for character in text
    )
    if fault and is_text and file.path.suffix.lower() in _TEXTS:  # which must not be missing among others
        raise OutcomeError(fault, hint=AS_UTF8)
    return f"{fault}: {AS_UTF8}" if fault and is_text else None
