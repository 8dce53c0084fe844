"""How well a shared prior of the difficulties explains a bank, with and without point masses at 0 and 1.

Smooth: ``p ~ Beta(a, b)`` for every question. With the rising factorial ``(x)_i = x (x+1) .. (x+i-1)`` a question with
``c`` successes among ``n`` trials has the chance

    B(c, n) = (a)_c (b)_(n-c) / (a+b)_n,

and the logarithm over a bank is three sums of ``log (x)_i``, taken over sorted ``i`` by one running logarithm: a product
of up to 16 factors, each below 1e8 and above 1e-12, then one ``log``; a longer step is one difference of ``lgamma``.
Cost: 10 ns a distinct count.

Spiked: ``p`` is 0 with weight ``u``, 1 with weight ``v``, and from the Beta with ``w = 1 - u - v``, the weights uniform
on their simplex. Only questions that always or never succeed ("ends") tell a spike from the Beta:

    L(u, v) = w^rest  prod_e (u [c_e = 0] + v [c_e = n_e] + w B_e)^(m_e).

The integral over ``(u, v)`` runs over ``x = log u/w``, ``y = log v/w``, whose density adds ``u v w``: expectation-
maximisation finds the mode of the product (every step raises it, weights stay inside the simplex), its curvature scales
five by five Gauss-Hermite points. All terms are logarithms of positive sums. Cost: about 1 us a node.
"""
from libc.math cimport exp, fabs, fmax, lgamma, log, log1p, sqrt
from libc.stdint cimport int64_t, uint8_t

cdef enum:
    LONG_STEP = 16      # counts, above which lgamma is cheaper than factors
    RULE = 5            # Gauss-Hermite points a dimension
    CLIMBS = 40         # steps of expectation-maximisation at most

cdef double* ROOTS = [-2.8569700138728056, -1.3556261799742659, 0.0, 1.3556261799742659, 2.8569700138728056]
cdef double* MASSES = [0.011257411327720689, 0.22207592200561266, 0.53333333333333333, 0.22207592200561266,
                       0.011257411327720689]
cdef double LOG_FOUR_PI = 2.5310242469692907   # log(2 * 2 pi): density of the simplex, and of the Gaussian rule

POINTS = RULE * RULE


def parameters(const double[:, :] at, double rise, double fall, double[::1] alpha, double[::1] beta,
               double[::1] log_prior):
    """Beta parameters at points ``(logit m, logit r)``, and their log density: ``m`` uniform, ``r ~ Beta(rise, fall)``."""
    cdef Py_ssize_t j
    cdef double strength, log_m, log_r
    with nogil:
        for j in range(at.shape[1]):
            log_m, log_r = log_expit(at[0, j]), log_expit(at[1, j])
            strength = exp(-at[1, j])
            alpha[j] = strength * exp(log_m)
            beta[j] = strength * exp(log_m - at[0, j])
            log_prior[j] = 2.0 * log_m - at[0, j] + (rise + fall) * log_r - fall * at[1, j]


cdef inline double log_expit(double x) noexcept nogil:
    """``log 1/(1 + exp(-x))``."""
    return -log1p(exp(-x)) if x > 0.0 else x - log1p(exp(x))


cdef inline double log_rising(double x, int64_t start, int64_t stop) noexcept nogil:
    """``log (x + start) .. (x + stop - 1)``."""
    cdef double product = 1.0
    cdef int64_t i
    if stop - start > LONG_STEP:
        return lgamma(x + stop) - lgamma(x + start)
    for i in range(start, stop):
        product *= x + i
    return log(product)


cdef double weighted_rising(double x, const int64_t[::1] counts, const double[::1] weight) noexcept nogil:
    """``sum weight_i log (x)_(counts_i)`` of ascending counts."""
    cdef double running = 0.0, total = 0.0
    cdef int64_t reached = 0
    cdef Py_ssize_t i
    for i in range(counts.shape[0]):
        if counts[i] > reached:
            running += log_rising(x, reached, counts[i])
            reached = counts[i]
        total += weight[i] * running
    return total


def smooth(const int64_t[::1] successes, const double[::1] of_successes,
           const int64_t[::1] failures, const double[::1] of_failures,
           const int64_t[::1] trials, const double[::1] of_trials,
           const double[::1] alpha, const double[::1] beta, double[::1] out):
    """Log likelihood of each Beta prior: counts ascending, each list with its weights."""
    cdef Py_ssize_t j
    cdef double a, b
    with nogil:
        for j in range(alpha.shape[0]):
            a, b = alpha[j], beta[j]
            out[j] = (weighted_rising(a, successes, of_successes) + weighted_rising(b, failures, of_failures)
                      - weighted_rising(a + b, trials, of_trials))


def end_masses(const int64_t[::1] successes, const int64_t[::1] trials, const double[::1] alpha,
               const double[::1] beta, double[:, ::1] out):
    """``log B(c_e, n_e)`` of every prior and every end: no success, or no failure."""
    cdef Py_ssize_t j, e
    cdef double own
    with nogil:
        for j in range(alpha.shape[0]):
            for e in range(trials.shape[0]):
                own = alpha[j] if successes[e] > 0 else beta[j]
                out[j, e] = log_rising(own, 0, trials[e]) - log_rising(alpha[j] + beta[j], 0, trials[e])


cdef struct Simplex:
    double u
    double v
    double w


