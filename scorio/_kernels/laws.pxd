"""Two scalar laws from which every log-probability here is built (Loader 2000, saddle-point form).

A probability mass written as ``exp(-deviances + remainders)`` keeps full precision where a difference of
``lgamma`` values loses nine digits at a million trials.
"""
from libc.math cimport fabs, log, log1p


cdef inline double stirling_remainder(double x) noexcept nogil:
    """``log Gamma(x) - ((x - 1/2) log x - x + log sqrt(2 pi))`` for ``x > 0``; absolute error about 1e-16.

    Shifted up to ``x >= 16`` by ``d(x) = d(x + 1) + (x + 1/2) log1p(1/x) - 1``, then seven Stirling terms.
    """
    cdef double shift = 0.0, r
    while x < 16.0:
        shift += (x + 0.5) * log1p(1.0 / x) - 1.0
        x += 1.0
    r = 1.0 / (x * x)
    return shift + (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r * (
        1.0 / 1188.0 - r * (691.0 / 360360.0 - r / 156.0)))))) / x


cdef inline double deviance(double x, double mean) noexcept nogil:
    """``x log(x / mean) + mean - x`` for ``x > 0, mean > 0``: never negative, no cancellation near ``x = mean``."""
    cdef double v, v2, term, total, previous
    cdef int j
    if fabs(x - mean) >= 0.1 * (x + mean):
        return x * log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    v2 = v * v
    total = (x - mean) * v
    term = 2.0 * x * v
    for j in range(1, 1000):
        term *= v2
        previous = total
        total += term / (2 * j + 1)
        if total == previous:
            break
    return total
