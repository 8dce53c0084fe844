"""Counting arrays that lie in a file, a block of rows at a time: memory holds the counts and no more than a block.

The pages of a mapped file that were read count as memory of the process until they are given back, which is done after
each block. The file stays in the system's page cache as long as there is room.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._kernels.tally import category_limit, scan

_BLOCK = 1 << 24  # bytes


def scan_blocks(
    array: NDArray[Any], categories: int, missing: int, offsets: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64] | None, int]:
    """What ``tally.scan`` finds, in blocks where a large matrix is a view of a mapped file."""
    pages = _pages(array) if array.nbytes > _BLOCK and array.ndim == 2 else None
    if pages is None:
        return scan(array, categories, missing, offsets)
    step = max(1, _BLOCK * len(array) // array.nbytes)
    most = categories or category_limit(len(array))
    counts = np.zeros((len(array), categories or 2), np.int64)
    for start in range(0, len(array), step):
        found, row = scan(array[start : start + step], categories, missing)
        if found is None:
            return None, row if row < 0 else start + row
        if found.shape[1] > most:
            return None, start
        if found.shape[1] > counts.shape[1]:
            counts = np.pad(counts, ((0, 0), (0, found.shape[1] - counts.shape[1])))
        counts[start : start + step, : found.shape[1]] = found
        if hasattr(pages, "madvise"):
            pages.madvise(mmap.MADV_DONTNEED)
    return counts, -1


def _pages(array: NDArray[Any]) -> mmap.mmap | None:
    """The map of the file that an array is a view of; None where there is none, or it holds changes of its own."""
    owner: Any = array
    in_file = False
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            in_file = owner.mode != "c"
        owner = owner.base
    return owner if in_file and isinstance(owner, mmap.mmap) else None
