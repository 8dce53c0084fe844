"""Distinct questions with their multiplicities, over which every metric is summed.

``Groups`` say how many questions have the same counts, in the order of their trials, so that what depends on the
trials alone is computed once per run of equal ``n``. ``States`` are those of binary outcomes: pairs (successes ``c``,
trials ``n``) with ``m`` questions in each, sorted by trials, then by successes. Any number of questions with
``N`` trials each have at most ``N + 1`` states.
"""
from cpython.buffer cimport PyBuffer_Release
from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t

from scorio._kernels.plain cimport doubles

import numpy as np


cdef class Groups:
    """Questions with the same counts, taken together."""

    @property
    def multiplicity(self):
        return shown(self.m)

    cpdef double mean(self, values) except? -1.0:
        """Return the mean over questions of a value given per group."""
        cdef Py_buffer buffer
        cdef double total = 0.0
        cdef Py_ssize_t i
        cdef const double* value = doubles(values, &buffer, 1, self.m.shape[0], False)
        with nogil:
            for i in range(self.m.shape[0]):
                total += self.m[i] * value[i]
        PyBuffer_Release(&buffer)
        return total / self.n_questions

    cpdef double norm(self, values) except? -1.0:
        """``sqrt(sum over questions of value^2)``, scaled so that squares neither overflow nor underflow."""
        cdef Py_buffer buffer
        cdef double scale = 0.0, total = 0.0, x
        cdef Py_ssize_t i
        cdef const double* value = doubles(values, &buffer, 1, self.m.shape[0], False)
        with nogil:
            for i in range(self.m.shape[0]):
                scale = max(scale, fabs(value[i]))
            if scale > 0.0:
                for i in range(self.m.shape[0]):
                    x = value[i] / scale
                    total += self.m[i] * x * x
        PyBuffer_Release(&buffer)
        return scale * sqrt(total)


cdef class States(Groups):
    """The states of outcomes, from arrays the caller has validated: sorted, ``0 <= c <= n``, ``m >= 1``."""

    def __init__(self, const int64_t[::1] successes, const int64_t[::1] trials, const int64_t[::1] multiplicity):
        if not successes.shape[0] == trials.shape[0] == multiplicity.shape[0] >= 1:
            raise ValueError("states need three arrays of one length, at least 1")
        fill_states(self, successes, trials, multiplicity)

    @property
    def successes(self):
        return shown(self.c)

    @property
    def trials(self):
        return shown(self.n)

    @property
    def most(self):
        """The most successes and the most failures of one question."""
        cdef int64_t successes = 0, failures = 0
        cdef Py_ssize_t i
        for i in range(self.n_states):
            successes = max(successes, self.c[i])
            failures = max(failures, self.n[i] - self.c[i])
        return successes, failures


cdef object shown(const int64_t[::1] view):
    """As a read-only array."""
    array = np.asarray(view)
    array.setflags(write=False)
    return array


cdef States states_of_table(const int64_t[:, ::1] table):
    """States from one table with the rows ``c``, ``n``, ``m`` and at least one column."""
    cdef States states = States.__new__(States)
    fill_states(states, table[0], table[1], table[2])
    return states


cdef Groups groups_of(const int64_t[::1] multiplicity, int64_t min_trials, int64_t max_trials):
    """Groups of at least one question."""
    cdef Groups groups = Groups.__new__(Groups)
    fill(groups, multiplicity, min_trials, max_trials)
    return groups


cdef void fill_states(States states, const int64_t[::1] c, const int64_t[::1] n, const int64_t[::1] m) noexcept:
    states.c = c
    states.n = n
    states.n_states = c.shape[0]
    fill(states, m, n[0], n[c.shape[0] - 1])


cdef void fill(Groups groups, const int64_t[::1] m, int64_t min_trials, int64_t max_trials) noexcept:
    cdef Py_ssize_t i
    groups.m = m
    groups.min_trials = min_trials
    groups.max_trials = max_trials
    groups.n_questions = 0
    for i in range(m.shape[0]):
        groups.n_questions += m[i]
