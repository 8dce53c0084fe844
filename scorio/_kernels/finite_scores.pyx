"""Scores of recorded trials: ``sum_j x_j P(X = j)``, ``X ~ Hypergeometric(n, c, k)``, for every state ``(c, n)``.

The successes of a draw are taken one state at a time (*direct*) or, for many states with the same trials, from one
table over ``c = 0..n``, whichever costs less:

- At least one, all: ``P(X = 0 | c + 1) = P(X = 0 | c) (n - k - c)/(n - c)``, and by exchange ``P(X = k | c)`` is
  ``P(X = 0)`` with failures for successes.
- At least ``j``: ``P(X >= j | c) = sum_{i < c} e(i)``, ``e(i) = (k/n) P(X' = j - 1)``, ``X' ~ H(n - 1, i, k - 1)``. The
  increments add up to exactly 1: start with 1 at their mode, go both ways by
  ``e(i+1)/e(i) = (i+1)(n-1-i-(k-j)) / ((i+2-j)(n-1-i))``, divide by the total.
- Excess: ``E max(X - j, 0 | c + 1) - E max(X - j, 0 | c) = (k/n) P(X' >= j | c)``: the table above, summed once more.

All terms are positive, weights never exceed 1 and are normalized by their own sum: no overflow, no cancellation.
Cost: 1-2 ns per trial for a table (at most 20,000 trials: longer running sums lose digits), ``min(c, k)`` steps for a
direct product, a few standard deviations of ``X`` for a direct tail.
"""
from cpython.buffer cimport PyBuffer_Release
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.hypergeometric cimport (
    TABLE_TRIALS, at_least, expectation, mean_above, none_of, ratio, some_of, some_table,
)
from scorio._kernels.plain cimport doubles
from scorio._kernels.states cimport States

ctypedef double (*Direct)(int64_t n, int64_t c, int64_t k, int64_t j) noexcept nogil
ctypedef void (*Table)(double* table, int64_t n, int64_t k, int64_t j) noexcept nogil

cdef enum:
    TAIL_PRICE = 300        # a direct tail costs about as much as this many steps of a table


def any_success(States states, int64_t k, out):
    """Write Pass@k, ``P(X >= 1)``, of every state."""
    fill(states, k, 1, some_direct, some_steps, k, out)


def all_success(States states, int64_t k, out):
    """Write Pass^k, ``P(X = k)``, of every state."""
    fill(states, k, k, every_direct, every_steps, k, out)


def threshold(States states, int64_t k, int64_t j0, out):
    """Write ``P(X >= j0)`` for every state."""
    fill(states, k, j0, at_least, threshold_steps, TAIL_PRICE, out)


def excess(States states, int64_t k, int64_t j0, out):
    """Write ``(2/k) E max(X - j0, 0)`` for every state."""
    cdef Py_ssize_t i
    cdef double[::1] score
    fill(states, k, j0, mean_above, excess_steps, TAIL_PRICE, out)
    score = out
    with nogil:
        for i in range(states.n_states):
            score[i] *= 2.0 / k


def trapezoid(States states, int64_t k, out):
    """Write the area under Pass@1..Pass@k by the trapezoid rule, divided by ``k - 1``; Pass@1 for ``k = 1``."""
    cdef Py_ssize_t i
    cdef double[::1] score
    fill(states, k, 1, some_direct, some_steps, k, out)
    if k > 1:
        score = out
        with nogil:
            for i in range(states.n_states):
                score[i] = area(states.n[i], states.c[i], k, score[i])


def credit(States states, int64_t k, const double[::1] x, double[::1] out):
    """Write ``sum_j x_j P(X = j)`` for a credit vector of length ``k + 1``."""
    cdef Py_ssize_t i
    cdef double peak = 0.0
    with nogil:
        for i in range(k + 1):
            peak = max(peak, x[i], -x[i])
        for i in range(states.n_states):
            out[i] = expectation(states.n[i], states.c[i], k, &x[0], peak)


