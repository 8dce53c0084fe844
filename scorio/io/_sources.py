"""The files that a path, a glob or a directory stands for, in a fixed order."""

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..errors import OutcomeError, ParameterError

_IN_MEMORY = "OutcomeMatrix and OutcomeSet take outcomes in memory: frames, arrays, lists and dicts"
_READERS = {
    "Delta Lake": "DeltaTable(path).to_pyarrow_dataset() of the package deltalake",
    "Iceberg": "StaticTable.from_metadata(path).scan().to_arrow() of the package pyiceberg",
}
_OF_DATA = ("columns", "column_names", "__array__", "read")  # attributes of frames, arrays and open files
_MARKS = ("_SUCCESS", "_temporary", "_metadata", "_common_metadata", "_started_*", "_committed_*")
Sources = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
_URL = re.compile(r"[A-Za-z][\w+.\-]+://")  # a protocol has two letters or more, unlike a drive
_COPY = "copy the files to a local folder first, as with aws s3 sync, hf download or curl"


def expand(source: Sources) -> dict[Path, bool]:
    """Return the files of a source, each once, and whether the user named the file itself (not a folder or a glob)."""
    entries: Any = [source] if isinstance(source, (str, bytes, os.PathLike)) else source
    is_data = isinstance(entries, Mapping) or any(hasattr(entries, name) for name in _OF_DATA)
    try:
        names = None if is_data else [_named(entry) for entry in entries]
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
        for path, is_named in _files(name):
            first = places.setdefault(os.path.realpath(path), path)
            files[first] = files.get(first, False) or is_named
    return files


def _named(entry: Any) -> str:
    """Return a path as text; a URL may name a local file."""
    name = os.fsdecode(entry)
    return url2pathname(urlsplit(name).path) if name.startswith("file://") else name


def _files(entry: str) -> Iterator[tuple[Path, bool]]:
    path = Path(entry)
    if path.is_file():
        yield path, True
    elif path.is_dir():
        yield from ((inner, False) for inner in _inside(path))
    elif path.exists():
        raise OutcomeError("it is neither a file nor a directory", where=entry)
    elif glob.has_magic(entry) and not _URL.match(entry):
        yield from ((match, False) for match in _matching(entry))
    else:
        raise OutcomeError("no such file or directory", where=entry, hint=_COPY if _URL.match(entry) else None)


def _matching(pattern: str) -> Iterator[Path]:
    """Return the files that match, and those in directories that match."""
    matches = sorted(map(Path, glob.glob(pattern, recursive=True)))  # noqa: PTH207 - patterns may be absolute
    if not matches:
        raise OutcomeError("no file matches", where=pattern)
    for match in matches:
        yield from _inside(match) if match.is_dir() else [match] if match.is_file() else []


def _inside(folder: Path) -> Iterable[Path]:
    """Return the files in a folder and below it, except hidden ones."""

    def fail(error: OSError) -> NoReturn:
        raise OutcomeError(f"the folder cannot be read: {error.strerror}", where=os.fsdecode(error.filename)) from None

    for here, folders, names in os.walk(folder, onerror=fail):
        if "_delta_log" in folders:
            raise _logged("Delta Lake", here)
        if Path(here).name == "metadata" and any(name.endswith(".metadata.json") for name in names):
            raise _logged("Iceberg", str(Path(here).parent))
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        yield from (path for name in sorted(names) if not _is_hidden(name) and (path := Path(here, name)).is_file())


def _is_hidden(name: str) -> bool:
    """Return whether a file or folder is not read: hidden ones, and those that the jobs of Spark leave behind."""
    return name.startswith(".") or any(fnmatchcase(name, pattern) for pattern in _MARKS)


def _logged(kind: str, folder: str) -> OutcomeError:
    """Return the error of a folder that is a table with a log: its old files would be counted as well."""
    problem = f"it is a table of {kind}, whose log says which of its files count"
    return OutcomeError(problem, where=folder, hint=f"pass {_READERS[kind]} to OutcomeSet.from_frame")
