"""Posterior moments of functions of the success rate, given at fixed points: many priors and states at once.

With points ``p_m`` and weights ``w_m`` for ``dp/(p q)``, the posterior ``Beta(a, b)`` of a state under a prior has

    E g = sum_m w_m f(p_m) g(p_m) / sum_m w_m f(p_m),    f(p) = p^a q^b, over its largest value.

*Wide* posteriors, up to ``widest`` pseudo-trials, share these points. ``f`` is the product of what the prior and what
the state say: exponentials are needed for every prior and for every state, and only products for their pairs. Points
come in blocks, and a block is left out where ``f`` is below 1e-21 in it, without any exponential. The first and the
last fixed point stand for all rates nearer to 0 and 1: their masses are ``p^a/a`` and ``q^b/b``.

*Narrow* posteriors, of more trials, have points of their own, at which the function is interpolated between the points
of a panel: at equal distances of the log odds, away from the peak until ``f`` is below 1e-21.

Sums of squares are about the function's value at the posterior mean: nothing cancels where the function is nearly flat.
For credits between 0 and 1, at the points that ``scorio/metrics/_worth.py`` chooses, means are within 2e-10 of
the truth where the credit jumps, and 1e-12 for built-in metrics; deviations are within 1e-8 relative, or 1e-12.
Cost: 0.3 to 2 us for a wide posterior, 4 us for a narrow one, up to ten times that with few successes.
"""
from libc.math cimport asin, exp, expm1, log, log1p, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.credit_values cimport credit_value
from scorio._kernels.index cimport as_index
from scorio._kernels.interrupt cimport pause
from scorio._kernels.states cimport States

cdef enum:
    RULE = 16       # points of a panel
    BLOCK = 64      # points that are taken or left out together
    LARGEST_CHUNK = 512     # states that are taken together
    MOST_PAIRS = 1 << 18    # of priors and states

cdef double DEPTH = -50.0       # logarithm of what is left out, relative to the peak
cdef double SPACING = 0.6       # of points, in deviations of a narrow posterior: there ends the spectrum of products
cdef double FEW = 9.0           # also with fewer pseudo-successes or failures than these, if it is as with these
cdef double TINY = 1e-5         # distance in log odds at which a density is normal
cdef double NEAREST = 1e-18     # a rate times the pseudo-trials, below which functions do not change
cdef double UNKNOWN = -1.0     # in place of the first exponential of a state: not calculated yet
cdef double SPLIT = 500.0       # of a peak over the product of both factors' peaks: beyond, products may underflow


cdef struct Sums:
    double about_x      # values near the posterior mean, which the sums are about
    double about_y
    double mass
    double x
    double y
    double xy
    double height       # of a wide posterior: the logarithm of its peak
    double centre       # and the log odds of its mean


cdef struct Points:
    Py_ssize_t size
    const double* log_p
    const double* log_q
    const double* weight
    const double* x
    const double* y
    const double* node      # of the Gauss rule on [-1, 1]
    double bary[RULE]       # its barycentric weights
    double least            # log p at the first panel; log_panels of equal length reach from there to the angle first
    double smallest         # the rate at that angle
    double first
    double length           # of a panel in log p
    double width            # of a panel in the angle
    Py_ssize_t log_panels
    Py_ssize_t angle_panels


def values(const double[::1] credit, const double[::1] p, const double[::1] q, double[::1] out):
    """Write the expected credit ``x_0..x_k`` at rates ``p``; ``q = 1 - p``."""
    cdef Py_ssize_t i, k = credit.shape[0] - 1
    cdef int64_t done = 0
    with nogil:
        for i in range(p.shape[0]):
            pause(&done, min(k, 20000))
            out[i] = credit_value(&credit[0], k, p[i], q[i])


