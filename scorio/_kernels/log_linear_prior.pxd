"""A log-linear prior density of the success rates on a grid (Efron 2016, the g-model), fitted to states.

The grid is ``x_i = sin^2(pi i/2n)``, ``i = 0..n``, both ends in, and ``g_i ~ base_i exp((B b)_i)``: ``B`` holds the
Legendre polynomials ``P_1..P_d`` of ``u_i = 2i/n - 1`` and the indicators of ``x = 0`` and ``x = 1``, ``base`` is 1/61
at the ends and uniform between. ``b ~ N(0, diag(1/rho))``, ``rho_j = r j^2/20`` for the polynomials and 1/10 for the
ends. The density is *smooth* at first: ``d = 7``, ``r = 1``. Gaps and atoms need more: ``d = 15`` with ``r`` = 1/10,
then 1/100 (*rough*). A rougher density takes the place of the one before if its log evidence is higher, with 2 nats in
its favour for each step, which is about what a wider prior of ``b`` costs where no more than the density before is
needed. Its Laplace evidence is first foreseen from one Newton step, so that most fits spend one step on the question.
With ``L_si = x_i^c (1 - x_i)^(n - c)`` (over its largest value), the fit maximizes

    sum_s m_s log (L g)_s - b' diag(rho) b/2

by Newton steps that halve until the value rises, on the exact curvature ``A`` where that is positive definite, else on
the scores' sum of squares. With ``w_s = L_s g/(L g)_s`` and ``v = sum_s m_s w_s``, both come from the same parts:

    A = B' diag(M g - v) B - M mu mu' + sum_s m_s mu_s mu_s' + diag(rho),  mu = B' g,  mu_s = B' w_s.

The log evidence is Laplace's, ``value + (sum log rho - log det A)/2``. Products are of numbers at most 1, logarithms
of sums that hold the largest term. Cost: ``states x points x 20`` multiplications for a smooth step, six steps or so;
a rough step costs twice as much, and a rough fit takes ten to forty.
"""
from libc.math cimport M_PI, exp, fmax, log, sin
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from scorio._kernels.cholesky cimport cholesky, product, solve_lower, solve_upper
from scorio._kernels.states cimport States

cdef enum:
    SMOOTH_DEGREE = 7
    ROUGH_DEGREE = 15
    MOST_TERMS = 17     # polynomials and the two ends
    ROUGHNESSES = 3     # 1, 1/10 and 1/100
    COARSE = 60         # grid intervals
    NEWTON_STEPS = 80
    RESOLVED = 200      # trials per question whose likelihoods the coarse grid resolves

cdef extern from *:
    """
    static const double ENOUGH_GAIN = 1e-6;
    static const double ROUGHNESS_ODDS = 2.0;
    static const double FORESIGHT = 2.0;
    """
    const double ENOUGH_GAIN
    const double ROUGHNESS_ODDS     # log odds of each rougher density against the one before
    const double FORESIGHT          # by which its foreseen log evidence may be too low


cdef struct LogLinear:
    Py_ssize_t states
    int points
    int roughness       # 0: smooth
    int degree
    int terms
    double* x
    double* base
    double* basis       # (ROUGH_DEGREE, points)
    double* g
    double* pooled      # v
    double* load        # scratch, (points)
    double* like        # L, in the end w, (states, points)
    double* mean        # mu_s, (states, terms)
    double* total       # (L g)_s
    double height       # sum_s m_s log of the largest value of L_s
    double questions
    double b[MOST_TERMS]
    double curvature[MOST_TERMS * MOST_TERMS]   # A, in the end its Cholesky factor
    double log_evidence                 # with the odds of its roughness


cdef struct Place:
    int roughness
    bint found
    double log_evidence
    double b[MOST_TERMS]
    double curvature[MOST_TERMS * MOST_TERMS]


cdef inline double precision(const LogLinear* fit, int term) noexcept nogil:
    cdef double rough = 1.0 if fit.roughness == 0 else 0.1 if fit.roughness == 1 else 0.01
    return 0.05 * rough * (term + 1) * (term + 1) if term < fit.degree else 0.1


