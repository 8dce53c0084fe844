"""Where the ends of an interval are with the noise of runs: roots of the tail of a mixture of normal laws.

An end is the root ``x`` of

    sum_g weight_g Phi(-x / sd_g) = tail,   sd_g^2 = (distance / z)^2 + variance_g

for an end that is ``distance`` from the mean without runs. For ``x > 0`` the tail is convex, so each step of Newton's
method from ``x = distance``, where the tail is too large, ends before the root. Sizes without weight are left out.

Cost: two functions of each size for every step, of which there are about six.
"""
from libc.math cimport erfc, exp, sqrt

cdef enum:
    STEPS = 200
cdef double ROUNDING = 1e-13
cdef double ROOT_2 = sqrt(2.0), ROOT_2_PI = 2.50662827463100050242


def reaches(const double[::1] weights, const double[::1] variances, double z, double tail, double[::1] ends):
    """Replace distances from the mean without runs by those with runs."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(ends.shape[0]):
            ends[i] = root(&weights[0], &variances[0], weights.shape[0], ends[i], z, tail)


cdef double root(
    const double* weights, const double* variances, Py_ssize_t sizes, double distance, double z, double tail
) noexcept nogil:
    cdef double end = distance, excess, slope, sd, at
    cdef Py_ssize_t _, g
    for _ in range(STEPS):
        excess, slope = -tail, 0.0
        for g in range(sizes):
            sd = sqrt((distance / z) * (distance / z) + variances[g])
            if weights[g] > 0.0 and sd > 0.0:
                at = end / sd
                excess += weights[g] * 0.5 * erfc(at / ROOT_2)
                slope += weights[g] * exp(-0.5 * at * at) / sd
        if not (excess > ROUNDING * tail and slope > 0.0):
            break
        end += excess * ROOT_2_PI / slope
    return end
