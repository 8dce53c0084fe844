"""The posterior density of a shared Beta prior, with or without point masses at 0 and 1, and its gradient.

``p ~ Beta(s m, s (1 - m))`` for every question, ``m`` uniform, ``r = 1/(1 + s) ~ Beta(3/4, 1)``: the correlation of two
trials of one question. The unknowns are ``x = logit m`` and ``y = logit r``. With ``C`` successes and ``F`` failures in
all, and ``rise`` of ``rising_factorial.pxd``, the log likelihood is

    C log m + F log(1 - m) + sum_a rise(a, c_a) + rise(b, n_a - c_a) - rise(s, n_a),

each sum over ascending distinct counts, every step between neighbours weighted with the questions beyond it.
Binomial coefficients are left out. Nothing overflows inside the limits of ``density_lattice.pxd``.
"""
from libc.math cimport exp, log1p
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc, qsort

from scorio._kernels.point_mass_weights cimport Boundary, Rule, integrate_weights, laplace_weights, profile_weights
from scorio._kernels.rising_factorial cimport fall, rise
from scorio._kernels.states cimport States

cdef extern from *:
    """
    static const double CORRELATION_RISE = 0.75;
    static const double LOG_NORMALIZER = -0.2876820724517809;
    """
    const double CORRELATION_RISE     # r ~ Beta(.75, 1)
    const double LOG_NORMALIZER    # log .75: the constant of that density


cdef struct Step:
    int64_t count
    double weight


cdef struct Tally:
    Py_ssize_t size
    Step* step              # ascending distinct counts above 0, weighted with all questions at or above


cdef struct Evidence:
    Tally success
    Tally failure
    Tally trial
    double successes
    double failures
    double questions
    int point_masses        # 0: none; their weights 1: at the mode (to search), 2: by Laplace, 3: by the rule
    Boundary boundary
    Rule rule


cdef inline int ascending(const void* one, const void* other) noexcept nogil:
    cdef int64_t a = (<const Step*> one).count, b = (<const Step*> other).count
    return (a > b) - (a < b)


cdef inline void settle_tally(Tally* tally) noexcept nogil:
    """Sort, join equal counts, drop zero and turn weights into sums from above."""
    cdef Py_ssize_t i, kept = -1
    cdef bint sorted_already = True
    for i in range(1, tally.size):
        if tally.step[i].count < tally.step[i - 1].count:
            sorted_already = False
            break
    if not sorted_already:
        qsort(tally.step, tally.size, sizeof(Step), ascending)
    for i in range(tally.size):
        if tally.step[i].count == 0:
            continue
        if kept >= 0 and tally.step[kept].count == tally.step[i].count:
            tally.step[kept].weight += tally.step[i].weight
        else:
            kept += 1
            tally.step[kept] = tally.step[i]
    tally.size = kept + 1
    for i in range(kept - 1, -1, -1):
        tally.step[i].weight += tally.step[i + 1].weight


cdef inline int open_evidence(Evidence* e, States states, double discount) except -1 nogil:
    """Gather the counts; every question counts as ``discount`` of one."""
    cdef Py_ssize_t i, size = states.n_states, ends = 0
    cdef double weight
    cdef Boundary* b = &e.boundary
    e.success.step = <Step*> malloc(3 * size * sizeof(Step))
    for i in range(size):
        ends += states.c[i] == 0 or states.c[i] == states.n[i]
    b.trials = <long long*> malloc((ends + 1) * sizeof(long long))
    b.weight = <double*> malloc((6 * ends + 1) * sizeof(double))
    b.never = <char*> malloc(2 * ends + 1)
    if e.success.step == NULL or b.trials == NULL or b.weight == NULL or b.never == NULL:
        close_evidence(e)
        with gil:
            raise MemoryError
    e.failure.step, e.trial.step = e.success.step + size, e.success.step + 2 * size
    b.always = b.never + ends
    b.mass, b.smooth = b.weight + ends, b.weight + 2 * ends
    b.slope_x, b.slope_y = b.weight + 3 * ends, b.weight + 4 * ends
    b.log_mass = b.weight + 5 * ends
    b.size, ends = ends, 0
    b.total = b.rest = e.successes = e.failures = 0.0
    e.point_masses = 0
    b.fine = False
    b.mode.u = b.mode.v = b.mode.w = 1.0 / 3.0
    e.questions = discount * states.n_questions
    for i in range(size):
        weight = discount * states.m[i]
        e.success.step[i].count, e.success.step[i].weight = states.c[i], weight
        e.failure.step[i].count, e.failure.step[i].weight = states.n[i] - states.c[i], weight
        e.trial.step[i].count, e.trial.step[i].weight = states.n[i], weight
        e.successes += weight * states.c[i]
        e.failures += weight * (states.n[i] - states.c[i])
        if states.c[i] == 0 or states.c[i] == states.n[i]:
            b.trials[ends], b.weight[ends] = states.n[i], weight
            b.never[ends], b.always[ends] = states.c[i] == 0, states.c[i] == states.n[i]
            b.total += weight
            ends += 1
        else:
            b.rest += weight
    e.success.size = e.failure.size = e.trial.size = size
    settle_tally(&e.success)
    settle_tally(&e.failure)
    settle_tally(&e.trial)
    return 0


