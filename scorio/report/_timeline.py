"""The picture of scores over runs; places are shares of the width and height, and no shape is stretched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .._display.table import plain
from ..comparison import HistoryPoint, HistorySeries
from . import _drawing as drawing
from ._markup import Html, element, joined

_SIGNS = {"worse": "▼", "improved": "▲"}  # above the score of a run that is called so
_LABELS, _FEW = 6, 3  # labels of runs that are shown at most; and on a phone
_SPREAD = 1.2  # percent of the width, by which series stand beside one another
_EDGE = 6.0  # percent of the width that stays free at the sides


def marks(series: Sequence[HistorySeries]) -> list[str]:
    """Return the runs of all series, in an order that agrees with every series where there is one."""
    labels: list[str] = []
    for each in series:
        at = 0
        for point in each.points:
            at = labels.index(point.run) if point.run in labels else at
            if point.run not in labels:
                labels.insert(at, point.run)
            at += 1
    return labels


def timeline(series: Sequence[HistorySeries], level: str) -> Html:
    """Draw scores with intervals over runs, one color and line style per series."""
    runs = marks(series)
    points = [point for each in series for point in each.points]
    up = drawing.scale(min(_low(point) for point in points), max(_high(point) for point in points))
    step = (100.0 - 2.0 * _EDGE) / max(len(runs) - 1, 1)
    along = {run: 50.0 if len(runs) == 1 else _EDGE + i * step for i, run in enumerate(runs)}
    grid = joined(_line(0, 100, mark, mark, up, "grid") for mark in up.marks)
    drawn = joined(
        _series(i, each, along, up, _SPREAD * (i - (len(series) - 1) / 2.0)) for i, each in enumerate(series)
    )
    drift = joined(_drift(along[point.run], step) for point in _drifted(points))
    plot = element("svg", grid, drift, drawn, width="100%", height=drawing.PLOT, aria_hidden="true", class_="timeline")
    label = f"Scores of {len(series)} models over {len(runs)} runs, with {level} intervals; a table follows"
    below = _labels(along)
    parts = (drawing.upwards(up), plot, element("span"), below)
    return element("div", *parts, class_="curves", role="img", aria_label=label)


def _drifted(points: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """Return one point of each run under other circumstances than the one before."""
    return list({point.run: point for point in points if point.drift}.values())


def _drift(place: float, step: float) -> Html:
    x = f"{place - step / 2.0:g}%"
    return element("line", x1=x, x2=x, y1=0, y2="100%", class_="drift")


def _height(point: HistoryPoint) -> float:
    return point.mu if point.score is None else point.score


def _low(point: HistoryPoint) -> float:
    return min(point.lo, _height(point))


def _high(point: HistoryPoint) -> float:
    return max(point.hi, _height(point))


def _line(x1: float, x2: float, y1: float, y2: float, up: drawing.Scale, class_: str) -> Html:
    places = {"y1": f"{100 - up.place(y1):g}%", "y2": f"{100 - up.place(y2):g}%"}
    return element("line", x1=f"{x1:g}%", x2=f"{x2:g}%", class_=class_, **places)


def _series(i: int, series: HistorySeries, along: dict[str, float], up: drawing.Scale, shift: float) -> Html:
    placed = [(along[point.run] + shift, point) for point in series.points]
    lines = [_line(a, b, _height(one), _height(two), up, "curve") for (a, one), (b, two) in pairwise(placed)]
    reach = [_line(x, x, point.lo, point.hi, up, "span") for x, point in placed]
    dots = [element("circle", cx=f"{x:g}%", cy=_upward(point, up), r=4, class_="dot") for x, point in placed]
    signs = [
        element("text", _SIGNS[point.change], x=f"{x:g}%", y=_upward(point, up), dx=9, dy=-7, text_anchor="middle")
        for x, point in placed
        if point.change
    ]
    return element("g", *lines, *reach, *dots, *signs, class_=f"s{i % drawing.SERIES}")


def _upward(point: HistoryPoint, up: drawing.Scale) -> str:
    return f"{100 - up.place(_height(point)):g}%"


def _labels(along: dict[str, float]) -> Html:
    """Write the names of runs below the picture; where there are many, of some that are evenly spaced."""
    runs = list(along)
    shown, few = (_some(len(runs), most) for most in (_LABELS, _FEW))
    ends = {} if len(runs) == 1 else {0: ("0%", "start"), len(runs) - 1: ("100%", "end")}
    texts = []
    for i in sorted({*shown, *few}):
        x, anchor = ends.get(i, (f"{along[runs[i]]:g}%", "middle"))
        texts.append(element("text", plain(runs[i]), x=x, y=14, text_anchor=anchor, class_=_kind(i in few)))
    return element("svg", *texts, width="100%", height=drawing.AXIS, aria_hidden="true", class_="axis")


def _kind(stays: bool) -> str | None:
    return None if stays else "minor"


def _some(count: int, most: int) -> set[int]:
    """Return at most so many numbers below ``count``, the first and the last among them.

    >>> sorted(_some(9, 3)), sorted(_some(2, 3))
    ([0, 4, 8], [0, 1])
    """
    if count <= most:
        return set(range(count))
    return {round(i * (count - 1) / (most - 1)) for i in range(most)}
