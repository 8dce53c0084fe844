"""Totals by run: what the trials of each run add up to, in one pass over the run of every trial.

Trials are in the order of their questions, and within a question in the order of their categories, so the counts say
which trial has which category:

    total[t] = sum_q sum_c value[q, c] (trials of q with category c in run t)

The composition of a question is how many of its trials each run has. Cost: one addition per trial, and while all
questions have one composition, a second one and a comparison of memory per question.
"""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

ctypedef fused run_number:
    uint8_t
    uint16_t
    uint32_t


def totals(const int64_t[:, :] counts, const run_number[::1] of_trial, const double[:, ::1] values,
           double[::1] total, int64_t[::1] composition):
    """Add to the total of each run, and write the composition of the first question; return whether all have it."""
    cdef Py_ssize_t q, c, t, at = 0, stop, runs = total.shape[0]
    cdef size_t size = runs * sizeof(uint32_t)
    cdef bint alike = True
    cdef double value
    cdef uint32_t* first = <uint32_t*>calloc(2 * runs, sizeof(uint32_t))
    if first == NULL:
        raise MemoryError
    cdef uint32_t* seen = first + runs
    with nogil:
        for q in range(counts.shape[0]):
            memset(seen, 0, size)
            for c in range(counts.shape[1]):
                value = values[q, c]
                stop = at + counts[q, c]
                if alike:
                    while at < stop:
                        t = of_trial[at]
                        total[t] += value
                        seen[t] += 1
                        at += 1
                else:
                    while at < stop:
                        total[of_trial[at]] += value
                        at += 1
            if q == 0:
                memcpy(first, seen, size)
            elif alike and memcmp(first, seen, size) != 0:
                alike = False
        for t in range(runs):
            composition[t] = first[t]
    free(first)
    return alike
