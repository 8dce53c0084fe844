"""The best reward of ``k`` trials by rungs: ``r_1 + sum_l g_l 1[some trial is above r_l]``, ``g_l = r_(l+1) - r_l``.

- Score of the recorded trials: ``r_1 + sum_l g_l P(X_l >= 1)``, ``X_l ~ Hypergeometric(n, c_l, k)`` with ``c_l`` trials
  above ``r_l`` (``hypergeometric.pxd``): positive terms.
- Posterior: with ``A_l`` the rate of rewards up to ``r_l`` and ``m_l``, ``D_l`` of ``A_l^k`` as in ``power_law.pxd``,
  ``E = r_1 + sum_l g_l (1 - m_l)``. The rates are nested, ``Cov(A_i^k, A_j^k) = m_i D_j`` for ``i <= j``, hence
  ``Var = sum_j g_j D_j (g_j m_j + 2 sum_{i < j} g_i m_i)``: positive terms again. Steps are measured by their sum, so
  that squares of small rewards do not underflow.

``profiles`` are rows of counts in the order of their trials; ``order`` lists the categories by reward. Equal rewards
make a step of no height, which is left out. A run of equal trials is taken together, rung by rung. Cost: 2-5 ns per
profile and rung, besides the power laws, which come from a table over ``0..n`` (``n`` steps per run for the score,
``n + k`` per run and rung for the posterior) or, for few profiles, from ``k`` steps each.
"""
from libc.math cimport fmax, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from scorio._kernels.hypergeometric cimport TABLE_TRIALS, some_of, some_table
from scorio._kernels.power_law cimport Power, complement, descend, from_scratch


cdef struct Climb:
    double* trials          # of every profile
    double* below           # those of them that are not above the rung
    double* inner           # sum_{i < j} g_i m_i
    double* spare           # the prior of the categories above each rung
    Py_ssize_t begin        # the run of profiles at hand
    Py_ssize_t end
    int64_t n               # and the trials of each


def best(const double[:, ::1] profiles, const Py_ssize_t[::1] order, const double[::1] rewards, int64_t k,
         double[::1] out):
    """Write the expected best reward among ``k`` of each profile's trials; every profile has at least ``k``."""
    cdef Py_ssize_t rungs = order.shape[0] - 1, rung, i
    cdef Climb climb
    cdef double height
    cdef double* table = <double*> open_climb(&climb, profiles, sizeof(double))
    cdef bint tabled
    with nogil:
        for i in range(out.shape[0]):
            out[i] = rewards[order[0]]
        while next_run(&climb, out.shape[0]):
            tabled = pays(&climb, rungs * k)
            if tabled:
                some_table(table, climb.n, k, climb.n)
            for rung in range(rungs):
                pass_category(&climb, profiles, order[rung])
                height = rewards[order[rung + 1]] - rewards[order[rung]]
                if height > 0.0:
                    for i in range(climb.begin, climb.end):
                        out[i] += height * some_above(&climb, i, k, table if tabled else NULL)
    close_climb(&climb, table)


def posterior(const double[:, ::1] profiles, const Py_ssize_t[::1] order, const double[::1] rewards,
              const double[::1] prior, int64_t k, double[::1] mean, double[::1] sd):
    """Write the posterior moments of the expected best reward among ``k`` new trials of each profile."""
    cdef Py_ssize_t rungs = order.shape[0] - 1, rung, i
    cdef Climb climb
    cdef double least = rewards[order[0]], span = rewards[order[rungs]] - least, height, spent
    cdef Power* table = <Power*> open_climb(&climb, profiles, sizeof(Power))
    cdef Power none
    cdef bint tabled
    with nogil:
        spare_prior(&climb, prior, order)
        for i in range(mean.shape[0]):
            mean[i] = least
            sd[i] = 0.0
        while next_run(&climb, mean.shape[0]):
            tabled = pays(&climb, k)
            spent = 0.0
            for rung in range(rungs):
                pass_category(&climb, profiles, order[rung])
                spent += prior[order[rung]]
                height = rewards[order[rung + 1]] - rewards[order[rung]]
                if height > 0.0:
                    if tabled:
                        none_table(table, climb.n, k, spent, climb.spare[rung])
                    for i in range(climb.begin, climb.end):
                        none = none_above(&climb, i, k, spent, climb.spare[rung], table if tabled else NULL)
                        mean[i] += height * complement(&none)
                        sd[i] += variance(&none, height / span, &climb.inner[i])
        for i in range(sd.shape[0]):
            sd[i] = span * sqrt(sd[i])
    close_climb(&climb, table)


