"""The law of a draw without replacement: ``X`` successes when ``k`` of ``n`` trials are drawn, ``c`` of them successes.

- ``P(X = x) = b(x; c, k/n) b(k - x; n - c, k/n) / b(k; n, k/n)`` with binomial masses in Loader's saddle-point form:
  every deviance has the same sign, so nothing cancels, and only the final ``exp`` can underflow.
- ``P(X = x + 1) / P(X = x) = (c - x)(k - x) / ((x + 1)(n - c - k + x + 1))``: tails are summed outward from their
  largest term, as positive terms, until they stop counting; the heavier side is one minus the lighter.
- ``P(X = 0) = prod_i (n - k - i)/(n - i)`` over ``i < c``, or with ``c`` and ``k`` exchanged; its complement is summed
  beside it from positive terms ``P(first success at draw i)``, so that neither is ever a small difference.

Cost: a mass is three logarithms at most, a tail a few standard deviations of ``X``, a product ``min(c, k)`` steps. A
table over all ``c`` is ``n`` steps.
"""
from libc.math cimport exp, fabs, log, log1p, sqrt
from libc.stdint cimport int64_t

from scorio._kernels.laws cimport deviance, stirling_remainder

cdef enum:
    TABLE_TRIALS = 20000    # beyond this many trials the running sums of a table lose digits


cdef inline int64_t fewest(int64_t n, int64_t c, int64_t k) noexcept nogil:
    """The smallest possible number of successes."""
    return max(0, k - (n - c))


cdef inline double ratio(double x, double n, double c, double k) noexcept nogil:
    """``P(X = x + 1) / P(X = x)``."""
    return (c - x) * (k - x) / ((x + 1.0) * (n - c - k + x + 1.0))


cdef inline double split_exponent(double x, double size, double k, double n) noexcept nogil:
    """The logarithm of the binomial mass ``b(x; size, k/n)`` without its square root."""
    if x == 0.0:
        return size * (log1p(-k / n) if k < 0.5 * n else log((n - k) / n))
    if x == size:
        return size * (log(k / n) if k < 0.5 * n else log1p((k - n) / n))
    return (stirling_remainder(size) - stirling_remainder(x) - stirling_remainder(size - x)
            - deviance(x, size * k / n) - deviance(size - x, size * (n - k) / n))


cdef inline double split_scale(double x, double size) noexcept nogil:
    """The square of what stands before the exponential in a binomial mass."""
    return 0.15915494309189535 * size / (x * (size - x)) if 0.0 < x < size else 1.0


cdef inline double mass(int64_t x, int64_t n, int64_t c, int64_t k) noexcept nogil:
    """``P(X = x)`` for an ``x`` that is possible."""
    cdef double size = n, drawn = k
    if c == 0 or c == n or k == 0 or k == n:
        return 1.0
    return exp(split_exponent(x, c, drawn, size) + split_exponent(k - x, n - c, drawn, size)
               + stirling_remainder(drawn) + stirling_remainder(size - drawn) - stirling_remainder(size)) * sqrt(
        split_scale(x, c) * split_scale(k - x, n - c) / split_scale(drawn, size))


cdef inline double upper_tail(int64_t x, int64_t n, int64_t c, int64_t k, bint excess) noexcept nogil:
    """``P(X >= x)``, or with ``excess`` ``E max(X - x + 1, 0)``; for a possible ``x`` not below the mean."""
    cdef double term = 1.0, total = 1.0, weighted = 1.0, steps = 1.0
    cdef int64_t j
    for j in range(x, min(c, k)):
        term *= ratio(j, n, c, k)
        steps += 1.0
        total += term
        weighted += steps * term
        if steps * term <= 1e-18 * weighted:
            break
    return mass(x, n, c, k) * (weighted if excess else total)


