"""Distinct rows of a table of counts and their multiplicities, over which metrics sum.

- States (successes ``c``, trials ``n``) of binary outcomes: a histogram over the triangle ``c <= n`` between the fewest
  and the most trials, cell ``n (n + 1)/2 + c`` less that of the first row. Used while it has at most four cells a
  question (and for small triangles); otherwise the questions are sorted.
- Profiles (whole rows): an open-addressing hash table of row numbers, at most half full; in the order of their trials,
  then of first appearance.

Integers only; a cell is formed from trials below 2**31, so it cannot overflow. Cost: O(M + cells) for states with few
trials, O(M log M) for the others, O(M C) expected for profiles.
"""
from cpython.buffer cimport PyBuffer_Release
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from scorio._kernels.plain cimport whole_rows
from scorio._kernels.states cimport States, groups_of, states_of_table

import numpy as np

cdef object int64 = np.dtype(np.int64)
cdef object intp = np.dtype(np.intp)
cdef object empty = np.empty

cdef enum:
    CELLS_A_QUESTION = 4
    FREE_CELLS = 4096               # a triangle this small always pays


def distinct(counts):
    """Return the states, sorted by trials, then by successes, of the first two columns of ``counts``."""
    cdef Py_buffer buffer
    cdef const int64_t* rows = whole_rows(counts, &buffer)
    try:
        found = tabled_states(rows, buffer.shape[0], buffer.shape[1])
    finally:
        PyBuffer_Release(&buffer)
    return sorted_states(counts) if found is None else found


cdef object tabled_states(const int64_t* rows, Py_ssize_t questions, Py_ssize_t width):
    """Return the states by a histogram; None if the trials are too many or too uneven for one."""
    cdef Py_ssize_t cells
    cdef int64_t fewest = 0, most = 0
    cdef int64_t* histogram
    cdef int64_t[:, ::1] table
    with nogil:
        trial_range(rows, questions, width, &fewest, &most)
    if most >= (1 << 31):
        return None
    cells = triangle(most + 1) - triangle(fewest)
    if cells > CELLS_A_QUESTION * questions + FREE_CELLS:
        return None
    histogram = <int64_t*>calloc(cells, sizeof(int64_t))
    if histogram == NULL:
        raise MemoryError
    try:
        with nogil:
            cells = count_cells(rows, questions, width, fewest, histogram)
        table = empty((3, cells), int64)
        with nogil:
            list_cells(histogram, fewest, most, table)
    finally:
        free(histogram)
    return states_of_table(table)


cdef inline int64_t triangle(int64_t n) noexcept nogil:
    return n * (n + 1) // 2


cdef void trial_range(
    const int64_t* row, Py_ssize_t questions, Py_ssize_t width, int64_t* fewest, int64_t* most
) noexcept nogil:
    cdef int64_t n
    cdef Py_ssize_t _question
    fewest[0] = most[0] = row[0] + row[1]
    for _question in range(1, questions):
        row += width
        n = row[0] + row[1]
        fewest[0] = min(fewest[0], n)
        most[0] = max(most[0], n)


cdef Py_ssize_t count_cells(
    const int64_t* row, Py_ssize_t questions, Py_ssize_t width, int64_t fewest, int64_t* histogram
) noexcept nogil:
    """Fill the histogram; return how many of its cells are not empty."""
    cdef int64_t first = triangle(fewest)
    cdef int64_t* cell
    cdef Py_ssize_t _question, occupied = 0
    for _question in range(questions):
        cell = histogram + (triangle(row[0] + row[1]) - first + row[1])
        occupied += cell[0] == 0
        cell[0] += 1
        row += width
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
    """Return the states if the numbers of trials are too large or too uneven for a histogram."""
    pairs, _, times = sorted_pairs(counts)
    return states_of_table(np.ascontiguousarray([pairs[:, 1], pairs[:, 0], times], dtype=int64))


cdef tuple sorted_pairs(const int64_t[:, ::1] counts):
    """Return the distinct trials and successes in the order of states, every question's index, and how many it is."""
    rows = np.asarray(counts)
    pairs = np.stack([rows[:, 0] + rows[:, 1], rows[:, 1]], axis=1)
    return np.unique(pairs, axis=0, return_inverse=True, return_counts=True)


def locate(const int64_t[:, ::1] counts, States states, Py_ssize_t[::1] out):
    """Write the index of every question's state: by a table of the triangle, or by sorting where that is too large."""
    cdef int64_t first = triangle(states.min_trials), n
    cdef Py_ssize_t a, i, cells
    cdef Py_ssize_t* index
    cells = triangle(states.max_trials + 1) - first if states.max_trials < (1 << 31) else -1
    if not 0 <= cells <= CELLS_A_QUESTION * counts.shape[0] + FREE_CELLS:
        np.asarray(out)[:] = sorted_pairs(counts)[1].ravel()
        return
    index = <Py_ssize_t*>malloc(cells * sizeof(Py_ssize_t))
    if index == NULL:
        raise MemoryError
    with nogil:
        for i in range(states.n_states):
            index[triangle(states.n[i]) - first + states.c[i]] = i
        for a in range(counts.shape[0]):
            n = counts[a, 0] + counts[a, 1]
            out[a] = index[triangle(n) - first + counts[a, 1]]
    free(index)


