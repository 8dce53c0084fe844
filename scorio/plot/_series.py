"""Series over a number of trials: lines, bands and points, their names at the right ends, and a caption."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Vector
from .._display.charts import Curve, Numbers
from ._style import GRAY, Artist, Axes, axes, room_beside, short_names, style

LINE = 0.155  # inches from one label to the next
_FONT = 8.0  # points
_WIDTH = 58  # characters of a line of the caption
SERIES, CAPTION = "scorio-series", "scorio-caption"  # the group ids of the texts
_PANEL_WIDTH, _PANEL_HEIGHT = 5.6, 4.0  # inches, without the legend
_FILL, _EDGE = 0.13, 0.45  # opacity of a band
_FAN = 0.14  # opacity of one interval of a fan
_MOST_FANS, _MOST_BANDS = 2, 4  # more models than these have the widest intervals alone, or none: they would hide lines
_ABOVE, _UPRIGHT = 0.5, 5  # of the room of a row, around all of them; more names of columns than this are slanted
_ROOM = 330.0  # points of width that markers share


def spread_apart(places: Vector, gap: float) -> Vector:
    """Move places as little as possible, so that neighbors are at least ``gap`` apart.

    >>> spread_apart(np.array([0.5, 0.0, 0.5]), 0.2).round(6).tolist()
    [0.4, 0.0, 0.6]
    """
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    blocks: list[list[float]] = []  # sum and number of the places that share one shift (isotonic regression)
    for value in places[order] - steps:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            total, count = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + count]
    level = np.concatenate([np.full(int(count), total / count) for total, count in blocks])
    apart = np.empty(len(places))
    apart[order] = level + steps
    return apart


def label_ends(ax: Axes, names: Sequence[str], ends: Sequence[tuple[float, float]]) -> None:
    """Write each of several series' names to the right of the picture, with a line to the series' last point."""
    if len(names) < 2:
        return
    low, high = ax.get_ylim()
    ax.set_ylim(low, high)
    height = ax.bbox.height / ax.figure.dpi
    gap = LINE * (high - low) / height
    places = spread_apart(np.array([y for _, y in ends]), gap)
    room = max((len(names) - 1) * gap - (high - low), 0.0) / 2.0
    places += np.clip(low - room - places.min(), 0.0, None) - np.clip(places.max() - high - room, 0.0, None)
    for i, (name, end, place) in enumerate(zip(short_names(names), ends, places, strict=True)):
        color = style(i).color
        line = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkA": 1.0, "shrinkB": 2.0, "relpos": (0, 0.5)}
        ax.annotate(
            name,
            end,
            (1.03, place),
            textcoords=ax.get_yaxis_transform(),
            arrowprops=line,
            va="center",
            fontsize=_FONT,
            color="black",
            parse_math=False,
            annotation_clip=False,
            gid=SERIES,
        )


def caption(ax: Axes, text: str) -> None:
    """Write what the picture rests on below the label of the horizontal axis."""
    ax.annotate(
        fill(text, _WIDTH),
        (0.5, 0.0),
        (0.0, -3.0),
        xycoords=ax.xaxis.label,
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=_FONT,
        color=GRAY,
        parse_math=False,
        annotation_clip=False,
        gid=CAPTION,
    )


def panel(ax: Axes | None, names: Sequence[str], xlabel: str, ylabel: str) -> Axes:
    """Prepare Axes for series of these names."""
    ax = axes(ax, _PANEL_WIDTH + room_beside(names), max(_PANEL_HEIGHT, 1.0 + LINE * len(names)))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return ax


def line(ax: Axes, i: int, x: ArrayLike, y: ArrayLike, **options: Any) -> Artist:
    """Draw the ``i``-th series as a line."""
    color, _, linestyle = style(i)
    return ax.plot(x, y, color=color, linestyle=linestyle, linewidth=1.6, **options)[0]


def marked(ax: Axes, i: int, x: ArrayLike, y: ArrayLike, **options: Any) -> Artist:
    """Draw the ``i``-th series as a line with a marker at every point, smaller where there are many."""
    return line(ax, i, x, y, marker=style(i).marker, markersize=marker_size(x), **options)


def marker_size(x: ArrayLike) -> float:
    """Return the size of markers, in points.

    >>> marker_size(range(8)), marker_size(range(128))
    (5.0, 2.0)
    """
    return float(np.clip(0.75 * _ROOM / max(np.size(x), 1), 2.0, 5.0))


def points(ax: Axes, i: int, x: ArrayLike, y: ArrayLike) -> Artist:
    """Draw the ``i``-th series as points."""
    color, marker, _ = style(i)
    return ax.plot(x, y, linestyle="", color=color, marker=marker, markersize=marker_size(x))[0]


def band(ax: Axes, i: int, x: ArrayLike, lo: ArrayLike, hi: ArrayLike) -> Artist:
    """Draw the uncertainty of the ``i``-th series as a light band."""
    color, _, linestyle = style(i)
    return ax.fill_between(
        x, lo, hi, facecolor=(color, _FILL), edgecolor=(color, _EDGE), linestyle=linestyle, linewidth=0.8
    )


def levels_drawn(levels: Sequence[float], models: int) -> Sequence[float]:
    """Return the levels of intervals that a fan shows of so many models.

    >>> levels_drawn((0.5, 0.95), 2), levels_drawn((0.5, 0.95), 3), levels_drawn((0.5, 0.95), 5)
    ((0.5, 0.95), (0.95,), ())
    """
    return levels if models <= _MOST_FANS else levels[-1:] if models <= _MOST_BANDS else ()


def draw_curve(ax: Axes, i: int, curve: Curve, *, ahead: bool, price: float = 1.0) -> Artist:
    """Draw the ``i``-th curve against k times a price, and return the points of its scores.

    Where some curve looks ``ahead`` of its scores, bands are a fan of intervals, and forecasts are dashed and hollow;
    the dashed line begins where the solid one ends.
    """
    x, color, known = np.array(curve.k) * price, style(i).color, curve.scored
    if not ahead:
        for lo, hi in curve.bands:
            band(ax, i, x, lo, hi)
        line(ax, i, x, curve.line)
        return points(ax, i, x[:known], curve.points[:known])
    for lo, hi in reversed(curve.bands):
        ax.fill_between(x, lo, hi, facecolor=(color, _FAN), linewidth=0.0)
        if len(x) == 1:
            ax.vlines(x, lo, hi, color=(color, 3.0 * _FAN), linewidth=5.0)
    for part, dashes in ((slice(known), "-"), (slice(max(known - 1, 0), None), "--")):
        ax.plot(x[part], curve.line[part], color=color, linestyle=dashes, linewidth=1.6)
    shown, hollow = (points(ax, i, x[part], curve.points[part]) for part in (slice(known), slice(known, None)))
    hollow.set(markerfacecolor="white")
    for each in (shown, hollow):
        each.set(markersize=marker_size(x))
    return shown


def name_rows(ax: Axes, labels: Sequence[str], places: Numbers | range | None = None, **font: Any) -> None:
    """Write the names of rows, the first on top, on the vertical axis."""
    at = range(len(labels)) if places is None else places
    ax.set_yticks(at, labels, parse_math=False, **font)
    ax.set_ylim(at[-1] + _ABOVE, -_ABOVE)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", visible=False)


def name_columns(ax: Axes, labels: Sequence[str]) -> None:
    """Write the names of columns below the horizontal axis, slanted where there are many."""
    slant: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if len(labels) > _UPRIGHT else {}
    ax.set_xticks(range(len(labels)), short_names(labels), parse_math=False, **slant)
    ax.set_xlim(-_ABOVE, len(labels) - 1 + _ABOVE)


def beside(count: int, share: float) -> Numbers:
    """Return how far series are moved so that they stand beside one another in a share of the room of each place."""
    return (np.arange(count) - (count - 1) / 2.0) * share / count
