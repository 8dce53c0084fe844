"""The distribution of success rates on a grid with the largest likelihood, whatever its shape.

With ``A_si = L_si/(L w)_s`` at the present shares ``w``, ``m`` the questions of the states and ``M`` their sum, a step
maximizes the expansion ``b' v - v' H v/2``, ``H = A' m A``, ``b = 2 A' m - M``, of the log-likelihood less ``M sum v``,
over ``v >= 0`` on the rates in use and the peaks of the gradient ``A' m - M`` (Wang 2007), by exchanging rates for
which the maximum is on the boundary (Lawson and Hanson 1974), and is halved until the likelihood rises. A first step
from shares everywhere has rates all over the grid. It stops where no rate promises more than ``enough``, which is an
upper limit of what the log-likelihood still lacks. Cost: ``states x points`` and ``states x rates^2`` multiplications a
step, and five to ten steps.

Of all distributions with the same mean of ``u``, ``w/c`` up to a factor has the largest likelihood, where ``w`` fits
best if each rate has the likelihood ``L/c``, with ``c = 1 + t u > 0`` for some ``t``: the most that the gradient
``A' m`` of ``w/c`` reaches at a rate is then linear in ``u``, as with a multiplier for the mean.
"""
from libc.math cimport log
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from scorio._kernels.cholesky cimport cholesky, product, solve_lower, solve_upper

cdef enum:
    MOST_RATES = 48     # in use at a time
    FIRST_RATES = 32    # or fewer, evenly over the grid
    MOST_STEPS = 30
    MOST_EXCHANGES = 200

cdef double NEVER = -1e300      # the log-likelihood of what cannot be
cdef double RARER = 1e-3        # chance of a state, relative to that before a step
cdef double NEGLIGIBLE = 1e-9   # share of a rate that is none
cdef double RIDGE = 1e-9        # of the diagonal, because neighboring rates are nearly alike


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


cdef bint solve_free(Step* step) noexcept nogil:
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


cdef void keep_free(Step* step) noexcept nogil:
    """Only the rates that have a share stay free."""
    cdef int i, kept = 0
    for i in range(step.n_free):
        if step.v[step.free[i]] > NEGLIGIBLE:
            step.free[kept] = step.free[i]
            kept += 1
        else:
            step.v[step.free[i]] = 0.0
    step.n_free = kept


cdef void maximize(Step* step) noexcept nogil:
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


cdef double log_likelihood(const double* questions, Py_ssize_t states, const double* mixed) noexcept nogil:
    cdef double total = 0.0
    cdef Py_ssize_t s
    for s in range(states):
        if not mixed[s] > 0.0:
            return NEVER
        total += questions[s] * log(mixed[s])
    return total


cdef double stepped(const double* questions, Py_ssize_t states, const double* mixed, const double* ahead, double length,
                    double* tried) noexcept nogil:
    """The log-likelihood after a part of a step; ``NEVER`` where a state becomes so rare that the expansion fails."""
    cdef Py_ssize_t s
    for s in range(states):
        tried[s] = mixed[s] + length * ahead[s]
        if tried[s] < RARER * mixed[s]:
            return NEVER
    return log_likelihood(questions, states, tried)


cdef void choose_rates(int points, const double* share, const double* ascent, Step* step) noexcept nogil:
    """Those in use, then the peaks of the gradient, where there is room."""
    cdef int i
    step.size = 0
    for i in range(points + 1):
        if share[i] > NEGLIGIBLE and step.size < MOST_RATES:
            add_rate(step, i, share[i])
    for i in range(points):
        if (ascent[i] > 0.0 and step.size < MOST_RATES and share[i] <= NEGLIGIBLE
                and (i == 0 or ascent[i] >= ascent[i - 1]) and (i == points - 1 or ascent[i] > ascent[i + 1])):
            add_rate(step, i, 0.0)


cdef void add_rate(Step* step, int place, double share) noexcept nogil:
    step.where[step.size], step.v[step.size] = place, share
    step.size += 1


