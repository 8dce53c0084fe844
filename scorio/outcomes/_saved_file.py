"""Saved counts in a file: npz or Parquet by the ending of its name, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ._saved_content import SavedContent
from ._saved_npz import from_npz, to_npz
from ._saved_parquet import from_parquet, to_parquet

ENDINGS = (".npz", ".parquet")
Place = str | os.PathLike[str]


def checked_path(path: Any) -> Path:
    """Return the path of a file of saved counts, whose ending says its kind."""
    try:
        place = Path(os.fsdecode(path))
    except TypeError:
        raise ParameterError(f"must be the name of a file; got {path!r}", argument="path") from None
    if place.suffix.lower() not in ENDINGS:
        raise ParameterError(f"must end with .npz or .parquet; got {str(place)!r}", argument="path")
    return place


def write(path: Place, content: SavedContent) -> None:
    """Write a file; one that is there already is replaced at once, so that no reader sees half of it."""
    target = checked_path(path).resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        if target.suffix.lower() == ".npz":
            unfinished.write_bytes(to_npz(content))
        else:
            to_parquet(unfinished, content)
        unfinished.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask())
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _mask() -> int:
    """Return the permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read(path: Place) -> SavedContent:
    """Return the content of a file."""
    place = checked_path(path)
    if not place.is_file():
        raise FileNotFoundError(f"no such file: {place}")
    return from_npz(place) if place.suffix.lower() == ".npz" else from_parquet(place)
