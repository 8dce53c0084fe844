"""Inner products and Cholesky's factor of a small positive definite matrix, for ``log_linear_prior.pxd``.

A matrix of ``size`` rows is stored by rows, and only its lower triangle is read. ``cholesky`` replaces it by the factor
``C`` with ``C C' = A``, one diagonal entry at a time; an entry with a square below ``1e-9`` means that the matrix is
not positive definite, so that no root and no division goes wrong. Cost: ``size^3/6`` multiplications for the factor,
``size^2/2`` for each solution.
"""
from libc.math cimport log, sqrt


cdef inline double product(const double* u, const double* v, int size) noexcept nogil:
    """Of two vectors, in four sums."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef int i, whole = size // 4 * 4
    for i in range(0, whole, 4):
        s0 += u[i] * v[i]
        s1 += u[i + 1] * v[i + 1]
        s2 += u[i + 2] * v[i + 2]
        s3 += u[i + 3] * v[i + 3]
    for i in range(whole, size):
        s0 += u[i] * v[i]
    return (s0 + s2) + (s1 + s3)


cdef inline double cholesky(double* a, int size) noexcept nogil:
    """Put the factor in the place of ``a`` and return half the log determinant; -1e300 where there is no factor."""
    cdef int i, j, m
    cdef double value, total = 0.0
    for i in range(size):
        for j in range(i + 1):
            value = a[i * size + j]
            for m in range(j):
                value -= a[i * size + m] * a[j * size + m]
            if i == j:
                if value < 1e-9:
                    return -1e300
                a[i * size + i] = sqrt(value)
                total += 0.5 * log(value)
            else:
                a[i * size + j] = value / a[j * size + j]
    return total


cdef inline double solve_lower(const double* c, int size, double* vector) noexcept nogil:
    """Replace ``vector`` by ``C^-1 vector``; return the square of that, which is ``vector' A^-1 vector``."""
    cdef int i, m
    cdef double square = 0.0
    for i in range(size):
        for m in range(i):
            vector[i] -= c[i * size + m] * vector[m]
        vector[i] /= c[i * size + i]
        square += vector[i] * vector[i]
    return square


cdef inline void solve_upper(const double* c, int size, double* vector) noexcept nogil:
    """Replace ``vector`` by ``C'^-1 vector``."""
    cdef int i, m
    for i in range(size - 1, -1, -1):
        for m in range(i + 1, size):
            vector[i] -= c[m * size + i] * vector[m]
        vector[i] /= c[i * size + i]
