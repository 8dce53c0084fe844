"""How far outcomes are from the uniform prior that the published intervals assume, as a chi-squared statistic.

Under that prior every question's category rates are uniform on the simplex, so the sum of its rewards has known
moments: those of draws from a Polya urn that starts with one ball per category. With ``z`` the standardized sum of a
question, ``g`` its skewness and ``h`` its fourth moment, ``z`` and ``z^2 - 1 - g z`` are uncorrelated with mean 0 and
variances 1 and ``h - 1 - g^2``. Over ``M`` questions the statistic is

    T = (sum z)^2 / M + (sum z^2 - 1 - g z)^2 / sum (h - 1 - g^2),

nearly chi-squared with two degrees of freedom: the first term finds questions that are too easy or too hard, the second
a spread between questions that is too large (many all-or-none questions) or too small. Where the square says nothing,
as for one trial of binary outcomes per question, the second term is left out. Rewards are measured from their mean in
units of the largest distance, so that no power overflows. Cost: 30 operations per state; moments once per run of equal
trials.
"""
from cpython.buffer cimport PyBuffer_Release
from libc.math cimport fabs, sqrt

from scorio._kernels.plain cimport doubles
from scorio._kernels.states cimport Groups, States

cdef double SHOWS = 1e-9        # share of a second term that says anything


cdef struct Urn:
    double balls, m2, m3, m4


cdef struct Sums:
    double trials, sd, skew, share      # the moments of the run of equal trials
    double count, first, second, between


cdef void open_run(Sums* s, const Urn* urn, double n) noexcept nogil:
    """Standardized moments of the sum of ``n`` draws."""
    cdef double b = urn.balls, a1 = b + 1.0, a2 = b + 2.0, a3 = b + 3.0, m2 = urn.m2, m4 = urn.m4
    cdef double two = n * (n - 1.0), three = n * (n - 1.0) * (n - 2.0)
    cdef double variance = m2 * n * (n + b) / a1
    cdef double third = urn.m3 * (n + 3.0 * two / a1 + 2.0 * three / (a1 * a2))
    cdef double fourth = (
        n * m4
        + two * (7.0 * m4 + 3.0 * b * m2 * m2) / a1
        + 6.0 * three * (2.0 * m4 + b * m2 * m2) / (a1 * a2)
        + three * (n - 3.0) * (6.0 * m4 + 3.0 * b * m2 * m2) / (a1 * a2 * a3)
    )
    s.trials, s.sd = n, sqrt(variance)
    s.skew = third / (variance * s.sd)
    s.share = fourth / (variance * variance) - 1.0 - s.skew * s.skew


cdef void add(Sums* s, const Urn* urn, double n, double away, double questions) noexcept nogil:
    """Add questions whose ``n`` trials have rewards that sum to ``away``."""
    cdef double z
    if n <= 0.0:
        return
    if n != s.trials:
        open_run(s, urn, n)
    z = away / s.sd
    s.count += questions
    s.first += questions * z
    if s.share > 0.0:
        s.between += questions * s.share
        s.second += questions * (z * z - 1.0 - s.skew * z)


cdef double statistic(const Sums* s) noexcept nogil:
    if s.count == 0.0:
        return 0.0
    if s.between <= SHOWS * s.count:
        return s.first * s.first / s.count
    return s.first * s.first / s.count + s.second * s.second / s.between


def of_states(States states):
    """Return ``T`` of successes and failures."""
    cdef Urn urn = Urn(2.0, 0.25, 0.0, 0.0625)
    cdef Sums sums = Sums(-1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    cdef Py_ssize_t i
    cdef double n
    with nogil:
        for i in range(states.n_states):
            n = states.n[i]
            add(&sums, &urn, n, states.c[i] - 0.5 * n, states.m[i])
    return statistic(&sums)


def of_profiles(Groups groups, profiles, rewards):
    """Return ``T`` of categories with these rewards; further columns of the profiles are empty."""
    cdef Sums sums = Sums(-1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    cdef Py_buffer of_rows, of_rewards
    cdef const double* row
    cdef const double* reward = doubles(rewards, &of_rewards, 1, len(rewards), False)
    cdef Py_ssize_t i, j, count = groups.m.shape[0], kinds = of_rewards.shape[0], width
    cdef Urn urn = Urn(kinds, 0.0, 0.0, 0.0)
    cdef double base = reward[0], center = 0.0, unit = 0.0, n, away, u
    try:
        row = doubles(profiles, &of_rows, 2, count, False)
    except ValueError:
        PyBuffer_Release(&of_rewards)
        raise
    width = min(of_rows.shape[1], kinds)
    with nogil:
        for j in range(kinds):
            center += (reward[j] - base) / urn.balls
        for j in range(kinds):
            unit = max(unit, fabs(reward[j] - base - center))
        if unit > 0.0:
            for j in range(kinds):
                u = (reward[j] - base - center) / unit
                urn.m2 += u * u / urn.balls
                urn.m3 += u * u * u / urn.balls
                urn.m4 += u * u * u * u / urn.balls
            for i in range(count):
                n = away = 0.0
                for j in range(width):
                    n += row[j]
                    away += row[j] * ((reward[j] - base - center) / unit)
                row += of_rows.shape[1]
                add(&sums, &urn, n, away, groups.m[i])
    PyBuffer_Release(&of_rows)
    PyBuffer_Release(&of_rewards)
    return statistic(&sums)
