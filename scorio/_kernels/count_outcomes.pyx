"""One pass over the outcomes: category counts of every row, from the user's own dtype and strides.

Rows are read in runs (``scan.pxd``) straight from the buffer where the entries of a row are adjacent, else through a
tile of ``RUN`` entries gathered along the shorter stride. Nothing is copied beyond that tile. The counts start two
wide; a category beyond them stops the pass at that block of rows, the counts get at least twice as many columns beside
that of category 0, and the pass resumes there, so all widenings together cost a few copies of the counts.

Cost: one read of the buffer (binary: at the speed of memory), 16 bytes per row.
"""
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport llabs
from libc.string cimport memset, strchr

from scorio._kernels.scan cimport FAULT, GOOD, GROW, RUN, Sink, count_reals, count_words, word

import numpy as np

cdef object int64 = np.dtype(np.int64)
cdef object zeros = np.zeros

cdef enum:
    TILE = 64                       # rows and columns of a tile where rows are closer together than columns
    MOST_CATEGORIES = 1 << 16       # inferred from the outcomes alone
    MOST_CELLS = 1 << 27            # of counts with inferred categories: 1 GiB
    FEW = 192                       # entries whose neighbours are looked at first, and a 64th of all,
    MORE = 2048                     # and where these are suspicious
    REPEATS = 3                     # a status: good, and neighbours may agree more often than by chance


cdef struct Source:
    const char* data
    Py_ssize_t rows
    Py_ssize_t columns
    Py_ssize_t row_step             # bytes
    Py_ssize_t column_step
    Py_ssize_t size                 # bytes of an entry
    bint real
    const int64_t* offsets          # entry where each row starts and the last ends, or NULL


