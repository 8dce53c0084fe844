"""A leaderboard as a picture: scores and intervals, best on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..rank import Leaderboard, Standing
from .style import BLACK, BLUE, CHARACTER, SKY, axes, key_above, shorts

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_FONT = 10.0  # points, and less where rows are narrow
_ROW = 0.24  # inches
_TOLD, _TIED = "told from the best", "not told from the best"


def leaderboard(board: Leaderboard | Standing, ax: Axes | None = None) -> Axes:
    """Draw each model's score (point) and interval (line), best on top, those not told from the best shaded.

    Of a board of several metrics one is drawn: ``leaderboard(board["pass@8"])``.

    >>> from scorio import Leaderboard, PassAtK, plot
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> [label.get_text() for label in plot.leaderboard(board).get_yticklabels()]
    ['1  a', '2  b']
    """
    standing = board.only if isinstance(board, Leaderboard) else board
    names = shorts(standing.models)
    labels = [f"{standing.ranks[i]:g}  {names[i]}" for i in standing.order]
    count = len(labels)
    ax = axes(ax, 5.0 + CHARACTER * max(map(len, labels)), 1.3 + _ROW * count)
    tied = standing.tied_with_top[standing.order]
    for place in np.flatnonzero(tied):
        ax.axhspan(place - 0.5, place + 0.5, color=SKY, alpha=0.25, linewidth=0)
    groups = ((_TIED, tied, BLUE, BLUE), (_TOLD, ~tied, BLACK, "white"))
    drawn = {name: _points(ax, standing, which, *colors) for name, which, *colors in groups if which.any()}
    key_above(ax, list(drawn.values()), list(drawn))
    points_a_row = 72.0 * ax.bbox.height / ax.figure.dpi / count
    ax.set_yticks(range(count), labels, fontsize=min(_FONT, 0.8 * points_a_row), parse_math=False)
    ax.set(ylim=(count - 0.5, -0.5), xlabel=f"{standing.metric}, {standing.settings.percent} interval")
    ax.tick_params(axis="y", length=0)
    ax.grid(alpha=0.3)
    return ax


def _points(ax: Axes, standing: Standing, which: NDArray[np.bool_], color: str, face: str) -> tuple[Artist, Artist]:
    """Intervals and scores at some of the places."""
    places = np.flatnonzero(which)
    models = standing.order[places]
    ends = np.array([standing.intervals[i][2:] for i in models])
    lines = ax.hlines(places, ends[:, 0], ends[:, 1], color=color, linewidth=1.6)
    (points,) = ax.plot(standing.scores[models], places, "o", color=color, markerfacecolor=face, markersize=5)
    return lines, points
