"""Files to write: checked before any work is done, and written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import click

from ..errors import ParameterError


class Writable(click.Path):
    """A file that can be written, with one of the endings if any are listed."""

    def __init__(self, endings: Collection[str] = ()) -> None:
        super().__init__(dir_okay=False, writable=True)
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or fail."""
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
    """Return whether the path exists and is not a regular file."""
    return path.exists() and not path.is_file()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file that replaces ``path`` if the block succeeds, and is deleted if it fails.

    A ``path`` that is not a regular file, such as ``/dev/stdout``, is written to directly.
    """
    try:
        if _is_special(path):
            yield path
        else:
            with _temporary(path.resolve()) as unfinished:
                yield unfinished
    except OSError as error:
        error.filename = str(path)
        raise


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder that becomes ``path`` if the block succeeds, and is deleted if it fails."""
    if path.exists():
        raise ParameterError(f"{path} exists already: name a new folder")
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.resolve().parent) as folder:
        unfinished = Path(folder, "logs")
        unfinished.mkdir()
        yield unfinished
        unfinished.rename(path)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Give stdout; an error says that it was stdout that could not be written."""
    if sys.stdout is None:
        raise ParameterError("stdout is closed: write to a file with --output")
    try:
        yield sys.stdout
    except BrokenPipeError:
        raise
    except OSError as error:
        error.filename = "stdout"
        raise


@contextmanager
def _temporary(target: Path) -> Iterator[Path]:
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
    """Return the permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
