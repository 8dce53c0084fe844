"""Replicates of one model's outcomes: trials are drawn one by one, so that ``n`` of them are the first of ``n + 1``.

Each question is drawn by itself. Without replacement the next trial is a success with probability (successes left) /
(trials left), as in a random order of its trials; with replacement the probabilities stay the same.

All numbers are integers and every draw is exact (``stream.pxd``). A replicate starts its own random stream from its
seed, so that results depend on the seeds alone.

``sums`` walks each question once and adds ``table[n][successes among n]`` for every table: one draw, and one addition
per table, for each trial added, 1-2 ns together. ``counts`` writes the counts themselves, of any number of categories.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.interrupt cimport pause
from scorio._kernels.stream cimport Stream, below, start


def sums(
    const int32_t[:, ::1] entries, bint keep, const uint64_t[:, ::1] seeds, const Py_ssize_t[::1] at,
    const double[:, :, ::1] tables, double[:, :, ::1] out,
):
    """Write, per replicate, table and ``n`` in ``at`` (ascending), the sum over questions of ``table[n, successes]``.

    ``entries`` are failures and successes of each question, and ``out`` comes zeroed.
    """
    draw(entries, keep, seeds, at, tables, out, None)


def counts(
    const int32_t[:, ::1] entries, bint keep, const uint64_t[:, ::1] seeds, const Py_ssize_t[::1] at,
    int64_t[:, :, :, ::1] out,
):
    """Write, per replicate, ``n`` in ``at`` (ascending) and question, the counts by category; ``out`` comes zeroed.

    The draws are those of ``sums`` for the same seeds.
    """
    draw(entries, keep, seeds, at, None, None, out)


cdef inline int draw(
    const int32_t[:, ::1] entries, bint keep, const uint64_t[:, ::1] seeds, const Py_ssize_t[::1] at,
    const double[:, :, ::1] tables, double[:, :, ::1] sums, int64_t[:, :, :, ::1] counts,
) except -1:
    """Draw all replicates, for their sums or for their counts, whichever is not None."""
    cdef Py_ssize_t width = entries.shape[1], length = at[at.shape[0] - 1], r, a, t
    cdef int32_t* path = <int32_t*>malloc((length + width) * sizeof(int32_t))
    cdef Stream stream
    cdef int64_t work = 0
    if path == NULL:
        raise MemoryError
    try:
        with nogil:
            for r in range(seeds.shape[0]):
                start(&stream, &seeds[r, 0])
                for a in range(entries.shape[0]):
                    pause(&work, length)
                    if counts is not None:
                        draw_categories(&stream, &entries[a, 0], width, keep, path + length, path, length)
                        count(path, at, counts[r, :, a])
                        continue
                    draw_successes(&stream, &entries[a, 0], keep, path, length)
                    for t in range(tables.shape[0]):
                        add(&tables[t, 0, 0], tables.shape[2], path, at, &sums[r, t, 0])
    finally:
        free(path)
    return 0


cdef void draw_successes(Stream* outer, const int32_t* entries, bint keep, int32_t* path,
                         Py_ssize_t length) noexcept nogil:
    """Write the successes among the first trials of a question."""
    cdef Stream stream = outer[0]           # in registers
    cdef uint32_t hits = entries[1], total = hits + entries[0]
    cdef uint32_t taken = 0 if keep else 1, hit
    cdef int32_t successes = 0
    cdef Py_ssize_t i
    for i in range(length):
        hit = below(&stream, total) < hits
        successes += hit
        path[i] = successes
        hits -= hit & taken
        total -= taken
    outer[0] = stream


cdef void draw_categories(Stream* stream, const int32_t* entries, Py_ssize_t width, bint keep, int32_t* left,
                          int32_t* path, Py_ssize_t length) noexcept nogil:
    """Write the category of each trial of a question; the highest categories have the smallest numbers."""
    cdef Py_ssize_t i, j
    cdef uint32_t total = 0, drawn
    for j in range(width):
        left[j] = entries[j]
        total += left[j]
    for i in range(length):
        drawn = below(stream, total)
        j = width - 1
        while drawn >= <uint32_t>left[j]:
            drawn -= left[j]
            j -= 1
        path[i] = j
        if not keep:
            left[j] -= 1
            total -= 1


cdef void add(
    const double* table, Py_ssize_t width, const int32_t* path, const Py_ssize_t[::1] at, double* total
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(at.shape[0]):
        total[i] += table[path[at[i] - 1]]
        table += width


cdef void count(const int32_t* path, const Py_ssize_t[::1] at, int64_t[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t i = 0, s, j
    for s in range(at.shape[0]):
        if s > 0:
            for j in range(out.shape[1]):
                out[s, j] = out[s - 1, j]
        while i < at[s]:
            out[s, path[i]] += 1
            i += 1
