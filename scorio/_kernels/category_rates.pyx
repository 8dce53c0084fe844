"""Posterior of weighted category rates: ``sum_j w_j p_j``, ``p ~ Dirichlet(v)``, for every distinct row of counts.

With ``v_j`` = count + prior, ``T = sum v_j`` and rewards measured from the smallest, ``u_j = w_j - min w``:

    mean = min w + sum_j v_j u_j / T,   variance = sum_j v_j (u_j - mean u)^2 / (T (T + 1)).

No ``u_j`` is negative and the squares are of deviations from the mean, so nothing cancels; their scale is taken out,
so nothing underflows.
Cost: 2 (C + 1) multiplications per row.
"""
from libc.math cimport sqrt


def linear(const double[:, ::1] profiles, const double[::1] weights, const double[::1] prior,
           double[::1] mean, double[::1] sd):
    """Write the posterior mean and standard deviation of each profile's weighted rate."""
    cdef Py_ssize_t i, j, width = weights.shape[0]
    cdef double base = weights[0], span = 0.0, total, centre, spread, v, u
    with nogil:
        for j in range(width):
            base = min(base, weights[j])
        for j in range(width):
            span = max(span, weights[j] - base)
        for i in range(profiles.shape[0]):
            total = centre = spread = 0.0
            for j in range(width):
                v = profiles[i, j] + prior[j]
                total += v
                centre += v * (weights[j] - base)
            centre /= total
            if span > 0.0:
                for j in range(width):
                    u = (weights[j] - base - centre) / span
                    spread += (profiles[i, j] + prior[j]) * u * u
            mean[i] = base + centre
            sd[i] = span * sqrt(spread / total / (total + 1.0))
