"""The successes of a question from G-Pass at several thresholds, as lighteval stores it.

G-Pass@K at threshold T of a question with c successes in n samples is the probability that at least
max(ceil(K T), 1) of K samples, drawn without replacement, succeed: the upper tail of a hypergeometric law. It is a sum
of at most K + 1 integers divided by an integer, so nothing overflows; the n + 1 tails per value are computed once.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from ...errors import OutcomeError

G_PASS = re.compile(r"(?:.*[_\-/ ])?g-pass@(?P<k>\d+)(?::[^_]*)?_(?P<threshold>\d*\.?\d+)(?::.*)?")
_NEAR = 1e-9  # values may differ by this, for rounding


def successes_of_g_pass(values: Mapping[str, float], n: int) -> int:
    """Return the number of successes in ``n`` samples for which G-Pass has these values, by name.

    >>> successes_of_g_pass({"g-pass@4_0.5": 53 / 70, "g-pass@4_1.0": 1 / 70}, 8)
    4
    """
    matches = [(G_PASS.fullmatch(name), value) for name, value in values.items()]
    told = [(int(match["k"]), float(match["threshold"]), value) for match, value in matches if match]
    fitting = [c for c in range(n + 1) if all(abs(_tail(n, c, *law) - value) < _NEAR for *law, value in told)]
    if not fitting:
        raise OutcomeError(f"no number of successes of {n} samples gives the values of {', '.join(values)}")
    if len(fitting) > 1:
        counts = " or ".join(map(str, fitting))
        raise OutcomeError(f"{', '.join(values)} do not determine the successes of {n} samples: {counts}")
    return fitting[0]


@lru_cache(1 << 12)
def _tail(n: int, c: int, k: int, threshold: float) -> float:
    """Return the probability that at least max(ceil(k threshold), 1) of k samples succeed."""
    if k > n:
        raise OutcomeError(f"G-Pass@{k} needs {k} samples, but there are {n}")
    least = max(math.ceil(k * threshold), 1)
    ways = sum(math.comb(c, j) * math.comb(n - c, k - j) for j in range(least, k + 1))
    return ways / math.comb(n, k)
