"""Rank distributions of independent models: at each node, how many of the other models are above.

``above[g, j]`` and ``below[g, j]`` are the probabilities that model ``j`` is above or below node ``g``, ``mass[g, i]``
the weight of model ``i`` there. The number above among all models is Poisson-binomial, built one model at a time,

    law_r <- law_r below_j + law_{r-1} above_j,

and leaving model ``i`` out divides its factor out again, ``q_r = (law_r - above_i q_{r-1}) / below_i`` upwards where
``below_i >= 1/2``, else the mirror image downwards: an error shrinks by ``above_i / below_i <= 1`` at each step. Then
``pmf[i, r] += mass_i q_r``. A model that is above or below for certain shifts the count, if that, and is passed over.

Both ends of the distribution are cut off where it is below ``TINY``, so that its width ``W`` grows as the square root
of the number of models. The division is a chain of dependent operations; ``LANES`` models at a time hide its latency.
Cost: 3 A W multiplications per node with A models in reach.
"""

from libc.math cimport INFINITY, fmax, fmin, sqrt
from libc.stdint cimport int64_t

cdef enum:
    LANES = 4

cdef double TINY = 1e-22  # far below the rounding errors of the sums
cdef double NARROWER = 0.5  # a model begins a panel if it is narrower than this share of the narrowest one there


cdef struct Law:
    double* now          # probabilities of the numbers above, of which low..high are not negligible
    double* following    # the same with one model more
    Py_ssize_t low
    Py_ssize_t high
    Py_ssize_t count     # models that are neither above nor below for certain


cdef struct Division:
    Py_ssize_t size
    double weight[LANES]
    double ratio[LANES]
    double* out[LANES]


def leave_one_out(const double[:, ::1] above, const double[:, ::1] below, const double[:, ::1] mass,
                  const int64_t[::1] rows, Py_ssize_t higher, double[:, ::1] scratch, double[:, ::1] pmf):
    """Add the contribution of each node to ``pmf`` (model, rank).

    ``rows`` are the rows of the models in ``pmf``, ``higher`` counts further models that are above all nodes, and
    ``scratch`` is (2, models + 1).
    """
    cdef Py_ssize_t g, i, sure, models = above.shape[1]
    cdef Law law
    cdef Division up, down
    law.now, law.following = &scratch[0, 0], &scratch[1, 0]
    with nogil:
        for g in range(above.shape[0]):
            sure = higher + count_above(&law, &above[g, 0], &below[g, 0], models)
            up.size = down.size = 0
            for i in range(models):
                if mass[g, i] > 0.0 and above[g, i] < 1.0 and below[g, i] < 1.0:
                    if below[g, i] >= 0.5:
                        add(&up, mass[g, i] / below[g, i], above[g, i] / below[g, i], &pmf[rows[i], sure])
                        if up.size == LANES:
                            divide(&law, &up, True)
                    else:
                        add(&down, mass[g, i] / above[g, i], below[g, i] / above[g, i], &pmf[rows[i], sure])
                        if down.size == LANES:
                            divide(&law, &down, False)
            divide(&law, &up, True)
            divide(&law, &down, False)


def panels(const double[::1] starts, const double[::1] ends, const double[::1] spread):
    """Return start and end of each panel; together the panels cover all models, each from its start to its end."""
    cdef Py_ssize_t i, here, near
    cdef double x = min(starts), last = max(ends), following, narrowest, limit, end, width, furthest
    found = []
    while x < last:
        here, narrowest, following = 0, INFINITY, INFINITY
        for i in range(starts.shape[0]):
            if starts[i] > x:
                following = fmin(following, starts[i])
            elif x < ends[i]:
                here += 1
                narrowest = fmin(narrowest, spread[i])
        if here == 0:
            x = following
            continue
        near, width, furthest, end = 0, INFINITY, -INFINITY, INFINITY
        limit = x + narrowest / (1.0 + sqrt(here) / 4.0)
        for i in range(starts.shape[0]):
            if x < starts[i] < limit and spread[i] < NARROWER * narrowest:
                end = fmin(end, starts[i])
            elif starts[i] < limit and x < ends[i]:
                near += 1
                width = fmin(width, spread[i])
                furthest = fmax(furthest, ends[i])
        end = fmin(fmin(end, furthest), x + width / (1.0 + sqrt(near) / 4.0))
        found.append((x, end))
        x = end
    return found


cdef Py_ssize_t count_above(Law* law, const double* above, const double* below, Py_ssize_t models) noexcept nogil:
    """Compute the distribution of the number of uncertain models above; return how many are above for certain."""
    cdef Py_ssize_t i, sure = 0
    law.now[0] = 1.0
    law.low = law.high = law.count = 0
    for i in range(models):
        if above[i] == 1.0:
            sure += 1
        elif below[i] < 1.0:
            multiply(law, above[i], below[i])
    return sure


cdef inline void multiply(Law* law, double up, double stay) noexcept nogil:
    """Include one more model in the distribution."""
    cdef Py_ssize_t r, low = law.low, high = law.high + 1
    cdef double* now = law.now
    cdef double* following = law.following
    following[low] = now[low] * stay
    for r in range(low + 1, high):
        following[r] = now[r] * stay + now[r - 1] * up
    following[high] = now[high - 1] * up
    while following[low] < TINY:
        low += 1
    while following[high] < TINY:
        high -= 1
    law.now, law.following = following, now
    law.low, law.high = low, high
    law.count += 1


cdef inline void add(Division* division, double weight, double ratio, double* out) noexcept nogil:
    """Add one model to those that are divided out together."""
    division.weight[division.size] = weight
    division.ratio[division.size] = ratio
    division.out[division.size] = out
    division.size += 1


cdef inline void divide(const Law* law, Division* division, bint upwards) noexcept nogil:
    """Add the weighted distributions without each of the models, computed from the lowest or highest number above."""
    cdef Py_ssize_t i, r, t, count = law.high + 1 - max(law.low, 1)
    cdef Division one = division[0]  # which stores to the output cannot change
    cdef const double* now = law.now
    cdef double[LANES] q
    for i in range(LANES):
        q[i] = 0.0
    if upwards:
        count = min(law.high + 1, law.count) - law.low
    if one.size == LANES:
        for t in range(count):
            r = law.low + t if upwards else law.high - t
            for i in range(LANES):
                q[i] = one.weight[i] * now[r] - one.ratio[i] * q[i]
                one.out[i][r if upwards else r - 1] += q[i]
    else:
        for i in range(one.size):
            for t in range(count):
                r = law.low + t if upwards else law.high - t
                q[i] = one.weight[i] * now[r] - one.ratio[i] * q[i]
                one.out[i][r if upwards else r - 1] += q[i]
    division.size = 0
