"""Series over a number of trials: a line, its band, and points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._labels import LINE
from ._style import axes, room_beside, style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT = 5.6, 4.0  # inches, without the legend
_FILL, _EDGE = 0.13, 0.45  # opacity of a band
_ROOM = 330.0  # points of width that markers share


def panel(ax: Axes | None, names: Sequence[str], xlabel: str, ylabel: str) -> Axes:
    """Prepare Axes for series of these names."""
    ax = axes(ax, _WIDTH + room_beside(names), max(_HEIGHT, 1.0 + LINE * len(names)))
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
