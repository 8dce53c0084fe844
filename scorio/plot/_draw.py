"""A chart drawn by matplotlib, which is imported with the first picture."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.charts import Axis, Chart, Mark, short_names

if TYPE_CHECKING:
    from matplotlib.artist import Artist as Artist  # noqa: PLC0414 - for other modules
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414
else:
    Artist, Axes = "matplotlib.artist.Artist", "matplotlib.axes.Axes"

GRAY = "#595959"
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # of Okabe and Ito
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES = ("-", "--", "-.", ":")  # the cycles have no common factor, so that combinations repeat late
_SIGN = {"markersize": 14, "markerfacecolor": "none", "color": "black", "markeredgewidth": 1.4}
_LOOKS: dict[str, dict[str, Any]] = {
    "marked": {},
    "steps": {"drawstyle": "steps-post"},
    "solid": {"linestyle": "-"},
    "dashed": {"linestyle": "--"},
    "dotted": {"linestyle": ":"},
    "fan": {"linewidth": 0.0, "edgecolor": "none"},
    "thick": {"linewidth": 3.2},
    "hollow": {"markerfacecolor": "white"},
    "diamond": {"marker": "D"},
    "worse": {"marker": "v", **_SIGN},
    "improved": {"marker": "^", **_SIGN},
}
_WIDTH, _HEIGHT = 5.6, 4.0  # inches, without names
_CHARACTER = 0.085  # inches per character of a name, an upper limit on average
_LINE = 0.155  # inches from one name to the next
_BETWEEN, _ROW, _COLUMN = 0.11, 0.13, 0.6  # inches between rows, for each series in a row, and for a column
_NAME, _SMALL = 10.0, 8.0  # points: names of rows, which are smaller in narrow rows; and the caption
_OF_LEGEND = 20  # names in a column of a legend
_CAPTION = 58  # characters of a line
_ROOM = 330.0  # points of width that markers share
_MARGIN = 0.02  # of an axis whose ends are given, around them
_AROUND, _UPRIGHT = 0.5, 5  # of a row's room, around all of them; more names of columns than this are slanted


def draw_chart(chart: Chart, ax: Axes | None) -> Axes:
    """Draw a chart on ``ax``, or on a new figure, and return the Axes."""
    ax = _new_axes(*_size(chart)) if ax is None else ax
    keys: dict[str, list[Artist]] = {}
    for mark in chart.marks:
        drawn = _drawn(ax, mark)
        if mark.name:
            keys.setdefault(mark.name, []).append(drawn)
    ax.set_title(chart.title, fontsize="medium", parse_math=False)
    _set_x(ax, chart.x, [x for mark in chart.marks if mark.kind != "level" for x in mark.x])
    _set_y(ax, chart.y)
    if len(keys) > chart.names_beside:
        _add_legend(ax, keys, is_beside=chart.names_beside)
    at: dict[str, Any] = {"xycoords": ax.xaxis.label, "textcoords": "offset points", "annotation_clip": False}
    style: dict[str, Any] = {"fontsize": _SMALL, "color": GRAY, "parse_math": False, "ha": "center", "va": "top"}
    ax.annotate(fill(chart.note, _CAPTION), (0.5, 0.0), (0.0, -3.0), **at, **style)
    return ax


def _size(chart: Chart) -> tuple[float, float]:
    """Return the size of a new figure in inches: it grows with the number of names, and with their length."""
    beside = dict.fromkeys(mark.name for mark in chart.marks if mark.name and chart.names_beside)
    names = short_names([*beside])
    columns = -(-len(names) // _OF_LEGEND)
    room = columns * (0.7 + _CHARACTER * max(map(len, names))) if len(names) > 1 else 0.0
    if rows := short_names(chart.y.names):
        height = 1.4 + len(rows) * (_BETWEEN + _ROW * max(len(names), 1))
        return _WIDTH - 0.6 + _CHARACTER * max(map(len, rows)) + room, height
    lines = min(len(names), _OF_LEGEND)
    return max(_WIDTH, _COLUMN * len(chart.x.names)) + room, max(_HEIGHT, 1.0 + _LINE * lines)


def _new_axes(width: float, height: float) -> Axes:
    """Return the Axes of a new figure: two spines, gray lines behind, small ticks."""
    try:
        from matplotlib.figure import Figure

        from ._picture import Picture
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from None
    ax = Figure(figsize=(width, height), layout="constrained").add_subplot(axes_class=Picture)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set(color=GRAY, linewidth=0.8)
    ax.tick_params(color=GRAY, labelsize=9.0, width=0.8, length=3.0)
    ax.set_axisbelow(True)
    ax.grid(color="#d9d9d9", linewidth=0.6)
    return ax


def _of(mark: Mark, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a mark: its color, those of its kind, and what its look changes."""
    options = {"color": GRAY if mark.style is None else COLORS[mark.style % len(COLORS)], **options}
    for word in mark.look.split():
        options |= _LOOKS[word]
    return options


