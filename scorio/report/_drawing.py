"""HTML elements, whose text is always escaped, and SVG pictures that stretch with the page.

Places are shares of the width, so that text is never scaled.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from .._display.charts import Bar, Curve, Ends, Numbers
from .._display.table import plain

_VOID = {"meta", "br", "line", "circle", "path", "polygon", "polyline"}
ROW, AXIS, PLOT = 22, 20, 280  # pixels high
_SAME, _ZERO = 1e-9, 1e-100  # ends this close, relative to their size, are equal; a smaller end is 0
_APART = 1.1  # percent of the width that a letter of a mark takes
SERIES = 8  # curves with distinct styles


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Join parts; those that are not HTML are escaped."""
    return Html(between.join(part if isinstance(part, Html) else escape(part) for part in parts))


def element(name: str, *children: str, **attributes: Any) -> Html:
    """Make an element; None and False omit an attribute, and underscores in its name become hyphens or are stripped.

    >>> element("p", "a < b", class_="note", hidden=False)
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}/>" if name in _VOID else f"<{name}{written}>{joined(children)}</{name}>")


def table(caption: str, heads: Iterable[str], rows: Iterable[tuple[str, ...]], **attributes: Any) -> Html:
    """Make a table that scrolls by itself where it is too wide; the first cell of a row is its heading."""
    top = joined(element("th", head, scope="col") for head in heads)
    body = joined(
        element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest))
        for first, *rest in rows
    )
    inside = element(
        "table", element("caption", caption), element("thead", element("tr", top)), element("tbody", body), **attributes
    )
    return element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=caption)


class Scale(NamedTuple):
    """A map from values to places, in percent, with round numbers as marks."""

    low: float
    high: float
    marks: list[float]

    def place(self, value: float) -> float:
        """Return the place of a value, in percent of the width."""
        return round(100.0 * (value - self.low) / (self.high - self.low), 3)


def scale(low: float, high: float) -> Scale:
    """Choose a scale that contains both values and ends at round numbers.

    >>> scale(0.31, 0.68).marks
    [0.3, 0.4, 0.5, 0.6, 0.7]
    """
    size, room = max(abs(low), abs(high)), high - low
    rough = (room if room > _SAME * size else size) / 4.0
    rough = rough if rough > _ZERO else 0.25
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1.0, 2.0, 5.0, 10.0) if power * times >= rough * 0.8)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    return Scale(first * step, last * step, [float(f"{i * step:.10g}") for i in range(first, last + 1)])


def _interval(at: Scale, lo: float, hi: float, score: float, filled: bool, *, zero: bool = False) -> Html:
    """Draw one interval (line) with its score (point), and a mark at zero."""
    middle = ROW / 2
    grid = joined(_upright(at, mark, "grid") for mark in at.marks)
    reach = element("line", x1=f"{at.place(lo)}%", x2=f"{at.place(hi)}%", y1=middle, y2=middle, class_="reach")
    point = element("circle", cx=f"{at.place(score)}%", cy=middle, r=5, class_="point")
    origin = [_upright(at, 0.0, "zero")] * zero
    look = "tied" if filled else None
    return element("svg", grid, *origin, reach, point, width="100%", height=ROW, aria_hidden="true", class_=look)


def intervals(bars: Sequence[Bar], caption: str, *, zero: bool = False) -> Html:
    """Draw named intervals below one another, on one axis; with ``zero``, it contains 0, which has a mark."""
    low, high = min(min(each.lo, each.point) for each in bars), max(max(each.hi, each.point) for each in bars)
    at = scale(min(low, 0.0), max(high, 0.0)) if zero else scale(low, high)
    items = [
        element(
            "li",
            element("span", name_of(each.name), class_="name"),
            element("span", each.numbers, class_="number"),
            _interval(at, each.lo, each.hi, each.point, each.filled, zero=zero),
        )
        for each in bars
    ]
    axis = _numbers([(at.place(mark), f"{mark:g}") for mark in at.marks])
    return element("figure", element("figcaption", caption), element("ol", *items, class_="intervals"), axis)


def name_of(model: str) -> Html:
    """Mark up a model's name, in either direction of writing."""
    return element("bdi", plain(model))


