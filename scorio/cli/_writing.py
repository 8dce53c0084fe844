"""Files to write: checked before any work is done, and written whole or not at all."""

import glob
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TextIO

import click

from .._base.jobs import check_interrupted
from .._base.table import plain
from ..errors import OutcomeError, ParameterError
from ._context import session, working

_DOTS_PER_INCH = 150  # of pictures that are made of dots


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


def check_outputs(outputs: Mapping[str, Path], sources: Collection[str]) -> None:
    """Check that no file to write, by the name of its option, is one that is read or lies where files are read.

    Paths are compared as files, so that links are seen through.
    """
    places = {name: path for name, path in outputs.items() if not _is_special(path)}
    read = _files_of(sources) if any(path.exists() for path in places.values()) else {}
    seen: dict[Path, str] = {}
    for name, path in places.items():
        if path.exists() and (same := read.get(_identity(path))):
            raise ParameterError(f"{name} {path} is {same}, which is read: writing would replace it. Name another file")
        for source in sources:
            if _would_be_read(path, source):
                problem = f"{name} {path} lies in {source}, which is read, so the next run would read its own output"
                raise ParameterError(f"{problem}. Name a file elsewhere")
        if (other := seen.setdefault(path.resolve(), name)) != name:
            raise ParameterError(f"{other} and {name} name the same file, {path}. Name two files")


def _files_of(sources: Iterable[str]) -> dict[tuple[int, int], Path]:
    from ..io._sources import expand

    read: dict[tuple[int, int], Path] = {}
    for source in sources:
        with suppress(OutcomeError):  # the reader says what is wrong with it
            read |= {_identity(path): path for path in expand(source)}
    return read


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _would_be_read(path: Path, source: str) -> bool:
    """Return whether a file would lie in a folder of the source, or match its pattern."""
    target, pattern = path.resolve(), glob.has_magic(source) and not Path(source).exists()
    paths = glob.glob(source, recursive=True) if pattern else [source]  # noqa: PTH207 - Path has no absolute patterns
    if any(input_path.is_dir() and target.is_relative_to(input_path.resolve()) for input_path in map(Path, paths)):
        return True
    read = Path(source).absolute()
    is_as_deep = "**" in read.parts or len(target.parts) == len(read.parts)
    return pattern and is_as_deep and fnmatchcase(str(target), str(read).replace("**/", "*"))


@contextmanager
def replacing(path: Path, *, said: bool = True) -> Iterator[Path]:
    """Give a temporary file that replaces ``path`` if the block succeeds, and is deleted if it fails.

    A line on stderr says that it was written, unless the command is quiet.

    A ``path`` that is not a regular file, such as ``/dev/stdout``, is written to directly.
    """
    check_interrupted()
    try:
        if _is_special(path):
            yield path
        else:
            from ..outcomes._saved_layout import whole_file  # the outcomes need NumPy, which help pages do without

            with whole_file(path) as unfinished:
                yield unfinished
            if said and not session().is_quiet:
                click.echo(f"wrote {path}", err=True)
    except OSError as error:
        error.filename = str(path)
        raise


def write_picture(path: Path | None, draw: Callable[[Any], Any]) -> None:
    """Write the picture that a function draws with ``scorio.plot``, which it is given; nothing without a path.

    Below the picture stands of which models several runs were added up.
    """
    if path is None:
        return
    from .. import plot

    with working("drawing"), replacing(path) as unfinished:
        figure = draw(plot).figure
        if note := session().added_up():
            figure.supxlabel(plain(note), fontsize="small")
        figure.savefig(unfinished, dpi=_DOTS_PER_INCH)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Give stdout; an error says that it was stdout that could not be written."""
    if sys.stdout is None:
        raise ParameterError("stdout is closed: write to a file with --output")
    check_interrupted()
    try:
        yield sys.stdout
    except BrokenPipeError:
        raise
    except OSError as error:
        error.filename = "stdout"
        raise
