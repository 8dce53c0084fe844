"""Replicates of one model's outcomes: trials drawn one after the other, so that ``n`` of them are the first of ``n + 1``.

- Rows: each question by itself. Without replacement the next trial is a success with chance (successes left)/(trials
  left), which is the law of a random order of its trials; with replacement the shares stay as they are.
- Runs: whole trial indices, the same for every question: a shuffle by Fisher and Yates, or indices drawn anew.

Integers only, every draw exact (``stream.pxd``): no rounding. A replicate starts a stream of its own from its seed, so
that results depend on nothing but the seeds.

``sums`` walks each question once and adds ``table[n][successes among n]`` for every table: one draw and one addition a
table for each trial added, 1-2 ns together. ``counts`` writes the counts themselves, of any number of categories.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.stream cimport Stream, below, start


cdef struct Bank:
    const int32_t* entries          # counts by category of each question; or its trials in their order
    Py_ssize_t questions
    Py_ssize_t width                # categories; or runs
    bint runs
    bint keep                       # with replacement
    Py_ssize_t length               # trials of a replicate


cdef struct Room:
    int32_t* order                  # the runs of this replicate
    int32_t* path                   # successes among the first trials; or their categories
    int32_t* left                   # counts that are left to draw; or runs to shuffle


def sums(
    const int32_t[:, ::1] entries, bint runs, bint keep, const uint64_t[:, ::1] seeds, const Py_ssize_t[::1] at,
    const double[:, :, ::1] tables, double[:, :, ::1] out,
):
    """For each replicate, table and ``n`` in ``at`` (ascending), the sum over questions of ``table[n, successes]``.

    ``entries`` are failures and successes of each question or, with ``runs``, its trials 0 and 1 in their order.
    """
    cdef Bank bank = bank_of(entries, runs, keep, at)
    cdef Room room = room_of(&bank, 2)
    cdef Stream stream
    cdef Py_ssize_t r, a, t
    try:
        with nogil:
            for r in range(seeds.shape[0]):
                start(&stream, &seeds[r, 0])
                if runs:
                    order_runs(&stream, &bank, &room)
                for t in range(tables.shape[0]):
                    clear(&out[r, t, 0], at.shape[0])
                for a in range(bank.questions):
                    if runs:
                        follow_successes(&bank, &room, a)
                    else:
                        draw_successes(&stream, &bank, &room, a)
                    for t in range(tables.shape[0]):
                        add(&tables[t, 0, 0], tables.shape[2], room.path, at, &out[r, t, 0])
    finally:
        leave(&room)


def counts(
    const int32_t[:, ::1] entries, bint runs, bint keep, const uint64_t[:, ::1] seeds, const Py_ssize_t[::1] at,
    int64_t[:, :, :, ::1] out,
):
    """For each replicate, ``n`` in ``at`` (ascending) and question, the counts by category; ``out`` comes zeroed.

    The draws are those of ``sums`` for the same seeds.
    """
    cdef Bank bank = bank_of(entries, runs, keep, at)
    cdef Room room = room_of(&bank, out.shape[3])
    cdef Stream stream
    cdef Py_ssize_t r, a
    try:
        with nogil:
            for r in range(seeds.shape[0]):
                start(&stream, &seeds[r, 0])
                if runs:
                    order_runs(&stream, &bank, &room)
                for a in range(bank.questions):
                    if runs:
                        follow_categories(&bank, &room, a)
                    else:
                        draw_categories(&stream, &bank, &room, a)
                    count(room.path, at, out[r, :, a])
    finally:
        leave(&room)


cdef Bank bank_of(const int32_t[:, ::1] entries, bint runs, bint keep, const Py_ssize_t[::1] at) noexcept:
    cdef Bank bank
    bank.entries = &entries[0, 0]
    bank.questions = entries.shape[0]
    bank.width = entries.shape[1]
    bank.runs = runs
    bank.keep = keep
    bank.length = at[at.shape[0] - 1]
    return bank


cdef Room room_of(const Bank* bank, Py_ssize_t categories) except *:
    cdef Room room
    room.order = <int32_t*>malloc(bank.length * sizeof(int32_t))
    room.path = <int32_t*>malloc(bank.length * sizeof(int32_t))
    room.left = <int32_t*>malloc(max(bank.width, categories) * sizeof(int32_t))
    if room.order == NULL or room.path == NULL or room.left == NULL:
        leave(&room)
        raise MemoryError
    return room


cdef void leave(Room* room) noexcept nogil:
    free(room.order)
    free(room.path)
    free(room.left)


cdef void clear(double* values, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(length):
        values[i] = 0.0


cdef void order_runs(Stream* stream, const Bank* bank, Room* room) noexcept nogil:
    """Which run comes first, second, .."""
    cdef Py_ssize_t i
    cdef uint32_t chosen, total = bank.width
    if bank.keep:
        for i in range(bank.length):
            room.order[i] = below(stream, total)
        return
    for i in range(bank.width):
        room.left[i] = i
    for i in range(bank.length):
        chosen = i + below(stream, total - i)
        room.order[i] = room.left[chosen]
        room.left[chosen] = room.left[i]


cdef void draw_successes(Stream* outer, const Bank* bank, Room* room, Py_ssize_t a) noexcept nogil:
    """Successes among the first trials of question ``a``."""
    cdef Stream stream = outer[0]           # in registers
    cdef uint32_t hits = bank.entries[2 * a + 1], total = hits + bank.entries[2 * a]
    cdef uint32_t taken = 0 if bank.keep else 1, hit
    cdef int32_t successes = 0
    cdef Py_ssize_t i
    for i in range(bank.length):
        hit = below(&stream, total) < hits
        successes += hit
        room.path[i] = successes
        hits -= hit & taken
        total -= taken
    outer[0] = stream


cdef void follow_successes(const Bank* bank, Room* room, Py_ssize_t a) noexcept nogil:
    cdef const int32_t* trials = bank.entries + a * bank.width
    cdef int32_t successes = 0
    cdef Py_ssize_t i
    for i in range(bank.length):
        successes += trials[room.order[i]]
        room.path[i] = successes


cdef void draw_categories(Stream* stream, const Bank* bank, Room* room, Py_ssize_t a) noexcept nogil:
    """The category of each trial of question ``a``: the highest come first among the numbers drawn from."""
    cdef Py_ssize_t i, j
    cdef uint32_t total = 0, drawn
    for j in range(bank.width):
        room.left[j] = bank.entries[a * bank.width + j]
        total += room.left[j]
    for i in range(bank.length):
        drawn = below(stream, total)
        j = bank.width - 1
        while drawn >= <uint32_t>room.left[j]:
            drawn -= room.left[j]
            j -= 1
        room.path[i] = j
        if not bank.keep:
            room.left[j] -= 1
            total -= 1


cdef void follow_categories(const Bank* bank, Room* room, Py_ssize_t a) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(bank.length):
        room.path[i] = bank.entries[a * bank.width + room.order[i]]


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
