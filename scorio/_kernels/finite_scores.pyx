"""Scores of recorded trials: ``sum_j x_j P(X = j)``, ``X ~ Hypergeometric(n, c, k)``, for every state ``(c, n)``.

Any credit ``x`` is summed outward from the mode of ``X`` (``hypergeometric.pxd``). At least one success and all
successes are taken one state at a time (*direct*) or, for many states with the same trials, from one table over
``c = 0..n``, whichever costs less: ``P(X = 0 | c + 1) = P(X = 0 | c) (n - k - c)/(n - c)``, and by exchange
``P(X = k | c)`` is ``P(X = 0)`` with failures for successes.

All terms of a credit that is not negative are positive, weights never exceed 1 and are normalized by their own sum: no
overflow, no cancellation. Cost: 1-2 ns per trial for a table (at most 20,000 trials: longer products lose digits),
``min(c, k)`` steps for a direct product, some 2 ns for each number of successes within a few standard deviations.
"""
from cpython.buffer cimport PyBuffer_Release
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.hypergeometric cimport TABLE_TRIALS, expectation, none_of, some_of, some_table
from scorio._kernels.plain cimport doubles
from scorio._kernels.states cimport States

ctypedef double (*Direct)(int64_t n, int64_t c, int64_t k) noexcept nogil
ctypedef void (*Table)(double* table, int64_t n, int64_t k) noexcept nogil


def any_success(States states, int64_t k, out):
    """Write Pass@k, ``P(X >= 1)``, of every state."""
    fill(states, k, some_direct, some_steps, out)


def all_success(States states, int64_t k, out):
    """Write Pass^k, ``P(X = k)``, of every state."""
    fill(states, k, every_direct, every_steps, out)


def any_success_curve(States states, double[:, ::1] out):
    """Write ``P(X >= 1)`` for the budgets ``1..K``, one row per budget, by the recurrence over ``k``."""
    cdef Py_ssize_t i, k
    cdef double each
    cdef double* none = <double*> malloc(2 * states.n_states * sizeof(double))
    cdef double* some = none + states.n_states
    if none == NULL:
        raise MemoryError
    with nogil:
        for i in range(states.n_states):
            none[i] = 1.0
            some[i] = 0.0
        for k in range(out.shape[0]):
            for i in range(states.n_states):
                each = 1.0 / (states.n[i] - k)
                some[i] += none[i] * states.c[i] * each
                none[i] *= max(states.n[i] - states.c[i] - k, 0) * each
                out[k, i] = some[i] if none[i] > 0.5 else 1.0 - none[i]
    free(none)


def credit(States states, int64_t k, const double[::1] x, double[::1] out):
    """Write ``sum_j x_j P(X = j)`` for a credit vector of length ``k + 1``."""
    cdef Py_ssize_t i
    cdef double peak = 0.0
    with nogil:
        for i in range(k + 1):
            peak = max(peak, x[i], -x[i])
        for i in range(states.n_states):
            out[i] = expectation(states.n[i], states.c[i], k, &x[0], peak)


cdef int fill(States states, int64_t k, Direct direct, Table table, out) except -1:
    """Fill ``out``, an array of doubles, run by run of equal trials, each from a table or state by state."""
    cdef Py_ssize_t begin = 0, end, i
    cdef int64_t n
    cdef Py_buffer buffer
    cdef double* score
    cdef double* scratch = <double*> malloc((min(states.max_trials, TABLE_TRIALS) + 1) * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    try:
        score = doubles(out, &buffer, states.n_states, True)
    except ValueError:
        free(scratch)
        raise
    with nogil:
        while begin < states.n_states:
            n = states.n[begin]
            end = begin
            while end < states.n_states and states.n[end] == n:
                end += 1
            if n <= TABLE_TRIALS and n <= (end - begin) * k:
                table(scratch, n, k)
                for i in range(begin, end):
                    score[i] = scratch[states.c[i]]
            else:
                for i in range(begin, end):
                    score[i] = direct(n, states.c[i], k)
            begin = end
    free(scratch)
    PyBuffer_Release(&buffer)
    return 0


cdef double some_direct(int64_t n, int64_t c, int64_t k) noexcept nogil:
    return some_of(n, c, k)


cdef double every_direct(int64_t n, int64_t c, int64_t k) noexcept nogil:
    return none_of(n, n - c, k)


cdef void some_steps(double* table, int64_t n, int64_t k) noexcept nogil:
    some_table(table, n, k, n)


cdef void every_steps(double* table, int64_t n, int64_t k) noexcept nogil:
    """Write ``P(X = k)`` for ``c = 0..n``: from ``c = n`` down, ``P(c - 1) = P(c) (c - k)/c``."""
    cdef double every = 1.0
    cdef int64_t c
    for c in range(n, -1, -1):
        table[c] = every
        every *= max(<double>(c - k), 0.0) / max(c, 1)