cdef inline void set_roughness(LogLinear* fit, int roughness) noexcept nogil:
    """Make room for the coefficients of this roughness; the new ones are 0."""
    cdef int j, degree = SMOOTH_DEGREE if roughness == 0 else ROUGH_DEGREE
    if degree > fit.degree:
        fit.b[degree], fit.b[degree + 1] = fit.b[fit.degree], fit.b[fit.degree + 1]
        for j in range(fit.degree, degree):
            fit.b[j] = 0.0
    fit.roughness, fit.degree, fit.terms = roughness, degree, degree + 2


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
    cdef Py_ssize_t s, size = (5 + ROUGH_DEGREE) * points + states.n_states * (points + MOST_TERMS + 1)
    cdef double u, angle, most, low
    cdef double* row
    fit.states, fit.points = states.n_states, points
    fit.x = <double*> malloc(size * sizeof(double))
    if fit.x == NULL:
        return -1
    fit.base, fit.g, fit.pooled = fit.x + points, fit.x + 2 * points, fit.x + 3 * points
    fit.load, fit.basis = fit.x + 4 * points, fit.x + 5 * points
    fit.like = fit.basis + ROUGH_DEGREE * points
    fit.mean = fit.like + states.n_states * points
    fit.total = fit.mean + states.n_states * MOST_TERMS
    for i in range(points):
        angle = sin(0.5 * M_PI * i / intervals)
        fit.x[i] = angle * angle
        fit.base[i] = (<double> COARSE) / intervals
        u = 2.0 * i / intervals - 1.0
        fit.basis[i] = u
        fit.basis[points + i] = 1.5 * u * u - 0.5
        for j in range(2, ROUGH_DEGREE):
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
    for j in range(fit.degree):
        row = fit.basis + j * points
        for i in range(points):
            fit.g[i] += fit.b[j] * row[i]
    fit.g[0] += fit.b[fit.degree]
    fit.g[points - 1] += fit.b[fit.degree + 1]
    for i in range(points):
        most = fmax(most, fit.g[i])
    for i in range(points):
        fit.g[i] = fit.base[i] * exp(fit.g[i] - most)
        total += fit.g[i]
    for i in range(points):
        fit.g[i] /= total
    for j in range(fit.terms):
        penalty += precision(fit, j) * fit.b[j] * fit.b[j]
    for s in range(fit.states):
        fit.total[s] = product(fit.like + s * points, fit.g, points)
        if not fit.total[s] > 0.0:
            return -1e300
        value += states.m[s] * log(fit.total[s])
    return value - 0.5 * penalty


cdef inline void project(const LogLinear* fit, const double* vector, double* out) noexcept nogil:
    """``B' vector``."""
    cdef int j
    for j in range(fit.degree):
        out[j] = product(fit.basis + j * fit.points, vector, fit.points)
    out[fit.degree], out[fit.degree + 1] = vector[0], vector[fit.points - 1]


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
        project(fit, fit.load, fit.mean + s * fit.terms)
        for j in range(fit.terms):
            fit.mean[s * fit.terms + j] /= fit.total[s]
    project(fit, fit.g, centre)
    project(fit, fit.pooled, gradient)
    for j in range(fit.terms):
        gradient[j] -= fit.questions * centre[j] + precision(fit, j) * fit.b[j]


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
    for j in range(fit.terms):
        for m in range(j + 1):
            value = -fit.questions * centre[j] * centre[m] + (precision(fit, j) if j == m else 0.0)
            if not exact:       # sum_s m_s (mu_s - mu)(mu_s - mu)'
                value -= centre[j] * (gradient[m] + precision(fit, m) * fit.b[m])
                value -= centre[m] * (gradient[j] + precision(fit, j) * fit.b[j])
            elif m >= fit.degree:
                value += ends[m - fit.degree] if j == m else 0.0
            elif j >= fit.degree:
                value += ends[j - fit.degree] * fit.basis[m * points + (points - 1 if j > fit.degree else 0)]
            fit.curvature[j * fit.terms + m] = value
    for s in range(fit.states):
        mean = fit.mean + s * fit.terms
        for j in range(fit.terms):
            value = states.m[s] * mean[j]
            for m in range(j + 1):
                fit.curvature[j * fit.terms + m] += value * mean[m]
    if exact:
        for j in range(fit.degree):
            for i in range(points):
                fit.pooled[i] = fit.load[i] * fit.basis[j * points + i]
            for m in range(j + 1):
                fit.curvature[j * fit.terms + m] += product(fit.pooled, fit.basis + m * points, points)
        for i in range(points):
            fit.pooled[i] = fit.questions * fit.g[i] - fit.load[i]