def moments(States states, const double[::1] alpha, const double[::1] beta, const double[:, ::1] points,
            const double[:, ::1] rule, int64_t log_panels, const double[::1] x, const double[::1] y,
            double widest, double[:, ::1] mean, double[:, ::1] covariance):
    """Write the means of ``x`` and its covariances with ``y`` for every prior and state.

    ``points`` are log p, log q and weights, in ``log_panels`` and then panels of the angle up to ``p = 1/2``, and
    mirrored; ``rule`` begins with the nodes of the panels. Posteriors of up to ``widest`` pseudo-trials are wide.
    """
    cdef Points about
    cdef Py_ssize_t priors = alpha.shape[0], first, count, start, members, i, j
    cdef Py_ssize_t most = max(1, min(LARGEST_CHUNK, MOST_PAIRS // max(priors, 1)))
    cdef int* pairs = <int*> malloc(most * max(priors, 1) * sizeof(int))
    cdef double* rows = <double*> malloc((most + 1) * BLOCK * sizeof(double))
    cdef Sums* sums = <Sums*> malloc(most * max(priors, 1) * sizeof(Sums))
    cdef Sums* own
    cdef double a, b
    cdef int64_t done = 0
    if rows == NULL or sums == NULL or pairs == NULL:
        free(pairs)
        free(rows)
        free(sums)
        raise MemoryError
    describe(&about, points, rule, log_panels, x, y)
    try:
        first = 0
        while first < states.n_states:
            count = min(most, states.n_states - first)
            with nogil:
                own = sums
                members = 0
                for j in range(priors):
                    for i in range(count):
                        a = alpha[j] + states.c[first + i]
                        b = beta[j] + (states.n[first + i] - states.c[first + i])
                        if a + b > widest:
                            pause(&done, 10000)
                            integrate(own, &about, a, b)
                        else:
                            begin(own, &about, a, b)
                            pairs[members] = j * count + i
                            members += 1
                        own += 1
                start = 0
                while start < about.size and members > 0:
                    add_block(&about, start, min(start + BLOCK, about.size), states, first, count, alpha, beta, pairs,
                              members, rows, sums, &done)
                    start += BLOCK
            with nogil:
                own = sums
                for j in range(priors):
                    for i in range(first, first + count):
                        finish(own, &mean[j, i], &covariance[j, i])
                        own += 1
            first += count
    finally:
        free(pairs)
        free(rows)
        free(sums)


cdef void describe(Points* about, const double[:, ::1] points, const double[:, ::1] rule, Py_ssize_t log_panels,
                   const double[::1] x, const double[::1] y) noexcept:
    cdef int i, j
    about.size, about.x, about.y = points.shape[1], &x[0], &y[0]
    about.log_p, about.log_q, about.weight = &points[0, 0], &points[1, 0], &points[2, 0]
    about.node = &rule[0, 0]
    for i in range(RULE):
        about.bary[i] = 1.0
        for j in range(RULE):
            if j != i:
                about.bary[i] /= about.node[i] - about.node[j]
    about.log_panels = log_panels
    about.angle_panels = (about.size // 2 - 1) // RULE - log_panels
    about.least = about.log_p[0]
    about.smallest = exp(about.least) * 1e18
    about.first = asin(sqrt(about.smallest))
    about.length = (log(about.smallest) - about.least) / log_panels
    about.width = (asin(1.0) / 2.0 - about.first) / about.angle_panels


cdef inline double peak(double a, double b) noexcept nogil:
    """The logarithm of the largest ``p^a q^b``."""
    return (a * log(a / (a + b)) if a > 0.0 else 0.0) + (b * log(b / (a + b)) if b > 0.0 else 0.0)


cdef inline void add_point(Sums* sums, double f, double x, double y) noexcept nogil:
    cdef double dx = x - sums.about_x, dy = f * (y - sums.about_y)
    sums.mass += f
    sums.x += f * dx
    sums.y += dy
    sums.xy += dx * dy


cdef void begin(Sums* sums, const Points* about, double a, double b) noexcept nogil:
    """Start with what the first and the last point stand for."""
    cdef Py_ssize_t last = about.size - 1
    cdef double height = peak(a, b)
    sums.height, sums.centre = height, log(a / b)
    start_at(sums, about, a / (a + b), b / (a + b))
    add_point(sums, exp(a * about.log_p[0] + b * about.log_q[0] - height) / a, about.x[0], about.y[0])
    add_point(sums, exp(a * about.log_p[last] + b * about.log_q[last] - height) / b, about.x[last], about.y[last])


cdef inline void start_at(Sums* sums, const Points* about, double p, double q) noexcept nogil:
    """Start sums about the values at a rate."""
    interpolate(about, p, q, &sums.about_x, &sums.about_y)
    sums.mass = sums.x = sums.y = sums.xy = 0.0


cdef void interpolate(const Points* about, double p, double q, double* x, double* y) noexcept nogil:
    """Write both functions at a rate, from the points of its panel."""
    cdef double small = min(p, q)
    cdef bint upper = p > q
    cdef double place, away, share, total = 0.0
    cdef const double* of_x
    cdef const double* of_y
    cdef Py_ssize_t start, i, panel, step = -1 if upper else 1
    if small > about.smallest:
        place = max((asin(sqrt(small)) - about.first) / about.width, 0.0)
        panel = as_index(place, about.angle_panels - 1)
        start = 1 + (about.log_panels + panel) * RULE
    else:
        place = (log(small) - about.least) / about.length
        panel = as_index(place, about.log_panels - 1)
        start = 1 + panel * RULE
    if upper:
        start = about.size - 1 - start
    of_x, of_y = about.x + start, about.y + start
    place = 2.0 * (place - panel) - 1.0
    x[0] = y[0] = 0.0
    if place < -1.0:
        x[0], y[0] = of_x[-step], of_y[-step]
        return
    for i in range(RULE):
        away = place - about.node[i]
        if away == 0.0:
            x[0], y[0] = of_x[step * i], of_y[step * i]
            return
        share = about.bary[i] / away
        total += share
        x[0] += share * of_x[step * i]
        y[0] += share * of_y[step * i]
    x[0] /= total
    y[0] /= total


cdef void integrate(Sums* sums, const Points* about, double a, double b) noexcept nogil:
    """Sum over equally spaced log odds of a narrow posterior, which is exact for densities that vanish at both ends."""
    cdef double few = min(a, b), many = max(a, b), rate = few / (a + b)
    cdef double step = SPACING * sqrt(1.0 / max(few, FEW) + 1.0 / many), lowest = log(NEAREST / few)
    cdef double away, gain, exponent, weight, here, x, y
    cdef int i, direction
    start_at(sums, about, a / (a + b), b / (a + b))
    for direction in range(1, -2, -2):
        i = 0 if direction > 0 else -1
        weight = 1.0
        while weight == 1.0:
            away = i * step
            gain = expm1(away)
            exponent = few * away - (a + b) * log1p(rate * gain)
            if -TINY < away < TINY:     # where the difference has no digits
                exponent = -0.5 * few * (many / (a + b)) * away * away
            if exponent < DEPTH:
                break
            if direction < 0 and away < lowest:     # where all further points stand for the same values
                weight = -1.0 / expm1(-few * step)
            here = rate * (gain + 1.0) / (1.0 + rate * gain)
            interpolate(about, 1.0 - here if a > b else here, here if a > b else 1.0 - here, &x, &y)
            add_point(sums, weight * exp(exponent), x, y)
            i += direction


cdef inline void finish(const Sums* sums, double* mean, double* covariance) noexcept nogil:
    cdef double x = sums.x / sums.mass, y = sums.y / sums.mass
    mean[0] = sums.about_x + x
    covariance[0] = sums.xy / sums.mass - x * y


cdef int add_block(const Points* about, Py_ssize_t start, Py_ssize_t end, States states, Py_ssize_t chunk,
                   Py_ssize_t size, const double[::1] alpha, const double[::1] beta, const int* pairs,
                   Py_ssize_t members, double* rows, Sums* sums, int64_t* done) except -1 nogil:
    """Add the points ``start..end - 1`` to the sums of pairs of priors and ``size`` states, from ``chunk`` on."""
    cdef Py_ssize_t count = end - start, i, j, pair, prior = -1
    cdef double* prior_row = rows + size * BLOCK
    cdef Sums* sum_of
    cdef double a, b, own, height, lowest, highest, excess
    cdef double first = about.log_p[start] - about.log_q[start], last = about.log_p[end - 1] - about.log_q[end - 1]
    cdef int64_t c, failures
    pause(done, 8 * size + members)
    for i in range(size):
        rows[i * BLOCK] = UNKNOWN
    for pair in range(members):
        sum_of = &sums[pairs[pair]]
        j, i = pairs[pair] // size, pairs[pair] % size
        c, failures = states.c[chunk + i], states.n[chunk + i] - states.c[chunk + i]
        a, b, height = alpha[j] + c, beta[j] + failures, sum_of.height
        lowest = a * about.log_p[start] + b * about.log_q[start] - height
        highest = a * about.log_p[end - 1] + b * about.log_q[end - 1] - height
        if lowest < DEPTH and highest < DEPTH and not first <= sum_of.centre <= last:
            continue
        pause(done, count)
        own = peak(alpha[j], beta[j])
        excess = own + peak(c, failures) - height
        if not excess < SPLIT:
            add_directly(sum_of, about, start, count, a, b, height)
            continue
        if j != prior:
            pause(done, 8 * count)
            prior = j
            fill(about, start, count, alpha[j], beta[j], own, prior_row)
        if rows[i * BLOCK] == UNKNOWN:
            pause(done, 8 * count)
            fill(about, start, count, c, failures, peak(c, failures), rows + i * BLOCK)
        add(sum_of, about, start, count, rows + i * BLOCK, prior_row, exp(excess))
    return 0


cdef inline void fill(const Points* about, Py_ssize_t start, Py_ssize_t count, double a, double b, double height,
                      double* row) noexcept nogil:
    """Write ``p^a q^b`` over its largest value."""
    cdef Py_ssize_t m
    for m in range(count):
        row[m] = exp(a * about.log_p[start + m] + b * about.log_q[start + m] - height)


cdef inline void add(Sums* sums, const Points* about, Py_ssize_t start, Py_ssize_t count, const double* state_row,
                     const double* prior_row, double scale) noexcept nogil:
    """Add points with the values of ``f`` that rows of a state and of a prior multiply to."""
    cdef double mass = 0.0, x = 0.0, y = 0.0, xy = 0.0, f, dx, dy
    cdef Py_ssize_t m
    for m in range(count):
        f = state_row[m] * prior_row[m] * about.weight[start + m]
        dx, dy = about.x[start + m] - sums.about_x, about.y[start + m] - sums.about_y
        mass += f
        x += f * dx
        y += f * dy
        xy += f * dx * dy
    sums.mass += scale * mass
    sums.x += scale * x
    sums.y += scale * y
    sums.xy += scale * xy


cdef void add_directly(Sums* sums, const Points* about, Py_ssize_t start, Py_ssize_t count, double a, double b,
                       double height) noexcept nogil:
    """Add points where the product of rows may underflow."""
    cdef Py_ssize_t m
    for m in range(start, start + count):
        add_point(sums, about.weight[m] * exp(a * about.log_p[m] + b * about.log_q[m] - height), about.x[m], about.y[m])
