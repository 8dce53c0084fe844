"""Horizons: the values at which models' curves cross a rate of success, and how they compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from .._arrays import Vector
from .._choices import DIFFERENCE
from .._display.exports import ByContent
from .._display.numbers import chance, is_chance, percent
from .._display.table import Field, Table
from .._display.words import SUBJECT, pluralize, unknown, warn
from .._special import stdtr
from ..comparison import holm
from ..errors import BiasWarning, ParameterError
from ..inference import Level
from ..metrics import Metric
from ..params import open_unit
from ._crossing import Crossing, crossing, log_influence
from ._curve import Curve, Curves, curve_over, spread
from ._steps import Steps
from ._trend import Trend, trend_of
from ._values import LOG

_PLACES = 9  # values at which a curve is compared with a rate
_FINE = 65  # values at which the monotone curve is compared with a rate
_BENT = (
    "the log-odds of success of {model} do not fall, or rise, in a straight line over the values (p {p}), as a logistic"
    " curve does, so its horizons and their intervals may miss where success crosses a rate. The monotone curve, which"
    " needs no formula, {crossed}: report that, or keep only the questions whose values are near the horizon"
)
_LARGEST = 1023.0  # doublings, of which a double holds the power


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
    beyond: str
    extrapolated: float | None
    throughout: str = ""

    def __str__(self) -> str:
        return f"{self.model}, {percent(self.rate)}: {self.text}"

    @property
    def text(self) -> str:
        """The horizon with its interval in words."""
        if self.beyond:
            if self.beyond == "either side":
                return f"beyond the data, {self._side()}"
            known = "" if self.lo is None and self.hi is None else f"; {self._interval()}"
            return f"beyond the data, {self.beyond} all values{known}"
        return f"{_text(self.value)}, {self._interval()}"

    @property
    def _head(self) -> str:
        is_above = self.beyond == "either side" and self.throughout
        return f"{self.throughout} if falling" if is_above else self.beyond or _text(self.value)

    def _side(self) -> str:
        """Say on which side a crossing is that the slope does not tell."""
        if not self.throughout:
            return "on a side that is not told"
        at_all = f"success is {self.throughout} {percent(self.rate)} at all of them"
        return f"{self.throughout} all values if success falls with them: {at_all}"

    def _interval(self) -> str:
        if self.throughout and self.beyond == "either side":
            return f"success is {self.throughout} {percent(self.rate)} at all values"
        if self.lo is None and self.hi is None:
            return "the interval reaches beyond the data on both sides"
        if self.hi is None:
            return f"above {_text(self.lo)}"
        return f"below {_text(self.hi)}" if self.lo is None else f"{_text(self.lo)} to {_text(self.hi)}"


@dataclass(frozen=True)
class HorizonRatio:
    """How many times as far the first model's horizon is, or on a linear scale, how much farther; with its interval.

    ``lo`` and ``hi`` are None where the data do not tell. ``winner`` is the model of the farther horizon if the
    interval excludes that both are the same.
    """

    first: str
    second: str
    rate: float
    kind: str
    value: float | None
    lo: float | None
    hi: float | None
    p_value: float | None
    winner: str | None


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if abs(value) < 1000.0 else f"{value:.0f}"


_COMPARED = (
    Field("first", of="first"),
    Field("second", of="second"),
    Field("{0.kind}", True, "value", _text),
    Field(
        "interval", of="lo hi", form=lambda lo, hi: "not told" if None in (lo, hi) else f"[{_text(lo)}, {_text(hi)}]"
    ),
    Field("p", True, "p_value", chance, missing="-"),
)


@dataclass(frozen=True, eq=False)
class Horizons(ByContent):
    """The horizons of models at some rates of success; prints as a table.

    ``curves`` are the curves that cross those rates. Differences between models are paired by question.
    """

    curves: Curves = field(repr=False)
    rates: tuple[float, ...]
    horizons: tuple[Horizon, ...]
    _crossings: Mapping[tuple[str, float], Crossing] = field(repr=False)
    _lists: ClassVar = ("horizons",)
    _columns: ClassVar = (
        Field("model", of="model"),
        Field("success", of="rate", form=percent),
        Field("horizon", True, form=lambda each: each._head),
        Field("interval", form=Horizon._interval),
    )

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in order."""
        return tuple(self.curves)

    def of(self, model: str, at: float | None = None) -> Horizon:
        """Return the horizon of a model at a rate; by default the first rate."""
        rate = self._rate(at)
        for each in self.horizons:
            if (each.model, each.rate) == (model, rate):
                return each
        raise KeyError(unknown("model", model, self.models))

    def _rate(self, at: float | None) -> float:
        rate = self.rates[0] if at is None else at
        if rate not in self.rates:
            known = ", ".join(f"{each:g}" for each in self.rates)
            raise ParameterError(f"must be one of the rates {known}; got {rate!r}", argument="at")
        return rate

    def ratio(self, first: str, second: str, at: float | None = None) -> HorizonRatio:
        """Compare the horizons of two models at a rate, by default the first: their ratio, paired by question."""
        rate = self._rate(at)
        own = [self.of(name, rate) for name in (first, second)]
        kind = "ratio" if self.curves.scale == LOG else DIFFERENCE
        if any(each.value is None for each in own):
            return HorizonRatio(first, second, rate, kind, None, None, None, None, None)
        difference, sd, degrees = self._difference(first, second, rate)
        reach = Level(self.curves.confidence).critical(degrees) * sd
        p = 2.0 * float(stdtr(degrees, -abs(difference) / sd)) if sd > 0.0 else float(difference == 0.0)
        value, lo, hi = (self._unscaled(each) for each in (difference, difference - reach, difference + reach))
        told = all(each.lo is not None or each.hi is not None for each in own)
        winner = (first if difference > 0.0 else second) if told and abs(difference) > reach else None
        if not told:
            return HorizonRatio(first, second, rate, kind, value, None, None, None, None)
        return HorizonRatio(first, second, rate, kind, value, lo, hi, p, winner)

    def _unscaled(self, x: float) -> float:
        return 2.0 ** min(x, _LARGEST) if self.curves.scale == LOG else x

    def _difference(self, first: str, second: str, rate: float) -> tuple[float, float, float]:
        """Return the difference on the scale of the curves, its standard error and degrees of freedom.

        Independent errors add up their degrees. Errors that clusters share do not: a paired difference has as many as
        each horizon, the mean where they differ. With the sum, 95% intervals of 8 tasks covered .91 in the worst cell.
        """
        crossings = [self._crossings[name, rate] for name in (first, second)]
        parts, sizes = self.errors([first, second], rate)
        total = parts[0] - parts[1]
        variance = float(total @ total)
        own = (parts**2).sum(axis=1)
        is_paired = bool(((parts[0] != 0.0) & (parts[1] != 0.0)).any())
        degrees = float(own @ sizes / own.sum() if is_paired else own.sum() ** 2 / (own**2 / sizes).sum())
        return crossings[0].raw - crossings[1].raw, math.sqrt(variance), degrees

    def errors(self, models: Sequence[str], at: float | None = None) -> tuple[Vector, Vector]:
        """Return what clusters of questions contribute to the errors of horizons, and degrees of freedom by model.

        There is a row per model and a column per cluster; the covariance of horizons on the scale of the curves is the
        product of their rows. The trials of two models have nothing in common, so with ``target="questions"`` no
        column is shared.
        """
        rate, shared = self._rate(at), self.curves.target == "population"
        rows: list[dict[Any, float]] = []
        for name in models:
            fit = self.curves[name]._fit
            own = log_influence(fit, self._crossings[name, rate].raw)
            keys = fit.clusters.tolist() if shared else [(name, i) for i in range(len(own))]
            rows.append(dict(zip(keys, own.tolist(), strict=True)))
        columns = {key: i for i, key in enumerate(dict.fromkeys(key for row in rows for key in row))}
        parts = np.zeros((len(rows), len(columns)))
        for i, row in enumerate(rows):
            parts[i, [columns[key] for key in row]] = list(row.values())
        return parts, np.array([self._crossings[name, rate].degrees for name in models])

    def trend(self, dates: Mapping[str, Any], at: float | None = None) -> Trend:
        """Return how horizons grow with the models' dates, with the doubling time.

        ``dates`` maps models to dates, texts such as ``"2025-02-24"``, or numbers; models without one are left out, and
        so are those whose horizon lies beyond the data.
        """
        rate = self._rate(at)
        if self.curves.scale != LOG:
            raise ParameterError(
                "a doubling time needs horizons on a logarithmic scale", hint='leave out scale="linear"'
            )
        unknown_names = [name for name in dates if name not in self.curves]
        if unknown_names:
            raise ParameterError(unknown("model", unknown_names[0], self.models), argument="dates")
        inside = [name for name in self.models if name in dates and self.of(name, rate).value is not None]
        left_out = tuple(name for name in self.models if name not in inside)
        parts, degrees = self.errors(inside, rate) if inside else (np.zeros((0, 0)), np.zeros(0))
        found = np.array([self._crossings[name, rate].raw for name in inside])
        about = (self.curves.confidence, rate, left_out)
        return trend_of({name: dates[name] for name in inside}, found, parts, degrees, *about)

    def _notes(self) -> list[str]:
        low, high = self.curves.extent
        notes = [f"{percent(self.curves.confidence)} intervals, {SUBJECT[self.curves.target]}"]
        notes += [f"nothing is said beyond the values of the questions, {_text(low)} to {_text(high)}"]
        return notes if self.curves.fit == "logistic" else [*notes, f"fit: {self.curves.fit}"]

    @property
    def _title(self) -> str:
        rates = ", ".join(map(percent, self.rates))
        return f"horizons of {self.curves.metric} at {rates}: {pluralize(len(self.curves), 'model')}"

    def comparisons(self, at: float | None = None) -> Table:
        """Return the ratios of every two models' horizons as a table."""
        found = [self.ratio(a, b, at) for a, b in combinations(self.models, 2)]
        corrected = iter(holm([each.p_value for each in found if each.p_value is not None]))
        rows = [each if each.p_value is None else replace(each, p_value=next(corrected)) for each in found]
        kind = "ratio" if self.curves.scale == LOG else DIFFERENCE
        note = "paired by question; each interval holds alone; p: corrected by Holm's method"
        title = f"{kind}s of horizons at {percent(self._rate(at))}"
        return Table.of(title, _COMPARED, rows, [note], about=SimpleNamespace(kind=kind))

    def to_dict(self) -> dict[str, Any]:
        """Return horizons and parameters, ready for JSON."""
        about = {name: getattr(self.curves, name) for name in ("metric", "target", "confidence", "scale", "fit")}
        return about | {"rates": list(self.rates), "horizons": self._records()}


