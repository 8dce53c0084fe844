"""Posterior moments of thresholds ``P(J >= j0 | p)`` and excesses ``(2/k) E[max(J - j0, 0) | p]``, ``J ~ Bin(k, p)``.

Variances are Hahn series (``hahn_series.pxd``): a threshold has one first difference, an excess one second difference,
so that ``H_n`` is one value of one polynomial. At ``y = j0 - 1`` let ``w`` be the mass of ``BB(k - 1; a + 1, b + 1)``,
``Q`` that law's ``P(>= j0)``, ``v`` the mass of ``BB(k - 2; a + 2, b + 2)``; and ``z_n = sqrt(w) q_n(y)``, for the
excess ``sqrt(v)`` with the polynomials of ``v``:

    threshold:  Var = c0 w sum weight_n z_n^2
    excess:     Var = (2/k)^2 c0 (weight_0 Q^2 + c1 v sum weight2_n z_n^2)

**Stop rule, rigorous.** ``sum z_n^2 = 1`` over the whole basis and the weights fall, so what is left after ``n`` is at
most ``weight_{n+1} (1 - sum of z^2 so far)``. As ``|z_n| <= 1`` nothing overflows, and rounding in the bracket cannot
matter, since what is summed already is at least ``weight_n (sum of z^2 so far)``.

**Covariance** with Pass@k, ``h`` the excess: ``E[q^k] (E_{a,b} h - E_{a,b+k} h)``. As ``h(p)/p`` rises, the bracket is
at least ``k/(s + k) E_{a,b} h``, so that the difference loses a factor ``(s + k)/k`` and no more.

**Means** climb by positive increments, with ``T(c) = P(BB(k; a, b) >= j0)`` and ``G(c) = E max(J - j0, 0)``:

    T(c+1) - T(c) = c0 w / (a (b+k-j0)),    G(c+1) - G(c) = (k/s) P(BB(k - 1; a + 1, b) >= j0),
    w(c+1) / w(c) = b (a+j0) / ((a+1)(b+k-j0))

from an anchor, one mass and one tail, renewed after ``REACH`` successes, which keeps rounding at 1e-14.

Cost per state: 10 to 30 terms for ``k <= n``, more for rare events, 3 ns each; an anchor 0.3 to 1 us.
"""
from libc.math cimport fmax, fmin, hypot, sqrt
from libc.stdint cimport int64_t

from scorio._kernels.betabinomial cimport at_least, mass, mean_above, slope
from scorio._kernels.hahn_series cimport (
    Hahn, close_hahn, hahn_centre, hahn_root, need_hahn, open_hahn, start_hahn,
)
from scorio._kernels.interrupt cimport pause
from scorio._kernels.states cimport States

cdef enum:
    REACH = 64      # successes from an anchor to where it is renewed

cdef double ENOUGH = 1e-14      # relative size of what a series may leave out
cdef double FAINT = 1e-290      # below this a mass is not stepped: subnormal numbers lose digits


cdef struct Walk:
    int64_t trials      # the run it belongs to
    int64_t anchor      # successes where it was anchored
    int64_t c           # successes where it is
    double inner        # mass of the inner law at j0 - 1
    double upper        # P(J >= j0)
    double above        # E max(J - j0, 0) of the law one trial longer; only for an excess


cdef struct Point:      # the polynomials of one law at one y
    double now          # z_n
    double before       # z_{n-1}
    double root         # the recurrence coefficient between them
    double seen         # sum of z^2 up to n


def threshold(States states, int64_t k, int64_t j0, double a0, double b0, double[::1] mean, double[::1] sd):
    """Write the moments of ``P(J >= j0 | p)``, ``1 <= j0 <= k``."""
    write_moments(states, k, j0, a0, b0, 0, mean, sd)


def excess(States states, int64_t k, int64_t j0, double a0, double b0, double[::1] mean, double[::1] sd):
    """Write the moments of ``(2/k) E[max(J - j0, 0) | p]``, ``j0 >= 1``; zero for ``j0 >= k``."""
    mean[:] = 0.0
    sd[:] = 0.0
    if j0 < k:
        write_moments(states, k, j0, a0, b0, 1, mean, sd)


cdef inline int write_moments(States states, int64_t k, int64_t j0, double a0, double b0, int lift,
                              double[::1] mean, double[::1] sd) except -1:
    """Write the moments of the threshold, or with ``lift`` 1 of the excess."""
    cdef Py_ssize_t i
    cdef int64_t done = 0
    cdef double a, b
    cdef Hahn hahn
    cdef Walk walk
    open_hahn(&hahn, k, 1 + lift, a0 + b0 + states.min_trials)
    try:
        with nogil:
            walk = nowhere()
            for i in range(states.n_states):
                pause(&done, k)
                if walk.trials != states.n[i]:
                    start_hahn(&hahn, a0 + b0 + states.n[i])
                to_state(&walk, states.n[i], states.c[i], k, j0, a0, b0, lift)
                a, b = a0 + states.c[i], b0 + (states.n[i] - states.c[i])
                mean[i] = fmin(2.0 / k * walk.above, 2.0 * (k - j0) / k) if lift else walk.upper
                sd[i] = 2.0 / k * excess_deviation(&hahn, &walk, j0, a, b) if lift else (
                    threshold_deviation(&hahn, &walk, j0, a, b))
    finally:
        close_hahn(&hahn)
    return 0


