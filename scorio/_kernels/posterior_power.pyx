"""Posterior moments of ``p^k`` (Pass^k) and ``1 - q^k`` (Pass@k); ``p ~ Beta(a, b)``, ``q = 1 - p``.

The laws of a power are those of ``power_law.pxd``.
States are walked in the order in which the shape falls, each from the one before or from scratch, whichever is
shorter: at most ``k + n`` steps per run of equal trials, 6 ns each, or a closed form for each where ``k`` is large.
"""
from libc.stdint cimport int64_t
from libc.string cimport memset

from scorio._kernels.interrupt cimport pause
from scorio._kernels.plain cimport Pair, close_pair, open_pair
from scorio._kernels.power_law cimport LONG, Power, complement, descend, deviation, from_scratch
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


cdef inline const Power* follow(Walk* walk, int64_t trials, int64_t count, double prior, double other, double s,
                                int64_t k) noexcept nogil:
    """Move to the shape ``prior + count``, from a larger one of the same run where that is shorter."""
    if walk.trials != trials or walk.count - count > min(k, LONG):
        walk.power = from_scratch(prior + count, other, s, k)
        walk.trials = trials
        walk.count = count
    while walk.count > count:
        walk.count -= 1
        descend(&walk.power, prior + walk.count, k)
    return &walk.power
