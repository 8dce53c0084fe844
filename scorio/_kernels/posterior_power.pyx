"""Posterior moments of ``p^k`` (Pass^k), ``1 - q^k`` (Pass@k) and their blends; ``p ~ Beta(a, b)``, ``q = 1 - p``.

The laws of a power are those of ``power_law.pxd``; ``Cov(1 - q^k, p^k) = E[p^k] E[q^k] (1 - (s)_k/(s + k)_k)``.
States are walked in the order in which the shape falls, each from the one before or from scratch, whichever is
shorter: at most ``k + n`` steps per run of equal trials, 6 ns each.
"""
from libc.math cimport hypot, pow, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from scorio._kernels.interrupt cimport pause
from scorio._kernels.plain cimport Pair, close_pair, open_pair
from scorio._kernels.power_law cimport Power, complement, descend, deviation, from_scratch
from scorio._kernels.states cimport States


cdef struct Walk:
    Power power
    int64_t trials      # the run it is in
    int64_t count       # trials that went into the shape


def any_success(States states, int64_t k, double a0, double b0, mean, sd):
    """Write the moments of Pass@k, ``1 - (1 - p)^k``."""
    cdef Py_ssize_t i
    cdef Walk walk
    cdef const Power* none
    cdef int64_t work = 0
    cdef Pair out
    open_pair(&out, mean, sd, states.n_states)
    try:
        with nogil:
            walk = nowhere()
            for i in range(states.n_states):
                pause(&work, k)
                none = all_fail(&walk, states, i, k, a0, b0)
                out.mean[i] = complement(none)
                out.sd[i] = deviation(none)
    finally:
        close_pair(&out)


def all_success(States states, int64_t k, double a0, double b0, mean, sd):
    """Write the moments of Pass^k, ``p^k``."""
    cdef Py_ssize_t i
    cdef Walk walk
    cdef const Power* every
    cdef int64_t work = 0
    cdef Pair out
    open_pair(&out, mean, sd, states.n_states)
    try:
        with nogil:
            walk = nowhere()
            for i in range(states.n_states - 1, -1, -1):
                pause(&work, k)
                every = all_succeed(&walk, states, i, k, a0, b0)
                out.mean[i] = every.mean
                out.sd[i] = deviation(every)
    finally:
        close_pair(&out)


def cross(States states, int64_t k, double a0, double b0, double[::1] out):
    """Write the covariance of Pass@k and Pass^k, ``Cov(1 - (1 - p)^k, p^k)``."""
    cdef Py_ssize_t i
    cdef Walk fail, succeed, tie
    cdef int64_t work = 0
    with nogil:
        fail = succeed = tie = nowhere()
        for i in range(states.n_states):
            pause(&work, k)
            out[i] = all_fail(&fail, states, i, k, a0, b0).mean
        for i in range(states.n_states - 1, -1, -1):
            pause(&work, k)
            out[i] *= bind(&tie, states.n[i], k, a0 + b0) * all_succeed(&succeed, states, i, k, a0, b0).mean


def blend(States states, int64_t k, double u, double v, double a0, double b0, double[::1] mean, double[::1] sd):
    """Write ``E[P]^u E[U]^v`` for ``P = 1 - (1 - p)^k``, ``U = p^k``, and its first-order sd; ``u, v >= 0``."""
    cdef Py_ssize_t i
    cdef int64_t work = 0
    cdef Walk walk, tie
    cdef const Power* power
    cdef double* fail = <double*> malloc(states.n_states * sizeof(double))
    if fail == NULL:
        raise MemoryError
    try:
        with nogil:
            walk = tie = nowhere()
            for i in range(states.n_states):
                pause(&work, k)
                power = all_fail(&walk, states, i, k, a0, b0)
                fail[i] = power.mean
                mean[i] = complement(power)
                sd[i] = deviation(power)
            walk = nowhere()
            for i in range(states.n_states - 1, -1, -1):
                pause(&work, k)
                power = all_succeed(&walk, states, i, k, a0, b0)
                mix(u, v, fail[i] * bind(&tie, states.n[i], k, a0 + b0), power, &mean[i], &sd[i])
    finally:
        free(fail)


cdef inline void mix(double u, double v, double shared, const Power* every, double* mean, double* sd) noexcept nogil:
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


cdef inline Walk nowhere() noexcept nogil:
    """Set up the tables before the first state."""
    cdef Walk walk
    memset(&walk, 0, sizeof(walk))
    walk.trials = -1
    return walk


cdef inline const Power* all_fail(Walk* walk, States states, Py_ssize_t i, int64_t k, double a0,
                                  double b0) noexcept nogil:
    """Return the moments of ``(1 - p)^k`` in state ``i``; states are visited in ascending order."""
    cdef int64_t n = states.n[i], c = states.c[i]
    return follow(walk, n, n - c, b0, a0 + c, a0 + b0 + n, k)


cdef inline const Power* all_succeed(Walk* walk, States states, Py_ssize_t i, int64_t k, double a0,
                                     double b0) noexcept nogil:
    """Return the moments of ``p^k`` in state ``i``; states are visited in descending order."""
    cdef int64_t n = states.n[i], c = states.c[i]
    return follow(walk, n, c, a0, b0 + (n - c), a0 + b0 + n, k)


cdef inline double bind(Walk* tie, int64_t n, int64_t k, double prior) noexcept nogil:
    """Return ``1 - (s)_k/(s + k)_k``, which is equal for all states of a run."""
    if tie.trials != n:
        tie.power = from_scratch(prior + n, k, prior + n + k, k)
        tie.trials = n
    return complement(&tie.power)


cdef inline const Power* follow(Walk* walk, int64_t trials, int64_t count, double prior, double other, double s,
                                int64_t k) noexcept nogil:
    """Move to the shape ``prior + count``, from a larger one of the same run where that is shorter."""
    if walk.trials != trials or walk.count - count > k:
        walk.power = from_scratch(prior + count, other, s, k)
        walk.trials = trials
        walk.count = count
    while walk.count > count:
        walk.count -= 1
        descend(&walk.power, prior + walk.count, k)
    return &walk.power
