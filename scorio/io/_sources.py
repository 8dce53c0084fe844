"""The files that a path, a glob or a directory stands for, in a fixed order."""

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NoReturn

from ..errors import OutcomeError, ParameterError
from ._remote import Mirror, is_remote, local_path

_IN_MEMORY = "OutcomeMatrix and OutcomeSet take outcomes in memory: frames, arrays, lists and dicts"
_READERS = {
    "Delta Lake": "DeltaTable(path).to_pyarrow_dataset() of the package deltalake",
    "Iceberg": "StaticTable.from_metadata(path).scan().to_arrow() of the package pyiceberg",
}
_OF_DATA = ("columns", "column_names", "__array__", "read")  # attributes of frames, arrays and open files
_MARKS = ("_SUCCESS", "_temporary", "_metadata", "_common_metadata", "_started_*", "_committed_*")
Sources = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def expand(source: Sources, mirror: Mirror | None = None) -> dict[Path, bool]:
    """Return the files of a source, each once, and whether the user named the file itself (not a folder or a glob).

    ``mirror`` takes copies of the files behind URLs.
    """
    entries: Any = [source] if isinstance(source, (str, bytes, os.PathLike)) or is_remote(source) else source
    try:
        names = None if _is_data(entries) else [_named(entry) for entry in entries]
    except TypeError:
        names = None
    if names is None:
        problem = f"must be a path, a glob, a directory, or several of these; got a {type(source).__name__}"
        raise ParameterError(problem, argument="source", hint=_IN_MEMORY)
    if not names:
        raise ParameterError("must name at least one file, glob or directory", argument="source")
    files: dict[Path, bool] = {}
    places: dict[str, Path] = {}
    for name in names:
        if is_remote(name) and mirror is None:
            raise OutcomeError("a URL cannot be read here", where=name, hint="copy the files to a local folder")
        for path, is_named in mirror.copies(name, _kept) if mirror and is_remote(name) else _files(name):
            first = places.setdefault(os.path.realpath(path), path)
            files[first] = files.get(first, False) or is_named
    return files


def _is_data(values: Any) -> bool:
    """Return whether values are a data frame, an array, a mapping or an open file, whose entries are no paths."""
    return isinstance(values, Mapping) or any(hasattr(values, name) for name in _OF_DATA)


def _named(entry: Any) -> str:
    """Return a path or a URL as text."""
    return local_path(entry) or entry if is_remote(entry) else os.fsdecode(entry)


def _kept(folder: str, paths: Sequence[str]) -> list[str]:
    """Return the paths in a remote folder that would be read in a local one."""
    kept = []
    for path in paths:
        *folders, name = path.removeprefix(folder).strip("/").split("/")
        if "_delta_log" in folders:
            raise _logged("Delta Lake", folder)
        if folders[-1:] == ["metadata"] and name.endswith(".metadata.json"):
            raise _logged("Iceberg", folder)
        if not any(map(_is_hidden, [*folders, name])):
            kept.append(path)
    return kept


def _files(entry: str) -> Iterator[tuple[Path, bool]]:
    path = Path(entry)
    if path.is_file():
        yield path, True
    elif path.is_dir():
        yield from ((inner, False) for inner in _inside(path))
    elif path.exists():
        raise OutcomeError("it is neither a file nor a directory", where=entry)
    elif glob.has_magic(entry):
        yield from ((match, False) for match in _matching(entry))
    else:
        raise OutcomeError("no such file or directory", where=entry)


def _matching(pattern: str) -> Iterator[Path]:
    """Return the files that match, and those in directories that match."""
    matches = sorted(map(Path, glob.glob(pattern, recursive=True)))  # noqa: PTH207 - patterns may be absolute
    if not matches:
        raise OutcomeError("no file matches", where=pattern)
    for match in matches:
        yield from _inside(match) if match.is_dir() else [match] if match.is_file() else []


def _fail(error: OSError) -> NoReturn:
    raise OutcomeError(f"the folder cannot be read: {error.strerror}", where=os.fsdecode(error.filename)) from None


def _inside(folder: Path) -> Iterator[Path]:
    """Return the files in a folder and below it, except hidden ones."""
    for here, folders, names in os.walk(folder, onerror=_fail):
        _check_plain(Path(here), folders)
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        paths = (Path(here, name) for name in sorted(names) if not _is_hidden(name))
        yield from (path for path in paths if path.is_file())


def _is_hidden(name: str) -> bool:
    """Return whether a file or folder is not read: hidden ones, and those that the jobs of Spark leave behind."""
    return name.startswith(".") or any(fnmatchcase(name, pattern) for pattern in _MARKS)


def _check_plain(folder: Path, inner: Sequence[str]) -> None:
    """Check that a folder is no table whose log says which of its files count: old files would be counted as well."""
    if "_delta_log" in inner:
        raise _logged("Delta Lake", str(folder))
    if "metadata" in inner and next((folder / "metadata").glob("*.metadata.json"), None) is not None:
        raise _logged("Iceberg", str(folder))


def _logged(kind: str, folder: str) -> OutcomeError:
    """Return the error of a folder that is a table with a log."""
    problem = f"it is a table of {kind}, whose log says which of its files count"
    return OutcomeError(problem, where=folder, hint=f"pass {_READERS[kind]} to OutcomeSet.from_frame")
