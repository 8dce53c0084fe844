"""The files that a path, a glob, a directory or a URL stands for, in a fixed order.

fsspec copies files behind URLs into a temporary folder, where they are read like any others.
"""

import glob
import importlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..errors import OutcomeError, ParameterError
from ._records import Source

_IN_MEMORY = "OutcomeMatrix and OutcomeSet take outcomes in memory: frames, arrays, lists and dicts"
_READERS = {
    "Delta Lake": "DeltaTable(path).to_pyarrow_dataset() of the package deltalake",
    "Iceberg": "StaticTable.from_metadata(path).scan().to_arrow() of the package pyiceberg",
}
_OF_DATA = ("columns", "column_names", "__array__", "read")  # attributes of frames, arrays and open files
_MARKS = ("_SUCCESS", "_temporary", "_metadata", "_common_metadata", "_started_*", "_committed_*")
Sources = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
_URL = re.compile(r"[\w+.\-:]*?([A-Za-z][\w+.\-]+)://")  # a protocol has two letters or more, unlike a drive
_SHOWN = re.compile(r"([A-Za-z][\w+.\-]+):/(?!/)")
_CONNECT, SILENCE = 30.0, 60.0  # seconds until a server of the web answers, and between two pieces of its answer
_WEB = ("http", "https")  # in their URLs a question mark begins a query


class _Remote(NamedTuple):
    """A file system of fsspec, and a path, a folder or a pattern in it; web addresses name no folder."""

    system: Any
    path: str
    url: str
    protocol: str
    is_web: bool


def _is_remote(entry: Any) -> bool:
    """Return whether a source is a URL."""
    return isinstance(entry, str) and _URL.match(entry) is not None


def url_text(path: Path) -> str:
    """Return a path as text; that of a URL has its two slashes again.

    >>> url_text(Path("s3://bucket/runs.csv")), url_text(Path("runs/a.csv"))
    ('s3://bucket/runs.csv', 'runs/a.csv')
    """
    return _SHOWN.sub(r"\1://", str(path), count=1) if _SHOWN.match(str(path)) else str(path)


class Mirror:
    """A temporary folder with copies of remote files: those of ``s3://bucket/a`` are in its folder ``s3/bucket/a``."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._urls: dict[Path, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._folder is None:
            return
        self._folder.cleanup()
        if isinstance(error, OutcomeError):
            texts = {"problem": error.problem, "where": error.where, "hint": error.hint}
            raise error.changed(**{name: text and self._told(text) for name, text in texts.items()}) from None

    @property
    def root(self) -> Path:
        """The folder, which is made when it is first needed."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="scorio-")
        return Path(os.path.realpath(self._folder.name))

    def copies(self, entry: str) -> Iterator[tuple[Path, bool]]:
        """Yield a copy of every file that a URL stands for, and whether the URL names the file itself."""
        system, path, url, _, is_web = remote = _opened(entry)
        with _plain_errors(url):
            # what a web server says of an address, it says when it is asked for the file
            is_glob = any(mark in path for mark in ("*" if is_web else "*?[")) and (is_web or not system.isfile(path))
            names = sorted(system.glob(path)) if is_glob else [path]
            if not names:
                raise OutcomeError("no file matches", where=url)
            places = {self._place(remote, name): name for name in names}
            for place, name in places.items():
                files = [name] if is_web or system.isfile(name) else system.find(name)
                copies = {Path(f"{place}{file.removeprefix(name)}"): file for file in files}
                missing = {copy: file for copy, file in copies.items() if not copy.exists()}
                for copy in missing:
                    copy.parent.mkdir(parents=True, exist_ok=True)
                if missing:
                    system.get([*missing.values()], [*map(str, missing)])
        for place in places:
            yield from ((path, is_named and not is_glob) for path, is_named in _files(str(place)))

    def _place(self, remote: _Remote, path: str) -> Path:
        """Return the place of a copy; no part of a remote path leads out of the folder."""
        plain, host = (urlsplit(path).path, urlsplit(path).netloc) if remote.is_web else (path, "")
        parts = [part for part in re.split(r"[/\\]", f"{host}/{plain}") if part not in ("", ".", "..")]
        place = Path(self.root, remote.protocol, *parts)
        if self._urls.setdefault(place, path) != path:  # addresses that differ in their queries
            place = Path(self.root, str(len(self._urls)), remote.protocol, *parts)
            self._urls[place] = path
        return place

    def url(self, path: Path) -> Path:
        """Return the URL of a copy as a path; other paths stay."""
        return Path(self._told(str(path))) if self._urls else path

    def sources(self, sources: Sequence[Source]) -> list[Source]:
        """Return sources with their URLs in place of their copies."""
        if not self._urls:
            return list(sources)
        return [
            replace(source, path=self.url(source.path), others=tuple(map(self.url, source.others)), apart=None)
            for source in sources
        ]

    def with_conditions(self, sources: Sequence[Source]) -> list[Source]:
        """Return sources whose conditions name no folder of copies."""
        return [
            source.changed(conditions={name: self._told(value) for name, value in source.run.conditions.items()})
            if self._urls
            else source
            for source in sources
        ]

    def _told(self, text: str) -> str:
        """Return a text with URLs in place of the copies."""
        return re.sub(rf"{re.escape(str(self.root))}[/\\](?:\d+[/\\])?([A-Za-z][\w+.\-]*)[/\\]", r"\1://", text)


