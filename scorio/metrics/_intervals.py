"""Intervals of a law: normal, of quantiles, of continuous rewards, and of a number of successes."""

import math
from typing import Any

from .._choices import CONTINUOUS, SHAPES
from .._special import betaincinv
from ..errors import ParameterError
from ..inference import (
    LEAST_WIDTH,
    NO_REACH,
    Bounds,
    Interval,
    Level,
    Mixture,
    Prior,
    SkewedT,
    serves_quantiles,
    within,
)
from ..params import choice


def shape_or_default(shape: str | None, prior: Prior, bounds: Bounds) -> str:
    """Return ``shape``; without one, ``"quantile"`` for a learned prior whose bounds serve it, else ``"normal"``."""
    if shape is not None:
        return choice("shape", shape, SHAPES)
    return "quantile" if serves_quantiles(bounds) and prior.is_learned else "normal"


def normal_interval(mu: float, sigma: float, level: Level, bounds: Bounds | None, **about: Any) -> Interval:
    """Return ``mu -+ z sigma``, both ends clipped to ``bounds``, so that the lower never exceeds the upper."""
    deviate = level.critical()
    reach = deviate * sigma if sigma != 0.0 else 0.0
    lo, hi = mu - reach, mu + reach
    if bounds is not None:
        lo, hi = within(bounds, lo), within(bounds, hi)
    return Interval(mu, sigma, lo, hi, confidence=level.confidence, bounds=bounds, **about)


def students_interval(posterior: SkewedT, level: Level, shape: str, bounds: Bounds | None, **about: Any) -> Interval:
    """Return the interval of continuous rewards, both ends clipped to ``bounds``."""
    lo, hi = posterior.ends(level, shape)
    if bounds is not None:
        lo, hi = within(bounds, lo), within(bounds, hi)
    about |= {"shape": shape, "bounds": bounds, "rewards": CONTINUOUS}
    return Interval(posterior.mean, posterior.sd, lo, hi, confidence=level.confidence, **about)


def quantile_interval(
    posterior: Mixture, level: Level, bounds: Bounds, reach: Bounds = NO_REACH, **about: Any
) -> Interval:
    """Return the equal-tailed interval of Beta distributions on ``bounds``, extended to contain the mean.

    It is extended to ``reach`` too: values that the outcomes do not speak against, whatever the posterior says.
    """
    low, high = bounds
    tail = level.tail
    if not math.isfinite(high - low):
        raise ParameterError(f'shape="quantile" needs finite bounds; got {bounds}')
    if 0.0 < high - low < LEAST_WIDTH:
        raise ParameterError(f'shape="quantile" needs bounds at least {LEAST_WIDTH:g} apart; got {bounds}')
    mu = posterior.mean
    lo, hi = posterior.on(low, high).equal_tailed(tail) if high > low and tail > 0.0 else (low, high)
    lo, hi = within(bounds, min(lo, mu, reach[0])), within(bounds, max(hi, mu, reach[1]))
    about |= {"shape": "quantile", "bounds": bounds}
    return Interval(mu, posterior.sd, lo, hi, confidence=level.confidence, **about)


def binomial_interval(
    successes: int, trials: int, level: Level, values: Bounds, pseudo_counts: tuple[float, float], **about: Any
) -> Interval:
    """Return the interval of a mean that is linear in the share of successes: ``values`` are those of shares 0 and 1.

    It is that of one success rate common to all trials, with these ``pseudo_counts``. Rates that differ between
    questions make the number of successes vary less (Hoeffding 1956), so that it is never too narrow for their mean.
    """
    alpha, beta = pseudo_counts[0] + successes, pseudo_counts[1] + trials - successes
    share = alpha / (alpha + beta)
    ends = [
        0.0 if successes == 0 else min(float(betaincinv(alpha, beta, level.tail)), share),
        1.0 if successes == trials else max(1.0 - float(betaincinv(beta, alpha, level.tail)), share),
    ]
    lowest, gain = values[0], values[1] - values[0]
    lo, hi = sorted(lowest + gain * end for end in ends)
    sigma = abs(gain) * math.sqrt(share * (1.0 - share) / (alpha + beta + 1.0))
    about |= {"shape": "binomial", "bounds": (min(values), max(values))}
    return Interval(lowest + gain * share, sigma, lo, hi, confidence=level.confidence, **about)