cdef int fill(States states, int64_t k, int64_t j, Direct direct, Table table, int64_t price, out) except -1:
    """Fill ``out``, an array of doubles, run by run of equal trials, each from a table or state by state."""
    cdef Py_ssize_t begin = 0, end, i
    cdef int64_t n
    cdef Py_buffer buffer
    cdef double* score
    cdef double* scratch = <double*> malloc((min(states.max_trials, TABLE_TRIALS) + 1) * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    try:
        score = doubles(out, &buffer, 1, states.n_states, True)
    except ValueError:
        free(scratch)
        raise
    with nogil:
        while begin < states.n_states:
            n = states.n[begin]
            end = begin
            while end < states.n_states and states.n[end] == n:
                end += 1
            if n <= TABLE_TRIALS and n <= (end - begin) * price:
                table(scratch, n, k, j)
                for i in range(begin, end):
                    score[i] = scratch[states.c[i]]
            else:
                for i in range(begin, end):
                    score[i] = direct(n, states.c[i], k, j)
            begin = end
    free(scratch)
    PyBuffer_Release(&buffer)
    return 0


cdef double some_direct(int64_t n, int64_t c, int64_t k, int64_t j) noexcept nogil:
    return some_of(n, c, k)


cdef double every_direct(int64_t n, int64_t c, int64_t k, int64_t j) noexcept nogil:
    return none_of(n, n - c, k)


cdef void some_steps(double* table, int64_t n, int64_t k, int64_t j) noexcept nogil:
    some_table(table, n, k, n)


cdef void every_steps(double* table, int64_t n, int64_t k, int64_t j) noexcept nogil:
    """Write ``P(X = k)`` for ``c = 0..n``: from ``c = n`` down, ``P(c - 1) = P(c) (c - k)/c``."""
    cdef double every = 1.0
    cdef int64_t c
    for c in range(n, -1, -1):
        table[c] = every
        every *= max(<double>(c - k), 0.0) / max(c, 1)


cdef void threshold_steps(double* table, int64_t n, int64_t k, int64_t j) noexcept nogil:
    """Write ``P(X >= j)`` for ``c = 0..n``."""
    cdef double total
    cdef int64_t c
    if j <= 0 or j > k:
        total = 1.0 if j <= 0 else 0.0
        for c in range(n + 1):
            table[c] = total
        return
    increments(table, n, k, j)
    total = 1.0 / running_sum(table, n)
    for c in range(n):
        table[c] = min(table[c] * total, 1.0)
    table[n] = 1.0


cdef void excess_steps(double* table, int64_t n, int64_t k, int64_t j) noexcept nogil:
    """Write ``E max(X - j, 0)`` for ``c = 0..n``."""
    cdef double scale = <double>k / n
    cdef int64_t c
    if k == 1 or j <= 0 or j >= k:
        for c in range(n + 1):
            table[c] = mean_above(n, c, k, j)
        return
    increments(table, n - 1, k - 1, j)
    scale /= running_sum(table, n - 1)
    running_sum(table, n)
    for c in range(n + 1):
        table[c] = min(table[c] * scale, <double>(k - j))


cdef void increments(double* e, int64_t n, int64_t k, int64_t j) noexcept nogil:
    """Write ``e(i)``, ``i = 0..n-1``, up to a factor that makes it 1 at or beside its mode; ``1 <= j <= k <= n``."""
    cdef int64_t i, low = j - 1, high = n - 1 - (k - j)
    cdef int64_t mode = min(max(low, (j - 1) * (n - 1) // max(k - 1, 1)), high)
    cdef double weight = 1.0, last = n - 1, lag = j - 2, spare = k - j
    for i in range(low):
        e[i] = 0.0
    for i in range(high + 1, n):
        e[i] = 0.0
    e[mode] = 1.0
    for i in range(mode, high):
        weight *= (i + 1.0) * (last - i - spare) / ((i - lag) * (last - i))
        e[i + 1] = weight
    weight = 1.0
    for i in range(mode - 1, low - 1, -1):
        weight *= (i - lag) * (last - i) / ((i + 1.0) * (last - i - spare))
        e[i] = weight


cdef double running_sum(double* e, int64_t n) noexcept nogil:
    """Replace ``e[0..n-1]`` by ``sum_{i < c} e[i]`` for ``c = 0..n``; return the total."""
    cdef double total = 0.0, here
    cdef int64_t i
    for i in range(n):
        here = e[i]
        e[i] = total
        total += here
    e[n] = total
    return total


cdef double area(int64_t n, int64_t c, int64_t k, double some) noexcept nogil:
    """AUC@k, ``k >= 2``, given ``some = P(X >= 1)``.

    ``sum_{j=1..k} P(X_j = 0) = (k + (n - c - k) some)/(c + 1)``: the area is one minus a mean of these. Where ``some``
    is small that would cancel, and ``E A_X``, ``A_s = 1 - (k - s)/(k - 1) (1/(s + 1) - 1/(2k))``, takes a few terms.
    """
    cdef double drawn = k, weight, worth, total = 0.0
    cdef int64_t s = 0
    if some > 0.25:
        total = (drawn + (n - c - k) * some) / (c + 1.0) - 0.5 * (<double>(n - c) / n + 1.0 - some)
        return 1.0 - total / (drawn - 1.0)
    weight = 1.0 - some
    while s < min(c, k):
        weight *= ratio(s, n, c, k)
        s += 1
        worth = weight * (1.0 - (drawn - s) / (drawn - 1.0) * (1.0 / (s + 1.0) - 0.5 / drawn))
        total += worth
        if worth <= 1e-18 * total:
            break
    return total
