"""Series over a number of trials: a line, its band, and points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .style import axes, look, room_beside

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT = 5.6, 4.0  # inches, without the legend
_GROUND, _EDGE = 0.13, 0.45  # opacity of a band
_GAP = 0.08  # between points, of the diagonal


def panel(ax: Axes | None, names: Sequence[str], xlabel: str, ylabel: str) -> Axes:
    """Axes for series of these names."""
    ax = axes(ax, _WIDTH + room_beside(names), _HEIGHT)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(alpha=0.3)
    return ax


def line(ax: Axes, i: int, x: ArrayLike, y: ArrayLike, **options: Any) -> Artist:
    """The ``i``-th series as a line."""
    color, _, linestyle = look(i)
    return ax.plot(x, y, color=color, linestyle=linestyle, linewidth=1.6, **options)[0]


def marked(ax: Axes, i: int, x: ArrayLike, y: ArrayLike, **options: Any) -> Artist:
    """The ``i``-th series as a line with points on it, thinned out where they would touch."""
    return line(ax, i, x, y, marker=look(i).marker, markersize=5, markevery=_GAP, **options)


def points(ax: Axes, i: int, x: ArrayLike, y: ArrayLike) -> Artist:
    """The ``i``-th series as points."""
    color, marker, _ = look(i)
    return ax.plot(x, y, linestyle="", color=color, marker=marker, markersize=5)[0]


def band(ax: Axes, i: int, x: ArrayLike, lo: ArrayLike, hi: ArrayLike) -> Artist:
    """What the ``i``-th series may also be: light ground, edged as its line is."""
    color, _, linestyle = look(i)
    return ax.fill_between(
        x, lo, hi, facecolor=(color, _GROUND), edgecolor=(color, _EDGE), linestyle=linestyle, linewidth=0.8
    )
