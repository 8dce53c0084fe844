"""Success over a property of the questions: curves of models, and where they cross rates."""

from __future__ import annotations

import numpy as np

from .._display.charts import Axis, Chart, Mark, doublings
from .._display.numbers import percent
from .._display.words import SUBJECT, pluralize
from ..curves import Curve, Horizons
from ..params import check_result
from ._draw import Axes, draw

_PLACES = 81  # of a curve
_PARTS = 8  # groups of questions whose mean is a point
_BESIDE = 0.014  # of the axis, by which models' intervals stand beside one another
_MOST_BANDS = 4  # more models than this are drawn without bands, which would hide each other


def horizon(found: Horizons, ax: Axes | None = None) -> Axes:
    """Draw the success of each model over the value of a question: its logistic curve (line) with its interval (band).

    Points are the success of eighths of its questions. Dashed lines are the rates, and diamonds on them the horizons
    with their intervals; where an interval reaches beyond the data, its line does so up to the edge.

    >>> from scorio import plot
    >>> from scorio.curves import horizon
    >>> rows = [[1, 1], [1, 1], [1, 0], [1, 1], [0, 1], [0, 0], [1, 0], [0, 0]]
    >>> drawn = plot.horizon(horizon("pass@1", {"m": rows, "n": rows[::-1]}, [1, 2, 4, 8, 16, 32, 64, 128]))
    >>> [text.get_text() for text in drawn.texts][:2]
    ['m', 'n']
    """
    return draw(horizon_chart(found), ax)


def horizon_chart(found: Horizons) -> Chart:
    """Return the curves of models over the values of questions, with their horizons."""
    check_result("scorio.curves.horizon", "found", found, Horizons)
    curves, has_bands = found.curves, len(found.curves) <= _MOST_BANDS
    marks = [mark for i, each in enumerate(curves.values()) for mark in _marks(i, each, found, has_band=has_bands)]
    marks.append(Mark("rule", None, (), found.rates, look="dashed"))
    bands = f"bands: {percent(curves.confidence)} intervals for {SUBJECT[curves.target]}; " * has_bands
    sizes = pluralize(max(len(each.values) for each in curves.values()), "question")
    note = f"{bands}points: eighths of the questions; diamonds: horizons; {curves.metric}, {sizes}"
    low, high = min(each.extent[0] for each in curves.values()), max(each.extent[1] for each in curves.values())
    value = Axis("value of a question")
    if curves.scale == "log":
        value = value._replace(scale="log", ticks=doublings(low, high))
    return Chart(value, Axis("success", low=0.0, high=1.0), marks, note, found._title, "ends")


def _marks(i: int, curve: Curve, found: Horizons, *, has_band: bool) -> list[Mark]:
    """Return the marks of a model: its curve, the means of groups of questions, and its horizons."""
    low, high = curve.extent
    places = curve.heights(curve.spread(_PLACES))
    at = [each.value for each in places]
    marks = [Mark("band", i, at, [each.lo for each in places], [each.hi for each in places])] * has_band
    marks += [Mark("line", i, at, [each.rate for each in places], name=curve.model), Mark("points", i, *_means(curve))]
    moved = _BESIDE * (i - (len(found.models) - 1) / 2.0)
    for rate in found.rates:
        each = found.of(curve.model, rate)
        if each.lo is not None or each.hi is not None:
            lo, hi = low if each.lo is None else each.lo, high if each.hi is None else each.hi
            marks.append(Mark("level", i, [lo], [rate + moved], [hi]))
        if each.value is not None:
            marks.append(Mark("points", i, [each.value], [rate + moved], look="diamond"))
    return marks


def _means(curve: Curve) -> tuple[list[float], list[float]]:
    """Return the middle value and the weighted mean of groups of questions with neighboring values."""
    order = np.argsort(curve.values, kind="stable")
    groups = [each for each in np.array_split(order, min(_PARTS, len(order))) if curve.weights[each].sum() > 0.0]
    middles = [float(np.median(curve.values[each])) for each in groups]
    return middles, [float(np.average(curve.rates[each], weights=curve.weights[each])) for each in groups]
