"""All formats, the built-in ones and those of plug-ins; the format of a file is detected from its content."""

import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from .._display.words import unknown
from ..errors import OutcomeError, ParameterError
from . import _formats
from ._files import LogFile
from ._format import FORESEEN, Format, Layout, failed
from ._unread import compressed, reason_to_skip

T = TypeVar("T")
_GROUP = "scorio.formats"  # entry points of this group are formats of plug-ins
_PAGE = "it is a web page: have the tool export its results as JSON"
_OPENING = 20  # bytes that show that a text is a web page


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
    packed = compressed(file)  # which only plug-ins read
    forms = [form for form in formats().values() if packed is None or _is_plugin(form)]
    special = [form for form in forms if not form.is_generic and (file.is_json or not form.is_json)]
    return (
        _first_of(file, [(form, form.matches, form) for form in special])
        or _first_of(file, [(form, other.matches, other.reason) for form in forms for other in form.companions])
        or packed
        or _without_content(file)
        or _first_of(file, [(form, form.matches, form) for form in forms if form.is_generic])
        or reason_to_skip(file)
        or f"it is of no known format: {', '.join(formats())}"
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


def _without_content(file: LogFile) -> str | None:
    if not file.head.strip():
        raise OutcomeError("the file is empty")
    return _PAGE if file.head.lstrip()[:_OPENING].lower().startswith((b"<!doctype html", b"<html")) else None
