"""Posterior moments of ``p^k`` (Pass^k) and ``1 - q^k`` (Pass@k), and their covariance.

For ``p ~ Beta(a, b)`` and ``q = 1 - p``, the laws of a power are those of ``power_law.pxd``, and

    Cov(1 - q^k, p^k) = E[p^k] E[q^k] (1 - (s)_k/(s + k)_k).

States are walked in the order in which the shape falls, each from the one before or from scratch, whichever is
shorter: at most ``k + n`` steps per run of equal trials, 6 ns each.
"""
from libc.stdint cimport int64_t
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
    write_moments(states, k, a0, b0, True, mean, sd)


def all_success(States states, int64_t k, double a0, double b0, mean, sd):
    """Write the moments of Pass^k, ``p^k``."""
    write_moments(states, k, a0, b0, False, mean, sd)


cdef inline int write_moments(States states, int64_t k, double a0, double b0, bint fails, mean, sd) except -1:
    """Write the moments of the complement of ``(1 - p)^k`` if that ``fails``, else of ``p^k``."""
    cdef Py_ssize_t step, i
    cdef Walk walk
    cdef const Power* power
    cdef int64_t work = 0
    cdef Pair out
    open_pair(&out, mean, sd, states.n_states)
    try:
        with nogil:
            walk = nowhere()
            for step in range(states.n_states):
                pause(&work, k)
                i = step if fails else states.n_states - 1 - step
                power = power_of(&walk, states, i, k, a0, b0, fails)
                out.mean[i] = complement(power) if fails else power.mean
                out.sd[i] = deviation(power)
    finally:
        close_pair(&out)
    return 0


def cross(States states, int64_t k, double a0, double b0, double[::1] out):
    """Write the covariance of Pass@k and Pass^k, ``Cov(1 - (1 - p)^k, p^k)``."""
    cdef Py_ssize_t i
    cdef Walk fail, succeed, tie
    cdef int64_t work = 0
    with nogil:
        fail = succeed = tie = nowhere()
        for i in range(states.n_states):
            pause(&work, k)
            out[i] = power_of(&fail, states, i, k, a0, b0, True).mean
        for i in range(states.n_states - 1, -1, -1):
            pause(&work, k)
            if tie.trials != states.n[i]:
                tie.trials = states.n[i]
                tie.power = from_scratch(a0 + b0 + tie.trials, k, a0 + b0 + tie.trials + k, k)
            out[i] *= complement(&tie.power) * power_of(&succeed, states, i, k, a0, b0, False).mean


cdef inline Walk nowhere() noexcept nogil:
    """Set up the tables before the first state."""
    cdef Walk walk
    memset(&walk, 0, sizeof(walk))
    walk.trials = -1
    return walk


cdef inline const Power* power_of(Walk* walk, States states, Py_ssize_t i, int64_t k, double a0, double b0,
                                  bint fails) noexcept nogil:
    """Return the moments of ``(1 - p)^k`` in a state, visited in ascending order, or of ``p^k``, in descending."""
    cdef int64_t n = states.n[i], c = states.c[i]
    if fails:
        return follow(walk, n, n - c, b0, a0 + c, a0 + b0 + n, k)
    return follow(walk, n, c, a0, b0 + (n - c), a0 + b0 + n, k)


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
