"""The trend of horizons over the dates of models, and the time in which they double.

``log2`` of the horizons is regressed on the dates. Its errors are of two kinds: models scatter around the trend, and
horizons are estimated from the same tasks, so their errors have a covariance that is known. The variance of the scatter
is what the residuals show beyond it. The doubling time is the reciprocal of the slope; where the slope may be 0, it has
no upper end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Vector
from .._display.exports import Exports
from .._display.numbers import percent
from .._display.words import pluralize, shorten
from ..errors import ParameterError
from ..inference import Level, Student, satterthwaite
from ._values import as_days, as_numbers

_FEWEST = 3  # models with different dates


@dataclass(frozen=True)
class Trend(Exports):
    """How horizons grow with the dates of models.

    ``doublings`` per unit of the dates (days, where they are dates) have the interval ``lo`` to ``hi``;
    ``doubling_time`` has the interval ``fastest`` to ``slowest``, and ``slowest`` is None where horizons may not grow
    at all. ``scatter`` is the standard deviation of models around the trend, in doublings. ``left_out`` are models
    without a date, or whose horizon lies beyond the data: of all models, it may be the weakest and the strongest that
    are missing.
    """

    rate: float
    models: tuple[str, ...]
    confidence: float
    doublings: float
    lo: float
    hi: float
    doubling_time: float | None
    fastest: float | None
    slowest: float | None
    scatter: float
    unit: str
    left_out: tuple[str, ...]

    def __str__(self) -> str:
        about = f"{pluralize(len(self.models), 'model')}, {percent(self.confidence)} interval"
        if self.doubling_time is None:
            text = "horizons do not grow"
        else:
            text = f"horizons at {percent(self.rate)} double every {self.doubling_time:.3g}{self.unit}"
        if self.fastest is None:
            ends = "no growth is told"
        elif self.slowest is None:
            ends = f"at least {self.fastest:.3g}{self.unit}, without an upper end: they may not grow at all"
        else:
            ends = f"{self.fastest:.3g} to {self.slowest:.3g}{self.unit}"
        missing = f"; left out, without a date or beyond the data: {shorten(self.left_out)}" if self.left_out else ""
        return f"{text} ({ends}; {about}){missing}"


def trend_of(
    dates: Mapping[str, Any],
    logs: Vector,
    errors: Vector,
    degrees: Vector,
    confidence: float,
    rate: float,
    left_out: tuple[str, ...] = (),
) -> Trend:
    """Return the trend of ``logs``, whose errors have the covariance ``errors @ errors.T``.

    >>> logs = np.array([1.0, 2.1, 2.9, 4.0])
    >>> str(trend_of({"a": 0, "b": 1, "c": 2, "d": 3}, logs, 0.01 * np.eye(4), np.full(4, 50.0), 0.95, 0.5))
    'horizons at 50% double every 1.02 (0.863 to 1.25; 4 models, 95% interval)'
    """
    when = as_numbers(list(dates.values()), "dates")
    unit = " days" if any(as_days(date) is not None for date in dates.values()) else ""
    if len(np.unique(when)) < _FEWEST:
        problem = f"must be {_FEWEST} of models with a horizon within the data; got {len(np.unique(when))}"
        raise ParameterError(problem, argument="dates")
    centered = when - when.mean()
    share = centered / (centered @ centered)  # the slope is share @ logs
    slope = float(share @ logs)
    residual = logs - logs.mean() - slope * centered
    count = len(when)
    hat = np.full((count, count), 1.0 / count) + np.outer(centered, share)
    covariance = errors @ errors.T
    left = float(np.trace((np.eye(count) - hat) @ covariance))
    scatter = max(float(residual @ residual) - left, 0.0) / (count - 2)
    of_tasks = float(((share @ errors) ** 2).sum()), float(np.min(degrees))
    of_models = scatter * float(share @ share), count - 2.0
    variance, freedom = satterthwaite(*zip(of_tasks, of_models, strict=True))
    reach = Student(slope, variance**0.5, freedom).reach(Level(confidence))
    lo, hi = slope - reach, slope + reach
    time, fastest, slowest = (
        1.0 / rate_of_growth if rate_of_growth > 0.0 else None for rate_of_growth in (slope, hi, lo)
    )
    about = (time, fastest, slowest, scatter**0.5, unit, left_out)
    return Trend(rate, tuple(dates), confidence, slope, lo, hi, *about)
