"""The paired t test with one more value that could be anything, written out: for differences of tasks."""

from typing import NamedTuple

import numpy as np
from scipy.stats import t

ENOUGH = 20  # values, from which on the ends of what was not seen move in


class OneMore(NamedTuple):
    """A mean, its standard deviation and its degrees of freedom."""

    mean: float
    sd: float
    degrees: float

    def interval(self, confidence=0.95, low=-1.0, high=1.0):
        reach = t.isf((1 - confidence) / 2, self.degrees) * self.sd
        return max(self.mean - reach, low), min(self.mean + reach, high)

    @property
    def p_value(self):
        return 2 * t.sf(abs(self.mean) / self.sd, self.degrees)


def one_more(values, low=-1.0, high=1.0, share=1.0):
    """Half of one more value lies at each end of the support; the p-value is at least that of ``len(values)`` signs."""
    values = np.asarray(values, dtype=float)
    count = len(values)
    middle = (low + high) / 2
    ends = middle + np.array([-0.5, 0.5]) * (high - low) * min(1.0, ENOUGH * share / count)
    weights = np.r_[np.ones(count), share / 2, share / 2]
    everything = np.r_[values, ends]
    total = weights.sum()
    mean = weights @ everything / total
    sd = np.sqrt(weights @ (everything - mean) ** 2 / (total * (total - 1)))
    least = abs(mean) / t.isf(2.0**-count, total - 1)
    return OneMore(mean, max(sd, least) if share == 1.0 else sd, total - 1)
