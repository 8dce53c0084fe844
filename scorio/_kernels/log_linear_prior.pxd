"""A log-linear prior density of the success rates on a grid (Efron 2016, the g-model), fitted to states.

The grid is ``x_i = sin^2(pi i/2n)``, ``i = 0..n``, both ends in, and ``g_i ~ base_i exp((B b)_i)``: ``B`` holds the
Legendre polynomials ``P_1..P_7`` of ``u_i = 2i/n - 1`` and the indicators of ``x = 0`` and ``x = 1``, ``base`` is 1/61
at the ends and uniform between. ``b ~ N(0, diag(1/rho))``, ``rho_j = j^2/20`` for the polynomials and 1/10 for the
ends.
With ``L_si = x_i^c (1 - x_i)^(n - c)`` (over its largest value), the fit maximizes

    sum_s m_s log (L g)_s - b' diag(rho) b/2

by Newton steps that halve until the value rises, on the exact curvature ``A`` where that is positive definite, else on
the scores' sum of squares. With ``w_s = L_s g/(L g)_s`` and ``v = sum_s m_s w_s``, both come from the same parts:

    A = B' diag(M g - v) B - M mu mu' + sum_s m_s mu_s mu_s' + diag(rho),  mu = B' g,  mu_s = B' w_s.

The log evidence is Laplace's, ``value + (sum log rho - log det A)/2``. Products are of numbers at most 1, logarithms
of sums that hold the largest term. Cost: ``states x points x 20`` multiplications for a step, six steps or so.
"""
from libc.math cimport M_PI, exp, fmax, log, sin
from libc.stdlib cimport free, malloc

from scorio._kernels.cholesky cimport cholesky, product, solve_lower, solve_upper
from scorio._kernels.states cimport States

cdef enum:
    DEGREE = 7
    TERMS = 9           # polynomials and the two ends
    COARSE = 60         # grid intervals
    NEWTON_STEPS = 40
    RESOLVED = 200      # trials per question whose likelihoods the coarse grid resolves

cdef extern from *:
    """
    static const double ENOUGH_GAIN = 1e-6;
    """
    const double ENOUGH_GAIN


cdef struct LogLinear:
    Py_ssize_t states
    int points
    double* x
    double* base
    double* basis       # (DEGREE, points)
    double* g
    double* pooled      # v
    double* load        # scratch, (points)
    double* like        # L, in the end w, (states, points)
    double* mean        # mu_s, (states, TERMS)
    double* total       # (L g)_s
    double height       # sum_s m_s log of the largest value of L_s
    double questions
    double b[TERMS]
    double curvature[TERMS * TERMS]     # A, in the end its Cholesky factor
    double log_evidence


cdef inline double precision(int term) noexcept nogil:
    return 0.05 * (term + 1) * (term + 1) if term < DEGREE else 0.1


