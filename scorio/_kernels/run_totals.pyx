"""Totals by run: what the trials of each run add up to, in one pass over the run of every trial.

Trials are in the order of their questions, and within a question in the order of their categories, so the counts say
which trial has which category. ``row`` says which row of values a question has:

    total[t] = sum_q sum_c value[row q, c] (trials of q with category c in run t)

The composition of a question is how many of its trials each run has. While all questions have one composition ``f``,
the trials of a question's most frequent category ``b`` need not be looked at, because

    sum_c value[c] n[c, t] = value[b] f[t] + sum_c (value[c] - value[b]) n[c, t].

Cost: one addition per trial of the other categories. If the composition is not known yet, one count per trial and a
comparison of memory per question more.
"""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

ctypedef fused run_number:
    uint8_t
    uint16_t
    uint32_t


def totals(const int64_t[:, ::1] counts, const run_number[::1] of_trial, const Py_ssize_t[::1] row,
           const double[:, ::1] values, double[::1] total, int64_t[::1] composition, bint is_known):
    """Add to the total of each run; return whether all questions have one composition.

    ``composition`` is that of all questions if it ``is_known``; else that of the first question is written to it.
    """
    cdef Py_ssize_t q, t, start = 0, runs = total.shape[0]
    cdef size_t size = runs * sizeof(uint32_t)
    cdef bint alike = True
    cdef double common = 0.0
    cdef uint32_t* first = <uint32_t*>calloc(2 * runs, sizeof(uint32_t))
    if first == NULL:
        raise MemoryError
    cdef uint32_t* seen = first + runs
    if of_trial.shape[0] > 0:
        with nogil:
            for q in range(counts.shape[0]):
                if alike and not is_known:
                    memset(seen, 0, size)
                    count_runs(&of_trial[0] + start, &counts[q, 0], counts.shape[1], seen)
                    if q == 0:
                        memcpy(first, seen, size)
                    alike = memcmp(first, seen, size) == 0
                common += add_question(
                    &of_trial[0], &start, &counts[q, 0], counts.shape[1], &values[row[q], 0], alike, &total[0]
                )
    for t in range(runs):
        if not is_known:
            composition[t] = first[t]
        total[t] += common * composition[t]
    free(first)
    return alike


cdef inline void count_runs(
    const run_number* of_trial, const int64_t* counts, Py_ssize_t width, uint32_t* seen
) noexcept nogil:
    cdef Py_ssize_t i, c, trials = 0
    for c in range(width):
        trials += counts[c]
    for i in range(trials):
        seen[of_trial[i]] += 1


cdef inline double add_question(
    const run_number* of_trial, Py_ssize_t* start, const int64_t* counts, Py_ssize_t width, const double* value,
    bint alike, double* total,
) noexcept nogil:
    """Add a question's trials and move ``start`` past them; return what every trial of its composition adds besides."""
    cdef Py_ssize_t c, at = start[0], stop, most = 0
    cdef double common = 0.0, more
    if alike:
        for c in range(1, width):
            if counts[c] > counts[most]:
                most = c
        common = value[most]
    for c in range(width):
        stop = at + counts[c]
        if alike and c == most:
            at = stop
            continue
        more = value[c] - common
        while at < stop:
            total[of_trial[at]] += more
            at += 1
    start[0] = at
    return common
