"""Posterior moments of ``p^k`` (Pass^k), ``1 - q^k`` (Pass@k) and their blends; ``p ~ Beta(a, b)``, ``q = 1 - p``.

For a power of the unknown with shape ``x`` (the other has shape ``y``; ``s = x + y``) and rising factorials ``(x)_k``

    m = (x)_k/(s)_k,  t = (x + k)_k/(s + k)_k,  D = t - m:      E = m,  Var = m D,
    Cov(1 - q^k, p^k) = E[p^k] E[q^k] (1 - (s)_k/(s + k)_k).

``1 - m`` and ``D`` are carried beside ``m`` as sums of positive terms, never as differences:

- one factor at a time, ``i = 0..k-1``: ``1 - m`` grows by ``m y/(s+i)``,
  ``D <- D (x+i)/(s+i) + t k y/((s+i)(s+k+i))``, then ``m <- m (x+i)/(s+i)`` and ``t <- t (x+k+i)/(s+k+i)``;
- from ``x + 1`` to ``x`` with ``s`` fixed: ``1 - m`` grows by ``m k/(x+k)``, ``D <- D x/(x+k) + t k^2/((x+k)(x+2k))``,
  then ``m <- m x/(x+k)`` and ``t <- t (x+k)/(x+2k)``.

All factors are at most 1: nothing overflows, and ``sd = sqrt(m) sqrt(D)`` does not underflow before ``m`` does. States
are walked in the order in which ``x`` falls, each from the one before or from scratch, whichever is shorter: at most
``k + n`` steps a run of equal trials, 6 ns each.
"""
from libc.math cimport fmax, hypot, pow, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.states cimport States


cdef struct Power:
    int64_t trials      # the run it belongs to
    int64_t count       # trials that went into the shape
    double mean         # m
    double rest         # 1 - m as a sum, used while m > 1/2
    double tilted       # t
    double spread       # D


def any_success(States states, int64_t k, double a0, double b0, double[::1] mean, double[::1] sd):
    """Moments of ``1 - (1 - p)^k``."""
    cdef Py_ssize_t i
    cdef Power none
    with nogil:
        none = nowhere()
        for i in range(states.n_states):
            all_fail(&none, states, i, k, a0, b0)
            mean[i] = complement(&none)
            sd[i] = deviation(&none)


def all_success(States states, int64_t k, double a0, double b0, double[::1] mean, double[::1] sd):
    """Moments of ``p^k``."""
    cdef Py_ssize_t i
    cdef Power every
    with nogil:
        every = nowhere()
        for i in range(states.n_states - 1, -1, -1):
            all_succeed(&every, states, i, k, a0, b0)
            mean[i] = every.mean
            sd[i] = deviation(&every)


def cross(States states, int64_t k, double a0, double b0, double[::1] out):
    """``Cov(1 - (1 - p)^k, p^k)``."""
    cdef Py_ssize_t i
    cdef Power none, every, tie
    with nogil:
        none = every = tie = nowhere()
        for i in range(states.n_states):
            all_fail(&none, states, i, k, a0, b0)
            out[i] = none.mean
        for i in range(states.n_states - 1, -1, -1):
            all_succeed(&every, states, i, k, a0, b0)
            bind(&tie, states.n[i], k, a0 + b0)
            out[i] *= complement(&tie) * every.mean


def blend(States states, int64_t k, double u, double v, double a0, double b0, double[::1] mean, double[::1] sd):
    """``E[P]^u E[U]^v`` of ``P = 1 - (1 - p)^k``, ``U = p^k``, and its first-order sd; ``u, v >= 0``."""
    cdef Py_ssize_t i
    cdef Power none, every, tie
    cdef double* fail = <double*> malloc(states.n_states * sizeof(double))
    if fail == NULL:
        raise MemoryError
    with nogil:
        none = every = tie = nowhere()
        for i in range(states.n_states):
            all_fail(&none, states, i, k, a0, b0)
            fail[i] = none.mean
            mean[i] = complement(&none)
            sd[i] = deviation(&none)
        for i in range(states.n_states - 1, -1, -1):
            all_succeed(&every, states, i, k, a0, b0)
            bind(&tie, states.n[i], k, a0 + b0)
            mix(u, v, fail[i] * complement(&tie), &every, &mean[i], &sd[i])
    free(fail)