cdef inline bint climb_to_mode(LogLinear* fit, States states, double least) noexcept nogil:
    """The mode from the present ``b``, its curvature's factor and log evidence; False where it was not found.

    It is given up at once where one Newton step foresees less than the evidence ``least``.
    """
    cdef double gradient[MOST_TERMS]
    cdef double centre[MOST_TERMS]
    cdef double step[MOST_TERMS]
    cdef double old[MOST_TERMS]
    cdef double value, new = 0.0, scale, half_log, gain, odds = ROUGHNESS_ODDS * fit.roughness
    cdef int j, count
    for j in range(fit.terms):
        odds += 0.5 * log(precision(fit, j))
    value = place(fit, states)
    for count in range(NEWTON_STEPS):
        score(fit, states, gradient, centre)
        curve(fit, states, gradient, centre, True)
        half_log = cholesky(fit.curvature, fit.terms)
        if half_log < -1e299:
            curve(fit, states, gradient, centre, False)
            half_log = cholesky(fit.curvature, fit.terms)
            if half_log < -1e299:
                return False
        for j in range(fit.terms):
            step[j], old[j] = gradient[j], fit.b[j]
        gain = 0.5 * solve_lower(fit.curvature, fit.terms, step)
        if gain < ENOUGH_GAIN:
            break
        if count == 0 and value + gain - half_log + odds < least:
            return False
        solve_upper(fit.curvature, fit.terms, step)
        scale = 1.0
        while scale > 1e-6:
            for j in range(fit.terms):
                fit.b[j] = old[j] + scale * step[j]
            new = place(fit, states)
            if new > value:
                break
            scale *= 0.5
        if not new > value:
            for j in range(fit.terms):
                fit.b[j] = old[j]
            new = place(fit, states)
            gain = 0.0
            break
        value = new
    fit.log_evidence = value - half_log + odds
    return gain < ENOUGH_GAIN


cdef inline bint fit_log_linear(LogLinear* fit, States states, int roughnesses) noexcept nogil:
    """The mode, its curvature's factor, the log evidence, and the states' posteriors in ``like``.

    The first ``roughnesses`` are tried.
    """
    cdef Place kept
    cdef bint found
    cdef int j
    fit.degree = SMOOTH_DEGREE
    for j in range(MOST_TERMS):
        fit.b[j] = 0.0
    set_roughness(fit, 0)
    found = climb_to_mode(fit, states, -1e300)
    while found and fit.roughness + 1 < roughnesses:
        kept.roughness, kept.log_evidence = fit.roughness, fit.log_evidence
        memcpy(kept.b, fit.b, sizeof(kept.b))
        memcpy(kept.curvature, fit.curvature, sizeof(kept.curvature))
        set_roughness(fit, fit.roughness + 1)
        if climb_to_mode(fit, states, kept.log_evidence - FORESIGHT) and fit.log_evidence > kept.log_evidence:
            continue
        memcpy(fit.b, kept.b, sizeof(kept.b))
        memcpy(fit.curvature, kept.curvature, sizeof(kept.curvature))
        fit.log_evidence = kept.log_evidence
        set_roughness(fit, kept.roughness)
        place(fit, states)
        break
    finish(fit)
    return found


cdef inline void finish(LogLinear* fit) noexcept nogil:
    """Likelihoods into posteriors."""
    cdef Py_ssize_t s
    cdef int i
    cdef double* row
    for s in range(fit.states):
        row = fit.like + s * fit.points
        for i in range(fit.points):
            row[i] = row[i] * fit.g[i] / fit.total[s]
