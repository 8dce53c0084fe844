"""The moments of a power ``p^k`` of a rate, ``p ~ Beta(x, y)``, ``s = x + y``, and how they change with ``x``.

With rising factorials ``(x)_k``

    m = (x)_k/(s)_k,  t = (x + k)_k/(s + k)_k,  D = t - m:      E[p^k] = m,  Var[p^k] = m D,

and for a rate ``p' <= p``, a part of it with shape ``x'``: ``Cov(p'^k, p^k) = m' D``.

``1 - m`` and ``D`` are carried beside ``m`` as sums of positive terms, never as differences:

- one factor at a time, ``i = 0..k-1``: ``1 - m`` grows by ``m y/(s+i)``,
  ``D <- D (x+i)/(s+i) + t k y/((s+i)(s+k+i))``, then ``m <- m (x+i)/(s+i)`` and ``t <- t (x+k+i)/(s+k+i)``;
- from ``x + 1`` to ``x`` with ``s`` fixed: ``1 - m`` grows by ``m k/(x+k)``, ``D <- D x/(x+k) + t k^2/((x+k)(x+2k))``,
  then ``m <- m x/(x+k)`` and ``t <- t (x+k)/(x+2k)``.

All factors are at most 1: nothing overflows, and ``sd = sqrt(m) sqrt(D)`` does not underflow before ``m`` does. As
``m <= t``, ``m`` is the first to become subnormal; it is then 0, and with it the deviation. Cost: 6 ns per step.
"""
from libc.float cimport DBL_MIN
from libc.math cimport fmax, sqrt
from libc.stdint cimport int64_t


cdef struct Power:
    double mean         # m
    double rest         # 1 - m as a sum, used while m > 1/2
    double tilted       # t
    double spread       # D


cdef inline double complement(const Power* power) noexcept nogil:
    """``1 - m``."""
    return power.rest if power.mean > 0.5 else 1.0 - power.mean


cdef inline double deviation(const Power* power) noexcept nogil:
    return sqrt(power.mean) * sqrt(fmax(power.spread, 0.0))


cdef inline void descend(Power* power, double x, double k) noexcept nogil:
    """From the shape ``x + 1`` to ``x``."""
    cdef double each = 1.0 / (x + k), tilt = 1.0 / (x + 2.0 * k), share = k * each
    if power.mean == 0.0:
        return
    power.rest += power.mean * share
    power.spread = power.spread * (x * each) + power.tilted * share * (k * tilt)
    power.mean *= x * each
    power.tilted *= (x + k) * tilt


cdef inline Power from_scratch(double x, double y, double s, int64_t k) noexcept nogil:
    """The powers of shape ``x`` beside ``y``, ``s = x + y``, factor by factor."""
    cdef Power power
    cdef double each, tilt, budget = k
    cdef int64_t i
    power.mean = power.tilted = 1.0
    power.rest = power.spread = 0.0
    for i in range(k):
        each = 1.0 / (s + i)
        tilt = 1.0 / (s + budget + i)
        power.rest += power.mean * (y * each)
        power.spread = power.spread * ((x + i) * each) + power.tilted * (budget * tilt) * (y * each)
        power.mean *= (x + i) * each
        power.tilted *= (x + budget + i) * tilt
        if power.mean < DBL_MIN:  # further factors would be of subnormal numbers, which are slow
            power.mean = 0.0
            break
    return power