def _marker(mark: Mark) -> dict[str, Any]:
    """Return the marker of a series and its size in points, smaller where there are many."""
    size = float(np.clip(0.75 * _ROOM / max(np.size(mark.x), 1), 2.0, 5.0))
    return {"marker": MARKERS[(mark.style or 0) % len(MARKERS)], "markersize": size}


def _drawn(ax: Axes, mark: Mark) -> Any:
    """Draw a mark, and return what stands for it in a legend."""
    dashes = DASHES[(mark.style or 0) % len(DASHES)]
    options: dict[str, Any]
    drawn: Any = None
    match mark.kind:
        case "line":
            options = {"linewidth": 1.0 if mark.style is None else 1.6, "linestyle": dashes}
            marker = _marker(mark) if "marked" in mark.look else {}
            [drawn] = ax.plot(mark.x, mark.y, **_of(mark, options | marker))
        case "points":
            [drawn] = ax.plot(mark.x, mark.y, **_of(mark, {"linestyle": "", **_marker(mark)}))
        case "band":
            options = _of(mark, {"linewidth": 0.8, "linestyle": dashes})
            color = options.pop("color")
            faint: dict[str, Any] = {"facecolor": (color, 0.14), "edgecolor": (color, 0.45)}
            drawn = ax.fill_between(mark.x, mark.y, mark.to, **faint | options)
        case "upright":
            drawn = ax.vlines(mark.x, mark.y, mark.to, **_of(mark, {"linewidth": 1.5}))
        case "level":
            drawn = ax.hlines(mark.y, mark.x, mark.to, **_of(mark, {"linewidth": 1.5}))
        case "shade":
            options = _of(mark, {"alpha": 0.25, "linewidth": 0.0})
            drawn = [ax.axhspan(row - _AROUND, row + _AROUND, **options) for row in mark.y]
        case "rule":
            options = _of(mark, {"linewidth": 1.2, "zorder": 0.9})
            rules = map(partial(ax.axvline, **options), mark.x), map(partial(ax.axhline, **options), mark.y)
            drawn = next(iter([*chain(*rules)]), None)
    return drawn


def _set_x(ax: Axes, axis: Axis, places: Iterable[float]) -> None:
    """Set the label, the scale and the marks of the horizontal axis, or the names of its places."""
    from matplotlib.ticker import MaxNLocator, NullFormatter

    ax.set_xlabel(axis.label, parse_math=False)
    if axis.names:
        is_slanted = len(axis.names) > _UPRIGHT
        slant: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if is_slanted else {}
        ax.set_xticks(range(len(axis.names)), short_names(axis.names), parse_math=False, **slant)
        ax.set_xlim(-_AROUND, len(axis.names) - 1 + _AROUND)
        ax.tick_params(axis="x", length=0)
        ax.grid(axis="x", visible=False)
    elif axis.scale == "whole":
        ax.margins(x=0.02)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    elif axis.scale == "symlog":
        ax.set_xscale("symlog", linthresh=min(filter(None, places), default=1.0))
    elif axis.scale == "log":
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter(NullFormatter())
    if axis.ticks is not None:
        ax.set_xticks(axis.ticks, minor=False)
        ax.set_xticks([], minor=True)
        ax.xaxis.set_major_formatter("{x:,.6g}")
    ax.set_xlim(*_ends(axis))


def _set_y(ax: Axes, axis: Axis) -> None:
    """Set the label and the ends of the vertical axis, or the names of its rows, the first on top."""
    ax.set_ylabel(axis.label, parse_math=False)
    if axis.names:
        points_per_row = 72.0 * ax.bbox.height / ax.figure.dpi / len(axis.names)
        size = min(_NAME, 0.8 * points_per_row)
        ax.set_yticks(range(len(axis.names)), short_names(axis.names), parse_math=False, fontsize=size)
        ax.set_ylim(len(axis.names) - 1 + _AROUND, -_AROUND)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
    ax.set_ylim(*_ends(axis))


def _ends(axis: Axis) -> tuple[float | None, float | None]:
    """Return the ends of an axis, with a little room around what both are given."""
    if axis.low is None or axis.high is None:
        return axis.low, axis.high
    room = _MARGIN * (axis.high - axis.low)
    return axis.low - room, axis.high + room


def _add_legend(ax: Axes, keys: dict[str, list[Artist]], *, is_beside: bool) -> None:
    """Draw a legend with names as plain text: ``$`` starts no formula, a leading ``_`` hides nothing."""
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": len(keys)}
    if is_beside:
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "ncols": -(-len(keys) // _OF_LEGEND)}
    legend = ax.legend(list(map(tuple, keys.values())), [" "] * len(keys), frameon=False, fontsize="small", **place)
    for text, name in zip(legend.get_texts(), short_names(list(keys)), strict=True):
        text.set(text=name, parse_math=False)
