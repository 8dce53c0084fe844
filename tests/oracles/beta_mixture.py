"""Moments and quantiles of a mixture of Beta distributions known by mean and variance, by bisection."""

import numpy as np
from scipy.special import betainc, ndtr

NARROW = 1e6  # Beta parameters from which betainc loses digits and the normal distribution is exact enough


def moments(parts):
    """Mean and standard deviation of a mixture."""
    weight, mean, variance = parts
    centre = weight @ mean
    return centre, np.sqrt(weight @ (variance + (mean - centre) ** 2))


def quantiles(parts, chances=(0.025, 0.975), low=0.0, high=1.0, groups=4000):
    """Quantiles of the mixture of matched Betas, by bisection; neighbors by mean and like variance are joined first.

    A mixture in the upper half is mirrored: close to 1, the distribution function has too few digits.
    """
    weight, mean, variance = parts
    if weight @ mean > (low + high) / 2:
        turned = (weight, low + high - mean, variance)
        mirrored = quantiles(turned, [1 - chance for chance in chances], low, high, groups)
        return [low + high - x for x in mirrored]
    whole = moments(parts)[1]
    width = np.round(2.0 * np.log10(np.maximum(variance / whole**2, 1e-8)))
    order = np.lexsort((mean, width))
    weight, mean, variance = weight[order], mean[order], variance[order]
    place = 0.5 * np.cumsum(weight) + 0.5 * np.arange(1, len(weight) + 1) / len(weight)
    at = np.minimum(place * groups, groups - 1).astype(int)
    total = np.bincount(at, weight, groups)
    used = total > 0
    centre = np.bincount(at, weight * mean, groups)[used] / total[used]
    square = np.bincount(at, weight * (variance + mean**2), groups)[used] / total[used]
    weight = total[used]
    e = np.clip((centre - low) / (high - low), 1e-100, 1 - 1e-15)
    room = e * (1 - e)
    v = np.clip((square - centre**2) / (high - low) ** 2, 1e-13 * room, room * (1 - 1e-9))
    strength = room / v - 1
    a, b = e * strength, (1 - e) * strength
    narrow = np.minimum(a, b) > NARROW

    def below(x):
        out = ndtr((x - e) / np.sqrt(v))
        out[~narrow] = betainc(a[~narrow], b[~narrow], x)
        return out

    found = []
    for chance in chances:
        lo, hi = 0.0, 1.0
        for _ in range(200):
            middle = (lo + hi) / 2 if lo > 1e-3 * hi else hi / 10
            lo, hi = (middle, hi) if weight @ below(middle) < chance else (lo, middle)
            if hi - lo < 1e-13 or hi < 1e-290:
                break
        found.append(low + (high - low) * hi)
    return found


def matched_beta(mean, variance):
    """Parameters of the Beta with this mean and variance, both kept where such a Beta exists."""
    mean = np.clip(mean, 1e-100, 1.0 - 1e-16)
    room = mean * (1.0 - mean)
    strength = room / np.clip(variance, 1e-12 * room, (1.0 - 1e-9) * room) - 1.0
    return mean * strength, (1.0 - mean) * strength
