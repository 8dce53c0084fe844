"""The distinct states of a binary bank: what every count metric is summed over.

A state is a pair (successes ``c``, trials ``n``) with ``m`` questions in it. States are sorted by trials, then by
successes, so that what depends on the trials alone is computed once a run of equal ``n``. A bank of any number of
questions with ``N`` trials each has at most ``N + 1`` states.
"""
from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t

import numpy as np


cdef class States:
    """States of a bank, from arrays the caller has validated: sorted, ``0 <= c <= n``, ``m >= 1``."""

    def __init__(self, const int64_t[::1] successes, const int64_t[::1] trials, const int64_t[::1] multiplicity):
        if not successes.shape[0] == trials.shape[0] == multiplicity.shape[0] >= 1:
            raise ValueError("states need three arrays of one length, at least 1")
        fill(self, successes, trials, multiplicity)

    @property
    def successes(self):
        return np.asarray(self.c)

    @property
    def trials(self):
        return np.asarray(self.n)

    @property
    def multiplicity(self):
        return np.asarray(self.m)

    cpdef double mean(self, const double[::1] values) except? -1.0:
        """The mean over questions of a value given for each state."""
        cdef double total = 0.0
        cdef Py_ssize_t i
        if values.shape[0] != self.n_states:
            raise ValueError("one value for each state")
        with nogil:
            for i in range(self.n_states):
                total += self.m[i] * values[i]
        return total / self.n_questions

    cpdef double norm(self, const double[::1] values) except? -1.0:
        """``sqrt(sum over questions of value^2)``, scaled so that squares neither overflow nor vanish."""
        cdef double scale = 0.0, total = 0.0, x
        cdef Py_ssize_t i
        if values.shape[0] != self.n_states:
            raise ValueError("one value for each state")
        with nogil:
            for i in range(self.n_states):
                scale = max(scale, fabs(values[i]))
            if scale > 0.0:
                for i in range(self.n_states):
                    x = values[i] / scale
                    total += self.m[i] * x * x
        return scale * sqrt(total)


cdef States states_of_table(const int64_t[:, ::1] table):
    """States from one table with the rows ``c``, ``n``, ``m`` and at least one column."""
    cdef States states = States.__new__(States)
    fill(states, table[0], table[1], table[2])
    return states


cdef void fill(States states, const int64_t[::1] c, const int64_t[::1] n, const int64_t[::1] m) noexcept:
    cdef Py_ssize_t i
    states.c = c
    states.n = n
    states.m = m
    states.n_states = c.shape[0]
    states.min_trials = n[0]
    states.max_trials = n[c.shape[0] - 1]
    states.n_questions = 0
    for i in range(c.shape[0]):
        states.n_questions += m[i]