cdef inline void close_evidence(Evidence* e) noexcept nogil:
    free(e.success.step)
    free(e.boundary.trials)
    free(e.boundary.weight)
    free(e.boundary.never)


cdef inline double sum_steps(const Tally* tally, double x, bint slope) noexcept nogil:
    """The weighted sum of ``rise``, or of ``fall`` for the ``slope``."""
    cdef double total = 0.0
    cdef int64_t reached = 0, count
    cdef Py_ssize_t i
    for i in range(tally.size):
        count = tally.step[i].count
        total += tally.step[i].weight * (fall(x, reached, count) if slope else rise(x, reached, count))
        reached = count
    return total


cdef inline double log_expit(double x) noexcept nogil:
    """``log 1/(1 + exp(-x))``."""
    return -log1p(exp(-x)) if x > 0.0 else x - log1p(exp(x))


cdef inline void boundary_masses(Boundary* b, double log_m, double log_f, double a, double beta,
                                 double s) noexcept nogil:
    """``B_e`` of every boundary state."""
    cdef double up = 0.0, down = 0.0, whole = 0.0
    cdef int64_t reached = 0
    cdef Py_ssize_t e
    for e in range(b.size):
        if b.trials[e] > reached:
            up += rise(a, reached, b.trials[e])
            down += rise(beta, reached, b.trials[e])
            whole += rise(s, reached, b.trials[e])
            reached = b.trials[e]
        if b.never[e]:
            b.log_mass[e] = b.trials[e] * log_f + down - whole
        else:
            b.log_mass[e] = b.trials[e] * log_m + up - whole
        b.mass[e] = exp(b.log_mass[e])


cdef inline void boundary_slopes(Boundary* b, double m, double f, double a, double beta, double s) noexcept nogil:
    """``d log B_e`` along x, and along -y."""
    cdef double up = 0.0, down = 0.0, whole = 0.0
    cdef int64_t reached = 0
    cdef Py_ssize_t e
    for e in range(b.size):
        if b.trials[e] > reached:
            up += fall(a, reached, b.trials[e])
            down += fall(beta, reached, b.trials[e])
            whole += fall(s, reached, b.trials[e])
            reached = b.trials[e]
        if b.never[e]:
            b.slope_x[e], b.slope_y[e] = -m * (b.trials[e] - down), whole - down
        else:
            b.slope_x[e], b.slope_y[e] = f * (b.trials[e] - up), whole - up


cdef inline double log_posterior(void* about, double x, double y, double* gradient) noexcept nogil:
    """The log density at a point, without the prior probability of its kind; its gradient unless NULL.

    With point masses, the gradient is that of the weights at their mode.
    """
    cdef Evidence* e = <Evidence*> about
    cdef Boundary* b = &e.boundary
    cdef double log_m = log_expit(x), log_f = log_m - x, log_r = log_expit(y), s = exp(-y)
    cdef double m = exp(log_m), f = exp(log_f), r = exp(log_r), value, up, down, whole, loss
    cdef double alpha = s * m, beta = s * f
    cdef Py_ssize_t i
    value = log_m + log_f + CORRELATION_RISE * log_r + (log_r - y) + LOG_NORMALIZER
    value += e.successes * log_m + e.failures * log_f
    value += sum_steps(&e.success, alpha, False) + sum_steps(&e.failure, beta, False) - sum_steps(&e.trial, s, False)
    if e.point_masses:
        boundary_masses(b, log_m, log_f, alpha, beta, s)
        if e.point_masses == 1:
            value += profile_weights(b)
        elif e.point_masses == 2:
            value += laplace_weights(b)
        else:
            integrate_weights(b, &e.rule)
            value += e.rule.log_integral
        for i in range(b.size):
            value -= b.weight[i] * b.log_mass[i]
    if gradient == NULL:
        return value
    up, down = sum_steps(&e.success, alpha, True), sum_steps(&e.failure, beta, True)
    whole = sum_steps(&e.trial, s, True)
    gradient[0] = f - m + f * (e.successes - up) - m * (e.failures - down)
    gradient[1] = CORRELATION_RISE * (1.0 - r) - r + (up + down - whole)
    if e.point_masses:
        boundary_slopes(b, m, f, alpha, beta, s)
        for i in range(b.size):
            loss = b.weight[i] * (1.0 - b.smooth[i])
            gradient[0] -= loss * b.slope_x[i]
            gradient[1] += loss * b.slope_y[i]
    return value
