"""The worth of the trial with the highest score among ``k``, and the same without each trial in turn.

A question's ``n`` trials are sorted by score. Trial ``i`` is the last of a random draw of ``k`` with probability
``w_i = C(i - 1, k - 1) / C(n, k)``, so a group of equal scores holds the highest with the sum of its ``w_i``, and
each of its trials is then chosen alike: the group is worth the mean outcome of its trials. The weights follow from
``w_n = k/n`` and ``w_(i-1) = w_i (i - k)/(i - 1)``: products of numbers of at most 1, so nothing overflows, and all
sums are of distances from the mean outcome, so that a large common outcome costs no digits.

Without a trial, the groups below its own keep their weights of ``n - 1`` trials, those above move down by one rank, and
its own group has one rank and one outcome less: two running sums. Where ``k = n`` no trial can be left out of a draw of
``n``, and the best of all others takes the place. Cost: 1-2 ns per trial and pass.
"""
from libc.math cimport NAN
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc


def best(const double[::1] scores, const double[::1] outcomes, const int64_t[::1] first, int64_t k, bint leave_out,
         double[::1] value, double[::1] without):
    """Write the worth of the best of ``k`` for each question; with ``leave_out``, also without each trial.

    Trials are sorted by score in each question. ``first`` has where each question's trials begin, and the end of the
    last; every question has at least ``k`` trials.
    """
    cdef Py_ssize_t questions = value.shape[0], a
    cdef int64_t most = 1, n, last = -1
    for a in range(questions):
        most = max(most, first[a + 1] - first[a])
    cdef double* weights = <double*> malloc(2 * most * sizeof(double))
    if weights == NULL:
        raise MemoryError
    with nogil:
        for a in range(questions):
            n = first[a + 1] - first[a]
            if n != last:
                fill_weights(weights, n, k)
                fill_weights(weights + most, n - 1, min(k, n - 1))
                weights[most + n - 1] = 0.0  # there is no such rank
                last = n
            value[a] = of_question(&scores[first[a]], &outcomes[first[a]], n, weights)
            if leave_out:
                without_each(&scores[first[a]], &outcomes[first[a]], n, weights + most, &without[first[a]])
    free(weights)


cdef void fill_weights(double* weights, int64_t n, int64_t k) noexcept nogil:
    """Write the probability of each rank to be the highest of ``k``."""
    cdef int64_t i
    if n < 1:
        return
    weights[n - 1] = <double> k / n
    for i in range(n - 1, 0, -1):
        weights[i - 1] = weights[i] * (<double> (i + 1 - k) / i) if i >= k else 0.0


cdef double of_question(const double* scores, const double* outcomes, int64_t n, const double* weights) noexcept nogil:
    """Return the worth of the best of a question's trials."""
    cdef double center = mean(outcomes, n), total = 0.0, worth, share
    cdef int64_t begin = 0, end
    while begin < n:
        worth, share, end = outcomes[begin] - center, weights[begin], begin + 1
        while end < n and scores[end] == scores[begin]:
            worth += outcomes[end] - center
            share += weights[end]
            end += 1
        total += share * worth / (end - begin) if end - begin > 1 else share * worth
        begin = end
    return center + total


cdef double mean(const double* outcomes, int64_t n) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(n):
        total += outcomes[i]
    return total / n


cdef void without_each(const double* scores, const double* outcomes, int64_t n, const double* lighter,
                       double* without) noexcept nogil:
    """Write what the best of a question's trials is worth without each of them."""
    cdef double center = mean(outcomes, n), below = 0.0, above = 0.0, worth, share
    cdef int64_t i, begin = 0, end
    if n == 1:
        without[0] = NAN
        return
    while begin < n:
        worth, end = outcomes[begin] - center, begin + 1
        while end < n and scores[end] == scores[begin]:
            worth += outcomes[end] - center
            end += 1
        below += without_own(outcomes, begin, end, center, worth, below, lighter, without)
        begin = end
    end = n
    while end > 0:
        begin = end - 1
        worth = outcomes[begin] - center
        while begin > 0 and scores[begin - 1] == scores[end - 1]:
            begin -= 1
            worth += outcomes[begin] - center
        share = 0.0
        for i in range(begin, end):
            without[i] += above
            share += lighter[i - 1] if i > 0 else 0.0
        above += share * (worth / (end - begin))
        end = begin


cdef double without_own(const double* outcomes, int64_t begin, int64_t end, double center, double worth, double below,
                        const double* lighter, double* without) noexcept nogil:
    """Write what a group and those below it are worth without each of its trials; return what all of it is worth."""
    cdef double share = 0.0
    cdef int64_t i, size = end - begin
    for i in range(begin, end - 1):
        share += lighter[i]
    for i in range(begin, end):
        without[i] = center + below
        if size > 1:
            without[i] += share * ((worth - (outcomes[i] - center)) / (size - 1))
    return (share + lighter[end - 1]) * (worth / size)
