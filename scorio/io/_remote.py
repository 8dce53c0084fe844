"""Files behind URLs: fsspec copies them into a temporary folder, where they are read like any others."""

import importlib
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..errors import OutcomeError
from ._records import Source

_URL = re.compile(r"[\w+.\-:]*?([A-Za-z][\w+.\-]+)://")  # a protocol has two letters or more, unlike a drive
_SHOWN = re.compile(r"([A-Za-z][\w+.\-]+):/(?!/)")
_WEB = ("http", "https")  # in their URLs a question mark begins a query
_CONNECT, SILENCE = 30.0, 60.0  # seconds until a server of the web answers, and between two pieces of its answer


class Remote(NamedTuple):
    """A file system of fsspec, and a path, a folder or a pattern in it."""

    system: Any
    path: str
    url: str

    @property
    def protocol(self) -> str:
        """The first of the protocol's names."""
        match = _URL.match(self.url)
        return match[1] if match else "url"

    @property
    def is_web(self) -> bool:
        """Whether the path is a web address, which names no folder."""
        return self.protocol in _WEB

    @property
    def is_pattern(self) -> bool:
        """Whether the path is a pattern, and not the name of a file."""
        marks = "*" if self.is_web else "*?["
        return any(mark in self.path for mark in marks) and (self.is_web or not self.system.isfile(self.path))


def is_remote(entry: Any) -> bool:
    """Return whether a source is a URL."""
    return isinstance(entry, str) and _URL.match(entry) is not None


def local_path(url: str) -> str | None:
    """Return the path of a URL of a local file, which needs no copy."""
    return url2pathname(urlsplit(url).path) if url.startswith("file://") else None


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

    def copies(self, entry: Any, keeps: Any) -> Iterator[tuple[Path, bool]]:
        """Yield a copy of every file that a URL stands for, and whether the URL names the file itself.

        ``keeps`` chooses from the paths below a folder: it is called with the folder and all of them.
        """
        remote = opened(entry)
        with _plain_errors(remote.url):
            paths, is_named = _found(remote, keeps)
            local = [self._place(remote, path) for path in paths]
            new = [i for i, place in enumerate(local) if self._urls.setdefault(place, paths[i]) == paths[i]]
            missing = [i for i in new if not local[i].exists()]
            for i in missing:
                local[i].parent.mkdir(parents=True, exist_ok=True)
            if missing:
                remote.system.get([paths[i] for i in missing], [str(local[i]) for i in missing])
        yield from ((place, is_named) for place in local)

    def _place(self, remote: Remote, path: str) -> Path:
        """Return the place of a copy; no part of a remote path leads out of the folder."""
        plain = urlsplit(path).path if remote.is_web else path
        host = urlsplit(path).netloc if remote.is_web else ""
        parts = [part for part in re.split(r"[/\\]", f"{host}/{plain}") if part not in ("", ".", "..")]
        place = Path(self.root, remote.protocol, *parts)
        is_free = self._urls.get(place, path) == path
        return place if is_free else Path(self.root, str(len(self._urls)), remote.protocol, *parts)

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
        if not self._urls:
            return list(sources)
        told = ({name: self._told(value) for name, value in source.run.conditions.items()} for source in sources)
        return [source.changed(conditions=conditions) for source, conditions in zip(sources, told, strict=True)]

    def _told(self, text: str) -> str:
        """Return a text with URLs in place of the copies."""
        return re.sub(rf"{re.escape(str(self.root))}[/\\](?:\d+[/\\])?([A-Za-z][\w+.\-]*)[/\\]", r"\1://", text)


def opened(entry: str) -> Remote:
    """Return the file system and the path of a URL."""
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise OutcomeError("URLs need fsspec", where=entry, hint="pip install fsspec") from None
    with _plain_errors(entry):
        system, path = core.url_to_fs(entry, **_web_options(entry))
        return Remote(system, path, entry)


def _web_options(url: str) -> dict[str, Any]:
    """Return the options of fsspec for the web addresses in a URL: how long to wait for an answer."""
    protocols = [protocol for protocol in _WEB if f"{protocol}://" in url]
    if not protocols:
        return {}
    timeout = importlib.import_module("aiohttp").ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=SILENCE)
    return {protocol: {"client_kwargs": {"timeout": timeout}} for protocol in protocols}


def _reason_of(error: Exception) -> str:
    """Return in words why a file could not be copied."""
    status = getattr(error, "status", None)
    if isinstance(error, TimeoutError):
        return "the server did not answer in time"
    if isinstance(status, int) and status:
        return f"the server answers with the status {status} ({getattr(error, 'message', '')})"
    text = str(error).partition("\n")[0]
    return text if text and status is None else type(error).__name__


def _found(remote: Remote, keeps: Any) -> tuple[list[str], bool]:
    """Return the paths of the files, and whether the user names a file itself."""
    system, path = remote.system, remote.path
    if remote.is_pattern:
        matches = [(name, system.isfile(name)) for name in sorted(system.glob(path))]
        files = [file for name, is_file in matches for file in ([name] if is_file else keeps(name, system.find(name)))]
        if not files:
            raise OutcomeError("no file matches", where=remote.url)
        return files, False
    if remote.is_web or system.isfile(path):  # what a server says of an address, it says when it is asked for the file
        return [path], True
    if system.isdir(path):
        return keeps(path, sorted(system.find(path))), False
    raise OutcomeError("no such file or directory", where=remote.url)


@contextmanager
def _plain_errors(url: str) -> Iterator[None]:
    """Raise an ``OutcomeError`` for whatever a file system raises: each has errors of its own."""
    try:
        yield
    except OutcomeError as error:
        raise (error if error.where else error.at(url)) from None
    except ImportError as error:
        advice = str(error)
        raise OutcomeError("a package for this kind of URL is missing", where=url, hint=advice) from None
    except FileNotFoundError:
        raise OutcomeError("no such file or directory", where=url) from None
    except Exception as error:
        raise OutcomeError(f"it cannot be read: {_reason_of(error)}", where=url) from error