cdef void expand(const double* like, const double* questions, Py_ssize_t states, int columns, double total,
                 const double* mixed, Step* step) noexcept nogil:
    """``H`` and ``b`` of the rates in use."""
    cdef int i, j
    cdef Py_ssize_t s
    cdef double own
    cdef const double* row
    memset(step.h, 0, sizeof(step.h))
    for i in range(step.size):
        step.b[i] = -total
    for s in range(states):
        row = like + s * columns
        for i in range(step.size):
            own = questions[s] * row[step.where[i]] / mixed[s]
            step.b[i] += 2.0 * own
            for j in range(i + 1):
                step.h[i * MOST_RATES + j] += own * row[step.where[j]] / mixed[s]
    for i in range(step.size):
        step.h[i * MOST_RATES + i] *= 1.0 + RIDGE
        for j in range(i):
            step.h[j * MOST_RATES + i] = step.h[i * MOST_RATES + j]


cdef Py_ssize_t room_of_law(Py_ssize_t states, Py_ssize_t points) noexcept nogil:
    """Numbers of scratch that ``best_law`` needs."""
    return 3 * states + 3 * points + 1


cdef double best_law(double* like, const double* questions, Py_ssize_t states, int points, double enough,
                     double* scratch, double* share) noexcept nogil:
    """Replace a start by the shares that fit best; return their log-likelihood.

    ``like`` has room for one more column than points: that of a start at many rates, whose share as a whole is one of
    the shares until others make it needless.
    """
    cdef Py_ssize_t s
    cdef int i, count, columns = points + 1, used = 0
    cdef bint everywhere
    cdef double* mixed = scratch
    cdef double* ahead = mixed + states
    cdef double* tried = ahead + states
    cdef double* ascent = tried + states
    cdef double* start = ascent + points
    cdef double* now = start + points
    cdef double fit, better, length, total, most, all_questions = 0.0
    cdef Step step
    for s in range(states):
        all_questions += questions[s]
        mixed[s] = like[s * columns + points] = product(like + s * columns, share, points)
    fit = log_likelihood(questions, states, mixed)
    memcpy(start, share, points * sizeof(double))
    memset(now, 0, columns * sizeof(double))
    step.size = 0
    for i in range(points):
        used += share[i] > NEGLIGIBLE
    everywhere = used > FIRST_RATES
    if everywhere:
        now[points] = 1.0
        for i in range(points):
            if i % (points // FIRST_RATES + 1) == 0:
                add_rate(&step, i, 0.0)
    else:
        memcpy(now, share, points * sizeof(double))
    for count in range(MOST_STEPS):
        for i in range(points):
            ascent[i] = -all_questions
        for s in range(states):
            for i in range(points):
                ascent[i] += questions[s] / mixed[s] * like[s * columns + i]
        most = 0.0
        for i in range(points):
            most = max(most, ascent[i])
        if most < enough:
            break
        if count > 0 or not everywhere:
            choose_rates(points, now, ascent, &step)
        expand(like, questions, states, columns, all_questions, mixed, &step)
        maximize(&step)
        total = 0.0
        for i in range(step.size):
            total += step.v[i]
        if not total > 0.0:
            break
        for s in range(states):
            ahead[s] = -mixed[s]
            for i in range(step.size):
                ahead[s] += step.v[i] / total * like[s * columns + step.where[i]]
        length, better = 1.0, fit
        while length > 1e-4:
            better = stepped(questions, states, mixed, ahead, length, tried)
            if better > fit or (count == 0 and everywhere and better > NEVER):  # the start gives way to few rates
                break
            length *= 0.5
        if not better > fit and (count > 0 or not everywhere):
            break
        fit = better
        memcpy(mixed, tried, states * sizeof(double))
        for i in range(columns):
            now[i] *= 1.0 - length
        for i in range(step.size):
            now[step.where[i]] += length * step.v[i] / total
    for i in range(points):
        share[i] = now[i] + now[points] * start[i]
    return fit


def fit(const double[:, ::1] likelihood, const double[::1] questions, double[::1] share, double enough):
    """Replace a start by the shares of rates that fit best, and return their log-likelihood."""
    cdef Py_ssize_t states = likelihood.shape[0], points = likelihood.shape[1], size = states * (points + 1), s
    cdef double* like = <double*> malloc((size + room_of_law(states, points)) * sizeof(double))
    cdef double log_likelihood
    if like == NULL:
        raise MemoryError
    with nogil:
        for s in range(states):
            memcpy(like + s * (points + 1), &likelihood[s, 0], points * sizeof(double))
        log_likelihood = best_law(like, &questions[0], states, points, enough, like + size, &share[0])
    free(like)
    return log_likelihood
