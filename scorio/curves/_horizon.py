"""Horizons: the values at which models' curves cross a rate of success, and how they compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Vector
from .._base.exports import ByContent, Exports
from .._base.numbers import chance, is_chance, percent
from .._base.special import block_diag
from .._base.table import Field, Table
from .._base.words import SUBJECT, pluralize, shorten, unknown, warn
from ..errors import BiasWarning, ParameterError
from ..estimates._family import holm
from ..inference._level import Level, Student, satterthwaite
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..params import open_unit
from ._curve import Curve, as_days, as_numbers, curves_of, one_set, value_at

_PLACES = 9  # values at which a curve is compared with a rate
_FEWEST = 3  # models with different dates that a trend needs
_BENT = (
    "the log-odds of success of {model} do not fall, or rise, in a straight line over the values (p {p}), as a logistic"
    " curve does, so its horizons and their intervals may miss where success crosses a rate: look at plot.draw(..), or"
    " keep only the questions whose values are near the horizon"
)


class Side(StrEnum):
    """On which side of the data, or of a rate, something lies; empty where it lies within them, or on both sides."""

    NEITHER = ""
    ABOVE = "above"
    BELOW = "below"
    EITHER = "either side"


@dataclass(frozen=True)
class Horizon:
    """The value at which a model's success crosses ``rate``, with its interval.

    ``value`` is None where the crossing lies beyond the data, and ``beyond`` says on which side: ``"above"`` the
    largest or ``"below"`` the smallest value of a question; ``"either side"`` where the slope cannot be told from 0. An
    end of the interval that lies beyond the data is None. ``extrapolated`` is what the formula of the curve says,
    wherever it lies. ``throughout`` says whether success is shown to be ``"above"`` or ``"below"`` the rate at all
    values, else it is empty: a model that solves everything has no slope, but if its success falls at all as values
    grow, it does so above all of them.
    """

    model: str
    rate: float
    value: float | None
    lo: float | None
    hi: float | None
    beyond: Side
    extrapolated: float | None
    throughout: Side = Side.NEITHER

    def __str__(self) -> str:
        place = f"beyond the data ({self._place()})" if self.beyond else self._place()
        return f"{self.model}, {percent(self.rate)}: {place}, {self._interval()}"

    @property
    def _is_open(self) -> bool:
        """Whether the slope does not tell the side of the crossing, but all of the curve is on one side of the rate."""
        return self.beyond is Side.EITHER and bool(self.throughout)

    def _place(self) -> str:
        """Return where the crossing is: a value, or a side of the data."""
        return f"{self.throughout} if falling" if self._is_open else self.beyond or _text(self.value)

    def _interval(self) -> str:
        if self._is_open:
            return f"success is {self.throughout} {percent(self.rate)} at all values"
        if self.lo is None and self.hi is None:
            return "the interval reaches beyond the data on both sides"
        if self.lo is None or self.hi is None:
            return f"below {_text(self.hi)}" if self.lo is None else f"above {_text(self.lo)}"
        return f"{_text(self.lo)} to {_text(self.hi)}"


@dataclass(frozen=True)
class HorizonRatio:
    """How many times as far the first model's horizon is, with its interval.

    ``lo`` and ``hi`` are None where the data do not tell. ``winner`` is the model of the farther horizon if the
    interval excludes that both are the same.
    """

    first: str
    second: str
    rate: float
    value: float | None
    lo: float | None = None
    hi: float | None = None
    p_value: float | None = None
    winner: str | None = None


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if abs(value) < 1000.0 else f"{value:.0f}"


def _ends(lo: float, hi: float) -> str:
    return f"[{_text(lo)}, {_text(hi)}]"


_COMPARED = (
    Field("first", of="first"),
    Field("second", of="second"),
    Field("ratio", True, "value", _text),
    Field("interval", of="lo hi", form=_ends, missing="not told"),
    Field("p", True, "p_value", chance),
)


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


@dataclass(frozen=True, eq=False)
class Horizons(ByContent):
    """The horizons of models at some rates of success; prints as a table.

    ``curves`` has the curve of each model, which crosses those rates. Differences are paired by question.
    """

    metric: str
    target: str
    confidence: float
    fit: str
    rates: tuple[float, ...]
    horizons: tuple[Horizon, ...]
    curves: Mapping[str, Curve] = field(repr=False)
    _lists: ClassVar = ("horizons",)
    _columns: ClassVar = (
        Field("model", of="model"),
        Field("success", of="rate", form=percent),
        Field("horizon", True, form=Horizon._place),
        Field("interval", form=Horizon._interval),
    )

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in order."""
        return tuple(self.curves)

    @property
    def extent(self) -> tuple[float, float]:
        """The smallest and the largest value of a question."""
        ends = np.array([curve.extent for curve in self.curves.values()])
        return float(ends[:, 0].min()), float(ends[:, 1].max())

    def of(self, model: str, at: float | None = None) -> Horizon:
        """Return the horizon of a model at a rate; by default the first rate."""
        rate = self._rate(at)
        for horizon in self.horizons:
            if (horizon.model, horizon.rate) == (model, rate):
                return horizon
        raise KeyError(unknown("model", model, self.models))

    def _rate(self, at: float | None) -> float:
        rate = self.rates[0] if at is None else at
        if rate not in self.rates:
            rates = ", ".join(f"{known_rate:g}" for known_rate in self.rates)
            raise ParameterError(f"must be one of the rates {rates}; got {rate!r}", argument="at")
        return rate

    def ratio(self, first: str, second: str, at: float | None = None) -> HorizonRatio:
        """Compare the horizons of two models at a rate, by default the first: their ratio, paired by question."""
        rate = self._rate(at)
        pair, about = [self.of(name, rate) for name in (first, second)], (first, second, rate)
        if any(one.value is None for one in pair):
            return HorizonRatio(*about, None)
        law = self._difference(first, second, rate)
        reach = law.reach(Level(self.confidence))
        value, lo, hi = (value_at(law.value + moved) for moved in (0.0, -reach, reach))
        if any(one.lo is None and one.hi is None for one in pair):
            return HorizonRatio(*about, value)
        ahead = first if law.value > 0.0 else second
        return HorizonRatio(*about, value, lo, hi, law.p_value, ahead if abs(law.value) > reach else None)

    def _difference(self, first: str, second: str, rate: float) -> Student:
        """Return the difference of the logarithms.

        Independent errors add up their degrees. Errors that clusters share do not: a paired difference has as many as
        each horizon, the mean where they differ. With the sum, 95% intervals of 8 tasks covered .91 in the worst cell.
        """
        parts, sizes = self.errors([first, second], rate)
        variances = (parts**2).sum(axis=1)
        is_paired = bool(((parts[0] != 0.0) & (parts[1] != 0.0)).any())
        degrees = float(variances @ sizes / variances.sum())
        if not is_paired:
            degrees = satterthwaite(variances, sizes)[1]
        one, other = (self.curves[name].line.place_of(rate) for name in (first, second))
        return Student(one - other, float(np.linalg.norm(parts[0] - parts[1])), degrees)

    def errors(self, models: Sequence[str], at: float | None = None) -> tuple[Vector, Vector]:
        """Return what clusters of questions contribute to the errors of horizons, and degrees of freedom by model.

        There is a row per model and a column per cluster; the covariance of the logarithms of horizons is the
        product of their rows. The trials of two models have nothing in common, so with ``target="questions"`` no
        column is shared.
        """
        rows, degrees = [], []
        for curve in map(self.curves.__getitem__, models):
            contrast = np.array([1.0, curve.line.place_of(self._rate(at))])
            rows.append(curve.error.influence @ contrast / -curve.slope)  # to first order
            degrees.append(curve.error.degrees(contrast))
        if self.target != "population":
            return block_diag(*rows), np.array(degrees)
        size = max(map(len, rows))  # fewer are those of a model without trials of the last clusters
        return np.array([np.pad(row, (0, size - len(row))) for row in rows]), np.array(degrees)

    def trend(self, dates: Mapping[str, Any], at: float | None = None) -> Trend:
        """Return how horizons grow with the models' dates, with the doubling time.

        ``dates`` maps models to dates, texts such as ``"2025-02-24"``, or numbers; models without one are left out, and
        so are those whose horizon lies beyond the data. The logarithms of horizons are regressed on them. Models
        scatter around the trend, by what residuals show beyond the errors of horizons, which tasks have in common.
        """
        rate = self._rate(at)
        for name in dates:
            if name not in self.curves:
                raise ParameterError(unknown("model", name, self.models), argument="dates")
        inside = tuple(name for name in self.models if name in dates and self.of(name, rate).value is not None)
        when = as_numbers([dates[name] for name in inside], "dates")
        if len(np.unique(when)) < _FEWEST:
            problem = f"must be {_FEWEST} of models with a horizon within the data; got {len(np.unique(when))}"
            raise ParameterError(problem, argument="dates")
        centered, count = when - when.mean(), len(when)
        share = centered / (centered @ centered)  # the slope is share @ logs
        logs = np.array([self.curves[name].line.place_of(rate) for name in inside])
        slope = float(share @ logs)
        residual = logs - logs.mean() - slope * centered
        errors, degrees = self.errors(inside, rate)
        left = np.eye(count) - 1.0 / count - np.outer(centered, share)  # of values, in their residuals
        expected = float(np.trace(left @ errors @ errors.T))
        scatter = max(float(residual @ residual) - expected, 0.0) / (count - 2)
        variances = [float(((share @ errors) ** 2).sum()), scatter * float(share @ share)]  # of tasks, of models
        variance, freedom = satterthwaite(variances, [float(degrees.min()), count - 2.0])
        reach = Student(slope, variance**0.5, freedom).reach(Level(self.confidence))
        lo, hi = slope - reach, slope + reach
        time, fastest, slowest = (1.0 / growth if growth > 0.0 else None for growth in (slope, hi, lo))
        unit = " days" if any(as_days(dates[name]) is not None for name in inside) else ""
        left_out = tuple(name for name in self.models if name not in inside)
        about = (time, fastest, slowest, scatter**0.5, unit, left_out)
        return Trend(rate, inside, self.confidence, slope, lo, hi, *about)

    def _notes(self) -> list[str]:
        low, high = self.extent
        notes = [f"{percent(self.confidence)} intervals, {SUBJECT[self.target]}"]
        notes += [f"nothing is said beyond the values of the questions, {_text(low)} to {_text(high)}"]
        return notes if self.fit == "logistic" else [*notes, f"fit: {self.fit}"]

    @property
    def as_title(self) -> str:
        rates = ", ".join(map(percent, self.rates))
        return f"horizons of {self.metric} at {rates}: {pluralize(len(self.curves), 'model')}"

    def comparisons(self, at: float | None = None) -> Table:
        """Return the ratios of every two models' horizons as a table."""
        ratios = [self.ratio(a, b, at) for a, b in combinations(self.models, 2)]
        corrected = iter(holm([ratio.p_value for ratio in ratios if ratio.p_value is not None]))
        rows = [ratio if ratio.p_value is None else replace(ratio, p_value=next(corrected)) for ratio in ratios]
        note = "paired by question; each interval holds alone; p: corrected by Holm's method"
        return Table.of(f"ratios of horizons at {percent(self._rate(at))}", _COMPARED, rows, [note])


