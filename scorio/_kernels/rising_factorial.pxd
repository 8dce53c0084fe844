"""Rising factorials relative to a power, and their slopes: the parts of a beta-binomial likelihood.

With ``(x)_i = x (x + 1) .. (x + i - 1)``, the sums over ``i = start .. stop - 1`` are

    rise = sum log(1 + i/x) = log (x)_stop/(x)_start - (stop - start) log x,    fall = sum i/(x + i) = -d rise/d log x.

Relative to the power, the likelihood of a Beta prior far stronger than the data keeps all its digits: the differences
of ``lgamma`` at ``x = 1e12`` would lose them. Short steps are products with one logarithm for as many factors as a
double holds; long steps are Stirling's formula with ``(1 + t) log1p(t) - t`` and ``t - log1p(t)`` by series where
``t`` is small. Every sum is of non-negative terms. Cost: 3 ns per factor, 8 ns per logarithm, 30 ns per long step.
"""
from libc.math cimport log, log1p
from libc.stdint cimport int64_t

cdef enum:
    LONG_STEP = 16      # factors above which Stirling's formula is cheaper


cdef inline double entropy_gain(double t) noexcept nogil:
    """``(1 + t) log(1 + t) - t`` for ``t >= 0``."""
    if t > 0.05:
        return (1.0 + t) * log1p(t) - t
    return t * t * (1.0 / 2.0 - t * (1.0 / 6.0 - t * (1.0 / 12.0 - t * (1.0 / 20.0 - t * (1.0 / 30.0 - t * (
        1.0 / 42.0 - t * (1.0 / 56.0 - t * (1.0 / 72.0 - t * (1.0 / 90.0 - t * (1.0 / 110.0))))))))))


cdef inline double log_deficit(double t) noexcept nogil:
    """``t - log(1 + t)`` for ``t >= 0``."""
    if t > 0.05:
        return t - log1p(t)
    return t * t * (1.0 / 2.0 - t * (1.0 / 3.0 - t * (1.0 / 4.0 - t * (1.0 / 5.0 - t * (1.0 / 6.0 - t * (
        1.0 / 7.0 - t * (1.0 / 8.0 - t * (1.0 / 9.0 - t * (1.0 / 10.0 - t * (1.0 / 11.0))))))))))


cdef inline double short_correction(double y) noexcept nogil:
    """What Stirling's formula leaves out of ``log Gamma(y)``, ``y >= 16``."""
    cdef double r = 1.0 / (y * y)
    return (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / y


cdef inline double rise(double x, int64_t start, int64_t stop) noexcept nogil:
    """``sum log(1 + i/x)`` over ``i = start .. stop - 1``."""
    cdef double product = 1.0, total = 0.0, inverse = 1.0 / x, y, d, t
    cdef int64_t i = start, last = stop
    if stop - start > LONG_STEP:
        last = start if x + start >= 16.0 else start + 16
    while i < last:
        product *= 1.0 + i * inverse
        if product > 1e200:
            total += log(product)
            product = 1.0
        i += 1
    total += log(product)
    if last < stop:
        y, d = x + last, stop - last
        t = d / y
        total += y * entropy_gain(t) - 0.5 * log1p(t) + d * log1p(last * inverse)
        total += short_correction(y + d) - short_correction(y)
    return total


cdef inline double fall(double x, int64_t start, int64_t stop) noexcept nogil:
    """``sum i/(x + i)`` over ``i = start .. stop - 1``."""
    cdef double total = 0.0, y, d, t, p, q
    cdef int64_t i = start, last = stop
    if stop - start > LONG_STEP:
        last = start if x + start >= 16.0 else start + 16
    while i < last:
        total += i / (x + i)
        i += 1
    if last < stop:
        y, d = x + last, stop - last
        t = d / y
        p, q = 1.0 / (y * y), 1.0 / ((y + d) * (y + d))
        total += y * log_deficit(t) + last * log1p(t) - 0.5 * (x / y) * (d / (y + d))
        total += x * ((q - p) / 12.0 - (q * q - p * p) / 120.0)
    return total
