"""HTML elements, whose text is always escaped, and charts as SVG that stretches with the page.

Shapes are drawn in shares of the width and height, which are stretched; no line and no text is.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from .._base.charts import Axis, Chart, Mark, Numbers
from .._base.table import plain

_VOID = {"meta", "br", "line", "circle", "path", "polygon", "polyline"}
_ROW, _SERIES, _AXIS, _PLOT = 22, 12, 20, 280  # pixels high: a row, or each series in it, an axis and a plot
_SIDE, _SAMPLE = 34, 12  # pixels: the width of the numbers at the side and of samples in keys, and their height
_SAME, _ZERO = 1e-9, 1e-100  # ends this close, relative to their size, are equal; a smaller end is 0
_LETTER, _ON_PHONES = 1.1, 2.7  # percent of the width that a letter of a mark takes
_SIGNS = {"worse": "▼", "improved": "▲"}
_BOX = {"viewBox": "0 0 100 100", "preserveAspectRatio": "none", "width": "100%", "height": "100%"}
SERIES = 8  # series with distinct styles


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def joined(parts: Iterable[str]) -> Html:
    """Join parts; those that are not HTML are escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


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


def name_of(model: str) -> Html:
    """Mark up a model's name, in either direction of writing."""
    return element("bdi", plain(model))