cdef inline int intervals_for(long long max_trials) noexcept nogil:
    """Grid intervals that resolve a question of so many trials; 0 where the grid would be too large."""
    cdef int n = COARSE
    while n <= 8 * COARSE:
        if max_trials <= RESOLVED * (n // COARSE) * (n // COARSE):
            return n
        n *= 2
    return 0


cdef inline int open_log_linear(LogLinear* fit, States states, int intervals) noexcept nogil:
    """Room for the fit, and what does not depend on b; -1 without memory."""
    cdef int points = intervals + 1, i, j
    cdef Py_ssize_t s
    cdef double u, angle, most, low
    cdef double* row
    fit.states, fit.points = states.n_states, points
    fit.x = <double*> malloc(((5 + DEGREE) * points + states.n_states * (points + TERMS + 1)) * sizeof(double))
    if fit.x == NULL:
        return -1
    fit.base, fit.g, fit.pooled = fit.x + points, fit.x + 2 * points, fit.x + 3 * points
    fit.load, fit.basis = fit.x + 4 * points, fit.x + 5 * points
    fit.like = fit.basis + DEGREE * points
    fit.mean = fit.like + states.n_states * points
    fit.total = fit.mean + states.n_states * TERMS
    for i in range(points):
        angle = sin(0.5 * M_PI * i / intervals)
        fit.x[i] = angle * angle
        fit.base[i] = (<double> COARSE) / intervals
        u = 2.0 * i / intervals - 1.0
        fit.basis[i] = u
        fit.basis[points + i] = 1.5 * u * u - 0.5
        for j in range(2, DEGREE):
            fit.basis[j * points + i] = ((2 * j + 1) * u * fit.basis[(j - 1) * points + i]
                                         - j * fit.basis[(j - 2) * points + i]) / (j + 1)
        fit.load[i] = log(angle) if i > 0 else 0.0
    fit.base[0] = fit.base[intervals] = 1.0
    fit.height = 0.0
    fit.questions = states.n_questions
    for s in range(states.n_states):
        row = fit.like + s * points
        most = -1e308
        for i in range(1, intervals):
            row[i] = 2.0 * (states.c[s] * fit.load[i] + (states.n[s] - states.c[s]) * fit.load[intervals - i])
            most = fmax(most, row[i])
        low = 1.0 if states.c[s] == 0 else 0.0
        if states.c[s] == 0 or states.c[s] == states.n[s]:
            most = 0.0
        fit.height += states.m[s] * most
        for i in range(1, intervals):
            row[i] = exp(row[i] - most)
        row[0] = low
        row[intervals] = 1.0 if states.c[s] == states.n[s] else 0.0
    return 0


cdef inline double place(LogLinear* fit, States states) noexcept nogil:
    """Density and likelihoods at ``fit.b``; the value to be maximized."""
    cdef double value = fit.height, total = 0.0, most = -1e308, penalty = 0.0
    cdef double* row
    cdef Py_ssize_t s
    cdef int i, j, points = fit.points
    for i in range(points):
        fit.g[i] = 0.0
    for j in range(DEGREE):
        row = fit.basis + j * points
        for i in range(points):
            fit.g[i] += fit.b[j] * row[i]
    fit.g[0] += fit.b[DEGREE]
    fit.g[points - 1] += fit.b[DEGREE + 1]
    for i in range(points):
        most = fmax(most, fit.g[i])
    for i in range(points):
        fit.g[i] = fit.base[i] * exp(fit.g[i] - most)
        total += fit.g[i]
    for i in range(points):
        fit.g[i] /= total
    for j in range(TERMS):
        penalty += precision(j) * fit.b[j] * fit.b[j]
    for s in range(fit.states):
        fit.total[s] = product(fit.like + s * points, fit.g, points)
        if not fit.total[s] > 0.0:
            return -1e300
        value += states.m[s] * log(fit.total[s])
    return value - 0.5 * penalty


cdef inline void project(const LogLinear* fit, const double* vector, double* out) noexcept nogil:
    """``B' vector``."""
    cdef int j
    for j in range(DEGREE):
        out[j] = product(fit.basis + j * fit.points, vector, fit.points)
    out[DEGREE], out[DEGREE + 1] = vector[0], vector[fit.points - 1]


cdef inline void score(LogLinear* fit, States states, double* gradient, double* centre) noexcept nogil:
    """The gradient, ``mu`` and all ``mu_s``; ``pooled`` becomes ``v``."""
    cdef int i, j, points = fit.points
    cdef Py_ssize_t s
    cdef double factor
    cdef double* row
    for i in range(points):
        fit.pooled[i] = 0.0
    for s in range(fit.states):
        factor = states.m[s] / fit.total[s]
        row = fit.like + s * points
        for i in range(points):
            fit.load[i] = row[i] * fit.g[i]
            fit.pooled[i] += factor * fit.load[i]
        project(fit, fit.load, fit.mean + s * TERMS)
        for j in range(TERMS):
            fit.mean[s * TERMS + j] /= fit.total[s]
    project(fit, fit.g, centre)
    project(fit, fit.pooled, gradient)
    for j in range(TERMS):
        gradient[j] -= fit.questions * centre[j] + precision(j) * fit.b[j]


cdef inline void curve(LogLinear* fit, States states, const double* gradient, const double* centre,
                       bint exact) noexcept nogil:
    """``A``, or the scores' sum of squares and ``diag(rho)``."""
    cdef int i, j, m, points = fit.points
    cdef Py_ssize_t s
    cdef double value
    cdef double ends[2]
    cdef const double* mean
    for i in range(points):
        fit.load[i] = fit.questions * fit.g[i] - fit.pooled[i]
    ends[0], ends[1] = fit.load[0], fit.load[points - 1]
    for j in range(TERMS):
        for m in range(j + 1):
            value = -fit.questions * centre[j] * centre[m] + (precision(j) if j == m else 0.0)
            if not exact:       # sum_s m_s (mu_s - mu)(mu_s - mu)'
                value -= centre[j] * (gradient[m] + precision(m) * fit.b[m])
                value -= centre[m] * (gradient[j] + precision(j) * fit.b[j])
            elif m >= DEGREE:
                value += ends[m - DEGREE] if j == m else 0.0
            elif j >= DEGREE:
                value += ends[j - DEGREE] * fit.basis[m * points + (points - 1 if j > DEGREE else 0)]
            fit.curvature[j * TERMS + m] = value
    for s in range(fit.states):
        mean = fit.mean + s * TERMS
        for j in range(TERMS):
            value = states.m[s] * mean[j]
            for m in range(j + 1):
                fit.curvature[j * TERMS + m] += value * mean[m]
    if exact:
        for j in range(DEGREE):
            for i in range(points):
                fit.pooled[i] = fit.load[i] * fit.basis[j * points + i]
            for m in range(j + 1):
                fit.curvature[j * TERMS + m] += product(fit.pooled, fit.basis + m * points, points)
        for i in range(points):
            fit.pooled[i] = fit.questions * fit.g[i] - fit.load[i]


cdef inline bint fit_log_linear(LogLinear* fit, States states) noexcept nogil:
    """The mode, its curvature's factor, the log evidence, and the states' posteriors in ``like``."""
    cdef double gradient[TERMS]
    cdef double centre[TERMS]
    cdef double step[TERMS]
    cdef double old[TERMS]
    cdef double value, new = 0.0, scale, half_log, gain
    cdef int j, _
    for j in range(TERMS):
        fit.b[j] = 0.0
    value = place(fit, states)
    for _ in range(NEWTON_STEPS):
        score(fit, states, gradient, centre)
        curve(fit, states, gradient, centre, True)
        half_log = cholesky(fit.curvature, TERMS)
        if half_log < -1e299:
            curve(fit, states, gradient, centre, False)
            half_log = cholesky(fit.curvature, TERMS)
            if half_log < -1e299:
                return False
        for j in range(TERMS):
            step[j], old[j] = gradient[j], fit.b[j]
        gain = 0.5 * solve_lower(fit.curvature, TERMS, step)
        if gain < ENOUGH_GAIN:
            break
        solve_upper(fit.curvature, TERMS, step)
        scale = 1.0
        while scale > 1e-6:
            for j in range(TERMS):
                fit.b[j] = old[j] + scale * step[j]
            new = place(fit, states)
            if new > value:
                break
            scale *= 0.5
        if not new > value:
            for j in range(TERMS):
                fit.b[j] = old[j]
            new = place(fit, states)
            gain = 0.0
            break
        value = new
    fit.log_evidence = value - half_log
    for j in range(TERMS):
        fit.log_evidence += 0.5 * log(precision(j))
    finish(fit)
    return gain < ENOUGH_GAIN


cdef inline void finish(LogLinear* fit) noexcept nogil:
    """Likelihoods into posteriors."""
    cdef Py_ssize_t s
    cdef int i
    cdef double* row
    for s in range(fit.states):
        row = fit.like + s * fit.points
        for i in range(fit.points):
            row[i] = row[i] * fit.g[i] / fit.total[s]
