"""The distribution of success rates with the largest likelihood, whatever its shape, on the grid of a fitted density.

No question shows how much its score would vary unless it has twice as many trials as the metric takes: how much the
values of questions differ then rests on the density, which is smooth. The distribution that fits best has few rates,
and scores of such questions vary more. With ``A_si = L_si/(L w)_s`` at the present weights ``w``, a step maximizes the
expansion ``b' v - v' H v/2``, ``H = A' m A``, ``b = 2 A' m - M``, of the log-likelihood less ``M sum v``, over
``v >= 0`` on the rates in use and the peaks of the gradient ``A' m - M`` (Wang 2007), by exchanging rates for which the
maximum is on the boundary (Lawson and Hanson 1974), and is halved until the likelihood rises. The first step, from the
density, has rates all over the grid. It stops where no rate promises more than ``ENOUGH``, which is an upper limit of
what the log-likelihood still lacks. Cost: ``states x points`` and ``states x rates^2`` multiplications a step, and five
to ten steps.
"""
from libc.math cimport log
from libc.string cimport memcpy, memset

from scorio._kernels.cholesky cimport cholesky, product, solve_lower, solve_upper
from scorio._kernels.log_linear_prior cimport LogLinear
from scorio._kernels.states cimport States

cdef enum:
    MOST_RATES = 48     # in use at a time
    FIRST_RATES = 32    # or fewer, evenly over the grid
    MOST_STEPS = 30
    MOST_EXCHANGES = 200

cdef extern from *:
    """
    static const double ENOUGH = 0.02;
    static const double NEGLIGIBLE = 1e-9;
    static const double RIDGE = 1e-9;
    """
    const double ENOUGH         # of a log-likelihood
    const double NEGLIGIBLE     # share of a rate that is none
    const double RIDGE          # of the diagonal, because neighboring rates are nearly alike


cdef struct Step:
    int size                    # rates in use
    int where[MOST_RATES]
    double h[MOST_RATES * MOST_RATES]
    double b[MOST_RATES]
    double v[MOST_RATES]
    int free[MOST_RATES]        # those whose share is not at its boundary
    int n_free
    double factor[MOST_RATES * MOST_RATES]
    double target[MOST_RATES]


cdef inline Py_ssize_t room_of_free_law(const LogLinear* grid) noexcept nogil:
    """Numbers of scratch that ``free_law`` needs."""
    return grid.states * (grid.points + 3) + 2 * grid.points


cdef inline bint solve_free(Step* step) noexcept nogil:
    """The maximum over the shares that are free, into ``target``; False where it was not found."""
    cdef int i, j
    for i in range(step.n_free):
        for j in range(i + 1):
            step.factor[i * step.n_free + j] = step.h[step.free[i] * MOST_RATES + step.free[j]]
        step.target[i] = step.b[step.free[i]]
    if cholesky(step.factor, step.n_free) < -1e299:
        return False
    solve_lower(step.factor, step.n_free, step.target)
    solve_upper(step.factor, step.n_free, step.target)
    return True


cdef inline void keep_free(Step* step) noexcept nogil:
    """Only the rates that have a share stay free."""
    cdef int i, kept = 0
    for i in range(step.n_free):
        if step.v[step.free[i]] > NEGLIGIBLE:
            step.free[kept] = step.free[i]
            kept += 1
        else:
            step.v[step.free[i]] = 0.0
    step.n_free = kept


cdef inline void maximize(Step* step) noexcept nogil:
    """The shares of the maximum, from those in ``v``."""
    cdef int i, best, _count
    cdef double part, own, most
    step.n_free = 0
    for i in range(step.size):
        if step.v[i] > NEGLIGIBLE:
            step.free[step.n_free] = i
            step.n_free += 1
    for _count in range(MOST_EXCHANGES):
        if not solve_free(step):
            return
        part = 1.0
        for i in range(step.n_free):
            own = step.v[step.free[i]]
            if step.target[i] <= 0.0:
                part = min(part, own / (own - step.target[i]))
        for i in range(step.n_free):
            own = step.v[step.free[i]]
            step.v[step.free[i]] = max(own + part * (step.target[i] - own), 0.0)
        if part < 1.0:
            keep_free(step)
            continue
        best, most = -1, 1e-6 * step.b[0]
        for i in range(step.size):
            if step.v[i] == 0.0:
                own = step.b[i] - product(step.h + i * MOST_RATES, step.v, step.size)
                if own > most:
                    best, most = i, own
        if best < 0:
            return
        step.free[step.n_free] = best
        step.n_free += 1


