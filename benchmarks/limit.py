"""The speed limit: one pass over the bytes of R by a plain counting loop that the C compiler may vectorize."""

import ctypes

from compiled import library

SOURCE = """
#include <stddef.h>
#include <stdint.h>
#define LOOP(T) int64_t count_##T(const T *x, size_t n) { \\
    int64_t s = 0; for (size_t i = 0; i < n; i++) s += x[i]; return s; }
LOOP(int64_t)
LOOP(int8_t)
"""


def counting_loop():
    """A function that counts the ones of a contiguous int64 or int8 array."""
    loops = library(SOURCE)

    def count(R):
        loop = getattr(loops, f"count_{R.dtype.name}_t")
        loop.restype = ctypes.c_int64
        return loop(ctypes.c_void_p(R.ctypes.data), ctypes.c_size_t(R.size))

    return count
