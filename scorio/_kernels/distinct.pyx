"""What repeats in a table of counts, so that metrics sum over what is distinct.

- States (successes ``c``, trials ``n``) of a binary bank: a histogram over the triangle ``c <= n`` between the fewest
  and the most trials, cell ``n (n + 1)/2 + c`` less that of the first row. Used while it has at most four cells a
  question (and for small triangles); otherwise the questions are sorted.
- Profiles (whole rows): an open-addressing hash table of row numbers, at most half full, in order of first appearance.

Integers only; a cell is formed from trials below 2**31, so it cannot overflow. Cost: O(M + cells) for states with few
trials, O(M log M) for the others, O(M C) expected for profiles.
"""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from scorio._kernels.states cimport States, states_of_table

import numpy as np

cdef object int64 = np.dtype(np.int64)
cdef object empty = np.empty

cdef enum:
    CELLS_A_QUESTION = 4
    FREE_CELLS = 4096               # a triangle this small always pays


def distinct(const int64_t[:, ::1] counts):
    """The states of a binary bank: sorted by trials, then by successes. The first two columns count, of at least one
    row."""
    cdef Py_ssize_t questions = counts.shape[0], cells
    cdef int64_t fewest = 0, most = 0
    cdef int64_t* histogram
    cdef int64_t[:, ::1] view
    with nogil:
        trial_range(counts, &fewest, &most)
    if most >= (1 << 31):
        return sorted_states(counts)
    cells = triangle(most + 1) - triangle(fewest)
    if cells > CELLS_A_QUESTION * questions + FREE_CELLS:
        return sorted_states(counts)
    histogram = <int64_t*>calloc(cells, sizeof(int64_t))
    if histogram == NULL:
        raise MemoryError
    try:
        with nogil:
            cells = count_cells(counts, fewest, histogram)
        table = empty((3, cells), int64)
        view = table
        with nogil:
            list_cells(histogram, fewest, most, view)
    finally:
        free(histogram)
    table.setflags(write=False)
    return states_of_table(table)


cdef inline int64_t triangle(int64_t n) noexcept nogil:
    return n * (n + 1) // 2


cdef void trial_range(const int64_t[:, ::1] counts, int64_t* fewest, int64_t* most) noexcept nogil:
    cdef int64_t n
    cdef Py_ssize_t a
    fewest[0] = most[0] = counts[0, 0] + counts[0, 1]
    for a in range(1, counts.shape[0]):
        n = counts[a, 0] + counts[a, 1]
        fewest[0] = min(fewest[0], n)
        most[0] = max(most[0], n)


cdef Py_ssize_t count_cells(const int64_t[:, ::1] counts, int64_t fewest, int64_t* histogram) noexcept nogil:
    """Fill the histogram; return how many of its cells are not empty."""
    cdef int64_t first = triangle(fewest)
    cdef int64_t* cell
    cdef Py_ssize_t a, occupied = 0
    for a in range(counts.shape[0]):
        cell = histogram + (triangle(counts[a, 0] + counts[a, 1]) - first + counts[a, 1])
        occupied += cell[0] == 0
        cell[0] += 1
    return occupied


cdef void list_cells(const int64_t* histogram, int64_t fewest, int64_t most, int64_t[:, ::1] table) noexcept nogil:
    cdef Py_ssize_t i = 0
    cdef int64_t n, c
    for n in range(fewest, most + 1):
        for c in range(n + 1):
            if histogram[0] > 0:
                table[0, i] = c
                table[1, i] = n
                table[2, i] = histogram[0]
                i += 1
            histogram += 1


def sorted_states(const int64_t[:, ::1] counts):
    """The states of a bank whose trials are too many or too uneven for a histogram."""
    rows = np.asarray(counts)
    trials = rows[:, 0] + rows[:, 1]
    order = np.lexsort((rows[:, 1], trials))
    pairs = np.stack([rows[order, 1], trials[order]])
    starts = np.flatnonzero(np.r_[True, (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)])
    multiplicity = np.diff(np.r_[starts, order.size])
    table = np.ascontiguousarray(np.vstack([pairs[:, starts], multiplicity]), dtype=int64)
    table.setflags(write=False)
    return states_of_table(table)


def locate(const int64_t[:, ::1] counts, States states, Py_ssize_t[::1] out):
    """The index of the state of every question, by bisection: ``O(M log S)``."""
    cdef Py_ssize_t a, low, high, middle
    cdef int64_t c, n
    with nogil:
        for a in range(counts.shape[0]):
            c = counts[a, 1]
            n = counts[a, 0] + c
            low = 0
            high = states.n_states - 1
            while low < high:
                middle = (low + high) // 2
                if states.n[middle] < n or (states.n[middle] == n and states.c[middle] < c):
                    low = middle + 1
                else:
                    high = middle
            out[a] = low


def distinct_rows(const int64_t[:, ::1] counts):
    """The distinct rows as floats, how many times each occurs, and the index among them of every row."""
    cdef Py_ssize_t questions = counts.shape[0], width = counts.shape[1], slots = 8, found
    cdef Py_ssize_t* table
    cdef Py_ssize_t[::1] first = empty(questions, np.intp)
    index = empty(questions, np.intp)
    cdef Py_ssize_t[::1] index_view = index
    while slots < 2 * questions:
        slots *= 2
    table = <Py_ssize_t*>calloc(slots, sizeof(Py_ssize_t))
    if table == NULL:
        raise MemoryError
    try:
        with nogil:
            found = number_rows(&counts[0, 0], questions, width, table, slots - 1, &first[0], &index_view[0])
    finally:
        free(table)
    profiles = np.asarray(counts)[np.asarray(first)[:found]].astype(np.float64)
    return profiles, np.bincount(index, minlength=found).astype(int64, copy=False), index


cdef Py_ssize_t number_rows(
    const int64_t* counts, Py_ssize_t rows, Py_ssize_t width, Py_ssize_t* table, Py_ssize_t mask,
    Py_ssize_t* first, Py_ssize_t* index,
) noexcept nogil:
    """Number the distinct rows; ``table`` holds row numbers plus one, 0 where free, in a power of two of slots."""
    cdef Py_ssize_t a, slot, found = 0
    cdef const int64_t* row
    for a in range(rows):
        row = counts + a * width
        slot = mix(row, width) & mask
        while table[slot] != 0 and memcmp(row, counts + first[table[slot] - 1] * width, width * sizeof(int64_t)) != 0:
            slot = (slot + 1) & mask
        if table[slot] == 0:
            first[found] = a
            found += 1
            table[slot] = found
        index[a] = table[slot] - 1
    return found


cdef inline Py_ssize_t mix(const int64_t* row, Py_ssize_t width) noexcept nogil:
    """A hash of a row, good in its low bits."""
    cdef uint64_t h = 0
    cdef Py_ssize_t j
    for j in range(width):
        h = (h ^ <uint64_t>row[j]) * <uint64_t>0x9E3779B97F4A7C15
        h ^= h >> 32
    return <Py_ssize_t>(h >> 1)
