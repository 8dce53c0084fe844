"""The weights of point masses at success rates 0 and 1, integrated out at a given Beta distribution.

``p`` is 0 with probability ``u``, 1 with ``v``, and from the Beta with ``w = 1 - u - v``, the weights uniform on their
simplex. Only boundary states (no success, or no failure) tell a point mass from the Beta:

    L(u, v) = w^rest  prod_e (u [c_e = 0] + v [c_e = n_e] + w B_e)^(m_e).

The integral runs over ``x = log u/w``, ``y = log v/w``, whose density adds ``u v w``: expectation-maximisation and then
Newton steps find the mode of the product, its curvature scales five to nine Gauss-Hermite points for each axis: more
where a point mass holds few questions, because the density is skewed there. All terms are logarithms of positive sums;
weights stay inside the simplex. Cost: about 1.5 us for two boundary states and 49 points.
"""
from libc.math cimport exp, fabs, fmax, fmin, log, sqrt

cdef enum:
    AXIS = 9                # Gauss-Hermite points of an axis at most
    POINTS = 81
    CLIMB_STEPS = 30        # of expectation-maximisation at most
    POLISH_STEPS = 6        # of Newton at most

cdef extern from *:
    """
    static const double LOG_FOUR_PI = 2.5310242469692907;
    static const double FIVE_POINTS[5] = {-2.8569700138728056, -1.3556261799742659, 0.0, 1.3556261799742659,
        2.8569700138728056};
    static const double FIVE_WEIGHTS[5] = {0.011257411327720677, 0.22207592200561257, 0.53333333333333333,
        0.22207592200561257, 0.011257411327720677};
    static const double SEVEN_POINTS[7] = {-3.7504397177257425, -2.3667594107345411, -1.1544053947399682, 0.0,
        1.1544053947399682, 2.3667594107345411, 3.7504397177257425};
    static const double SEVEN_WEIGHTS[7] = {0.00054826885597221770, 0.030757123967586519, 0.24012317860501270,
        0.45714285714285713, 0.24012317860501270, 0.030757123967586519, 0.00054826885597221770};
    static const double NINE_POINTS[9] = {-4.5127458633997826, -3.2054290028564698, -2.0768479786778302,
        -1.0232556637891326, 0.0, 1.0232556637891326, 2.0768479786778302, 3.2054290028564698, 4.5127458633997826};
    static const double NINE_WEIGHTS[9] = {2.2345844007746607e-05, 0.0027891413212317692, 0.049916406765217823,
        0.24409750289493953, 0.40634920634920635, 0.24409750289493953, 0.049916406765217823, 0.0027891413212317692,
        2.2345844007746607e-05};
    static const double* POINTS_OF_RULE[3] = {FIVE_POINTS, SEVEN_POINTS, NINE_POINTS};
    static const double* WEIGHTS_OF_RULE[3] = {FIVE_WEIGHTS, SEVEN_WEIGHTS, NINE_WEIGHTS};
    """
    const double LOG_FOUR_PI    # log(2 * 2 pi): density of the simplex, and of the Gaussian rule
    const double** POINTS_OF_RULE       # Gauss-Hermite points for the standard normal density, of 5, 7 and 9 points
    const double** WEIGHTS_OF_RULE      # and their weights, which sum to 1


cdef struct Simplex:
    double u
    double v
    double w


cdef struct Boundary:
    Py_ssize_t size
    long long* trials       # ascending
    char* never             # no success
    char* always            # no failure
    double* weight          # number of questions
    double* mass            # B_e
    double* log_mass
    double* smooth          # posterior share of the Beta in each state
    double* slope_x         # d log B_e
    double* slope_y
    bint fine               # more points of the rule
    Simplex mode            # where the weights were last found
    double determinant      # of the curvature there
    double total            # of the weights
    double rest             # number of other questions


cdef struct Rule:
    int size                # points in use
    double share[POINTS]    # of the integral
    double zero[POINTS]     # u
    double one[POINTS]      # v
    double log_integral


cdef struct Frame:
    double gain_u           # expected questions at 0
    double gain_v
    double p                # curvature along x = log u/w
    double q                # along y = log v/w
    double pq               # across
    double determinant


cdef inline Frame frame_at(Simplex at, const Boundary* b, double scale) noexcept nogil:
    """Expected numbers of questions in the point masses, and the curvature, kept positive."""
    cdef Frame found
    cdef double u, v, total
    cdef Py_ssize_t e
    found.gain_u = found.gain_v = 0.0
    found.p = scale * at.u * (1.0 - at.u)
    found.q = scale * at.v * (1.0 - at.v)
    found.pq = -scale * at.u * at.v
    for e in range(b.size):
        u, v = at.u * b.never[e], at.v * b.always[e]
        total = u + v + at.w * b.mass[e]
        u, v = u / total, v / total
        found.gain_u += b.weight[e] * u
        found.gain_v += b.weight[e] * v
        found.p -= b.weight[e] * u * (1.0 - u)
        found.q -= b.weight[e] * v * (1.0 - v)
        found.pq += b.weight[e] * u * v
    found.p, found.q = fmax(found.p, 0.3), fmax(found.q, 0.3)
    if found.pq * found.pq > 0.9 * found.p * found.q:
        found.pq = 0.0
    found.determinant = found.p * found.q - found.pq * found.pq
    return found