def category_limit(Py_ssize_t rows):
    """Return the largest number of categories that is inferred for this number of rows."""
    return max(2, min(<Py_ssize_t>MOST_CATEGORIES, <Py_ssize_t>MOST_CELLS // max(rows, 1)))


def scan(values, int missing=0, const int64_t[::1] offsets=None):
    """Count the categories of each row of a one- or two-dimensional array of numbers.

    ``missing`` is 0 where NaN is a fault, 1 where it is left out, 2 where it counts as category 0; ``offsets`` cuts a
    one-dimensional array into rows. Returns the counts and -1, or -2 where neighbours in a matrix of 0 and 1 may agree
    more often than by chance (``repeats``); or None and a row at or before the first faulty one, -1 if the entries are
    no native numbers of up to eight bytes.
    """
    cdef Py_buffer buffer
    cdef Source source
    PyObject_GetBuffer(values, &buffer, PyBUF_FORMAT | PyBUF_STRIDES)
    try:
        if not readable(&buffer):
            return None, -1
        open_source(&buffer, &source)
        if offsets is not None:
            source.rows = offsets.shape[0] - 1
            source.offsets = &offsets[0]
        return tally(&source, buffer.format[0], missing)
    finally:
        PyBuffer_Release(&buffer)


cdef bint readable(const Py_buffer* buffer) noexcept nogil:
    """Return whether the format is one letter (native and aligned) of a type the runs know."""
    return buffer.format[0] != 0 and buffer.format[1] == 0 and strchr(b"?bBhHiIlLqQfd", buffer.format[0]) != NULL


cdef void open_source(const Py_buffer* buffer, Source* source) noexcept nogil:
    cdef bint matrix = buffer.ndim == 2
    source.data = <const char*>buffer.buf
    source.rows = buffer.shape[0] if matrix else 1
    source.columns = buffer.shape[buffer.ndim - 1]
    source.row_step = buffer.strides[0] if matrix else 0
    source.column_step = buffer.strides[buffer.ndim - 1]
    source.size = buffer.itemsize
    source.real = buffer.format[0] == c"f" or buffer.format[0] == c"d"
    source.offsets = NULL


cdef tuple tally(Source* source, char letter, int missing):
    """Count all rows; each time the pass meets a category beyond the table, continue with a larger table."""
    cdef Sink sink
    cdef Py_ssize_t row = 0
    cdef int status = GROW
    sink.width = 2
    sink.limit = category_limit(source.rows)
    if letter == c"?" or (letter == c"b" and sink.limit > 128):
        sink.limit = 2 if letter == c"?" else 128
    elif letter == c"h" and sink.limit > 32768:
        sink.limit = 32768
    sink.top = 1
    sink.missing = missing
    sink.binary = True
    counts = zeros((source.rows, sink.width), int64)
    while source.rows > 0:
        status = count_into(counts, source, &sink, &row)
        if status != GROW:
            break
        sink.width = min(max(2 * sink.width - 1, <Py_ssize_t>sink.top + 1), <Py_ssize_t>sink.limit)
        wider = zeros((source.rows, sink.width), int64)
        if row > 0:
            wider[:row, :counts.shape[1]] = counts[:row]
        counts = wider
    if status == FAULT:
        return None, row
    if sink.width > <Py_ssize_t>sink.top + 1:
        counts = counts[:, :sink.top + 1].copy()
    return counts, -2 if status == REPEATS else -1


cdef int count_into(counts, const Source* source, Sink* sink, Py_ssize_t* row) except -1:
    """Count into a numpy array of ``int64``, through a plain buffer: for a small call, a memoryview costs too much."""
    cdef Py_buffer buffer
    cdef int status
    PyObject_GetBuffer(counts, &buffer, PyBUF_WRITABLE)
    with nogil:
        status = count_rows(source, sink, <int64_t*>buffer.buf, row)
        if status == GOOD and sink.binary and source.offsets == NULL and source.rows > 3 and source.columns > 2:
            if repeats(source, <int64_t*>buffer.buf, sink.width):
                status = REPEATS
    PyBuffer_Release(&buffer)
    return status


cdef bint repeats(const Source* source, const int64_t* counts, Py_ssize_t width) noexcept nogil:
    """Return whether neighbours in rows of 0 and 1 differ more rarely than by chance: in a few rows, then in more."""
    cdef Py_ssize_t size = source.rows * source.columns
    cdef Py_ssize_t few = size // (FEW + size // 64), more = size // MORE
    return fewer_changes(source, counts, width, few + 1) > 1.3 and fewer_changes(source, counts, width, more + 1) > 3.0


cdef double fewer_changes(
    const Source* source, const int64_t* counts, Py_ssize_t width, Py_ssize_t step
) noexcept nogil:
    """Return by how many standard deviations neighbours differ more rarely than in a random order; 0 if none can.

    In such an order, n entries of which a are 1 change 2 a (n - a) / n times on average.
    """
    cdef Py_ssize_t n = source.columns, row = 0
    cdef int64_t changes = 0, mixed = 0, squares = 0, product
    cdef double mean, variance
    while row < source.rows:
        product = counts[row * width] * counts[row * width + 1]
        if product > 0 and counts[row * width] + counts[row * width + 1] == n:
            mixed += product
            squares += product * product
            changes += changes_of(source, source.data + row * source.row_step)
        row += step
    mean = 2.0 * mixed / n
    variance = (4.0 * squares / (<double>n * n) - mean) / (n - 1.0)
    return (mean - changes) / sqrt(variance) if variance > 1.0 else 0.0


cdef int64_t changes_of(const Source* source, const char* row) noexcept nogil:
    if source.size == 8:
        return unlike_neighbours(<const uint64_t*>row, source, row, 52 if source.real else 0)
    if source.size == 4:
        return unlike_neighbours(<const uint32_t*>row, source, row, 23 if source.real else 0)
    if source.size == 2:
        return unlike_neighbours(<const uint16_t*>row, source, row, 0)
    return unlike_neighbours(<const uint8_t*>row, source, row, 0)


cdef inline int64_t unlike_neighbours(const word* x, const Source* source, const char* row, int place) noexcept nogil:
    """How many neighbours differ in the bit at ``place``, which 1 has and 0 has not."""
    cdef Py_ssize_t j, step = source.column_step
    cdef int64_t found = 0
    if step == sizeof(word):
        for j in range(1, source.columns):
            found += ((x[j] ^ x[j - 1]) >> place) & 1
    else:
        for j in range(1, source.columns):
            found += (((<const word*>(row + j * step))[0] ^ (<const word*>(row + (j - 1) * step))[0]) >> place) & 1
    return found


cdef int count_rows(const Source* source, Sink* sink, int64_t* counts, Py_ssize_t* row) noexcept nogil:
    """Count from ``row`` on, block by block; on a status other than good, ``row`` is the block that caused it."""
    cdef bint gathered = source.column_step != source.size
    cdef bint tiled = gathered and llabs(source.row_step) < llabs(source.column_step)
    cdef Py_ssize_t rows_a_block = 1 if source.offsets != NULL or (gathered and not tiled) else TILE
    cdef Py_ssize_t most = TILE if tiled else RUN
    cdef Py_ssize_t stop
    cdef int status
    cdef char tile[RUN * 8]
    while row[0] < source.rows:
        stop = min(row[0] + rows_a_block, source.rows)
        status = count_block(source, sink, counts, row[0], stop, most, tile if gathered else NULL)
        if status != GOOD:
            memset(counts + row[0] * sink.width, 0, (stop - row[0]) * sink.width * sizeof(int64_t))
            return status
        row[0] = stop
    return GOOD


cdef int count_block(
    const Source* source, Sink* sink, int64_t* counts, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t most, char* tile
) noexcept nogil:
    """Count some rows, at most ``most`` columns at a time, through the tile unless that is NULL."""
    cdef const char* corner = source.data + start * source.row_step
    cdef Py_ssize_t columns = source.columns, column = 0, step = source.row_step, n, a
    cdef const char* run
    cdef int status
    if source.offsets != NULL:
        corner = source.data + source.offsets[start] * source.column_step
        columns = source.offsets[start + 1] - source.offsets[start]
    while column < columns:
        n = min(most, columns - column)
        run = corner + column * source.column_step
        if tile != NULL:
            gather(source, run, stop - start, n, tile)
            run = tile
            step = n * source.size
        for a in range(start, stop):
            status = count_run(source, run, n, counts + a * sink.width, sink)
            if status != GOOD:
                return status
            run += step
        column += n
    return GOOD


cdef inline int count_run(
    const Source* source, const char* run, Py_ssize_t n, int64_t* counts, Sink* sink
) noexcept nogil:
    if source.real:
        if source.size == 8:
            return count_reals(<const double*>run, n, counts, sink)
        return count_reals(<const float*>run, n, counts, sink)
    if source.size == 8:
        return count_words(<const uint64_t*>run, n, counts, sink)
    if source.size == 4:
        return count_words(<const uint32_t*>run, n, counts, sink)
    if source.size == 2:
        return count_words(<const uint16_t*>run, n, counts, sink)
    return count_words(<const uint8_t*>run, n, counts, sink)


cdef void gather(const Source* source, const char* corner, Py_ssize_t rows, Py_ssize_t n, char* tile) noexcept nogil:
    if source.size == 8:
        gather_words(source, corner, rows, n, <uint64_t*>tile)
    elif source.size == 4:
        gather_words(source, corner, rows, n, <uint32_t*>tile)
    elif source.size == 2:
        gather_words(source, corner, rows, n, <uint16_t*>tile)
    else:
        gather_words(source, corner, rows, n, <uint8_t*>tile)


cdef void gather_words(
    const Source* source, const char* corner, Py_ssize_t rows, Py_ssize_t n, word* tile
) noexcept nogil:
    """Copy a tile of ``rows`` by ``n`` entries, row after row, reading down its columns."""
    cdef Py_ssize_t a, j
    cdef const char* column
    if rows == 1:
        for j in range(n):
            tile[j] = (<const word*>(corner + j * source.column_step))[0]
        return
    for j in range(n):
        column = corner + j * source.column_step
        for a in range(rows):
            tile[a * n + j] = (<const word*>(column + a * source.row_step))[0]
