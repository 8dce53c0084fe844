"""Mean and variance of a credit ``x_0..x_k`` of small budget under Beta posteriors, by two Bernstein sums.

With ``g(p) = sum_j x_j C(k, j) p^j q^(k-j)`` and ``y_j = x_j - x_0`` (or ``x_j - x_k``, whichever end is nearer),

    E (g - x_0) = sum_j y_j C(k, j) (alpha)_j (beta)_(k-j)/(s)_k,
    E (g - x_0)^2 = sum_j z_j (alpha)_j (beta)_(2k-j)/(s)_2k,

``z`` the product of ``C(k, j) y_j`` with itself as polynomials. Rising factorials are scaled by ``1/(s + 2k)``, so that
every factor is at most 1.
The variance is a difference: its error is 1e-16 of the squared distance from the nearer end, which a posterior of ``n``
trials exceeds at most ``n`` times; where that would be above 1e-7 of the variance, it is the first-order one, ``g'(m)^2
Var p`` at ``m = E p``, which is right to 1e-8 for so many trials. States of one number of trials share tables of
``(a)_i`` and ``(b)_i``, from which those of a state follow by division, as long as no entry comes near underflow.
Cost: ``6 k`` multiplications for a state.
"""
from scorio._kernels.states cimport States

cdef enum:
    MAX_BUDGET = 48
    ROOM = 97           # 2 k + 1
    TABLE = 256         # entries of a table that all states of one number of trials share


cdef struct Moments:
    double mean
    double variance


cdef struct Credit:
    int k
    double first                # x_0
    double last                 # x_k
    double low                  # the smallest x_j
    double high                 # the largest
    double from_first[ROOM]     # C(k, j) (x_j - x_0)
    double from_last[ROOM]
    double first_squared[ROOM]
    double last_squared[ROOM]
    double up[ROOM]             # (alpha)_i, scaled
    double down[ROOM]           # (beta)_i
    double once                 # scale^-k / (s)_k ..
    double twice
    double scale
    double table_up[TABLE]      # (a)_i of the prior, scaled
    double table_down[TABLE]    # (b)_i, from the end: table_down[TABLE - 1 - i]


cdef inline void describe_credit(Credit* credit, int k, const double* x) noexcept nogil:
    cdef double choose = 1.0
    cdef int i, j
    credit.k, credit.first, credit.last = k, x[0], x[k]
    credit.low = credit.high = x[0]
    for j in range(k + 1):
        credit.low, credit.high = min(credit.low, x[j]), max(credit.high, x[j])
        credit.from_first[j] = choose * (x[j] - x[0])
        credit.from_last[j] = choose * (x[j] - x[k])
        choose *= (k - j) / (j + 1.0)
    for j in range(2 * k + 1):
        credit.first_squared[j] = credit.last_squared[j] = 0.0
    for i in range(k + 1):
        for j in range(k + 1):
            credit.first_squared[i + j] += credit.from_first[i] * credit.from_first[j]
            credit.last_squared[i + j] += credit.from_last[i] * credit.from_last[j]


cdef inline void scale_credit(Credit* credit, double s) noexcept nogil:
    """Prepare for posteriors of strength ``s``."""
    cdef int i
    cdef double value = 1.0
    credit.scale = 1.0 / (s + 2 * credit.k)
    for i in range(2 * credit.k):
        value *= (s + 2 * credit.k) / (s + i)
        if i == credit.k - 1:
            credit.once = value
    credit.twice = value


cdef inline double first_order(const double* factor, int k, double alpha, double beta) noexcept nogil:
    """``g'(m)^2 Var p`` at ``m = E p``; factors are ``C(k, j)`` times the credit."""
    cdef double s = alpha + beta, p = alpha / s, q = beta / s, up = 1.0, down = 1.0, slope = 0.0
    cdef int j, _
    for _ in range(k):
        down *= q
    for j in range(k + 1):
        slope += factor[j] * (j - k * p) * (up * down)
        up *= p
        down /= q
    return slope * slope / (p * q * (s + 1.0))