def horizon(
    metric: str | Metric,
    outcomes: Any,
    values: Any,
    *,
    at: float | Sequence[float] = (0.5, 0.8),
    target: str = "questions",
    weights: Any = None,
    scale: str = LOG,
    fit: str = "logistic",
    confidence: float = 0.95,
) -> Horizons:
    """Return the values at which models' success crosses 50% and 80%, such as METR's time horizons.

    The arguments are those of ``curve_over``; ``at`` are the rates of success. A horizon is where the average success
    of questions of that value is the rate. Its interval holds the values at which the likelihood does not reject that
    rate, and claims nothing beyond the smallest and the largest value of a question.

    >>> from scorio import OutcomeSet
    >>> rows = [[1] * solved + [0] * (8 - solved) for solved in (8, 8, 7, 8, 6, 7, 5, 6, 3, 4, 2, 1, 2, 0, 1, 0)]
    >>> print(horizon("pass@1", OutcomeSet({"m": rows}), [2.0**i for i in range(16)], at=0.5).of("m"))
    m, 50%: 260, 115 to 604
    """
    rates = tuple(open_unit("at", each) for each in ([at] if isinstance(at, (int, float)) else at))
    if not rates:
        raise ParameterError("needs at least one rate of success", argument="at")
    curves = curve_over(
        metric, outcomes, values, target=target, weights=weights, scale=scale, fit=fit, confidence=confidence
    )
    if isinstance(curves, Steps):
        raise ParameterError("are names of categories, which have no order to cross", argument="values")
    crossings = {(name, rate): _crossing(each, rate) for name, each in curves.items() for rate in rates}
    found = tuple(_horizon(curves, *key, each) for key, each in crossings.items())
    _warn_of_bends(curves, rates[0])
    return Horizons(curves, rates, found, crossings)


