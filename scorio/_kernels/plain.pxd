"""Contiguous arrays as pointers: what a typed memoryview checks, at a third of its cost, for kernels of small calls."""
from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t


cdef inline double* doubles(object array, Py_buffer* buffer, int dimensions, Py_ssize_t count,
                            bint writable) except NULL:
    """Return the numbers of an array of ``count`` doubles or rows of doubles; the caller releases the buffer."""
    PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (PyBUF_WRITABLE if writable else 0))
    if (buffer.ndim == dimensions and buffer.shape[0] == count
            and buffer.format[0] == c"d" and buffer.format[1] == 0):
        return <double*>buffer.buf
    PyBuffer_Release(buffer)
    raise ValueError("one value for each state or profile, as doubles, or a row for each profile is needed")


cdef inline const int64_t* whole_rows(object array, Py_buffer* buffer) except NULL:
    """Return the numbers of a table of 64-bit integers with two columns or more; the caller releases the buffer."""
    PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    if (
        buffer.ndim == 2 and buffer.shape[0] > 0 and buffer.shape[1] > 1 and buffer.itemsize == 8
        and (buffer.format[0] == c"l" or buffer.format[0] == c"q") and buffer.format[1] == 0
    ):
        return <const int64_t*>buffer.buf
    PyBuffer_Release(buffer)
    raise ValueError("a table of 64-bit integers with two columns is needed")


cdef struct Pair:
    double* mean
    double* sd
    Py_buffer buffers[2]


cdef inline int open_pair(Pair* pair, object mean, object sd, Py_ssize_t count) except -1:
    """Open the two arrays of ``count`` doubles that a posterior is written to; ``close_pair`` releases them."""
    pair.mean = doubles(mean, &pair.buffers[0], 1, count, True)
    try:
        pair.sd = doubles(sd, &pair.buffers[1], 1, count, True)
    except ValueError:
        PyBuffer_Release(&pair.buffers[0])
        raise
    return 0


cdef inline void close_pair(Pair* pair) noexcept:
    PyBuffer_Release(&pair.buffers[0])
    PyBuffer_Release(&pair.buffers[1])
