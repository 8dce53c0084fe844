"""Posterior moments of any credit: ``g(p) = sum_j x_j C(k,j) p^j (1-p)^(k-j)``, ``p ~ Beta(a, b)``.

The mean is ``sum_j x_j P(J = j)``, ``J ~ BB(k; a, b)``. The variance, with no square subtracted, is the Hahn expansion
of ``hahn_series.pxd`` in the steps ``w_j = x_j - x_{j-1}`` and the orthonormal polynomials ``q_n`` of the inner law
``w = BB(k - 1; a + 1, b + 1)``:

    Var g = c0 sum_n weight_n H_n^2,  Cov(f, g) = c0 sum_n weight_n H_n^f H_n^g,
    H_n = sum_y w_{y+1} sqrt(w(y)) z_n(y),  z_n = sqrt(w) q_n,
    z_{n+1} = ((y - centre_n) z_n - root_n z_{n-1}) / root_{n+1}.

*Window.* As ``|z_n| <= 1``, a point changes no ``H_n`` by more than its pull ``|w_{y+1}| sqrt(w(y))``. Points at either
end are left out while that is below ``1e-18 sum |w_{y+1}| w(y)``; ``credit_law.pxd`` walks as far as that takes.

*End.* Without their ``lambda_n`` all ``k`` terms sum to ``Var x_J``, and ``lambda_n`` falls: what follows term ``n`` is
at most ``lambda_{n+1} (Var x_J - sum so far)``. The sum ends where that is below 1e-14 of the variance.

Nothing overflows: ``z_n`` and the steps over the largest step are at most 1. A variance is a sum of positive terms.
``H_n`` may cancel, but ``H_0`` of a credit that never falls cannot, and leads; for other credits the error is relative
to the deviation of the credit with steps ``|w_j|``. ``sd`` is good to about 1e-14 down to 1e-145.

A credit near 1 carries its steps to 1e-16 absolute only: pass ``steps`` (``w_1..w_k``) if they are known better.

Cost: 0.5 ns per point of the window and term, besides the walk; 10 to 30 terms for ``k <= n``.
"""
from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t

from scorio._kernels.cholesky cimport product
from scorio._kernels.credit_law cimport LANES, Credit, Work, close_work, describe, flow, open_work, settle
from scorio._kernels.hahn_series cimport hahn_centre, hahn_root, need_hahn
from scorio._kernels.interrupt cimport pause
from scorio._kernels.states cimport States

cdef double NEGLIGIBLE = 1e-18      # of a sum
cdef double TOLERANCE = 1e-14       # of a variance


def moments(States states, int64_t k, const double[::1] x, double a0, double b0, double[::1] mean, double[::1] sd,
            const double[::1] steps=None):
    """Write the posterior mean and standard deviation of the credit ``x_0..x_k``."""
    cdef Py_ssize_t i
    cdef Work work
    cdef Credit* credit = &work.credit[0]
    cdef int64_t done = 0
    open_work(&work, 1, k, a0 + b0 + states.min_trials)
    try:
        with nogil:
            describe(&work, 0, x, steps)
            for i in range(states.n_states):
                pause(&done, k)
                settle(&work, states, i, a0, b0)
                mean[i] = min(max(credit.mean, credit.low), credit.high)
                sd[i] = credit.scale * sqrt(work.c0 * series(&work)) if credit.scale > 0.0 else 0.0
    finally:
        close_work(&work)


def covariance(States states, int64_t k, const double[::1] x, const double[::1] y, double a0, double b0,
               double[::1] out, const double[::1] x_steps=None, const double[::1] y_steps=None):
    """Write the posterior covariance of the credits ``x_0..x_k`` and ``y_0..y_k``."""
    cdef Py_ssize_t i
    cdef Work work
    cdef double scale
    cdef int64_t done = 0
    open_work(&work, 2, k, a0 + b0 + states.min_trials)
    try:
        with nogil:
            describe(&work, 0, x, x_steps)
            describe(&work, 1, y, y_steps)
            scale = work.credit[0].scale * work.credit[1].scale
            for i in range(states.n_states):
                pause(&done, k)
                out[i] = 0.0
                if scale > 0.0:
                    settle(&work, states, i, a0, b0)
                    out[i] = scale * (work.c0 * series(&work))
    finally:
        close_work(&work)