def highest(const int64_t[:, ::1] counts):
    """Return the largest category that occurs."""
    cdef Py_ssize_t category = counts.shape[1] - 1
    with nogil:
        while category > 0 and not occurs(counts, category):
            category -= 1
    return category


cdef bint occurs(const int64_t[:, ::1] counts, Py_ssize_t category) noexcept nogil:
    cdef Py_ssize_t a
    for a in range(counts.shape[0]):
        if counts[a, category] > 0:
            return True
    return False


def distinct_rows(const int64_t[:, ::1] counts):
    """Return the distinct rows as floats, their groups, and every row's index among them."""
    cdef Py_ssize_t n_distinct
    cdef Py_ssize_t* first = <Py_ssize_t*>malloc(counts.shape[0] * sizeof(Py_ssize_t))
    if first == NULL:
        raise MemoryError
    cdef Py_ssize_t[::1] where
    cdef double[:, ::1] profiles
    cdef int64_t[::1] occurrences
    try:
        where = index = empty(counts.shape[0], intp)
        n_distinct = number_rows(counts, first, where)
        profiles = rows = empty((n_distinct, counts.shape[1]))
        occurrences = multiplicity = empty(n_distinct, int64)
        with nogil:
            copy_rows(counts, first, where, profiles, occurrences)
    finally:
        free(first)
    if not in_order_of_trials(profiles):
        order = np.argsort(rows.sum(axis=1), kind="stable")
        profiles = rows = rows[order]
        occurrences, index = multiplicity[order], np.argsort(order)[index]
    rows.setflags(write=False)
    index.setflags(write=False)
    last = <int64_t>row_sum(profiles, n_distinct - 1)
    return rows, groups_of(occurrences, <int64_t>row_sum(profiles, 0), last), index


cdef Py_ssize_t number_rows(const int64_t[:, ::1] counts, Py_ssize_t* first, Py_ssize_t[::1] index) except -1:
    """Number the distinct rows in the order of appearance; return how many there are."""
    cdef Py_ssize_t rows = counts.shape[0], width = counts.shape[1], slots = 8, slot, a, n_distinct = 0
    cdef const int64_t* row = &counts[0, 0]
    cdef Py_ssize_t* table              # numbers plus one, 0 where free
    while slots < 2 * rows:
        slots *= 2
    table = <Py_ssize_t*>calloc(slots, sizeof(Py_ssize_t))
    if table == NULL:
        raise MemoryError
    with nogil:
        for a in range(rows):
            slot = mix(row, width) & (slots - 1)
            while table[slot] != 0 and not equal(row, &counts[first[table[slot] - 1], 0], width):
                slot = (slot + 1) & (slots - 1)
            if table[slot] == 0:
                first[n_distinct] = a
                n_distinct += 1
                table[slot] = n_distinct
            index[a] = table[slot] - 1
            row += width
    free(table)
    return n_distinct


cdef void copy_rows(
    const int64_t[:, ::1] counts, const Py_ssize_t* first, const Py_ssize_t[::1] index,
    double[:, ::1] rows, int64_t[::1] multiplicity,
) noexcept nogil:
    """Return the distinct rows, and how many times each occurs."""
    cdef Py_ssize_t i, j
    for i in range(rows.shape[0]):
        multiplicity[i] = 0
        for j in range(rows.shape[1]):
            rows[i, j] = counts[first[i], j]
    for i in range(index.shape[0]):
        multiplicity[index[i]] += 1


cdef bint in_order_of_trials(const double[:, ::1] rows) noexcept nogil:
    cdef double trials = 0.0, before
    cdef Py_ssize_t i
    for i in range(rows.shape[0]):
        before, trials = trials, row_sum(rows, i)
        if trials < before:
            return False
    return True


cdef inline double row_sum(const double[:, ::1] rows, Py_ssize_t i) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t j
    for j in range(rows.shape[1]):
        total += rows[i, j]
    return total


cdef inline bint equal(const int64_t* one, const int64_t* other, Py_ssize_t width) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(width):
        if one[j] != other[j]:
            return False
    return True


cdef inline Py_ssize_t mix(const int64_t* row, Py_ssize_t width) noexcept nogil:
    """Return a hash of a row whose low bits are well mixed."""
    cdef uint64_t h = 0
    cdef Py_ssize_t j
    for j in range(width):
        h = (h ^ <uint64_t>row[j]) * <uint64_t>0x9E3779B97F4A7C15
        h ^= h >> 32
    return <Py_ssize_t>(h >> 1)
