"""Members of zip archives, read in memory within limits. No member's path is ever used as a path.

The size that an archive states for a member may be false, so members are unpacked a few kilobytes of compressed data
at a time: an archive that unpacks to far more than it says is refused long before it fills the memory.
"""

from __future__ import annotations

import importlib
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import OutcomeError

LARGEST = 1 << 30  # bytes that are unpacked from one archive
_STEP = 4096  # bytes that are unpacked at once
_ZSTANDARD = 93  # the number of this compression in zip archives
_IN_THE_STANDARD_LIBRARY = sys.version_info >= (3, 14)
_BROKEN = (OSError, EOFError, KeyError, ValueError, RuntimeError, NotImplementedError, struct.error, zlib.error)


class Archive:
    """A zip archive that is open for reading, until nothing refers to it."""

    def __init__(self, path: Path, head: bytes) -> None:
        with _plain_errors():
            self._zip = _opened(path, head)
        self._left = LARGEST
        self.names: frozenset[str] = frozenset(self._zip.namelist())

    def member(self, name: str) -> bytes:
        """Return the content of one member."""
        with _plain_errors():
            info = self._zip.getinfo(name)
            self._left -= info.file_size
            if self._left < 0:
                size = f"{name} unpacks to {info.file_size:,} bytes"
                raise OutcomeError(f"{size}, which makes more than {LARGEST:,} in all")
            with self._zip.open(info) as stream:
                return b"".join(iter(lambda: stream.read(_STEP), b""))


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Raise an ``OutcomeError`` for whatever is wrong with an archive."""
    try:
        yield
    except OutcomeError:
        raise
    except _errors() as error:
        raise OutcomeError(f"a truncated or damaged zip archive: {error}") from None


def _opened(path: Path, head: bytes) -> Any:
    """Return the archive, opened by the module that can unpack it; most archives have one compression throughout."""
    method = int.from_bytes(head[8:10], "little")
    archive = None if method == _ZSTANDARD else zipfile.ZipFile(path)
    if archive is None or any(info.compress_type == _ZSTANDARD for info in archive.infolist()):
        return _module_with_zstandard().ZipFile(path)
    return archive


def _module_with_zstandard() -> Any:
    if _IN_THE_STANDARD_LIBRARY:
        return zipfile
    try:
        return importlib.import_module("backports.zstd.zipfile")
    except ImportError:
        raise OutcomeError("its members are packed with Zstandard", hint='pip install "scorio[inspect]"') from None


def _errors() -> tuple[type[Exception], ...]:
    """Return the errors of a damaged archive; this is called for an error only."""
    try:
        module = importlib.import_module("compression.zstd" if _IN_THE_STANDARD_LIBRARY else "backports.zstd")
        return zipfile.BadZipFile, *_BROKEN, module.ZstdError, _module_with_zstandard().BadZipFile
    except (ImportError, OutcomeError):
        return zipfile.BadZipFile, *_BROKEN
