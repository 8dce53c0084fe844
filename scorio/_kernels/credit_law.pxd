"""The law ``J ~ BB(k; a, b)`` of a state, walked as far as the credits at hand need it, and their sums over it.

Masses are 1 at the mode of ``J`` and go both ways by ratios (``betabinomial.pxd``); sums are divided by the total in
the end. With the steps ``w_j = x_j - x_{j-1}`` of a credit and the inner law ``w = BB(k - 1; a + 1, b + 1)``, what is
cut off must not count in

- the total and the mean: at both ends ``P(J = j) max|x| <= 1e-18 sum |x_j| P(J = j)``;
- any ``sum_y w_{y+1} sqrt(w(y)) z(y)`` with ``|z| <= 1``: there ``max|w| sqrt(w(y)) < 1e-18 sum |w_{y+1}| w(y)``.

Masses down to 1e-45 come first; while an end still counts, the walk goes on to 1e-90, 1e-180, 1e-305: a credit may sit
entirely in a tail, and a law cut at 1e-305 settles means above 1e-300 and deviations above 1e-145.

``open_work`` makes room for a call, ``close_work`` frees it; ``describe`` takes in a credit, ``settle`` walks a state.
Nothing overflows: masses and steps are relative to the largest. Cost: 3-4 ns per mass and credit, some 28 standard
deviations of ``J``, at most ``k + 1``.
"""
from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.betabinomial cimport slope, step_up
from scorio._kernels.hahn_series cimport Hahn, close_hahn, open_hahn, start_hahn
from scorio._kernels.index cimport as_index
from scorio._kernels.states cimport States

cdef enum:
    LANES = 4       # points of one turn of the innermost loop: room for zeros behind every array


cdef struct Credit:
    const double* value
    double* step        # step[j] = (x_j - x_{j-1})/scale, j = 1..k
    double* pull        # pull[y] = step[y + 1] sqrt(w(y))
    double scale        # the largest step
    double low          # the smallest x_j
    double high         # the largest
    double mean
    double size         # sum |x_j| mass[j]
    double first        # sum |step[y + 1]| w(y)
    double left         # Var x_J less the terms so far, over scale^2
    double floor        # and what rounding leaves of it
    double variance     # sum weight_n H_n^2


cdef struct Work:
    Hahn hahn
    Credit credit[2]
    int count           # credits in use
    double* block
    double* node        # 0, 1, 2...
    double* mass        # of J, relative to the mode
    double* now         # z_n
    double* old         # z_{n-1}, then z_{n+1}
    int64_t k
    double a
    double b
    double c0
    int64_t mode        # of J
    int64_t low         # the walked part of 0..k
    int64_t high
    double total        # of the masses


cdef inline int open_work(Work* w, int count, int64_t k, double s) except -1:
    """Room for one call; ``s`` is the smallest that will come."""
    cdef int64_t stride = k + 1 + LANES, i
    w.k = k
    w.count = count
    w.block = <double*> malloc((4 + 2 * count) * stride * sizeof(double))
    if w.block == NULL:
        raise MemoryError
    w.node = w.block
    w.mass = w.node + stride
    w.now = w.mass + stride
    w.old = w.now + stride
    with nogil:
        for i in range(stride):
            w.node[i] = i
        for i in range(count):
            w.credit[i].step = w.old + (2 * i + 1) * stride
            w.credit[i].pull = w.credit[i].step + stride
    try:
        open_hahn(&w.hahn, k, 1, s)
    except MemoryError:
        free(w.block)
        raise
    return 0


cdef inline void close_work(Work* w) noexcept nogil:
    close_hahn(&w.hahn)
    free(w.block)


cdef inline void describe(Work* w, int which, const double[::1] x, const double[::1] steps) noexcept nogil:
    """What a call needs to know of a credit: its steps over the largest, its extremes."""
    cdef Credit* c = &w.credit[which]
    cdef int64_t j
    c.value = &x[0]
    c.low = c.high = x[0]
    c.scale = 0.0
    c.step[0] = 0.0
    for j in range(1, w.k + 1):
        c.low = min(c.low, x[j])
        c.high = max(c.high, x[j])
        c.step[j] = x[j] - x[j - 1] if steps is None else steps[j - 1]
        c.scale = max(c.scale, fabs(c.step[j]))
    if c.scale > 0.0:
        for j in range(1, w.k + 1):
            c.step[j] /= c.scale


