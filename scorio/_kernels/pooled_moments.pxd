"""Moments of a metric at the nodes of a shared prior, given those of every state under the node's Beta.

At a node the success rates are independent again. A boundary state may sit in a point mass, where the metric is known:
with probability ``u [c = 0]/T`` at 0 and ``v [c = n]/T`` at 1, ``T = u [c = 0] + v [c = n] + w B``, at each point of
the node's rule for the weights ``(u, v)``. Variances are sums of non-negative parts. The grid density contributes one
more component: what the states leave open, and ``q' A^-1 q`` for its unknown coefficients.

``second`` is the mean over questions of the expected square of a question's distance from the value ``about``, which
tells how much an unbiased score varies.
"""
from libc.math cimport exp, fmax, fmin, log

from scorio._kernels.cholesky cimport product, solve_lower
from scorio._kernels.log_linear_prior cimport MOST_TERMS, LogLinear, project
from scorio._kernels.point_mass_weights cimport POINTS, Rule
from scorio._kernels.rising_factorial cimport rise
from scorio._kernels.states cimport States


cdef struct Pooled:
    double mean
    double variance
    double second


cdef inline double boundary_mass(double alpha, double beta, long long c, long long n) noexcept nogil:
    """The probability of ``n`` failures if ``c = 0``, else of ``n`` successes."""
    cdef double s = alpha + beta
    if c == 0:
        return exp(n * log(beta / s) + rise(beta, 0, n) - rise(s, 0, n))
    return exp(n * log(alpha / s) + rise(alpha, 0, n) - rise(s, 0, n))


cdef inline Pooled pool(States states, const double* mean, const double* variance, double about) noexcept nogil:
    """Of the mean over questions without point masses."""
    cdef Pooled found
    cdef Py_ssize_t i
    cdef double count = states.n_questions, total = 0.0, spread = 0.0, second = 0.0
    for i in range(states.n_states):
        total += states.m[i] * mean[i]
        spread += states.m[i] * variance[i]
        second += states.m[i] * (mean[i] - about) * (mean[i] - about)
    found.mean, found.variance, found.second = total / count, spread / (count * count), (spread + second) / count
    return found


cdef inline Pooled pool_point_masses(States states, const Rule* rule, double alpha, double beta,
                                     const Py_ssize_t* boundary, Py_ssize_t size, const double* mean,
                                     const double* variance, double at_zero, double at_one,
                                     double about) noexcept nogil:
    """Of the mean over questions, over the rule's weights."""
    cdef Pooled base = pool(states, mean, variance, about)
    cdef double shift[POINTS]
    cdef double spread[POINTS]
    cdef double apart[POINTS]
    cdef double mass, zero, one, total, down, up, move, square, own, questions, never, always, never_apart, always_apart
    cdef double count = states.n_questions, centre = 0.0
    cdef Py_ssize_t e, i
    cdef int k
    for k in range(rule.size):
        shift[k] = spread[k] = apart[k] = 0.0
    for e in range(size):
        i = boundary[e]
        mass = boundary_mass(alpha, beta, states.c[i], states.n[i])
        down, up, own, questions = at_zero - mean[i], at_one - mean[i], variance[i], states.m[i]
        never, always = states.c[i] == 0, states.c[i] == states.n[i]
        square = own + (mean[i] - about) * (mean[i] - about)
        never_apart = (at_zero - about) * (at_zero - about) - square
        always_apart = (at_one - about) * (at_one - about) - square
        for k in range(rule.size):     # without branches, so that the compiler vectorizes it
            zero, one = never * rule.zero[k], always * rule.one[k]
            total = 1.0 / (zero + one + (1.0 - rule.zero[k] - rule.one[k]) * mass)
            zero, one = zero * total, one * total
            move = zero * down + one * up
            square = zero * down * down + one * up * up - move * move
            shift[k] += questions * move
            spread[k] += questions * ((square if square > 0.0 else 0.0) - (zero + one) * own)
            apart[k] += questions * (zero * never_apart + one * always_apart)
    for k in range(rule.size):
        centre += rule.share[k] * shift[k]
        base.second += rule.share[k] * apart[k] / count
    down = up = at_zero
    for i in range(states.n_states):
        down, up = fmin(down, mean[i]), fmax(up, mean[i])
    base.mean = fmin(fmax(base.mean + centre / count, fmin(down, at_one)), fmax(up, at_one))
    total = 0.0
    for k in range(rule.size):
        total += rule.share[k] * (spread[k] + (shift[k] - centre) * (shift[k] - centre))
    base.variance = fmax(base.variance + total / (count * count), 0.0)
    return base


cdef inline Pooled pool_grid(const LogLinear* grid, States states, const double* values, double* load,
                             double about) noexcept nogil:
    """Return those of the mean over questions; ``values`` are the metric's on the grid, ``load`` is scratch space."""
    cdef Pooled found
    cdef double q[MOST_TERMS]
    cdef double mean, second, total = 0.0, spread = 0.0, apart = 0.0, deviation
    cdef double* w
    cdef Py_ssize_t s
    cdef int i, points = grid.points
    for i in range(points):
        load[i] = 0.0
    for s in range(grid.states):
        w = grid.like + s * points
        mean = product(w, values, points)
        second = 0.0
        for i in range(points):
            deviation = values[i] - mean
            load[i] += states.m[s] * w[i] * deviation
            second += w[i] * deviation * deviation
        total += states.m[s] * mean
        spread += states.m[s] * second
        apart += states.m[s] * (mean - about) * (mean - about)
    project(grid, load, q)
    found.mean, found.second = total / grid.questions, (spread + apart) / grid.questions
    found.variance = (spread + solve_lower(grid.curvature, grid.terms, q)) / (grid.questions * grid.questions)
    return found