def _warn_of_bends(curves: Curves, rate: float) -> None:
    """Issue a BiasWarning where the curve of a model is not logistic; one error is shared by all models."""
    found = {name: each._chance_of_bend for name, each in curves.items()}
    model = min(found, key=found.__getitem__)
    if found[model] >= (1.0 - curves.confidence) / len(curves):
        return
    points = curves[model].points(spread(curves[model].extent, _FINE, curves.scale))
    inside = [_text(each.value) for each in points if each.monotone_lo <= rate <= each.monotone_hi]
    crossed = f"crosses {percent(rate)} between {inside[0]} and {inside[-1]}" if inside else f"is never {percent(rate)}"
    warn(_BENT.format(model=model, p=is_chance(found[model]), crossed=crossed), BiasWarning)


def _crossing(curve: Curve, rate: float) -> Crossing:
    x = curve._x
    if curve.rates.min() == curve.rates.max() and curve.rates.min() in (0.0, 1.0):  # no slope, whatever the fit says
        return Crossing(math.inf, -math.inf, math.inf, math.nan, 1.0)
    return crossing(curve._fit, curve._profile, rate, Level(curve.confidence), (float(x.min()), float(x.max())))


def _horizon(curves: Curves, model: str, rate: float, found: Crossing) -> Horizon:
    def unscaled(x: float) -> float | None:
        if not math.isfinite(x):
            return None
        return 2.0 ** min(x, _LARGEST) if curves.scale == LOG else x

    beyond = "" if math.isfinite(found.x) else "above" if found.x > 0.0 else "below"
    if beyond and not (math.isfinite(found.lo) or math.isfinite(found.hi)):
        beyond = "either side"  # the slope cannot be told from 0
    ends = [unscaled(each) for each in (found.x, found.lo, found.hi, found.raw)]
    throughout = _throughout(curves[model], rate) if beyond else ""
    return Horizon(model, rate, ends[0], ends[1], ends[2], beyond, ends[3], throughout)


def _throughout(curve: Curve, rate: float) -> str:
    """Say on which side of a rate the intervals of the curve are at values spread over the data; empty if on both."""
    places = curve.points(spread(curve.extent, _PLACES, curve.scale))
    if all(each.lo > rate for each in places):
        return "above"
    return "below" if all(each.hi < rate for each in places) else ""
