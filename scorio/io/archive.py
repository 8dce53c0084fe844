"""Members of zip archives, read in memory within limits. No member's path is ever used as a path.

A member says how large it is, and may lie: it is unpacked a few kilobytes of compressed data at a time, so that a bomb
is noticed long before it fills the memory.
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

LARGEST = 1 << 30  # bytes taken out of one archive
_STEP = 4096
_ZSTANDARD = 93
_BROKEN = (OSError, EOFError, KeyError, ValueError, RuntimeError, NotImplementedError, struct.error, zlib.error)


class Archive:
    """A zip archive that is open for reading."""

    def __init__(self, opened: zipfile.ZipFile) -> None:
        self._zip = opened
        self._left = LARGEST
        self.names: frozenset[str] = frozenset(opened.namelist())

    def member(self, name: str) -> bytes:
        """The content of one member."""
        info = self._zip.getinfo(name)
        self._left -= info.file_size
        if self._left < 0:
            raise OutcomeError(f"{name} unpacks to {info.file_size:,} bytes, which makes more than {LARGEST:,} in all")
        parts = []
        with self._zip.open(info) as stream:
            while part := stream.read(_STEP):
                parts.append(part)
        return b"".join(parts)


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The archive, closed afterwards; whatever is wrong with it in one line."""
    module = _zip_module(path)
    try:
        with module.ZipFile(path) as archive:
            yield Archive(archive)
    except OutcomeError:
        raise
    except (module.BadZipFile, zipfile.BadZipFile, *_BROKEN, *_zstd_errors()) as error:
        raise OutcomeError(f"a truncated or damaged zip archive: {error}") from None


def _zip_module(path: Path) -> Any:
    """What can read the archive: the standard library, or its extension where a member is packed with Zstandard."""
    if sys.version_info >= (3, 14) or not _has_zstandard(path):
        return zipfile
    try:
        return importlib.import_module("backports.zstd.zipfile")
    except ImportError:
        raise OutcomeError('its members are packed with Zstandard: pip install "scorio[inspect]"') from None


def _has_zstandard(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return any(info.compress_type == _ZSTANDARD for info in archive.infolist())
    except (zipfile.BadZipFile, *_BROKEN):
        return False


def _zstd_errors() -> tuple[type[Exception], ...]:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return (importlib.import_module(name).ZstdError,)
    except ImportError:
        return ()
