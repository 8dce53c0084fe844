"""What a success rate is worth: the expected credit of ``k`` trials, ``g(p) = sum_j x_j C(k, j) p^j q^(k-j)``."""
from scorio._kernels.index cimport as_index


cdef inline double credit_value(const double* x, Py_ssize_t k, double p, double q) noexcept nogil:
    """Sum binomial weights from the mode outwards, over their sum. Needs ``0 < p < 1`` and ``q = 1 - p``; else NaN."""
    cdef double odds = p / q, weight = 1.0, total = 1.0, value
    cdef Py_ssize_t j, mode = as_index((k + 1) * p, k)
    value = x[mode]
    for j in range(mode, k):
        weight *= odds * (k - j) / (j + 1.0)
        if weight < 1e-20:
            break
        total += weight
        value += weight * x[j + 1]
    weight = 1.0
    for j in range(mode, 0, -1):
        weight *= j / ((k - j + 1.0) * odds)
        if weight < 1e-20:
            break
        total += weight
        value += weight * x[j - 1]
    return value / total
