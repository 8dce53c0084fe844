"""Count arrays of mapped files block by block, so that memory holds the counts and one block of rows.

The pages of a mapped file that were read count as memory of the process until they are released, which is done after
each block. The file stays in the system's page cache as long as there is room.
"""

import mmap
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._kernels.count_outcomes import category_limit, scan

BLOCK = 1 << 24  # bytes that are counted at once
_ONE = 0x3C00  # the bits of the number 1 of 16 bits
_SMALL = np.arange(9, dtype=np.float16).view(np.uint16)  # the bits of the numbers 0 to 8
_HALF_BLOCK = 1 << 18  # bytes of numbers of 16 bits, which become 8 or 32: they stay in the processor's cache


def scan_blocks(
    array: NDArray[Any], categories: int, missing: int, offsets: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64] | None, int]:
    """Return what the kernel's ``scan`` does, in blocks where a large matrix is a view of a mapped file.

    The kernel knows no numbers of 16 bits with a point; they are converted block by block.
    """
    is_half = array.dtype.char == "e"
    if is_half and array.ndim == 1:
        return scan(_widened(array), categories, missing, offsets)
    pages = _pages(array) if array.nbytes > BLOCK and array.ndim == 2 else None
    if pages is None and not is_half:
        return scan(array, categories, missing, offsets)
    step = max(1, (_HALF_BLOCK if is_half else BLOCK) * len(array) // max(array.nbytes, 1))
    most = categories or category_limit(len(array))
    counts = np.zeros((len(array), categories or 2), np.int64)
    for start in range(0, len(array), step):
        block = array[start : start + step]
        part, row = scan(_widened(block) if is_half else block, categories, missing)
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


def _widened(block: NDArray[Any]) -> NDArray[Any]:
    """Return 16-bit numbers as truth values where all are 0 or 1, as bytes where all are 0 to 8, else in 32 bits."""
    bits = np.ascontiguousarray(block, np.float16).view(np.uint16)
    ones: NDArray[np.bool_] = bits == _ONE
    if np.count_nonzero(bits) == np.count_nonzero(ones):
        return ones
    categories = _categories(bits)
    return np.take(_every_half(), bits) if categories is None else categories


def _categories(bits: NDArray[np.uint16]) -> NDArray[np.int8] | None:
    """Return the numbers with these bits where all are 0 to 8, which is ten times as fast as a look-up; else None."""
    most = bits.max(initial=0)
    if most > _SMALL[-1]:
        return None
    found = np.zeros(bits.shape, np.int8)
    known = np.count_nonzero(bits == 0)
    for small in _SMALL[1 : int(np.searchsorted(_SMALL, most)) + 1]:  # bits are in the order of their numbers
        found += (bits >= small).view(np.int8)
        known += np.count_nonzero(bits == small)
    return found if known == bits.size else None


@cache
def _every_half() -> NDArray[np.float32]:
    """Return all numbers of 16 bits by their bits: looking them up is faster than converting them."""
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


def _pages(array: NDArray[Any]) -> mmap.mmap | None:
    """Return the map of the file that an array is a view of; None for other arrays and copy-on-write maps."""
    owner: Any = array
    in_file = False
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            in_file = owner.mode != "c"
        owner = owner.base
    return owner if in_file and isinstance(owner, mmap.mmap) else None