def horizon(
    metric: str | Metric,
    outcomes: Any,
    values: Any,
    *,
    at: float | Sequence[float] = (0.5, 0.8),
    target: str = "questions",
    fit: str = "logistic",
    confidence: float = 0.95,
) -> Horizons:
    """Return the values at which models' success crosses 50% and 80%, such as METR's time horizons.

    ``values`` has a value per question: a mapping from the labels of questions, a sequence, or the name of a number
    that logs were read with, as in ``read(.., keep="human_minutes")``. Success follows a logistic curve in the
    logarithm of the value; ``curves`` of the result has them by model.

    The curve is the one that is closest to the success rates of these questions, or with ``target="population"`` to
    those of questions like these; its intervals then count what questions and their clusters, such as families of
    tasks, differ in. Questions have equal weights. ``fit="metr"`` is that of METR's time horizons: the ``n`` questions
    of a cluster weigh ``1 / sqrt(n)`` each, and the slope has a ridge.

    ``at`` are the rates of success. A horizon is where the average success of questions of that value is the rate. Its
    interval holds the values at which the likelihood does not reject that rate, and claims nothing beyond the smallest
    and the largest value of a question.

    >>> from scorio import OutcomeSet
    >>> rows = [[1] * solved + [0] * (8 - solved) for solved in (8, 8, 7, 8, 6, 7, 5, 6, 3, 4, 2, 1, 2, 0, 1, 0)]
    >>> print(horizon("pass@1", OutcomeSet({"m": rows}), [2.0**i for i in range(16)], at=0.5).of("m"))
    m, 50%: 260, 115 to 604
    """
    rates = tuple(open_unit("at", rate) for rate in ([at] if isinstance(at, (int, float)) else at))
    if not rates:
        raise ParameterError("needs at least one rate of success", argument="at")
    chosen = as_metric(metric)
    curves = curves_of(chosen, one_set(outcomes), values, target, fit, confidence)
    horizons = tuple(_horizon(curve, rate) for curve in curves.values() for rate in rates)
    bends = {name: curve.line.chance_of_bend() for name, curve in curves.items()}
    model = min(bends, key=bends.__getitem__)
    if bends[model] < (1.0 - confidence) / len(curves):  # one error is shared by all models
        warn(_BENT.format(model=model, p=is_chance(bends[model])), BiasWarning)
    return Horizons(str(chosen), target, confidence, fit, rates, horizons, curves)


def _horizon(curve: Curve, rate: float) -> Horizon:
    beyond = throughout = Side.NEITHER
    x, *ends = curve.line.crossing(curve.error, rate, Level(curve.confidence))
    if not math.isfinite(x):
        places = curve.heights(curve.spread(_PLACES))
        if all(point.lo > rate for point in places):
            throughout = Side.ABOVE
        elif all(point.hi < rate for point in places):
            throughout = Side.BELOW
        beyond = Side.ABOVE if x > 0.0 else Side.BELOW
        if not any(map(math.isfinite, ends)):
            beyond = Side.EITHER  # the slope cannot be told from 0
    value, lo, hi, raw = (value_at(place) for place in (x, *ends, curve.line.place_of(rate)))
    return Horizon(curve.model, rate, value, lo, hi, beyond, raw, throughout)
