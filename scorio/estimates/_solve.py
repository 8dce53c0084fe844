"""Where a falling function of a limit crosses zero: the ends of ratios."""

import math
from collections.abc import Callable

_LARGEST = 1e6  # a solution further away counts as unbounded
_STEPS = 60  # of the bisection


def where_it_falls_to_zero(of: Callable[[float], float], start: float) -> float:
    """Return the largest number at which a falling function is still positive: infinite if there is no end.

    >>> round(where_it_falls_to_zero(lambda c: 2.0 - c, 0.5), 9)
    2.0
    """
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