cdef double series(Work* w) noexcept nogil:
    """Return ``sum_n weight_n H_n^x H_n^y``, which is the variance if there is one credit."""
    cdef Credit* x = &w.credit[0]
    cdef Credit* y = &w.credit[w.count - 1]
    cdef double total = 0.0, hx, hy, factor, root = 0.0, next_root
    cdef int64_t low, size, n = 0
    low = root_window(w, &size)
    if size == 0 or x.first == 0.0 or y.first == 0.0:
        return 0.0
    hx = product(w.now + low, x.pull + low, size)
    while True:
        hy = hx if y == x else product(w.now + low, y.pull + low, size)
        need_hahn(&w.hahn, min(n + 1, w.hahn.limit - 1))
        total += w.hahn.weight[n] * hx * hy
        factor = (n + 1.0) * (n + w.hahn.s)
        take(x, hx, w.hahn.weight[n], w.c0 / factor)
        if y != x:
            take(y, hy, w.hahn.weight[n], w.c0 / factor)
        n += 1
        if n >= w.hahn.limit:
            return total
        factor = w.hahn.weight[n] * (n + 1.0) * (n + w.hahn.s) / w.c0
        if remainder(x, factor) * remainder(y, factor) <= TOLERANCE * TOLERANCE:
            return total
        next_root = hahn_root(&w.hahn, n - 1, w.a + 1.0, w.b + 1.0)
        hx = advance(w.now + low, w.old + low, w.node + low, x.pull + low, size,
                     hahn_centre(&w.hahn, n - 1, w.a + 1.0, w.b + 1.0), 1.0 / next_root, root / next_root)
        root = next_root
        w.now, w.old = w.old, w.now


cdef inline void take(Credit* c, double h, double weight, double share) noexcept nogil:
    """Add one term to the variance and subtract it from the rest of ``Var x_J``."""
    c.variance += weight * h * h
    c.left -= share * h * h


cdef inline double remainder(Credit* c, double factor) noexcept nogil:
    """Return a bound of the terms that the variance still lacks, relative to the variance."""
    return min(factor * max(c.left, c.floor) / c.variance, 1e150) if c.variance > 0.0 else 1e150


cdef int64_t root_window(Work* w, int64_t* size) noexcept nogil:
    """Write ``z_0`` and pulls at the points that matter; return the first point, and the padded number in ``size``."""
    cdef int64_t y, low = w.k, high = -1
    cdef int64_t first = max(w.low, 1) - 1
    cdef double scale = 1.0 / (w.c0 * w.total)
    cdef int which
    for y in range(first, w.high):
        w.now[y] = sqrt(flow(w, y + 1) * scale)
        w.old[y] = 0.0
    for which in range(w.count):
        spread(w, &w.credit[which])
        pull_window(w, &w.credit[which], first, &low, &high)
    size[0] = 0
    if high >= low:
        size[0] = (high - low) // LANES * LANES + LANES
        for y in range(high + 1, low + size[0]):
            w.now[y] = w.old[y] = 0.0
            for which in range(w.count):
                w.credit[which].pull[y] = 0.0
    return low


cdef void pull_window(Work* w, Credit* c, int64_t first, int64_t* low, int64_t* high) noexcept nogil:
    """Write the pulls of a credit and widen ``low..high`` to those that are not negligible."""
    cdef double least = NEGLIGIBLE * c.first
    cdef int64_t y, last = w.high - 1
    for y in range(first, w.high):
        c.pull[y] = c.step[y + 1] * w.now[y]
    while first <= last and fabs(c.pull[first]) <= least:
        first += 1
    while first <= last and fabs(c.pull[last]) <= least:
        last -= 1
    if first <= last:
        low[0] = min(low[0], first)
        high[0] = max(high[0], last)


cdef void spread(Work* w, Credit* c) noexcept nogil:
    """Return ``Var x_J`` from the steps away from the mode, before any term is subtracted."""
    cdef double rise = 0.0, mean = 0.0, square = 0.0
    cdef int64_t j
    for j in range(w.mode + 1, w.high + 1):
        rise += c.step[j]
        mean += rise * w.mass[j]
        square += rise * rise * w.mass[j]
    rise = 0.0
    for j in range(w.mode, w.low, -1):
        rise -= c.step[j]
        mean += rise * w.mass[j - 1]
        square += rise * rise * w.mass[j - 1]
    mean /= w.total
    square /= w.total
    c.left = square - mean * mean
    c.floor = 1e-15 * square
    c.variance = 0.0


cdef double advance(const double* now, double* old, const double* node, const double* pull, int64_t size,
                    double centre, double rate, double back) noexcept nogil:
    """Replace ``old`` by ``rate (node - centre) now - back old``; return its product with ``pull``."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, z0, z1, z2, z3
    cdef int64_t i
    for i in range(0, size, 4):
        z0 = (node[i] - centre) * rate * now[i] - back * old[i]
        z1 = (node[i + 1] - centre) * rate * now[i + 1] - back * old[i + 1]
        z2 = (node[i + 2] - centre) * rate * now[i + 2] - back * old[i + 2]
        z3 = (node[i + 3] - centre) * rate * now[i + 3] - back * old[i + 3]
        old[i] = z0
        old[i + 1] = z1
        old[i + 2] = z2
        old[i + 3] = z3
        s0 += z0 * pull[i]
        s1 += z1 * pull[i + 1]
        s2 += z2 * pull[i + 2]
        s3 += z3 * pull[i + 3]
    return (s0 + s2) + (s1 + s3)