def any_success_excess_cov(States states, int64_t k, int64_t j0, double a0, double b0, double[::1] out):
    """Write ``Cov(1 - (1 - p)^k, (2/k) E[max(J - j0, 0) | p])``; zero for ``j0 >= k``."""
    cdef Py_ssize_t i
    cdef int64_t n, c, done = 0
    cdef double a, none
    cdef Walk some, walk, tilted
    if j0 >= k:
        out[:] = 0.0
        return
    with nogil:
        some = walk = tilted = nowhere()
        for i in range(states.n_states):
            pause(&done, k)
            n, c = states.n[i], states.c[i]
            to_state(&some, n, c, k, 1, a0, b0, 0)
            to_state(&walk, n, c, k, j0, a0, b0, 1)
            to_state(&tilted, n, c, k, j0, a0, b0 + k, 1)
            a = a0 + c
            none = slope(k, a, b0 + (n - c)) * some.inner / (k * a)    # E[(1 - p)^k]
            out[i] = 2.0 / k * fmax(0.0, none * (walk.above - tilted.above))


cdef inline Walk nowhere() noexcept nogil:
    """Set up the recurrences before the first state."""
    cdef Walk walk
    walk.trials = walk.anchor = walk.c = -1
    walk.inner = walk.upper = walk.above = 0.0
    return walk


cdef inline void to_state(Walk* walk, int64_t n, int64_t c, int64_t k, int64_t j0, double a0, double b0,
                          int lift) noexcept nogil:
    """Move to ``c`` successes of ``n``; with ``lift`` 1 ``inner`` and ``upper`` are of ``BB(k - 1; a + 1, b + 1)``."""
    cdef double size = k - lift, prior = a0 + lift, other = b0 + lift, a, b, s, share, flow, rate
    if walk.trials != n or c > walk.anchor + REACH or walk.inner < FAINT:
        a = prior + c
        b = other + (n - c)
        walk.trials = n
        walk.anchor = walk.c = c
        walk.inner = mass(j0 - 1, size - 1.0, a + 1.0, b + 1.0)
        walk.upper = at_least(j0, size, a, b, walk.inner)
        if lift:
            walk.above = mean_above(j0, k, a0 + c, b0 + (n - c), walk.inner)
        return
    s = prior + other + n
    rate = size / s * ((s + size) / (s + 1.0))
    while walk.c < c:
        a = prior + walk.c
        b = other + (n - walk.c)
        share = b / (b + (size - j0))
        flow = walk.inner * share * rate        # what P(J >= j0) gains
        if lift:
            walk.above += k / (s - 2.0) * (walk.upper + flow * (a / (s - 1.0)))
        walk.upper = fmin(1.0, walk.upper + flow)
        walk.inner *= share * ((a + j0) / (a + 1.0))
        walk.c += 1


cdef inline Point point(double seed) noexcept nogil:
    """Return ``z_0`` from its square, which is the probability of ``y``."""
    cdef Point z
    z.now = sqrt(seed)
    z.before = z.root = 0.0
    z.seen = seed
    return z


cdef inline void advance(Point* z, Hahn* hahn, int64_t n, double y, double a, double b) noexcept nogil:
    """Advance ``z_n`` to ``z_{n+1}`` for the distribution with ``a`` and ``b``."""
    cdef double root = hahn_root(hahn, n, a, b)
    cdef double after = ((y - hahn_centre(hahn, n, a, b)) * z.now - z.root * z.before) * (1.0 / root)
    z.before = z.now
    z.now = after
    z.root = root
    z.seen += after * after


cdef inline double series(Hahn* hahn, double y, double a, double b, double seed, double beside) noexcept nogil:
    """Return ``sum_n weight_n z_n(y)^2`` with ``z_0^2 = seed``, accurate relative to its sum with ``beside``."""
    cdef Point z = point(seed)
    cdef double total
    cdef int64_t n = 0
    need_hahn(hahn, 0)
    total = hahn.weight[0] * seed
    while n + 1 < hahn.limit:
        need_hahn(hahn, n + 1)
        if hahn.weight[n + 1] * (1.0 - z.seen) <= ENOUGH * (total + beside):
            break
        advance(&z, hahn, n, y, a, b)
        n += 1
        total += hahn.weight[n] * (z.now * z.now)
    return total


cdef inline double threshold_deviation(Hahn* hahn, const Walk* walk, int64_t j0, double a, double b) noexcept nogil:
    if walk.inner == 0.0:
        return 0.0
    return sqrt(slope(hahn.k, a, b) * series(hahn, j0 - 1, a + 1.0, b + 1.0, walk.inner, 0.0)) * sqrt(walk.inner)


cdef inline double excess_deviation(Hahn* hahn, const Walk* walk, int64_t j0, double a, double b) noexcept nogil:
    """Return the standard deviation of ``E[max(J - j0, 0) | p]``."""
    cdef double bend = slope(hahn.k - 1.0, a + 1.0, b + 1.0) * walk.inner
    cdef double line = walk.upper * sqrt(first_weight(hahn)), curve = 0.0
    if bend > 0.0:
        curve = sqrt(series(hahn, j0 - 1, a + 2.0, b + 2.0, walk.inner, line * (line / bend))) * sqrt(bend)
    return sqrt(slope(hahn.k, a, b)) * hypot(line, curve)


cdef inline double first_weight(const Hahn* hahn) noexcept nogil:
    """Return ``weight_0`` of the expansion of order 1."""
    return hahn.k / (hahn.s + hahn.k) / hahn.s
