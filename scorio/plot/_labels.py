"""Text around a picture: the names of series at their right ends, and a caption of what the picture rests on."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import Vector
from ._style import GRAY, short_names, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 0.155  # inches from one label to the next
_FONT = 8.0  # points
_WIDTH = 58  # characters of a line of the caption
SERIES, CAPTION = "scorio-series", "scorio-caption"  # the group ids of the texts


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
    """Write each series' name to the right of the picture, with a line to the series' last point."""
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
