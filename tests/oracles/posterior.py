"""Moments of a credit under a Beta posterior, to some 500 digits before any cancellation.

For ``g(p) = sum_j x_j C(k,j) p^j (1-p)^(k-j)`` with ``p ~ Beta(a, b)``:

- ``mean(x, a, b)``, ``deviation(x, a, b)``: moments of ``g``, as ``mpmath.mpf``;
- ``moments(x, a, b)``: mean and standard deviation together;
- ``covariance(x, y, a, b)``: of two credits of one budget;
- ``mean_power(a, b, i, j)``: ``E[p^i (1-p)^j]``, for closed forms at budgets out of reach of the above;
- ``relative_error(value, truth)``: as a float, 0 where both are 0, infinite for a value that is not finite;
- the credits ``at_least(k, hits)``, ``above(k, j0)`` (excess: ``(2/k) max(j - j0, 0)``), ``area(k)`` (AUC),
  ``exactly(k, j)``, as tuples of fractions.

A credit is any sequence of ints, fractions or floats (taken for exactly what they are); so are ``a`` and ``b``.
The product of two credits is the exact integer product of two polynomials in ``p/(1-p)``, one big multiplication
(Kronecker substitution), kept for the next state. A state then costs a millisecond at ``k = 20`` and about a tenth
of a second at ``k = 1000``. Nothing here is shared with, or shaped like, the kernels: second moments are raw, of degree
``2k``.
"""

import math
from fractions import Fraction
from functools import lru_cache

import mpmath

PRECISION = 2000  # bits: sd down to 1e-140 needs 930 for the cancellation of E[g^2] - E[g]^2


def mean(x, a, b):
    coefficients, scale = bernstein(tuple(x))
    with mpmath.workprec(PRECISION):
        return expectation(coefficients, a, b) / scale


def moments(x, a, b):
    x = tuple(x)
    coefficients, scale = product(x, x)
    with mpmath.workprec(PRECISION):
        center = mean(x, a, b)
        return center, mpmath.sqrt(abs(expectation(coefficients, a, b) / scale - center**2))


def deviation(x, a, b):
    return moments(x, a, b)[1]


def covariance(x, y, a, b):
    x, y = tuple(x), tuple(y)
    coefficients, scale = product(x, y)
    with mpmath.workprec(PRECISION):
        return expectation(coefficients, a, b) / scale - mean(x, a, b) * mean(y, a, b)


def mean_power(a, b, i, j):
    """``E[p^i (1-p)^j] = (a)_i (b)_j / (a+b)_(i+j)``."""
    with mpmath.workprec(PRECISION):
        a, b = exact(a), exact(b)
        return mpmath.rf(a, i) * mpmath.rf(b, j) / mpmath.rf(a + b, i + j)


def relative_error(value, truth):
    value = float(value)
    if not math.isfinite(value):
        return math.inf
    with mpmath.workprec(PRECISION):
        gap = abs(mpmath.mpf(value) - truth)
        if gap == 0:
            return 0.0
        return float(gap / abs(truth)) if truth else math.inf


def at_least(k, hits):
    return tuple(Fraction(j >= hits) for j in range(k + 1))


def above(k, j0):
    return tuple(Fraction(2 * max(j - j0, 0), k) for j in range(k + 1))


def exactly(k, hits):
    return tuple(Fraction(j == hits) for j in range(k + 1))


@lru_cache(maxsize=8)
def area(k):
    """AUC@k from its definition: trapezoid over ``i`` of P(a success among the first ``i`` of ``k`` draws)."""
    credit = []
    for j in range(k + 1):
        ways = without = math.comb(k, j)
        hits = []
        for left in range(k, 0, -1):
            without = without * (left - j) // left  # C(left - 1, j): all j successes are among the last left - 1
            hits.append(ways - without)
        total = sum(hits) - Fraction(hits[0] + hits[-1], 2) if k > 1 else hits[0]
        credit.append(Fraction(total) / (ways * max(k - 1, 1)))
    return tuple(credit)


def exact(value):
    value = Fraction(value)
    with mpmath.workprec(PRECISION):
        return mpmath.mpf(value.numerator) / value.denominator


@lru_cache(maxsize=64)
def bernstein(x):
    """Integers ``scale * x_j C(k,j)`` and ``scale``."""
    x = [Fraction(value) for value in x]
    scale = math.lcm(*(value.denominator for value in x))
    k = len(x) - 1
    return [int(value * scale) * math.comb(k, j) for j, value in enumerate(x)], scale


@lru_cache(maxsize=64)
def product(x, y):
    """The coefficients of ``g f`` in ``p^r (1-p)^(2k-r)``, ``r = 0..2k``, times a common scale."""
    (left, left_scale), (right, right_scale) = bernstein(x), bernstein(y)
    tops = max(map(abs, left)), max(map(abs, right)), 1
    width = (tops[0] * tops[1] * len(left) + sum(tops)).bit_length() // 8 + 2
    offset = 1 << (8 * width - 1)
    digits = 2 * len(left) - 1
    total = packed(left, width) * packed(right, width) + packed([offset] * digits, width)
    data = total.to_bytes(digits * width + 1, "little")
    pieces = (data[r * width : (r + 1) * width] for r in range(digits))
    return [int.from_bytes(piece, "little") - offset for piece in pieces], left_scale * right_scale


def packed(values, width):
    """``sum_i values_i 2^(8 width i)`` for signed values."""
    up = b"".join(max(value, 0).to_bytes(width, "little") for value in values)
    down = b"".join(max(-value, 0).to_bytes(width, "little") for value in values)
    return int.from_bytes(up, "little") - int.from_bytes(down, "little")


def expectation(coefficients, a, b):
    """``sum_r d_r E[p^r (1-p)^(K-r)]``; call with the working precision set."""
    a, b = exact(a), exact(b)
    degree = len(coefficients) - 1
    weight = mpmath.mpf(1)
    for i in range(degree):
        weight *= (b + i) / (a + b + i)
    total = weight * coefficients[0]
    for r in range(degree):
        weight *= (a + r) / (b + (degree - r - 1))
        total += weight * coefficients[r + 1]
    return total