cdef inline double at_least(int64_t n, int64_t c, int64_t k, int64_t x) noexcept nogil:
    """``P(X >= x)``."""
    if x <= fewest(n, c, k):
        return 1.0
    if x > min(c, k):
        return 0.0
    if <double>x * n > <double>k * c:
        return upper_tail(x, n, c, k, False)
    return 1.0 - upper_tail(k - x + 1, n, n - c, k, False)


cdef inline double mean_above(int64_t n, int64_t c, int64_t k, int64_t x) noexcept nogil:
    """``E max(X - x, 0)``."""
    cdef double above = (<double>k * c - <double>x * n) / n
    if x >= min(c, k):
        return 0.0
    if x <= fewest(n, c, k):
        return above
    if above <= 0.0:
        return upper_tail(x + 1, n, c, k, True)
    return above + upper_tail(k - x + 1, n, n - c, k, True)


cdef inline double none_of(double n, int64_t c, int64_t k) noexcept nogil:
    """``P(X = 0)``."""
    cdef double none = 1.0, other = max(c, k)
    cdef int64_t i
    for i in range(min(c, k)):
        none *= (n - other - i) / (n - i)
        if none <= 0.0:
            return 0.0
    return none


cdef inline double some_of(double n, int64_t c, int64_t k) noexcept nogil:
    """``P(X >= 1)``."""
    cdef double none = 1.0, some = 0.0, other = max(c, k)
    cdef int64_t i
    for i in range(min(c, k)):
        some += none * other / (n - i)
        none *= (n - other - i) / (n - i)
        if none <= 1e-18:
            return 1.0
    return some if none > 0.5 else 1.0 - none


cdef inline void some_table(double* table, int64_t n, int64_t k, int64_t most) noexcept nogil:
    """``P(X >= 1)`` for ``c = 0..most``."""
    cdef double none = 1.0, some = 0.0, left = n, spared = n - k, drawn = k, each
    cdef int64_t c = 0
    table[0] = 0.0
    while c < most and none > 1e-18:
        each = 1.0 / (left - c)
        some += none * drawn * each
        none *= (spared - c) * each
        c += 1
        table[c] = some if none > 0.5 else 1.0 - none
    while c < most:
        c += 1
        table[c] = 1.0


cdef inline double expectation(int64_t n, int64_t c, int64_t k, const double* x, double peak) noexcept nogil:
    """``sum_j x_j P(X = j)``: weights 1 at the mode, outward by ratios, divided by their sum.

    Both ways in step with one division for the two ratios, then the longer side alone; until what is left is
    below ``1e-17`` of both sums, so that a credit earned only far from the mode is still found. ``peak`` is the largest
    size of an ``x``.
    """
    cdef int64_t low = max(0, k - (n - c)), high = min(c, k), i
    cdef int64_t mode = min(max(low, <int64_t>((k + 1.0) * (c + 1.0) / (n + 2.0))), high)
    cdef double up = 1.0, down = 1.0, total = 1.0, value = x[mode], spare = n - c - k, above, below, inverse
    cdef double a = mode, b = mode
    for i in range(min(high - mode, mode - low)):
        above = (a + 1.0) * (spare + a + 1.0)
        below = (k - b + 1.0) * (c - b + 1.0)
        inverse = 1.0 / (above * below)
        up *= (c - a) * (k - a) * below * inverse
        down *= b * (spare + b) * above * inverse
        a += 1.0
        b -= 1.0
        total += up + down
        value += up * x[mode + i + 1] + down * x[mode - i - 1]
        if up + down <= 1e-17 * total and (up + down) * peak <= 1e-17 * fabs(value):
            return value / total
    for i in range(<int64_t>a, high):
        up *= ratio(i, n, c, k)
        total += up
        value += up * x[i + 1]
        if up <= 1e-17 * total and up * peak <= 1e-17 * fabs(value):
            break
    for i in range(<int64_t>b, low, -1):
        down /= ratio(i - 1, n, c, k)
        total += down
        value += down * x[i - 1]
        if down <= 1e-17 * total and down * peak <= 1e-17 * fabs(value):
            break
    return value / total
