"""A leaderboard as a picture, and the posterior of the difference between two models."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .._arrays import Vector
from .._display.numbers import is_chance, percent
from ..comparison import Comparison
from ..inference import Level, SmoothLaw
from ..params import check_result
from ..rank import Leaderboard, MetricRanking
from ._series import caption, name_rows
from ._style import BLACK, BLUE, CHARACTER, SKY, Axes, axes, legend_above, short_names

_FONT = 10.0  # points, and less where rows are narrow
_ROW = 0.24  # inches
_TIED, _OTHER = "in the top set", "not in the top set"
_WIDTHS = 4.0  # standard deviations shown to either side


def leaderboard(board: Leaderboard | MetricRanking, ax: Axes | None = None) -> Axes:
    """Draw each model's score (point) and interval (line), best on top; models of the top set are shaded.

    A board of several metrics is drawn one metric at a time: ``leaderboard(board["pass@8"])``.

    >>> from scorio import Leaderboard, PassAtK, plot
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> [label.get_text() for label in plot.leaderboard(board).get_yticklabels()]
    ['1  a', '2  b']
    """
    check_result("scorio.Leaderboard", "board", board, Leaderboard, MetricRanking)
    ranking = board.only if isinstance(board, Leaderboard) else board
    names = short_names([row.model for row in ranking.rows])
    labels = [f"{row.rank:g}  {name}" for row, name in zip(ranking.rows, names, strict=True)]
    count = len(labels)
    ax = axes(ax, 5.0 + CHARACTER * max(map(len, labels)), 1.3 + _ROW * count)
    for place, row in enumerate(ranking.rows):
        if row.tied_with_top:
            ax.axhspan(place - 0.5, place + 0.5, color=SKY, alpha=0.25, linewidth=0)
    drawn = {}
    for name, filled, color, fill in ((_TIED, True, BLUE, BLUE), (_OTHER, False, BLACK, "white")):
        some = {place: row for place, row in enumerate(ranking.rows) if row.tied_with_top == filled}
        if some:
            lo, hi, scores = zip(*((row.lo, row.hi, row.point) for row in some.values()), strict=True)
            lines = ax.hlines([*some], lo, hi, color=color, linewidth=1.6)
            (points,) = ax.plot(scores, [*some], "o", color=color, markerfacecolor=fill, markersize=5)
            drawn[name] = (lines, points)
    legend_above(ax, list(drawn.values()), list(drawn))
    points_per_row = 72.0 * ax.bbox.height / ax.figure.dpi / count
    name_rows(ax, labels, fontsize=min(_FONT, 0.8 * points_per_row))
    ax.set_xlabel(f"{ranking.name}, {ranking.settings.percent} interval")
    caption(ax, f"{ranking.extent}; {ranking.about}")
    return ax


def compare(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the density of the difference, its interval shaded, and a dashed line where the two models are equal.

    >>> import scorio
    >>> from scorio import plot
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> plot.compare(scorio.compare(scorio.PassAtK(1), A, B)).get_xlabel()
    'difference in pass@1, 95% interval shaded, P(above 0) = 0.987'
    """
    check_result("scorio.compare", "result", result, Comparison)
    ax = axes(ax, 6.4, 3.4)
    first, second = short_names(result.names)
    if result.lo < result.difference < result.hi:
        density = _density(result)
        reach = max(_WIDTHS * result.sigma, result.hi - result.difference, result.difference - result.lo)
        x = result.difference + np.linspace(-reach, reach, 801)
        ax.plot(x, density(x), color=BLUE, linewidth=1.6)
        inside = np.linspace(result.lo, result.hi, 401)
        ax.fill_between(inside, density(inside), color=BLUE, alpha=0.25, linewidth=0)
    ax.axvline(result.difference, color=BLUE, linewidth=1.0)
    ax.axvline(0.0, color=BLACK, linestyle="--", linewidth=1.0)
    ax.set_title(f"{first}\nminus {second}", fontsize="medium", parse_math=False)
    ax.set(
        xlabel=f"difference in {result.metric}, {percent(result.confidence)} interval shaded, "
        f"P(above 0) {is_chance(result.p_better)}",
        ylabel="density",
        yticks=[],
    )
    ax.set_ylim(bottom=0.0)
    ax.grid(axis="y", visible=False)
    caption(ax, f"{result.extent}; {result.about}")
    return ax


def _density(result: Comparison) -> Callable[[Vector], Vector]:
    """Return the density of a paired difference, Student's t, or else a smooth one with this center and interval."""
    from scipy.stats import t

    if math.isfinite(result.degrees):
        return lambda x: np.asarray(t.pdf(x, result.degrees, result.difference, result.sigma))
    return SmoothLaw(result.difference, result.lo, result.hi, Level(result.confidence).critical()).density