class Scale(NamedTuple):
    """A map from values to places, in percent, with marks."""

    low: float
    high: float
    marks: Sequence[tuple[float, str]]
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return the place of a value, in percent of the width."""
        low, value, high = (math.log(end) if self.is_log else end for end in (self.low, value, self.high))
        return round(100.0 * (value - low) / (high - low), 3) if high != low else 50.0


def scale(low: float, high: float) -> Scale:
    """Choose a scale that contains both values and ends at round numbers.

    >>> [text for _, text in scale(0.31, 0.68).marks]
    ['0.3', '0.4', '0.5', '0.6', '0.7']
    """
    size, room = max(abs(low), abs(high)), high - low
    rough = (room if room > _SAME * size else size) / 4.0
    rough = rough if rough > _ZERO else 0.25
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1.0, 2.0, 5.0, 10.0) if power * times >= rough * 0.8)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    marks = [float(f"{i * step:.10g}") for i in range(first, last + 1)]
    return Scale(first * step, last * step, [(mark, f"{mark:g}") for mark in marks])


def _scale_of(axis: Axis, values: Sequence[float]) -> Scale:
    """Return the scale of an axis on which all values are."""
    if axis.names:
        return Scale(-0.5, len(axis.names) - 0.5, list(enumerate(map(plain, axis.names))))
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    if axis.scale == "log":
        return Scale(low, high, [(tick, f"{tick:,.6g}") for tick in axis.ticks or ()], is_log=True)
    return scale(low if axis.low is None else axis.low, high if axis.high is None else axis.high)


def _values(marks: Iterable[Mark], axis: str) -> list[float]:
    """Return all values of marks along an axis."""
    along = {"x": ("level",), "y": ("band", "upright")}[axis]
    return [value for mark in marks for value in (*getattr(mark, axis), *(mark.to if mark.kind in along else ()))]


def figure(chart: Chart) -> Html:
    """Draw the first series of a chart: rows with names below one another, or a plot with the names of its lines."""
    series = {mark.style for mark in chart.marks if mark.style is not None}
    some = chart._replace(marks=[mark for mark in chart.marks if mark.style is None or mark.style < SERIES])
    axes = chart.x.label if chart.y.names else " against ".join(filter(None, (chart.y.label, chart.x.label)))
    caption = f"{'; '.join(filter(None, (axes, chart.note)))}."
    if max(series, default=0) >= SERIES:
        caption += f" The first {SERIES} of {len(series)} are drawn."
    drawn = _rows(some) if chart.y.names else [_plot(some, f"{chart.title or axes}; a table follows")]
    return element("figure", element("figcaption", caption[:1].upper() + caption[1:]), *drawn, *_key(some))


def _rows(chart: Chart) -> list[Html]:
    """Draw a line of its own for each row, with its name and its numbers, on one axis."""
    at = _scale_of(chart.x, _values(chart.marks, "x"))
    rules = [mark for mark in chart.marks if mark.kind == "rule"]
    height = _SERIES * len({mark.name for mark in chart.marks if mark.name}) if chart.names_beside else _ROW
    items: list[Html] = []
    for name, numbers in itertools.zip_longest(chart.y.names, chart.y.beside, fillvalue=""):
        in_row = (_part(mark, len(items)) for mark in chart.marks if mark.kind in ("level", "points"))
        drawn = _shapes([*rules, *in_row], at, Scale(0.5, -0.5, []))
        told = element("span", name_of(name), class_="name"), element("span", numbers, class_="number")
        items.append(element("li", *told, element("svg", drawn, width="100%", height=height, aria_hidden="true")))
    return [element("ol", *items, class_="intervals"), _along(at)]


def _part(mark: Mark, row: int) -> Mark:
    """Return what a mark has in a row, as in the row 0."""
    here = [i for i, y in enumerate(mark.y) if round(y) == row]
    return mark._replace(
        x=[mark.x[i] for i in here], y=[mark.y[i] - row for i in here], to=[mark.to[i] for i in here if mark.to]
    )


def _plot(chart: Chart, label: str) -> Html:
    """Draw a plot between its axes, with the signs above it."""
    across, up = (_scale_of(getattr(chart, axis), _values(chart.marks, axis)) for axis in "xy")
    signs = (
        element("text", _SIGNS[mark.look], x=f"{across.place(x):g}%", y=f"{100 - up.place(y):g}%", dx=9, dy=-7)
        for mark in chart.marks
        if mark.look in _SIGNS
        for x, y in zip(mark.x, mark.y, strict=True)
    )
    shapes = _shapes([mark for mark in chart.marks if mark.look not in _SIGNS], across, up)
    plot = element("svg", shapes, *signs, width="100%", height=_PLOT, aria_hidden="true")
    numbers = (
        element("text", text, x="100%", y=f"{100 - up.place(mark):g}%", text_anchor="end") for mark, text in up.marks
    )
    side = element("svg", *numbers, width=_SIDE, height=_PLOT, aria_hidden="true", class_="axis side")
    return element("div", side, plot, element("span"), _along(across), class_="curves", role="img", aria_label=label)


def _shapes(marks: Sequence[Mark], across: Scale, up: Scale) -> Html:
    """Draw marks over a grid."""
    grid = [f"M{across.place(mark):g},0V100" for mark, _ in across.marks if not up.marks]
    grid += [f"M0,{100 - up.place(mark):g}H100" for mark, _ in up.marks]
    shapes = [element("path", d="".join(grid), class_="grid")]
    for mark in marks:
        shapes += _outlined(mark, _path(mark, across, up))
        if "marked" in mark.look:
            points = mark._replace(kind="points", look="")
            shapes += _outlined(points, _path(points, across, up))
    return element("svg", *shapes, **_BOX)


def _outlined(mark: Mark, outline: str) -> list[Html]:
    """Draw an outline in the color of a series; what is hollow has the color of the ground inside."""
    color = "gray" if mark.style is None else f"s{mark.style % SERIES}"
    looks = [f"{mark.kind} {mark.look} {color}", *["inside"] * ("hollow" in mark.look)]
    return [element("path", d=outline, class_=" ".join(look.split())) for look in looks if outline]


def _path(mark: Mark, across: Scale, up: Scale) -> str:
    """Return the outline of a mark."""
    x, y = _placed(mark.x, across), [100.0 - place for place in _placed(mark.y, up)]
    if mark.kind == "rule":
        return "".join([*(f"M{place:g},0V100" for place in x), *(f"M0,{place:g}H100" for place in y)])
    pairs = [f"{a:g},{b:g}" for a, b in zip(x, y, strict=True)]
    if mark.kind == "points":
        return "".join(f"M{pair}h0" for pair in pairs)
    if mark.kind == "level":
        return "".join(f"M{pair}H{to:g}" for pair, to in zip(pairs, _placed(mark.to, across), strict=True))
    ends = [100.0 - place for place in _placed(mark.to, up)]
    if mark.kind == "upright":
        return "".join(f"M{pair}V{to:g}" for pair, to in zip(pairs, ends, strict=True))
    back = [f"{a:g},{b:g}" for a, b in zip(reversed(x), reversed(ends), strict=False)]
    return f"M{' '.join([*pairs, *back])}{'Z' * bool(back)}" if pairs else ""


def _placed(values: Numbers, at: Scale) -> list[float]:
    return [at.place(float(value)) for value in values]


def _along(at: Scale) -> Html:
    """Write the marks below a picture, fewer of them on phones; the outer ones begin or end at their places."""
    labels = [(at.place(mark), text) for mark, text in at.marks]
    few, texts = _thinned(labels, _ON_PHONES), []
    for place, text in _thinned(labels, _LETTER):
        half = _ON_PHONES * len(text) / 2.0
        anchor = "start" if place < half else "end" if place > 100.0 - half else "middle"
        x = {"start": 0.0, "middle": place, "end": 100.0}[anchor]
        look = None if (place, text) in few else "minor"
        texts.append(element("text", text, x=f"{x:g}%", y=14, text_anchor=anchor, class_=look))
    return element("svg", *texts, width="100%", height=_AXIS, aria_hidden="true", class_="axis")


def _thinned(labels: Sequence[tuple[float, str]], letter: float) -> list[tuple[float, str]]:
    """Leave out labels that stand too near to the one after them if a letter is so wide, from the last on.

    >>> [text for _, text in _thinned([(0.0, "1"), (98.0, "900"), (100.0, "1,000")], 1.1)]
    ['1', '1,000']
    """
    kept, limit = [], math.inf
    for place, text in reversed(labels):
        wide = letter * len(text)
        start = min(max(place - wide / 2.0, 0.0), 100.0 - wide)
        if start + wide + letter <= limit:
            kept.append((place, text))
            limit = start
    return kept[::-1]


def _key(chart: Chart) -> Iterator[Html]:
    """List the names of series, each beside a sample."""
    marks = {mark.name: mark for mark in chart.marks if mark.name}
    size = {"width": _SIDE, "height": _SAMPLE, "aria_hidden": "true"}
    if marks:
        samples = (element("svg", *_sample(mark), **size) for mark in marks.values())
        items = (element("li", sample, name_of(name)) for name, sample in zip(marks, samples, strict=True))
        yield element("ul", *items, class_="key")


def _sample(mark: Mark) -> list[Html]:
    if mark.look in _SIGNS:
        return [element("text", _SIGNS[mark.look], x="50%", y=_SAMPLE, text_anchor="middle")]
    mark = mark._replace(look=mark.look.replace("dashed", "solid")) if mark.kind == "line" else mark
    return _outlined(mark, f"M{_SIDE / 2:g},6h0" if mark.kind == "points" else f"M0,6H{_SIDE}")