cdef inline Simplex weights_mode(Boundary* b, double scale, Frame* frame) noexcept nogil:
    """The mode of the integrand from the last one, and the frame there; ``scale`` is the number of questions and 3."""
    cdef Simplex at, new
    cdef double change, dx, dy, gx, gy, u, v
    cdef int _
    at = b.mode
    for _ in range(CLIMB_STEPS if at.u == at.v else 2):
        frame[0] = frame_at(at, b, scale)
        new.u, new.v = (frame.gain_u + 1.0) / scale, (frame.gain_v + 1.0) / scale
        new.w = 1.0 - new.u - new.v
        change = fabs(new.u / at.u - 1.0) + fabs(new.v / at.v - 1.0)
        at = new
        if change < 0.05:
            break
    for _ in range(POLISH_STEPS):
        frame[0] = frame_at(at, b, scale)
        gx, gy = frame.gain_u + 1.0 - scale * at.u, frame.gain_v + 1.0 - scale * at.v
        dx = (frame.q * gx - frame.pq * gy) / frame.determinant
        dy = (frame.p * gy - frame.pq * gx) / frame.determinant
        if dx * gx + dy * gy < 1e-4:
            break
        u = at.u / at.w * exp(fmax(-1.0, fmin(1.0, dx)))
        v = at.v / at.w * exp(fmax(-1.0, fmin(1.0, dy)))
        at.w = 1.0 / (1.0 + u + v)
        at.u, at.v = u * at.w, v * at.w
    b.mode = at
    return at


cdef inline double profile_weights(Boundary* b) noexcept nogil:
    """The log integrand at its mode, relative to no factor; ``smooth`` becomes each state's share of the Beta there."""
    cdef Frame frame
    cdef Simplex at = weights_mode(b, b.total + b.rest + 3.0, &frame)
    cdef double value = log(at.u * at.v) + (b.rest + 1.0) * log(at.w), total
    cdef Py_ssize_t e
    for e in range(b.size):
        total = at.u * b.never[e] + at.v * b.always[e] + at.w * b.mass[e]
        b.smooth[e] = at.w * b.mass[e] / total
        value += b.weight[e] * log(total)
    b.determinant = frame.determinant
    return value


cdef inline double laplace_weights(Boundary* b) noexcept nogil:
    """Laplace's approximation of the log integral, at a fifth of the cost of the rule."""
    return profile_weights(b) - 0.5 * log(b.determinant) + LOG_FOUR_PI


cdef inline int rule_size(double questions, bint fine) noexcept nogil:
    """Return how many points an axis needs whose point mass holds so many questions at the mode."""
    if fine:
        return 9 if questions < 3.0 else 7
    return 7 if questions < 8.0 else 5


cdef inline void integrate_weights(Boundary* b, Rule* rule) noexcept nogil:
    """The rule's points with their shares, and the log integral.

    ``u/w`` changes from row to row of the rule alone, so that states without a success take one logarithm per row.
    """
    cdef double scale = b.total + b.rest + 3.0, u, v, total, value, row, root, most = -1e308, added = 0.0
    cdef double first, second, slant
    cdef double step[AXIS]
    cdef Frame frame
    cdef Simplex mode = weights_mode(b, scale, &frame)
    cdef int rows = rule_size(scale * mode.u, b.fine), columns = rule_size(scale * mode.v, b.fine)
    cdef const double* row_points = POINTS_OF_RULE[rows // 2 - 2]
    cdef const double* column_points = POINTS_OF_RULE[columns // 2 - 2]
    cdef Py_ssize_t e
    cdef int i, k, point = 0
    rule.size = rows * columns
    first, second = sqrt(frame.q / frame.determinant), 1.0 / sqrt(frame.q)
    slant = -frame.pq / sqrt(frame.q * frame.determinant)
    for k in range(columns):
        step[k] = exp(column_points[k] * second) * mode.v / mode.w
    for i in range(rows):
        root = row_points[i]
        u = mode.u / mode.w * exp(root * first)
        v = exp(root * slant)
        row = root * (first + slant + 0.5 * root)
        for e in range(b.size):
            if not b.always[e]:
                row += b.weight[e] * log(u + b.mass[e])
        for k in range(columns):
            root = column_points[k]
            total = 1.0 + u + v * step[k]
            rule.zero[point], rule.one[point] = u / total, v * step[k] / total
            value = row + root * (second + 0.5 * root) - scale * log(total)
            for e in range(b.size):
                if b.always[e]:
                    value += b.weight[e] * log(u * b.never[e] + v * step[k] + b.mass[e])
            rule.share[point] = value
            most = fmax(most, value)
            point += 1
    for point in range(rule.size):
        rule.share[point] = exp(rule.share[point] - most) * (
            WEIGHTS_OF_RULE[rows // 2 - 2][point // columns] * WEIGHTS_OF_RULE[columns // 2 - 2][point % columns])
        added += rule.share[point]
    for point in range(rule.size):
        rule.share[point] /= added
    rule.log_integral = (most + log(added * mode.u * mode.v / (mode.w * mode.w)) - 0.5 * log(frame.determinant)
                         + LOG_FOUR_PI)
