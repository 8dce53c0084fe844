"""Files to write: asked for where they can be, and there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click


class Writable(click.Path):
    """A file that can be written, with one of the endings if there are any; refused before any work is done."""

    def __init__(self, endings: Collection[str] = ()) -> None:
        super().__init__(dir_okay=False, writable=True)
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if _is_special(path):
            return path
        if not path.parent.is_dir():
            self.fail(f"there is no directory {str(path.parent)!r}", param, ctx)
        if not os.access(path.parent, os.W_OK):
            self.fail(f"directory {str(path.parent)!r} is not writable", param, ctx)
        if self.endings and path.suffix.lower() not in self.endings:
            self.fail(f"{str(path)!r} does not end with {', '.join(self.endings)}", param, ctx)
        return path


def _is_special(path: Path) -> bool:
    """Whether it is there, but is no regular file."""
    return path.exists() and not path.is_file()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to; when the block ends well it becomes ``path``, else it is gone and ``path`` as it was.

    A ``path`` that is no regular file, such as ``/dev/stdout``, is written to as it is.
    """
    if _is_special(path):
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
