"""Totals by run: what the trials of each run add up to, in one pass over the run of every trial.

Trials are in the order of their questions, and within a question in the order of their categories, so the counts say
which trial has which category:

    total[t] = sum_q sum_c value[q, c] (trials of q with category c in run t)

The composition of a question is how many of its trials each run has. Cost: one addition per trial, and one comparison
per question and run.
"""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

ctypedef fused run_number:
    uint8_t
    uint16_t
    uint32_t


def totals(const int64_t[:, :] counts, const run_number[::1] of_trial, const double[:, ::1] values,
           double[::1] total, int64_t[::1] composition):
    """Add to the total of each run, and write the composition of the first question; return whether all have it."""
    cdef Py_ssize_t q, c, t, at = 0, runs = total.shape[0]
    cdef int64_t _
    cdef bint alike = True
    cdef int64_t[::1] seen = composition.copy()
    with nogil:
        for q in range(counts.shape[0]):
            for t in range(runs):
                seen[t] = 0
            for c in range(counts.shape[1]):
                for _ in range(counts[q, c]):
                    t = of_trial[at]
                    at += 1
                    total[t] += values[q, c]
                    seen[t] += 1
            for t in range(runs):
                if q == 0:
                    composition[t] = seen[t]
                elif composition[t] != seen[t]:
                    alike = False
    return alike
