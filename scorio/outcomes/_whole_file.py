"""A file that is written whole or not at all: under a name of its own first, which it leaves when it is complete.

A process that is killed in between leaves its unfinished file, and whoever writes the same file next removes it. The
writer holds a lock on its unfinished file, which ends with the process: a file without a lock has no writer any more.
"""

import hashlib
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give an unfinished file that replaces ``path`` if the block succeeds, and is deleted if it fails.

    A link stays a link, and a file that is replaced keeps its permissions.
    """
    target = path.resolve()
    start = f".scorio-{hashlib.blake2b(os.fsencode(target.name), digest_size=8).hexdigest()}-"
    _remove_abandoned(target.parent, start)
    unfinished, handle = _created(target.parent, start, target.suffix)
    try:
        yield unfinished
        if target.exists():
            unfinished.chmod(target.stat().st_mode & 0o777)
        unfinished.replace(target)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)  # nobody knows the name of the unfinished file
        raise
    finally:
        if handle is not None:
            os.close(handle)


def _created(folder: Path, start: str, ending: str) -> tuple[Path, int | None]:
    """Return a new empty file, and the handle with its lock; None where the system has no such locks."""
    while True:
        path = folder / f"{start}{secrets.token_hex(8)}{ending}"
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if sys.platform == "win32":
            os.close(handle)
            return path, None
        if _lock(handle) is not False and os.fstat(handle).st_nlink:
            return path, handle
        os.close(handle)  # somebody took it for abandoned before it had its lock


def _remove_abandoned(folder: Path, start: str) -> None:
    """Remove the unfinished files whose writers were killed."""
    if sys.platform == "win32":
        return
    with suppress(OSError):  # a folder that cannot be listed can still be written to
        for path in folder.iterdir():
            if path.name.startswith(start):
                _remove_if_abandoned(path)


def _remove_if_abandoned(path: Path) -> None:
    with suppress(OSError):  # its writer may finish at any time
        handle = os.open(path, os.O_RDWR)
        try:
            if _lock(handle):
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool | None:
    """Return whether an open file could be locked, which it is until the process ends; None if it has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
