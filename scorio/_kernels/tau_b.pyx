"""Kendall's tau-b of many rankings with one: ``(P - Q) / sqrt((T - t)(T - u))``.

``T`` pairs, of which ``P`` are in the same order in both rankings, ``Q`` in opposite order, ``t`` tied in the one and
``u`` in the other. Scores become dense ranks first: sorted, neighbours within ``tol`` tie (a chain of them too), as in
``scorio.rank``. Whole numbers up to the last division, so nothing is lost: equal rankings have exactly 1. NaN where
one ranking ties all models.

Models come in the order of the gold ranking, best first, so those strictly better than a model are a stretch from the
start: one loop over ranks that the compiler vectorizes. The sort starts from the order of the ranking before, which
one more trial changes little. Cost: ``O(L)`` to sort a near neighbour, ``L^2/2`` comparisons, 4 per step.
"""
from libc.math cimport NAN, isnan, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

ctypedef unsigned char flag


cdef struct Standing:
    double* score
    int32_t* rank                   # dense, 0 is best
    Py_ssize_t* place               # models from best to worst
    int64_t ordered                 # pairs that do not tie


def tau_b(
    const double[:, :, :] scores, const Py_ssize_t[::1] better, double tol, bint free_ties,
    double[:, ::1] tau, flag[:, ::1] same,
):
    """Write tau-b of every ranking (replicates, models, n), and whether it is the gold ranking; NaN, no for NaN scores.

    ``better`` says how many models come strictly before each in gold. With ``free_ties`` models tied in gold may come
    in any order.
    """
    cdef Py_ssize_t models = scores.shape[1], r, s, i
    cdef int64_t ordered = 0, net
    cdef Standing standing
    standing.score = <double*>malloc(models * sizeof(double))
    standing.rank = <int32_t*>malloc(models * sizeof(int32_t))
    standing.place = <Py_ssize_t*>malloc(models * sizeof(Py_ssize_t))
    try:
        if standing.score == NULL or standing.rank == NULL or standing.place == NULL:
            raise MemoryError
        with nogil:
            for i in range(models):
                standing.place[i] = i
                ordered += better[i]
            for r in range(scores.shape[0]):
                for s in range(scores.shape[2]):
                    tau[r, s] = NAN
                    same[r, s] = False
                    if read(scores, r, s, &standing):
                        rank(&standing, models, tol)
                        net = agreement(standing.rank, better)
                        if ordered > 0 and standing.ordered > 0:
                            tau[r, s] = net / sqrt(<double>ordered * <double>standing.ordered)
                        same[r, s] = net == ordered and (free_ties or standing.ordered == ordered)
    finally:
        free(standing.score)
        free(standing.rank)
        free(standing.place)


cdef bint read(const double[:, :, :] scores, Py_ssize_t r, Py_ssize_t s, Standing* standing) noexcept nogil:
    """Copy the scores; return whether none of them is NaN."""
    cdef Py_ssize_t i
    for i in range(scores.shape[1]):
        standing.score[i] = scores[r, i, s]
        if isnan(standing.score[i]):
            return False
    return True


cdef void rank(Standing* standing, Py_ssize_t models, double tol) noexcept nogil:
    cdef Py_ssize_t i, first = 0
    sort(standing, models)
    standing.ordered = 0
    standing.rank[standing.place[0]] = 0
    for i in range(1, models):
        standing.rank[standing.place[i]] = standing.rank[standing.place[i - 1]]
        if standing.score[standing.place[i - 1]] - standing.score[standing.place[i]] > tol:
            standing.rank[standing.place[i]] += 1
            first = i
        standing.ordered += first


cdef void sort(Standing* standing, Py_ssize_t models) noexcept nogil:
    """By insertion, highest score first."""
    cdef Py_ssize_t i, j, here
    for i in range(1, models):
        here = standing.place[i]
        j = i
        while j > 0 and standing.score[standing.place[j - 1]] < standing.score[here]:
            standing.place[j] = standing.place[j - 1]
            j -= 1
        standing.place[j] = here


cdef int64_t agreement(const int32_t* rank, const Py_ssize_t[::1] better) noexcept nogil:
    """Pairs in the same order as in gold, less those in opposite order."""
    cdef int64_t net = 0
    cdef int32_t row
    cdef Py_ssize_t i, j
    for i in range(better.shape[0]):
        row = 0
        for j in range(better[i]):
            row += (rank[j] < rank[i]) - (rank[j] > rank[i])
        net += row
    return net