cdef inline double log_likelihood(States states, Py_ssize_t first, Py_ssize_t last,
                                  const double* mixed) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t s
    for s in range(first, last):
        if not mixed[s] > 0.0:
            return -1e300
        total += states.m[s] * log(mixed[s])
    return total


cdef inline void choose_rates(const LogLinear* grid, const double* share, const double* ascent,
                              Step* step) noexcept nogil:
    """Those in use by the last step, then the peaks of the gradient, where there is room."""
    cdef int i, j, kept = 0, last, points = grid.points
    for j in range(step.size):
        if step.v[j] > 0.0:
            step.where[kept] = step.where[j]
            step.v[kept] = share[step.where[j]]
            kept += 1
    last = kept
    for i in range(points):
        if (ascent[i] > 0.0 and kept < MOST_RATES and (i == 0 or ascent[i] >= ascent[i - 1])
                and (i == points - 1 or ascent[i] > ascent[i + 1])):
            for j in range(last):
                if step.where[j] == i:
                    break
            else:
                step.where[kept] = i
                step.v[kept] = 0.0
                kept += 1
    step.size = kept


cdef inline void expand(const LogLinear* grid, States states, Py_ssize_t first, Py_ssize_t last, double questions,
                        const double* like, const double* mixed, Step* step) noexcept nogil:
    """``H`` and ``b`` of the rates in use."""
    cdef int i, j
    cdef Py_ssize_t s
    cdef double own
    cdef const double* row
    memset(step.h, 0, sizeof(step.h))
    for i in range(step.size):
        step.b[i] = -questions
    for s in range(first, last):
        row = like + s * grid.points
        for i in range(step.size):
            own = states.m[s] * row[step.where[i]] / mixed[s]
            step.b[i] += 2.0 * own
            for j in range(i + 1):
                step.h[i * MOST_RATES + j] += own * row[step.where[j]] / mixed[s]
    for i in range(step.size):
        step.h[i * MOST_RATES + i] *= 1.0 + RIDGE
        for j in range(i):
            step.h[j * MOST_RATES + i] = step.h[i * MOST_RATES + j]


cdef inline void free_law(const LogLinear* grid, States states, Py_ssize_t first, Py_ssize_t last, double* scratch,
                          double* share) noexcept nogil:
    """The shares of the grid's rates in the distribution that fits these states best, from the density of all."""
    cdef Py_ssize_t size = grid.states, s
    cdef int points = grid.points, stride = points // FIRST_RATES + 1, i, count
    cdef double* like = scratch
    cdef double* mixed = scratch + size * points
    cdef double* ahead = mixed + size
    cdef double* tried = ahead + size
    cdef double* ascent = tried + size
    cdef double fit, better, length, total, most, questions = 0.0
    cdef Step step
    for s in range(first, last):
        questions += states.m[s]
        mixed[s] = 1.0
        for i in range(points):
            like[s * points + i] = grid.like[s * points + i] / grid.g[i] if grid.g[i] > 1e-250 else 0.0
    memcpy(share, grid.g, points * sizeof(double))
    fit, step.size = 0.0, 0
    for i in range(FIRST_RATES):
        if i * stride < points:
            step.where[step.size], step.v[step.size] = i * stride, 0.0
            step.size += 1
    for count in range(MOST_STEPS):
        for i in range(points):
            ascent[i] = -questions
        for s in range(first, last):
            for i in range(points):
                ascent[i] += states.m[s] / mixed[s] * like[s * points + i]
        most = 0.0
        for i in range(points):
            most = max(most, ascent[i])
        if most < ENOUGH:
            return
        if count > 0:
            choose_rates(grid, share, ascent, &step)
        expand(grid, states, first, last, questions, like, mixed, &step)
        maximize(&step)
        total = 0.0
        for i in range(step.size):
            total += step.v[i]
        if not total > 0.0:
            return
        for s in range(first, last):
            ahead[s] = -mixed[s]
            for i in range(step.size):
                ahead[s] += step.v[i] / total * like[s * points + step.where[i]]
        length, better = 1.0, fit
        while length > 1e-4:
            for s in range(first, last):
                tried[s] = mixed[s] + length * ahead[s]
            better = log_likelihood(states, first, last, tried)
            if better > fit or count == 0:      # the density as a whole has no place among the rates in use
                break
            length *= 0.5
        if not better > fit and count > 0:
            return
        fit = better
        memcpy(mixed, tried, size * sizeof(double))
        for i in range(points):
            share[i] *= 1.0 - length
        for i in range(step.size):
            share[step.where[i]] += length * step.v[i] / total