cdef struct Climb:
    double gain_u       # expected questions at 0
    double gain_v
    double curve_u      # what the ends take from the curvature
    double curve_v
    double curve_uv


cdef Climb responsibilities(Simplex at, const double[:] mass, const uint8_t[::1] never, const uint8_t[::1] always,
                            const double[::1] weight) noexcept nogil:
    cdef Climb found
    cdef double u, v, total
    cdef Py_ssize_t e
    found.gain_u = found.gain_v = found.curve_u = found.curve_v = found.curve_uv = 0.0
    for e in range(mass.shape[0]):
        u, v = at.u * never[e], at.v * always[e]
        total = u + v + at.w * mass[e]
        u, v = u / total, v / total
        found.gain_u += weight[e] * u
        found.gain_v += weight[e] * v
        found.curve_u += weight[e] * u * (1.0 - u)
        found.curve_v += weight[e] * v * (1.0 - v)
        found.curve_uv += weight[e] * u * v
    return found


cdef struct Frame:
    double p            # curvature of the integrand at its mode, along x = log u/w
    double q            # along y = log v/w
    double pq           # and across
    double determinant


cdef Simplex climb_to_mode(const double[:] mass, const uint8_t[::1] never, const uint8_t[::1] always,
                           const double[::1] weight, double scale) noexcept nogil:
    """Expectation-maximisation; ``scale`` is the number of questions and 3."""
    cdef Simplex at, after
    cdef Climb climb
    cdef double change
    cdef int i
    at.u = at.v = at.w = 1.0 / 3.0
    for i in range(CLIMBS):
        climb = responsibilities(at, mass, never, always, weight)
        after.u = (climb.gain_u + 1.0) / scale
        after.v = (climb.gain_v + 1.0) / scale
        after.w = 1.0 - after.u - after.v
        change = fabs(after.u / at.u - 1.0) + fabs(after.v / at.v - 1.0)
        at = after
        if change < 1e-2:
            break
    return at


cdef Frame curvature(Simplex at, Climb climb, double scale) noexcept nogil:
    """Kept positive: the frame only places the rule's points."""
    cdef Frame found
    found.p = fmax(scale * at.u * (1.0 - at.u) - climb.curve_u, 0.25)
    found.q = fmax(scale * at.v * (1.0 - at.v) - climb.curve_v, 0.25)
    found.pq = climb.curve_uv - scale * at.u * at.v
    if found.pq * found.pq > 0.9 * found.p * found.q:
        found.pq = 0.0
    found.determinant = found.p * found.q - found.pq * found.pq
    return found


cdef double integrate(Simplex mode, Frame frame, const double[:] mass, const uint8_t[::1] never,
                      const uint8_t[::1] always, const double[::1] weight, double scale, double[:] share,
                      double[:] at_zero, double[:] at_one) noexcept nogil:
    """The rule's points around the mode, their shares, and the log integral in units of the mode's ``w^scale``."""
    cdef double u, v, x, y, total, value, most = 0.0, added = 0.0
    cdef double first = sqrt(frame.q / frame.determinant), second = 1.0 / sqrt(frame.q)
    cdef double slant = -frame.pq / sqrt(frame.q * frame.determinant)
    cdef Py_ssize_t e, point
    cdef int i, k
    for i in range(RULE):
        x = ROOTS[i] * first
        u = mode.u / mode.w * exp(x)
        for k in range(RULE):
            point = i * RULE + k
            y = ROOTS[k] * second + ROOTS[i] * slant
            v = mode.v / mode.w * exp(y)
            total = 1.0 + u + v
            at_zero[point], at_one[point] = u / total, v / total
            value = x + y - scale * log(total) + 0.5 * (ROOTS[i] * ROOTS[i] + ROOTS[k] * ROOTS[k])
            for e in range(mass.shape[0]):
                value += weight[e] * log(u * never[e] + v * always[e] + mass[e])
            share[point] = value
            most = value if point == 0 else fmax(most, value)
    for i in range(RULE):
        for k in range(RULE):
            point = i * RULE + k
            share[point] = MASSES[i] * MASSES[k] * exp(share[point] - most)
            added += share[point]
    for point in range(RULE * RULE):
        share[point] /= added
    return most + log(added * mode.u * mode.v / (mode.w * mode.w)) - 0.5 * log(frame.determinant) + LOG_FOUR_PI


def spiked(const double[:, ::1] mass, const uint8_t[::1] never, const uint8_t[::1] always, const double[::1] weight,
           double rest, double[::1] log_integral, double[:, ::1] share, double[:, ::1] at_zero, double[:, ::1] at_one):
    """``log int L`` over the spike weights for every prior, and the rule's points with their shares of it.

    ``mass`` are the chances ``B_e`` of the ends, ``weight`` how many questions each stands for, ``rest`` how many others.
    """
    cdef Py_ssize_t j, e
    cdef double scale = rest + 3.0
    cdef Simplex mode
    cdef Frame frame
    for e in range(weight.shape[0]):
        scale += weight[e]
    with nogil:
        for j in range(mass.shape[0]):
            mode = climb_to_mode(mass[j], never, always, weight, scale)
            frame = curvature(mode, responsibilities(mode, mass[j], never, always, weight), scale)
            log_integral[j] = integrate(mode, frame, mass[j], never, always, weight, scale, share[j], at_zero[j], at_one[j])
