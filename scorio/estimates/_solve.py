"""The ends of a ratio: where the interval of ``a - c b``, which falls with ``c``, begins and ceases to include 0."""

import math
from collections.abc import Callable

from ._difference_law import DifferenceLaw

_LARGEST = 1e6  # a solution further away counts as unbounded
_STEPS = 60  # of the bisection


def ends_of_ratio(difference: Callable[[float], DifferenceLaw], start: float) -> tuple[float, float]:
    """Return the ends of a ratio (Fieller 1954), from the law of the difference ``a - c b`` for any ``c``.

    >>> lo, hi = ends_of_ratio(lambda c: DifferenceLaw(2.0 - c, 0.5, 1.0, 0.4, 0.025), 0.5)
    >>> round(lo, 9), round(hi, 9)
    (1.5, 3.0)
    """
    lo = _where_it_falls_to_zero(lambda c: difference(c).lo, start)
    return lo, _where_it_falls_to_zero(lambda c: difference(c).hi, start)


def _where_it_falls_to_zero(of: Callable[[float], float], start: float) -> float:
    """Return the largest number at which a falling function is still positive: infinite if there is no end."""
    step = max(abs(start), 1.0)
    low, high = (start, start + step) if of(start) > 0.0 else (start - step, start)
    while of(high) > 0.0:
        low, high = high, high + 2.0 * (high - low)
        if high > _LARGEST:
            return math.inf
    while not of(low) > 0.0:
        low, high = low - 2.0 * (high - low), low
        if low < -_LARGEST:
            return -math.inf
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if of(middle) > 0.0 else (low, middle)
    return (low + high) / 2.0
