"""Paths, globs and directories as files, in one order."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import OutcomeError, ParameterError

Sources = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def expanded(source: Sources) -> dict[Path, bool]:
    """The files of a source, each once, and whether it was named itself, not found in a directory or by a glob."""
    entries = [source] if isinstance(source, (str, bytes, os.PathLike)) else source
    try:
        given = [os.fsdecode(entry) for entry in entries]
    except TypeError:
        raise ParameterError(
            f"source must be a path, a glob, a directory, or several of these; got {source!r}"
        ) from None
    if not given:
        raise ParameterError("source must name at least one file, glob or directory")
    found: dict[Path, bool] = {}
    places: dict[str, Path] = {}
    for entry in given:
        for path, named in _files(entry):
            first = places.setdefault(os.path.realpath(path), path)
            found[first] = found.get(first, False) or named
    return found


def _files(entry: str) -> Iterator[tuple[Path, bool]]:
    path = Path(entry)
    if path.is_file():
        yield path, True
    elif path.is_dir():
        yield from ((inner, False) for inner in _inside(path))
    elif path.exists():
        raise OutcomeError(f"{entry}: it is neither a file nor a directory")
    elif glob.has_magic(entry):
        yield from ((match, False) for match in _matching(entry))
    else:
        raise OutcomeError(f"{entry}: no such file or directory")


def _matching(pattern: str) -> Iterator[Path]:
    """The files that match, and those in directories that match."""
    matches = sorted(map(Path, glob.glob(pattern, recursive=True)))  # noqa: PTH207 - patterns may be absolute
    if not matches:
        raise OutcomeError(f"{pattern}: no file matches")
    for match in matches:
        yield from _inside(match) if match.is_dir() else [match] if match.is_file() else []


def _inside(folder: Path) -> Iterator[Path]:
    """The files in a folder and below it, but for hidden ones."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found = (Path(here, name) for name in sorted(names) if not name.startswith("."))
        yield from (path for path in found if path.is_file())
