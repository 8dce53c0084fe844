"""Rank distributions of independent models: at each node, how many of the other models are above.

``above[g, j]`` and ``below[g, j]`` are the probabilities that model ``j`` lies above or below node ``g``, ``mass[g, i]``
the weight of model ``i`` there. The number above among all models is Poisson-binomial, built one model at a time,

    law_r <- law_r below_j + law_{r-1} above_j,

and leaving model ``i`` out divides its factor out again, ``q_r = (law_r - above_i q_{r-1}) / below_i`` upwards where
``below_i >= 1/2``, else the mirror image downwards: an error shrinks by ``above_i / below_i <= 1`` at each step. Then
``pmf[i, r] += mass_i q_r``. A model that is above or below for certain shifts the count, if that, and is passed over.
Cost: 3 A^2 multiplications a node with A models in reach.
"""


def leave_one_out(const double[:, ::1] above, const double[:, ::1] below, const double[:, ::1] mass,
                  double[::1] law, double[:, ::1] pmf):
    """Add each node's part to ``pmf`` (model, rank); ``law`` is work space for as many models and one."""
    cdef Py_ssize_t g, i, sure, count
    with nogil:
        for g in range(above.shape[0]):
            sure = count = 0
            law[0] = 1.0
            for i in range(above.shape[1]):
                if above[g, i] == 1.0:
                    sure += 1
                elif below[g, i] < 1.0:
                    multiply(law, count, above[g, i], below[g, i])
                    count += 1
            for i in range(above.shape[1]):
                if mass[g, i] > 0.0 and above[g, i] < 1.0 and below[g, i] < 1.0:
                    if below[g, i] >= 0.5:
                        divide_up(law, count, above[g, i], below[g, i], mass[g, i], pmf[i, sure:])
                    else:
                        divide_down(law, count, above[g, i], below[g, i], mass[g, i], pmf[i, sure:])


cdef inline void multiply(double[::1] law, Py_ssize_t count, double up, double stay) noexcept nogil:
    """The law of ``count`` models with one more."""
    cdef Py_ssize_t r
    law[count + 1] = law[count] * up
    for r in range(count, 0, -1):
        law[r] = law[r] * stay + law[r - 1] * up
    law[0] *= stay


cdef inline void divide_up(const double[::1] law, Py_ssize_t count, double up, double stay, double mass,
                           double[::1] out) noexcept nogil:
    """Add ``mass`` times the law with one model fewer, from no model above."""
    cdef Py_ssize_t r
    cdef double q = 0.0, ratio = up / stay, weight = mass / stay
    for r in range(count):
        q = weight * law[r] - ratio * q
        out[r] += q


cdef inline void divide_down(const double[::1] law, Py_ssize_t count, double up, double stay, double mass,
                             double[::1] out) noexcept nogil:
    """Add ``mass`` times the law with one model fewer, from all models above."""
    cdef Py_ssize_t r
    cdef double q = 0.0, ratio = stay / up, weight = mass / up
    for r in range(count, 0, -1):
        q = weight * law[r] - ratio * q
        out[r - 1] += q
