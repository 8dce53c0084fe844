"""Tables of the Hahn expansion of a posterior variance that depend on ``s = a + b`` alone: one for each run of trials.

With ``c0 = slope(k, a, b)``, ``lambda_n = prod_{i<n} (k - i)/(s + k + i)`` and ``q_n`` the orthonormal polynomials of
the law ``w`` of ``BB(k - 1; a + 1, b + 1)``, the posterior variance of ``g(p) = E[A_J | p]``, ``J ~ Bin(k, p)``, is

    Var g = c0 sum_{n=0}^{k-1} weight_n H_n^2,
    H_n = sum_y (A_{y+1} - A_y) w(y) q_n(y),    weight_n = lambda_{n+1}/((n+1)(n+s)),

and ``Cov(f, g)`` has ``H_n^f H_n^g`` in place of the square. All terms of a variance are positive. A second summation
by parts leaves, for ``n >= 1``, ``H_n = sqrt(c1/(n(n+s+1))) sum_y (A_{y+2} - 2 A_{y+1} + A_y) v(y) r_{n-1}(y)``, where
``c1 = slope(k - 1, a + 1, b + 1)`` and ``v, r`` are the same for ``BB(k - 2; a + 2, b + 2)``.

``open_hahn(h, k, order, s)`` makes room: ``order`` 1 is the first form, 2 the second, ``s`` the smallest that will
come; ``close_hahn`` frees. ``start_hahn(h, s)`` begins a run, ``need_hahn(h, n)`` fills the tables up to and with
index ``n`` (``n < h.limit``; beyond ``limit`` the weights are below the smallest double). Then, for the ``a, b`` of
the law that the polynomials belong to (``a + order`` and ``b + order`` for the posterior's ``a, b``):

- ``y q_n = root_{n+1} q_{n+1} + centre_n q_n + root_n q_{n-1}``, ``q_0 = 1``, ``centre_n = hahn_centre(h, n, a, b)``,
  ``root_{n+1} = hahn_root(h, n, a, b)`` (``root_0 = 0``);
- ``h.weight[n]``: order 1 as above, order 2 ``lambda_{n+2}/((n+2)(n+1+s)(n+1)(n+s+2))``: the factor of ``H_{n+1}^2``
  with the one under the square root. Both fall as ``n`` grows, which is what makes a stop rule rigorous.

Every factor is a product of ratios of positive numbers near or below ``k``: nothing overflows, nothing cancels. Cost:
about five divisions per index, filled only as far as asked for: 10 to 30 for ``k <= N``, more for rare events.
"""
from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.index cimport as_index

cdef enum:
    CHUNK = 24      # indices filled at a time


cdef struct Hahn:
    double* weight
    double* rise        # recurrence, without the factor (n + a)
    double* fall        # recurrence, without the factor (n + b - 1)
    double k
    double s
    double decay        # lambda at the end of what is filled
    int order
    int64_t filled
    int64_t limit


cdef inline void start_hahn(Hahn* h, double s) noexcept nogil:
    h.s = s
    h.filled = 0
    h.decay = 1.0 if h.order == 1 else h.k / (s + h.k)


cdef inline int open_hahn(Hahn* h, int64_t k, int order, double s) except -1:
    """``limit`` is the size of the basis, or where ``lambda_n <= exp(-n(n - 1 + s)/(s + k + n))`` underflows."""
    cdef double half = 0.5 * (746.0 - s)
    cdef double vanished = 745.0 * (s + k) / (sqrt(half * half + 745.0 * (s + k)) - half) if half < 0.0 else (
        half + sqrt(half * half + 745.0 * (s + k)))
    h.k = k
    h.order = order
    h.limit = as_index(vanished + 2.0, k + 1 - order)
    h.weight = <double*> malloc(3 * max(h.limit, 1) * sizeof(double))
    if h.weight == NULL:
        raise MemoryError
    h.rise = h.weight + h.limit
    h.fall = h.rise + h.limit
    start_hahn(h, s)
    return 0


cdef inline void close_hahn(Hahn* h) noexcept nogil:
    free(h.weight)


cdef inline void fill_hahn(Hahn* h, int64_t end) noexcept nogil:
    cdef double size = h.k - h.order, total = h.s + 2 * h.order, n, m
    cdef int64_t i
    for i in range(h.filled, end):
        n = i
        h.rise[i] = (n + total - 1.0) / (2.0 * n + total - 1.0) * ((size - n) / (2.0 * n + total))
        h.fall[i] = n / (2.0 * n + total - 2.0) * ((n + total + size - 1.0) / (2.0 * n + total - 1.0))
        m = n + h.order
        h.decay *= (h.k - m + 1.0) / (h.s + h.k + m - 1.0)
        h.weight[i] = h.decay / (m * (m - 1.0 + h.s))
        if h.order == 2:
            h.weight[i] /= (n + 1.0) * (n + h.s + 2.0)
    h.filled = end


cdef inline void need_hahn(Hahn* h, int64_t n) noexcept nogil:
    if n >= h.filled:
        fill_hahn(h, min(n + CHUNK, h.limit))


cdef inline double hahn_centre(Hahn* h, int64_t n, double a, double b) noexcept nogil:
    return h.rise[n] * (n + a) + h.fall[n] * (n + b - 1.0)


cdef inline double hahn_root(Hahn* h, int64_t n, double a, double b) noexcept nogil:
    """``root_{n+1}``, for ``n + 1 < limit``."""
    return sqrt(h.rise[n] * (n + a) * (h.fall[n + 1] * (n + b)))
