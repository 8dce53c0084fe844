"""One Beta distribution: the one with a mean and a variance, its distribution function and a first guess of quantiles.

The distribution function is Lentz's continued fraction (error 1e-14) and, where both parameters exceed ``LARGE``, the
normal approximation of Peizer and Pratt (error below 1e-6 there). Logarithms of ``x`` and ``1 - x`` are passed
separately, so that neither loses its digits near an end, and the density's exponent is capped: nothing overflows.
Cost: 0.2 us for a value.
"""
from libc.math cimport erfc, exp, fabs, fmax, fmin, lgamma, log, log1p, sqrt

from scorio._kernels.rising_factorial cimport entropy_gain, short_correction

cdef extern from *:
    """
    static const double LARGE = 400.0;
    """
    const double LARGE      # parameters from where the normal approximation is used


cdef struct Component:
    double mean
    double variance
    double weight
    double a
    double b
    double log_scale        # log B(a, b)
    int group               # of neighbors by mean


cdef inline double log_beta(double small, double large) noexcept nogil:
    """``log B`` of two parameters: the larger one enters by a difference of ``lgamma`` that keeps its digits."""
    cdef double t = small / large
    if large < 16.0:
        return lgamma(small) + lgamma(large) - lgamma(small + large)
    return (lgamma(small) - small * log(large) - large * entropy_gain(t) + 0.5 * log1p(t)
            - short_correction(large + small) + short_correction(large))


cdef inline double fraction(double a, double b, double x, double precision) noexcept nogil:
    """Lentz's continued fraction of the incomplete Beta function, to a relative ``precision``."""
    cdef double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0), value, term, change
    cdef int m
    d = 1.0 / (d if fabs(d) > 1e-300 else 1e-300)
    value = d
    for m in range(1, 10000):
        term = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 + term * d
        c = 1.0 + term / c
        d = 1.0 / (d if fabs(d) > 1e-300 else 1e-300)
        c = c if fabs(c) > 1e-300 else 1e-300
        value *= d * c
        term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 + term * d
        c = 1.0 + term / c
        d = 1.0 / (d if fabs(d) > 1e-300 else 1e-300)
        c = c if fabs(c) > 1e-300 else 1e-300
        change = d * c
        value *= change
        if fabs(change - 1.0) < precision:
            break
    return value


cdef inline double skew(double t) noexcept nogil:
    """Peizer and Pratt's ``(1 - t^2 + 2 t log t)/(1 - t)^2``."""
    cdef double v = 1.0 - t
    if fabs(v) < 0.02:
        return v / 3.0 + v * v / 6.0 + v * v * v / 10.0 + v * v * v * v / 15.0
    return (1.0 - t * t + 2.0 * t * log(t)) / (v * v) if t > 0.0 else 1.0


cdef inline double large_below(double a, double b, double p) noexcept nogil:
    """The distribution function by a normal deviate; both parameters large.

    Below a hundredth of the mean it is nil, and likewise at the other end: the formula is not made for there.
    """
    cdef double n = a + b - 1.0, q = 1.0 - p, s = b - 0.5, t = a - 0.5, d, z
    if p * (a + b) < 0.01 * a:
        return 0.0
    if q * (a + b) < 0.01 * b:
        return 1.0
    d = b - 1.0 / 3.0 - (n + 1.0 / 3.0) * q + 0.02 * (p / b - q / a + (p - 0.5) / (a + b))
    z = d * sqrt((1.0 + p * skew(s / (n * q)) + q * skew(t / (n * p))) / ((n + 1.0 / 6.0) * p * q))
    return 0.5 * erfc(-z / sqrt(2.0))


cdef inline double below(const Component* c, double x, double log_x, double log_y, double precision,
                         double* density) noexcept nogil:
    """The distribution function at ``0 < x < 1``, and the density; ``log_y`` is the logarithm of ``1 - x``."""
    cdef double power = c.a * log_x + c.b * log_y - c.log_scale, mean = c.a / (c.a + c.b), sd
    density[0] = exp(fmin(power - log_x - log_y, 690.0))
    if c.a > LARGE and c.b > LARGE:
        if c.a + c.b > 1e12:    # the logarithms lose the digits that make the difference
            sd = sqrt(mean * (1.0 - mean) / (c.a + c.b))
            density[0] = exp(-0.5 * ((x - mean) / sd) * ((x - mean) / sd)) / (2.5066282746310002 * sd)
        return large_below(c.a, c.b, x)
    if x < (c.a + 1.0) / (c.a + c.b + 2.0):
        return exp(power) * fraction(c.a, c.b, x, precision) / c.a
    return 1.0 - exp(power) * fraction(c.b, c.a, 1.0 - x, precision) / c.b


cdef inline void match(Component* c) noexcept nogil:
    """The Beta with this mean and variance, both kept where such a Beta exists."""
    cdef double mean = fmin(fmax(c.mean, 1e-100), 1.0 - 1e-16), room = mean * (1.0 - mean), strength
    strength = room / fmin(fmax(c.variance, 1e-20 * room), (1.0 - 1e-9) * room) - 1.0
    c.a, c.b = mean * strength, (1.0 - mean) * strength
    c.log_scale = log_beta(c.a, c.b) if c.a < c.b else log_beta(c.b, c.a)


cdef inline double first_quantile(Component* whole, double chance) noexcept nogil:
    """A guess: the normal deviate on the logit scale of one Beta."""
    cdef double t = sqrt(-2.0 * log(fmin(chance, 1.0 - chance))), z, centre, spread
    z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    z = -z if chance < 0.5 else z
    centre = log(whole.a / whole.b)
    spread = sqrt(1.0 / fmax(whole.a, 0.3) + 1.0 / fmax(whole.b, 0.3))
    return 1.0 / (1.0 + exp(-(centre + z * spread)))
