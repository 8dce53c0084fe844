"""Files that are there whole or not at all: written under another name beside the old one, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to; when the block ends well it becomes ``path``, else it is gone and ``path`` as it was.

    A ``path`` that is no regular file, such as ``/dev/stdout``, is written to as it is.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    target = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mask() -> int:
    """What the process takes away from the permissions of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
