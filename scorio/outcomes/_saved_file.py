"""Saved counts in one npz file: ``scorio.json``, the header, and one member per array; nothing is pickled.

Members are stored as they are, with fixed dates, so equal content is equal bytes. The zip container keeps a checksum
of every member, which is compared when the member is read. A file is written whole or not at all.
"""

import io
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError, ParameterError
from ._saved_blocks import damaged, decoded, encoded
from ._saved_content import SavedContent
from ._saved_layout import Arrays, from_text
from ._whole_file import whole_file

HEADER = "scorio.json"
Place = str | os.PathLike[str]
_DATE = (1980, 1, 1, 0, 0, 0)
_BROKEN = (OSError, EOFError, KeyError, ValueError, RuntimeError, NotImplementedError, zlib.error, zipfile.BadZipFile)


def to_npz(content: SavedContent) -> bytes:
    """Return the bytes of a file."""
    header, arrays = encoded(content)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(zipfile.ZipInfo(HEADER, _DATE), header)
        for name, array in arrays.items():
            stream = io.BytesIO()
            np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _DATE), stream.getbuffer())
    return target.getvalue()


def from_npz(source: Any) -> SavedContent:
    """Return the content of a file, which is a path or a stream of bytes."""
    try:
        with zipfile.ZipFile(source) as archive:
            check_members(archive)
            header = archive.read(HEADER)
            names = [info.filename for info in archive.infolist() if info.filename != HEADER]
            arrays: Arrays = {name.removesuffix(".npy"): _array(archive.read(name)) for name in names}
        parsed = from_text(header)
    except OutcomeError as error:
        raise damaged(error.text()) from None
    except (*_BROKEN, RecursionError, TypeError, SyntaxError, MemoryError, OverflowError) as error:
        raise damaged(str(error).partition("\n")[0]) from None
    return decoded(parsed, arrays)


def check_members(archive: zipfile.ZipFile) -> None:
    """Check that no member occurs twice or is compressed: members that are stored cannot be larger than the file."""
    names = archive.namelist()
    if len(set(names)) < len(names) or any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist()):
        raise OutcomeError("members of the archive are compressed or occur twice, which scorio never writes")


def _array(content: bytes) -> NDArray[Any]:
    """Return an array of numbers that stays in the bytes of its member."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array of another format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if fortran or dtype.kind not in "uif":
        raise ValueError("an array is not of plain numbers")
    array: NDArray[Any] = np.frombuffer(content, dtype, offset=stream.tell())
    return array.reshape(shape)


def _checked_path(path: Any) -> Path:
    """Return the path of a file of saved counts."""
    try:
        place = Path(os.fsdecode(path))
    except TypeError:
        raise ParameterError(f"must be the name of a file; got {path!r}", argument="path") from None
    if place.suffix.lower() != ".npz":
        hint = "io.write_table with counts=True writes a table of counts as csv, jsonl or parquet"
        raise ParameterError(f"must end with .npz; got {str(place)!r}", argument="path", hint=hint)
    return place


def write(path: Place, content: SavedContent) -> None:
    """Write a file; one that is there already is replaced at once, so that no reader sees half of it."""
    with whole_file(_checked_path(path)) as unfinished:
        unfinished.write_bytes(to_npz(content))


def read(path: Place) -> SavedContent:
    """Return the content of a file."""
    place = _checked_path(path)
    if not place.is_file():
        raise FileNotFoundError(f"no such file: {place}")
    return from_npz(place)