def curves(
    drawn: Sequence[Curve], label: str, *, first: int = 0, like: Sequence[Curve] = (), height: int = PLOT
) -> Html:
    """Draw curves over k: bands, lines and points.

    The styles are those from the ``first`` one on, and values are on the same scale as those of ``like``.
    """
    sizes = [value for each in like or drawn for lo, hi in each.bands for value in (*lo, *hi)]
    sizes += [value for each in like or drawn for value in (*each.line, *each.points)]
    up, ks = scale(min(sizes), max(sizes)), drawn[0].k
    steps = [math.log2(k) for k in ks]
    along = Scale(steps[0], steps[-1] if len(steps) > 1 else steps[0] + 1.0, steps)
    grid = joined(
        element("line", x1=0, x2=100, y1=100 - up.place(mark), y2=100 - up.place(mark), class_="grid")
        for mark in up.marks
    )
    series = joined(_curve(i, curve, along, up) for i, curve in reversed(list(enumerate(drawn, first))))
    box = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none"}
    plot = element("svg", grid, series, width="100%", height=height, aria_hidden="true", **box)
    below = _numbers(_thinned([(along.place(step), f"{k:,}") for step, k in zip(steps, ks, strict=True)]))
    return element(
        "div", upwards(up, height), plot, element("span"), below, class_="curves", role="img", aria_label=label
    )


def legend(names: Iterable[str], first: int = 0) -> Html:
    """List the names of series, each beside its line; the styles are those from the ``first`` one on."""
    line = element("line", x1=0, x2="100%", y1=6, y2=6, class_="curve")
    keys = (
        element("svg", line, width=34, height=12, aria_hidden="true", class_=f"s{i}") for i in itertools.count(first)
    )
    return element(
        "ul", *(element("li", key, name_of(name)) for name, key in zip(names, keys, strict=False)), class_="key"
    )


def _curve(i: int, curve: Curve, along: Scale, up: Scale) -> Html:
    """Draw one curve: its bands, the line, dashed beyond the scores, and a point for each value, hollow beyond."""
    x, scored = [along.place(step) for step in along.marks], curve.scored
    points, line = (_placed(x, values, up) for values in (curve.points, curve.line))
    parts = [("curve", line[:scored]), ("curve ahead", line[max(scored - 1, 0) :] if scored < len(x) else [])]
    lines = (element("polyline", points=_points(each), class_=look) for look, each in parts if each)
    hollow = [_dots(points[scored:], "hollow")] * (scored < len(x))
    bands = (_band(x, each, up) for each in curve.bands)
    return element("g", *bands, *lines, _dots(points, "dots"), *hollow, class_=f"s{i}")


def _placed(x: Sequence[float], values: Numbers, up: Scale) -> list[tuple[float, float]]:
    return [(place, 100 - up.place(value)) for place, value in zip(x, values, strict=True)]


def _band(x: Sequence[float], ends: Ends, up: Scale) -> Html:
    lower, upper = (_placed(x, values, up) for values in ends)
    return element("polygon", points=_points([*lower, *reversed(upper)]), class_="band")


def _dots(places: Sequence[tuple[float, float]], look: str) -> Html:
    return element("path", d="".join(f"M{a:g} {b:g}h0" for a, b in places), class_=look)


def _points(pairs: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{a:g},{b:g}" for a, b in pairs)


def _upright(at: Scale, value: float, look: str) -> Html:
    return element("line", x1=f"{at.place(value)}%", x2=f"{at.place(value)}%", y1=0, y2=ROW, class_=look)


def _numbers(marks: Sequence[tuple[float, str]]) -> Html:
    """Write numbers along the bottom; the outer ones stay inside."""
    texts = [
        element("text", mark, x=f"{place}%", y=14, text_anchor={0.0: "start", 100.0: "end"}.get(place, "middle"))
        for place, mark in marks
    ]
    return element("svg", *texts, width="100%", height=AXIS, aria_hidden="true", class_="axis")


def _thinned(marks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Leave out marks that stand too near to the one after them, from the last on.

    >>> _thinned([(0.0, "1"), (50.0, "32"), (98.0, "900"), (100.0, "1,000")])
    [(0.0, '1'), (50.0, '32'), (100.0, '1,000')]
    """
    kept = list(marks[-1:])
    for mark in reversed(marks[:-1]):
        if kept[-1][0] - mark[0] >= _APART * len(kept[-1][1]):
            kept.append(mark)
    return kept[::-1]


def upwards(up: Scale, height: int = PLOT) -> Html:
    """Write numbers along the side."""
    texts = [
        element("text", f"{mark:g}", x="100%", y=f"{100 - up.place(mark)}%", text_anchor="end") for mark in up.marks
    ]
    return element("svg", *texts, width=34, height=height, aria_hidden="true", class_="axis side")