cdef inline double variance_of(double square, double mean, const double* factor, int k, double alpha,
                               double beta) noexcept nogil:
    """``square - mean^2``, or the first-order variance where too few digits are left of it."""
    cdef double variance = max(square - mean * mean, 0.0)
    return variance if variance > 1e-9 * square else first_order(factor, k, alpha, beta)


cdef inline Moments credit_moments(Credit* credit, double alpha, double beta) noexcept nogil:
    """Of ``p ~ Beta(alpha, beta)``, after ``scale_credit`` of their sum."""
    cdef Moments found
    cdef double up = 1.0, down = 1.0, mean = 0.0, square = 0.0
    cdef const double* once = credit.from_first
    cdef const double* twice = credit.first_squared
    cdef int j, k = credit.k
    if alpha > beta:
        once, twice = credit.from_last, credit.last_squared
    for j in range(2 * k + 1):
        credit.up[j], credit.down[j] = up, down
        up *= (alpha + j) * credit.scale
        down *= (beta + j) * credit.scale
    for j in range(k + 1):
        mean += once[j] * (credit.up[j] * credit.down[k - j])
    for j in range(2 * k + 1):
        square += twice[j] * (credit.up[j] * credit.down[2 * k - j])
    mean *= credit.once
    found.variance = variance_of(square * credit.twice, mean, once, credit.k, alpha, beta)
    found.mean = min(max(mean + (credit.last if alpha > beta else credit.first), credit.low), credit.high)
    return found


cdef inline bint fill_tables(Credit* credit, double a, double b, long long n) noexcept nogil:
    """Rising factorials for all states of ``n`` trials; False where they do not fit. After ``scale_credit``."""
    cdef int size = n + 2 * credit.k + 1, i
    cdef double up = 1.0, down = 1.0
    if n + 2 * credit.k + 1 > TABLE:
        return False
    for i in range(size):
        credit.table_up[i] = up
        credit.table_down[TABLE - 1 - i] = down
        up *= (a + i) * credit.scale
        down *= (b + i) * credit.scale
    return credit.table_up[n] > 1e-140 and credit.table_down[TABLE - 1 - n] > 1e-140


cdef inline double convolve(const double* factor, const double* up, const double* down, int size) noexcept nogil:
    """``sum factor_j up_j down_j``, in two sums."""
    cdef double even = 0.0, odd = 0.0
    cdef int j, pairs = size // 2 * 2
    for j in range(0, pairs, 2):
        even += factor[j] * (up[j] * down[j])
        odd += factor[j + 1] * (up[j + 1] * down[j + 1])
    if pairs < size:
        even += factor[pairs] * (up[pairs] * down[pairs])
    return even + odd


cdef inline Moments tabled_moments(Credit* credit, int c, int failures, double alpha, double beta) noexcept nogil:
    """Of the state ``c`` from the tables; ``alpha`` and ``beta`` are its posterior's."""
    cdef Moments found
    cdef int k = credit.k, place = TABLE - 1 - failures
    cdef const double* up = credit.table_up + c
    cdef const double* once = credit.from_first
    cdef const double* twice = credit.first_squared
    cdef double norm = 1.0 / (up[0] * credit.table_down[place]), mean, square
    cdef bint near_last = alpha > beta
    if near_last:
        once, twice = credit.from_last, credit.last_squared
    mean = convolve(once, up, credit.table_down + (place - k), k + 1) * (norm * credit.once)
    square = convolve(twice, up, credit.table_down + (place - 2 * k), 2 * k + 1) * (norm * credit.twice)
    found.variance = variance_of(square, mean, once, k, alpha, beta)
    found.mean = min(max(mean + (credit.last if near_last else credit.first), credit.low), credit.high)
    return found
