"""Scores over runs in a report: what changed in words, and a picture and a table for each task.

Places in the picture are shares of its width and height, and no shape is stretched.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from .._display.numbers import number, percent, signed, signed_span
from .._display.table import plain
from .._display.words import in_order, pluralize
from ..comparison import History, HistoryPoint, HistorySeries
from . import _drawing as drawing
from . import _sections as sections
from ._drawing import Html, element, joined

_SIGNS = {"worse": "▼", "improved": "▲"}  # above the score of a run that is called so
_LABELS, _FEW = 6, 3  # labels of runs that are shown at most; and on a phone
_SPREAD = 1.2  # percent of the width, by which series stand beside one another
_EDGE = 6.0  # percent of the width that stays free at the sides
_OPEN = 2  # with more tasks than this, each is folded


def _runs(series: Sequence[HistorySeries]) -> list[str]:
    return in_order([point.run for point in each.points] for each in series)


def timeline(series: Sequence[HistorySeries], level: str) -> Html:
    """Draw scores with intervals over runs, one color and line style per series."""
    runs = _runs(series)
    points = [point for each in series for point in each.points]
    heights = list(map(_height, points))
    up = drawing.scale(min(*heights, *(each.lo for each in points)), max(*heights, *(each.hi for each in points)))
    step = (100.0 - 2.0 * _EDGE) / max(len(runs) - 1, 1)
    along = {run: 50.0 if len(runs) == 1 else _EDGE + i * step for i, run in enumerate(runs)}
    grid = joined(_line(0, 100, mark, mark, up, "grid") for mark in up.marks)
    drawn = joined(
        _series(i, each, along, up, _SPREAD * (i - (len(series) - 1) / 2.0)) for i, each in enumerate(series)
    )
    # A dotted line stands before each run under other circumstances than the one before.
    drifted = dict.fromkeys(f"{along[point.run] - step / 2.0:g}%" for point in points if point.drift)
    drift = joined(element("line", x1=x, x2=x, y1=0, y2="100%", class_="drift") for x in drifted)
    plot = element("svg", grid, drift, drawn, width="100%", height=drawing.PLOT, aria_hidden="true", class_="timeline")
    label = f"Scores of {len(series)} models over {len(runs)} runs, with {level} intervals; a table follows"
    below = _labels(along)
    parts = (drawing.upwards(up), plot, element("span"), below)
    return element("div", *parts, class_="curves", role="img", aria_label=label)


def _height(point: HistoryPoint) -> float:
    return point.mu if point.score is None else point.score


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
        texts.append(
            element("text", plain(runs[i]), x=x, y=14, text_anchor=anchor, class_=None if i in few else "minor")
        )
    return element("svg", *texts, width="100%", height=drawing.AXIS, aria_hidden="true", class_="axis")


def _some(count: int, most: int) -> set[int]:
    """Return at most so many numbers below ``count``, the first and the last among them.

    >>> sorted(_some(9, 3)), sorted(_some(2, 3))
    ([0, 4, 8], [0, 1])
    """
    if count <= most:
        return set(range(count))
    return {round(i * (count - 1) / (most - 1)) for i in range(most)}


def section(history: History) -> sections.Part:
    """Show the scores of the models over runs, the changes that are called, and what else changed."""
    by_task: dict[str, list[HistorySeries]] = {}
    for series in history.series:
        by_task.setdefault(series.task, []).append(series)
    parts = [_task(task, series, history, is_open=len(by_task) <= _OPEN) for task, series in by_task.items()]
    return sections.section("history", "History", *_said(history), *parts)


def _said(history: History) -> list[Html]:
    """Return the called changes, and what the reader has to know of them."""
    about = (
        f"{history.extent}. Each run is compared with all runs since the last called change; at most "
        f"{1.0 - history.confidence:.2g} of all histories without any change have a called one."
    )
    least = history.smallest_change
    if least is not None:
        about += f" A change of less than about {number(least)} is rarely called from so few trials."
    changes = [
        element("li", f"{point.change} at {plain(point.run)}: {plain(series.name)}, {_difference(point)}")
        for series, point in history.changes
    ]
    calls = element("ul", *changes) if changes else element("p", "No change is called.")
    drifted = len(dict.fromkeys(point.run for _, point in history.drift))
    drift = (
        f"{pluralize(drifted, 'run')} under other circumstances than the one before (dotted lines): see the numbers."
    )
    return [element("p", about), calls, *([element("p", drift)] if drifted else [])]


def _task(task: str, series: Sequence[HistorySeries], history: History, *, is_open: bool) -> Html:
    """Show one task: the picture of the models, and the numbers of their runs."""
    shown = series[: drawing.SERIES]
    level, metric = percent(history.confidence), ", ".join(dict.fromkeys(each.metric for each in series))
    note = f"{metric} with {level} intervals over runs; ▼ called worse, ▲ called improved."
    if len(series) > len(shown):
        note += f" The first {len(shown)} models are drawn; the table lists all {len(series)}."
    figure = element(
        "figure", element("figcaption", note), timeline(shown, level), drawing.legend([each.model for each in shown])
    )
    title = f"Runs of {plain(task)}" if task else "Runs"
    own = replace(history, series=tuple(replace(each, task="") for each in series))
    rows = sections.shown(own.tables()[0]._replace(notes=[]), "run", title, class_="runs")
    numbers = element("details", element("summary", f"{title} in numbers"), *rows)
    if not task:
        return element("div", figure, numbers)
    changes = sum(len(each.changes) for each in series)
    line = f"{plain(task)}: {pluralize(len(_runs(series)), 'run')}, {pluralize(changes, 'change')}"
    return element("details", element("summary", line), figure, numbers, open="" if is_open else None)


def _difference(point: HistoryPoint) -> str:
    if point.difference is None or point.difference_lo is None or point.difference_hi is None:
        return ""
    return f"{signed(point.difference)} {signed_span(point.difference_lo, point.difference_hi)}"
