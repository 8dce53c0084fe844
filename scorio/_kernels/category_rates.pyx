"""Posterior of weighted category rates: ``sum_j w_j p_j``, ``p ~ Dirichlet(v)``, for every distinct row of counts.

With ``v_j`` = count + prior, ``T = sum v_j`` and rewards measured from the smallest, ``u_j = w_j - min w``:

    mean = min w + sum_j v_j u_j / T,   variance = sum_j v_j (u_j - mean u)^2 / (T (T + 1)).

No ``u_j`` is negative and the squares are of deviations from the mean, so nothing cancels; their scale is taken out,
so nothing underflows. What avg@N takes of it: the mean of the ``N`` counts alone, and ``T/N`` times the deviation.
Cost: 2 (C + 1) multiplications per row.
"""
from cpython.buffer cimport PyBuffer_Release
from libc.math cimport sqrt

from scorio._kernels.plain cimport Pair, close_pair, doubles, open_pair
from scorio._kernels.states cimport Groups, States


cdef struct Urn:
    const double* weight
    const double* prior
    Py_ssize_t width
    double base, span


def linear(Groups groups, profiles, weights, prior, mean, sd, bint recorded=False):
    """Write the posterior mean and standard deviation of each profile's weighted rate, or those of avg@N.

    Categories without a weight do not occur, and those without a column have no counts.
    """
    cdef Py_buffer buffers[3]
    cdef Py_ssize_t i, j, opened = 0, count = groups.m.shape[0]
    cdef const double* row
    cdef Pair out
    cdef Urn urn
    urn.width = len(weights)
    try:
        urn.weight = doubles(weights, &buffers[0], 1, urn.width, False)
        opened = 1
        urn.prior = doubles(prior, &buffers[1], 1, urn.width, False)
        opened = 2
        row = doubles(profiles, &buffers[2], 2, count, False)
        opened = 3
        open_pair(&out, mean, sd, count)
        with nogil:
            urn.base = urn.weight[0]
            urn.span = 0.0
            for j in range(urn.width):
                urn.base = min(urn.base, urn.weight[j])
            for j in range(urn.width):
                urn.span = max(urn.span, urn.weight[j] - urn.base)
            for i in range(count):
                of_row(&urn, row, min(urn.width, buffers[2].shape[1]), recorded, &out.mean[i], &out.sd[i])
                row += buffers[2].shape[1]
        close_pair(&out)
    finally:
        for j in range(opened):
            PyBuffer_Release(&buffers[j])


cdef void of_row(
    const Urn* urn, const double* row, Py_ssize_t columns, bint recorded, double* mean, double* sd
) noexcept nogil:
    cdef double total = 0.0, centre = 0.0, spread = 0.0, trials = 0.0, known = 0.0, v, u
    cdef Py_ssize_t j
    for j in range(columns):
        v = row[j] + urn.prior[j]
        total += v
        centre += v * (urn.weight[j] - urn.base)
    for j in range(columns, urn.width):
        total += urn.prior[j]
        centre += urn.prior[j] * (urn.weight[j] - urn.base)
    centre /= total
    if urn.span > 0.0:
        for j in range(columns):
            u = (urn.weight[j] - urn.base - centre) / urn.span
            spread += (row[j] + urn.prior[j]) * u * u
        for j in range(columns, urn.width):
            u = (urn.weight[j] - urn.base - centre) / urn.span
            spread += urn.prior[j] * u * u
    mean[0] = urn.base + centre
    sd[0] = urn.span * sqrt(spread / total / (total + 1.0))
    if recorded:
        for j in range(columns):
            trials += row[j]
            known += row[j] * urn.weight[j]
        mean[0] = known / trials
        sd[0] *= total / trials


def of_success(States states, double alpha, double beta, mean, sd):
    """Write the success rate of every state's trials, and ``T/N`` times the deviation of its posterior: avg@N."""
    cdef Py_ssize_t i
    cdef double a, b, total
    cdef Pair out
    open_pair(&out, mean, sd, states.n_states)
    with nogil:
        for i in range(states.n_states):
            a, b = alpha + states.c[i], beta + (states.n[i] - states.c[i])
            total = a + b
            out.mean[i] = <double>states.c[i] / states.n[i]
            out.sd[i] = sqrt(a / total * (b / total) / (total + 1.0)) * (total / states.n[i])
    close_pair(&out)