cdef inline void mix(double u, double v, double shared, Power* every, double* mean, double* sd) noexcept nogil:
    """Turn mean and sd of ``P`` into those of the blend; ``Cov(P, U) = E[U] shared``.

    ``g = P^u U^v`` has the squared sd ``(u g sd_P/P)^2 + (v P^u U^(v - 1/2))^2 D + 2 u v (g^2/P) shared``: three terms
    that are never negative. With a zero base and a positive power all three vanish.
    """
    cdef double some = mean[0], some_sd = sd[0], value
    if (u > 0.0 and some <= 0.0) or (v > 0.0 and every.mean <= 0.0):
        mean[0] = 0.0
        sd[0] = 0.0
        return
    value = pow(some, u) * pow(every.mean, v)
    mean[0] = value
    sd[0] = 0.0
    if u > 0.0:
        sd[0] = u * value * (some_sd / some)
    if v > 0.0:
        sd[0] = hypot(sd[0], v * pow(some, u) * pow(every.mean, v - 0.5) * sqrt(every.spread))
    if u > 0.0 and v > 0.0:
        sd[0] = hypot(sd[0], value * sqrt(2.0 * u * v * (shared / some)))


cdef inline double complement(const Power* power) noexcept nogil:
    """``1 - m``."""
    return power.rest if power.mean > 0.5 else 1.0 - power.mean


cdef inline double deviation(const Power* power) noexcept nogil:
    return sqrt(power.mean) * sqrt(fmax(power.spread, 0.0))


cdef inline Power nowhere() noexcept nogil:
    """Before the first state."""
    cdef Power power = from_scratch(1.0, 1.0, 2.0, 0)
    power.trials = -1
    return power


cdef inline void all_fail(Power* power, States states, Py_ssize_t i, int64_t k, double a0, double b0) noexcept nogil:
    """``(1 - p)^k`` for state ``i``; states forward."""
    cdef int64_t n = states.n[i], c = states.c[i]
    follow(power, n, n - c, b0, a0 + c, a0 + b0 + n, k)


cdef inline void all_succeed(Power* power, States states, Py_ssize_t i, int64_t k, double a0, double b0) noexcept nogil:
    """``p^k`` for state ``i``; states backward."""
    cdef int64_t n = states.n[i], c = states.c[i]
    follow(power, n, c, a0, b0 + (n - c), a0 + b0 + n, k)


cdef inline void bind(Power* tie, int64_t n, int64_t k, double prior) noexcept nogil:
    """``(s)_k/(s + k)_k``, the same for all states of a run."""
    if tie.trials != n:
        tie[0] = from_scratch(prior + n, k, prior + n + k, k)
        tie.trials = n


cdef inline void follow(Power* power, int64_t trials, int64_t count, double prior, double other, double s,
                        int64_t k) noexcept nogil:
    """Move to the shape ``prior + count``, from a larger one of the same run where that is shorter."""
    if power.trials != trials or power.count - count > k:
        power[0] = from_scratch(prior + count, other, s, k)
        power.trials = trials
        power.count = count
    while power.count > count:
        power.count -= 1
        descend(power, prior + power.count, k)


cdef inline void descend(Power* power, double x, double k) noexcept nogil:
    """From the shape ``x + 1`` to ``x``."""
    cdef double share = k / (x + k), shrink = x / (x + k), double_share = k / (x + 2.0 * k)
    power.rest += power.mean * share
    power.spread = power.spread * shrink + power.tilted * share * double_share
    power.mean *= shrink
    power.tilted *= (x + k) / (x + 2.0 * k)


cdef Power from_scratch(double x, double y, double s, int64_t k) noexcept nogil:
    """The powers of shape ``x`` beside ``y``, ``s = x + y``, factor by factor."""
    cdef Power power
    cdef double each, tilt, budget = k
    cdef int64_t i
    power.trials = power.count = 0
    power.mean = power.tilted = 1.0
    power.rest = power.spread = 0.0
    for i in range(k):
        each = 1.0 / (s + i)
        tilt = 1.0 / (s + budget + i)
        power.rest += power.mean * (y * each)
        power.spread = power.spread * ((x + i) * each) + power.tilted * (budget * tilt) * (y * each)
        power.mean *= (x + i) * each
        power.tilted *= (x + budget + i) * tilt
    return power