cdef void* open_climb(Climb* climb, const double[:, ::1] profiles, size_t entry) except NULL:
    """Place the run before the first profile; return memory for a table of entries of this size."""
    cdef Py_ssize_t count = profiles.shape[0], width = profiles.shape[1], i, j
    cdef double* block = <double*> malloc((3 * count + width) * sizeof(double))
    cdef double most = 0.0
    cdef void* table = NULL
    if block != NULL:
        climb.trials = block
        climb.below = block + count
        climb.inner = block + 2 * count
        climb.spare = block + 3 * count
        climb.begin = climb.end = 0
        with nogil:
            for i in range(count):
                climb.trials[i] = climb.below[i] = climb.inner[i] = 0.0
                for j in range(width):
                    climb.trials[i] += profiles[i, j]
                most = max(most, climb.trials[i])
        table = malloc(<size_t> (min(most, <double> TABLE_TRIALS) + 1.0) * entry)
    if table == NULL:
        free(block)
        raise MemoryError
    return table


cdef void close_climb(Climb* climb, void* table) noexcept nogil:
    free(climb.trials)
    free(table)


cdef bint next_run(Climb* climb, Py_ssize_t profiles) noexcept nogil:
    """Move to the next run of profiles with equal numbers of trials; return whether there is one."""
    climb.begin = climb.end
    if climb.end == profiles:
        return False
    climb.n = <int64_t> climb.trials[climb.begin]
    while climb.end < profiles and climb.trials[climb.end] == climb.trials[climb.begin]:
        climb.end += 1
    return True


cdef bint pays(const Climb* climb, int64_t steps) noexcept nogil:
    """Return whether a table of the run costs less than ``steps`` for each of its profiles."""
    return climb.n <= TABLE_TRIALS and climb.n <= (climb.end - climb.begin) * steps


cdef void pass_category(Climb* climb, const double[:, ::1] profiles, Py_ssize_t category) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(climb.begin, climb.end):
        climb.below[i] += profiles[i, category]


cdef void spare_prior(Climb* climb, const double[::1] prior, const Py_ssize_t[::1] order) noexcept nogil:
    """Return the pseudo-counts above the rung, summed from the top so that a small prior is not lost."""
    cdef Py_ssize_t rung
    climb.spare[order.shape[0] - 1] = 0.0
    for rung in range(order.shape[0] - 1, 0, -1):
        climb.spare[rung - 1] = climb.spare[rung] + prior[order[rung]]


cdef inline double some_above(const Climb* climb, Py_ssize_t i, int64_t k, const double* table) noexcept nogil:
    """Return the probability that at least one of ``k`` of the profile's trials is above the rung."""
    cdef int64_t above = climb.n - <int64_t> climb.below[i]
    return some_of(climb.n, above, k) if table == NULL else table[above]


cdef inline Power none_above(const Climb* climb, Py_ssize_t i, int64_t k, double spent, double spare,
                             const Power* table) noexcept nogil:
    """Return the probability that none of ``k`` new trials is above the rung."""
    cdef double below = climb.below[i], above = climb.n - below
    if table == NULL:
        return from_scratch(spent + below, spare + above, spent + spare + climb.n, k)
    return table[<int64_t> below]


cdef void none_table(Power* table, int64_t n, int64_t k, double spent, double spare) noexcept nogil:
    """Write ``none_above`` for ``0..n`` trials below."""
    cdef int64_t c
    table[n] = from_scratch(spent + n, spare, spent + spare + n, k)
    for c in range(n - 1, -1, -1):
        table[c] = table[c + 1]
        descend(&table[c], spent + c, k)


cdef inline double variance(const Power* none, double step, double* inner) noexcept nogil:
    """Return the part of the variance that a rung adds, and update ``inner`` for the next rung."""
    cdef double passed = inner[0]
    inner[0] += step * none.mean
    return step * fmax(none.spread, 0.0) * (step * none.mean + 2.0 * passed)
