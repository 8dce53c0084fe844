"""Count arrays of mapped files block by block, so that memory holds the counts and one block of rows.

The pages of a mapped file that were read count as memory of the process until they are released, which is done after
each block. The file stays in the system's page cache as long as there is room.
"""

import mmap
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.count_outcomes import category_limit, scan

BLOCK = 1 << 24  # bytes that are counted at once
_CONVERTED = 1 << 16  # numbers that are converted at once: they stay in the processor's cache
Convert = Callable[[NDArray[Any]], NDArray[Any]]


def scan_blocks(
    array: NDArray[Any],
    categories: int,
    missing: int,
    offsets: NDArray[np.int64] | None = None,
    convert: Convert | None = None,
) -> tuple[NDArray[np.int64] | None, int]:
    """Return what the kernel's ``scan`` does, in blocks where a large matrix is a view of a mapped file.

    Blocks are converted first to what the kernel can read, as numbers of 16 bits with a point are.
    """
    if convert is None and array.dtype.char == "e":
        convert = partial(np.asarray, dtype=np.float32)  # which holds numbers of 16 bits
    pages = _pages(array) if array.nbytes > BLOCK and array.ndim == 2 else None
    if array.ndim == 1 or (pages is None and convert is None):
        return scan(array if convert is None else convert(array), categories, missing, offsets)
    size = _CONVERTED // max(array.shape[1], 1) if convert is not None else BLOCK * len(array) // max(array.nbytes, 1)
    step = max(1, size)
    most = categories or category_limit(len(array))
    counts = np.zeros((len(array), categories or 2), np.int64)
    for start in range(0, len(array), step):
        block = array[start : start + step]
        part, row = scan(block if convert is None else convert(block), categories, missing)
        if part is None:
            return None, row if row < 0 else start + row
        if part.shape[1] > most:
            return None, start
        if part.shape[1] > counts.shape[1]:
            counts = np.pad(counts, ((0, 0), (0, part.shape[1] - counts.shape[1])))
        counts[start : start + step, : part.shape[1]] = part
        if pages is not None and hasattr(pages, "madvise"):
            pages.madvise(mmap.MADV_DONTNEED)
    return counts, -1


def _pages(array: NDArray[Any]) -> mmap.mmap | None:
    """Return the map of the file that an array is a view of; None for other arrays and copy-on-write maps."""
    owner: Any = array
    in_file = False
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            in_file = owner.mode != "c"
        owner = owner.base
    return owner if in_file and isinstance(owner, mmap.mmap) else None
