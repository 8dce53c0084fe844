"""The limit: one pass over the bytes of R, by a plain counting loop that the C compiler may vectorise."""

import ctypes
import subprocess
import sysconfig
import tempfile
from pathlib import Path

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
    folder = Path(tempfile.mkdtemp())
    (folder / "count.c").write_text(SOURCE)
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", folder / "count.so", folder / "count.c"], check=True)
    library = ctypes.CDLL(str(folder / "count.so"))

    def count(R):
        loop = getattr(library, f"count_{R.dtype.name}_t")
        loop.restype = ctypes.c_int64
        return loop(ctypes.c_void_p(R.ctypes.data), ctypes.c_size_t(R.size))

    return count