def _opened(entry: str) -> _Remote:
    """Return the file system and the path of a URL."""
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise OutcomeError("URLs need fsspec", where=entry, hint="pip install fsspec") from None
    match = _URL.match(entry)
    protocol = match[1] if match else "url"
    options: dict[str, Any] = {}
    with _plain_errors(entry):
        for web in (name for name in _WEB if f"{name}://" in entry):
            http = importlib.import_module("aiohttp")
            timeout = http.ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=SILENCE)
            options[web] = {"client_kwargs": {"timeout": timeout}}
        system, path = core.url_to_fs(entry, **options)
        return _Remote(system, path, entry, protocol, protocol in _WEB)


def _reason_of(error: Exception) -> str:
    """Return in words why a file could not be copied."""
    status = getattr(error, "status", None)
    if isinstance(error, TimeoutError):
        return "the server did not answer in time"
    if isinstance(status, int) and status:
        return f"the server answers with the status {status} ({getattr(error, 'message', '')})"
    text = str(error).partition("\n")[0]
    return text if text and status is None else type(error).__name__


@contextmanager
def _plain_errors(url: str) -> Iterator[None]:
    """Raise an ``OutcomeError`` for whatever a file system raises: each has errors of its own."""
    try:
        yield
    except OutcomeError as error:
        raise (error if error.where else error.at(url)) from None
    except ImportError as error:
        raise OutcomeError("a package for this kind of URL is missing", where=url, hint=str(error)) from None
    except FileNotFoundError:
        raise OutcomeError("no such file or directory", where=url) from None
    except Exception as error:
        raise OutcomeError(f"it cannot be read: {_reason_of(error)}", where=url) from error


def expand(source: Sources, mirror: Mirror | None = None) -> dict[Path, bool]:
    """Return the files of a source, each once, and whether the user named the file itself (not a folder or a glob).

    ``mirror`` takes copies of the files behind URLs.
    """
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
        is_remote = _is_remote(name)
        if is_remote and mirror is None:
            raise OutcomeError("a URL cannot be read here", where=name, hint="copy the files to a local folder")
        for path, is_named in mirror.copies(name) if mirror and is_remote else _files(name):
            first = places.setdefault(os.path.realpath(path), path)
            files[first] = files.get(first, False) or is_named
    return files


def _named(entry: Any) -> str:
    """Return a path or a URL as text; a local file behind a URL needs no copy."""
    if not _is_remote(entry):
        return os.fsdecode(entry)
    return url2pathname(urlsplit(entry).path) if entry.startswith("file://") else str(entry)


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
