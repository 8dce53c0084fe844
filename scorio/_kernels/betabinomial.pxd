"""The beta-binomial law ``J ~ BB(size; a, b)``: successes among ``size`` trials of one unknown ``p ~ Beta(a, b)``.

Promises, for ``a, b > 0`` and a whole ``size >= 0`` (all as doubles), ``s = a + b``:

- ``mass(x, size, a, b)``: ``P(J = x)``, ``0 <= x <= size``; relative error some 1e-16 of ``|log P|``, 0 below.
- ``step_up(j, size, a, b)``: ``P(J = j + 1) / P(J = j)``. With failures for successes, the same way,
  ``step_up(size - j, size, b, a)`` is ``P(J = j - 1) / P(J = j)``, and ``tail_up`` is a lower tail.
- ``slope(size, a, b)``: ``c0`` in ``P(J = y + 1) (y + 1)(b + size - 1 - y) = c0 w(y)``, ``w`` the mass function of the
  *inner* law ``BB(size - 1; a + 1, b + 1)``; likewise ``P(J = y) (size - y)(a + y) = c0 w(y)``.
- ``at_least(j, size, a, b, inner)``: ``P(J >= j)``, ``1 <= j <= size``, from ``inner = w(j - 1)``.
- ``mean_above(j, size, a, b, inner)``: ``E max(J - j, 0)``, ``1 <= j < size``, from ``inner``, the mass at ``j - 1``
  of the inner law's inner law ``BB(size - 2; a + 2, b + 2)``.

``mass`` is a ratio of negative binomial masses with ``theta = size/(s + size)``, each in saddle-point form: deviances
are never negative, so nothing cancels, where a difference of ``lgamma`` loses nine digits at a million trials. Tails
are summed by ratios away from the mean, positive terms only, until they stop counting; the heavier side is one minus
the lighter. With ``a >= 1`` or ``b >= 1``, which one trial ensures, terms never fall and rise again on the way.

Cost: a mass is up to six logarithms and as many remainders (0.2 us), a tail a few standard deviations of ``J``.
"""
from libc.math cimport exp, log1p, sqrt

from scorio._kernels.laws cimport deviance, stirling_remainder


cdef inline double split_exponent(double x, double shape, double size, double s) noexcept nogil:
    """The logarithm of a negative binomial mass at ``x`` of order ``shape``, without its square root."""
    cdef double total = shape + x
    if x == 0.0:
        return -shape * log1p(size / s)
    return (stirling_remainder(total) - stirling_remainder(shape) - stirling_remainder(x)
            - deviance(shape, total * (s / (s + size))) - deviance(x, total * (size / (s + size))))


cdef inline double split_scale(double x, double shape) noexcept nogil:
    """The square of what stands before the exponential in a negative binomial mass."""
    return 0.15915494309189535 * (shape / (shape + x)) / x if x > 0.0 else 1.0


cdef inline double mass(double x, double size, double a, double b) noexcept nogil:
    """``P(J = x)``."""
    cdef double s = a + b
    if size == 0.0:
        return 1.0
    return exp(split_exponent(x, a, size, s) + split_exponent(size - x, b, size, s)
               - stirling_remainder(s + size) + stirling_remainder(s) + stirling_remainder(size)) * sqrt(
        split_scale(x, a) * split_scale(size - x, b) / split_scale(size, s))


cdef inline double step_up(double j, double size, double a, double b) noexcept nogil:
    """``P(J = j + 1) / P(J = j)``."""
    return ((size - j) * (a + j)) / ((j + 1.0) * (b + (size - 1.0 - j)))


cdef inline double slope(double size, double a, double b) noexcept nogil:
    """``c0 = size a b (s + size) / (s (s + 1))``."""
    cdef double s = a + b
    return size * (a / s) * (b / (s + 1.0)) * (s + size)


cdef inline double tail_up(double j, double size, double a, double b, bint excess) noexcept nogil:
    """``sum_{i >= j} P(J = i) / P(J = j)``, or with ``excess`` the same with weights 1, 2, 3..."""
    cdef double term = 1.0, total = 1.0, weight = 1.0
    while j < size:
        term *= step_up(j, size, a, b)
        j += 1.0
        if excess:
            weight += 1.0
        total += weight * term
        if weight * term <= 1e-18 * total:
            break
    return total


cdef inline double at_least(double j, double size, double a, double b, double inner) noexcept nogil:
    """``P(J >= j)``, given ``inner = P(J' = j - 1)``, ``J' ~ BB(size - 1; a + 1, b + 1)``."""
    cdef double flow = slope(size, a, b) * inner
    if flow == 0.0:
        return 0.0 if j > size * (a / (a + b)) else 1.0
    if j > size * (a / (a + b)):
        return min(1.0, flow / (j * (b + (size - j))) * tail_up(j, size, a, b, False))
    return max(0.0, 1.0 - flow / ((size - j + 1.0) * (a + (j - 1.0))) * tail_up(size - j + 1.0, size, b, a, False))


cdef inline double mean_above(double j, double size, double a, double b, double inner) noexcept nogil:
    """``E max(J - j, 0)``, given ``inner = P(J'' = j - 1)``, ``J'' ~ BB(size - 2; a + 2, b + 2)``."""
    cdef double flow = slope(size, a, b) * slope(size - 1.0, a + 1.0, b + 1.0) * inner
    cdef double above = size * (a / (a + b)) - j
    if flow == 0.0:
        return max(above, 0.0)
    if above <= 0.0:
        flow /= j * (b + (size - j))
        return flow / ((j + 1.0) * (b + (size - 1.0 - j))) * tail_up(j + 1.0, size, a, b, True)
    flow /= (size - j) * (a + j)
    return above + flow / ((size - j + 1.0) * (a + (j - 1.0))) * tail_up(size - j + 1.0, size, b, a, True)
