"""Numbers that become indices: the one place where a float is turned into one without a check of its own."""
from libc.stdint cimport int64_t


cdef inline int64_t as_index(double x, int64_t most) noexcept nogil:
    """Return the whole part of ``x`` between 0 and ``most``; 0 for NaN."""
    cdef double last = <double> most
    x = x if x > 0.0 else 0.0
    return <int64_t> (x if x < last else last)