cdef inline void settle(Work* w, States states, Py_ssize_t i, double a0, double b0) noexcept nogil:
    """The law of state ``i``, walked as far as its credits need, and their sums over it."""
    cdef double reach = 1e-45
    cdef int which
    w.a = a0 + states.c[i]
    w.b = b0 + (states.n[i] - states.c[i])
    w.c0 = max(slope(w.k, w.a, w.b), 1e-300)
    if i == 0 or states.n[i] != states.n[i - 1]:
        start_hahn(&w.hahn, a0 + b0 + states.n[i])
    w.total = 0.0
    for which in range(w.count):
        w.credit[which].mean = w.credit[which].size = w.credit[which].first = 0.0
    w.mode = w.low = w.high = mode(w)
    w.mass[w.mode] = 1.0
    gather(w, w.low, w.high)
    while True:
        walk(w, reach)
        if reach == 1e-305 or (enough(w, &w.credit[0]) and enough(w, &w.credit[w.count - 1])):
            break
        reach = max(reach * reach, 1e-305)
    for which in range(w.count):
        w.credit[which].mean /= w.total
        w.credit[which].first /= w.c0 * w.total


cdef inline int64_t mode(Work* w) noexcept nogil:
    """Where the mass of ``J`` is largest."""
    if w.a <= 1.0 or w.b <= 1.0:
        return w.k if w.a > w.b else 0
    return as_index((w.k + 1) * ((w.a - 1.0) / (w.a - 1.0 + (w.b - 1.0))), w.k)


cdef inline void walk(Work* w, double reach) noexcept nogil:
    """Extends the masses and their sums on both sides until they are below ``reach``."""
    cdef double t = w.mass[w.high], size = w.k
    cdef int64_t j = w.high, start
    while j < w.k and t >= reach:
        t *= step_up(j, size, w.a, w.b)
        j += 1
        w.mass[j] = t
    start = w.high + 1
    w.high = j
    gather(w, start, j)
    j = w.low
    t = w.mass[j]
    while j > 0 and t >= reach:
        t *= step_up(size - j, size, w.b, w.a)
        j -= 1
        w.mass[j] = t
    start = w.low - 1
    w.low = j
    gather(w, j, start)


cdef inline void gather(Work* w, int64_t first, int64_t last) noexcept nogil:
    """Adds the masses at ``first..last`` to all sums."""
    cdef double t, total = w.total, mean, size, steps
    cdef Credit* c
    cdef int64_t j
    cdef int which
    for j in range(first, last + 1):
        total += w.mass[j]
    w.total = total
    for which in range(w.count):
        c = &w.credit[which]
        mean, size, steps = c.mean, c.size, c.first
        for j in range(first, last + 1):
            t = w.mass[j]
            mean += t * c.value[j]
            size += t * fabs(c.value[j])
            steps += flow(w, j) * fabs(c.step[j])
        c.mean, c.size, c.first = mean, size, steps


cdef inline double flow(Work* w, int64_t j) noexcept nogil:
    """``c0 w(j - 1)`` of the inner law, from the mass of ``J`` at ``j``; both relative to the mode of ``J``."""
    return w.mass[j] * w.node[j] * (w.b + (w.k - w.node[j]))


cdef inline bint enough(Work* w, Credit* c) noexcept nogil:
    """Return whether nothing beyond the walked masses can count."""
    cdef double most = max(fabs(c.low), fabs(c.high)), least = 1e-18 * c.size, spread = 1e-18 * c.first
    cdef bint done_below = w.low == 0, done_above = w.high == w.k
    if not done_below and w.mass[w.low] * most > least or not done_above and w.mass[w.high] * most > least:
        return False
    if c.scale == 0.0:
        return True
    spread /= sqrt(w.c0 * w.total)
    return (done_below or sqrt(flow(w, w.low)) < spread) and (
        done_above or w.high > 0 and sqrt(flow(w, w.high)) < spread)
