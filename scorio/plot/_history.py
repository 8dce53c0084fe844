"""Scores over runs, with the changes that are called and the runs under other circumstances."""

from __future__ import annotations

import numpy as np

from .._display.numbers import percent
from .._display.words import in_order
from ..comparison import History, HistoryPoint, HistorySeries
from ..params import check_result
from ._series import caption, label_ends, name_columns, panel
from ._style import BLACK, GRAY, Axes, legend_above, style

_OFFSET = 0.07  # of a step between runs, by which series stand beside one another
_SHAPES = {"worse": "v", "improved": "^"}  # around the score of a run that is called so


def history(result: History, ax: Axes | None = None) -> Axes:
    """Draw each series as scores with intervals; triangles are called changes, dotted lines other circumstances.

    >>> import scorio
    >>> from scorio import plot
    >>> runs = {"May": [[1, 1, 1, 0], [1, 1, 0, 1]], "June": [[1, 1, 0, 0], [1, 1, 1, 1]]}
    >>> ax = plot.history(scorio.analyze_history("pass@1", runs))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['May', 'June']
    """
    check_result("scorio.analyze_history", "result", result, History)
    names = [series.name for series in result.series]
    labels = in_order([point.run for point in series.points] for series in result.series)
    metrics = ", ".join(dict.fromkeys(series.metric for series in result.series))
    ax = panel(ax, names if len(names) > 1 else [""], "", f"{metrics}, {percent(result.confidence)} intervals")
    place = {label: i for i, label in enumerate(labels)}
    for i, series in enumerate(result.series):
        _draw(ax, i, series, place, _OFFSET * (i - (len(names) - 1) / 2.0))
    name_columns(ax, labels)
    for label in dict.fromkeys(point.run for _, point in result.drift):
        ax.axvline(place[label] - 0.5, color=GRAY, linestyle=":", linewidth=1.2)
    _legend(ax, result)
    label_ends(ax, names, [(place[s.points[-1].run] + 0.1, _height(s.points[-1])) for s in result.series])
    caption(
        ax, f"{result.extent}; changes at an error rate of {1.0 - result.confidence:.2g} for all comparisons together"
    )
    return ax


def _height(point: HistoryPoint) -> float:
    return point.mu if point.score is None else point.score


def _draw(ax: Axes, i: int, series: HistorySeries, place: dict[str, int], offset: float) -> None:
    color, marker, linestyle = style(i)
    x = np.array([place[point.run] for point in series.points]) + offset
    y = np.array([_height(point) for point in series.points])
    ax.vlines(
        x, [point.lo for point in series.points], [point.hi for point in series.points], color=color, linewidth=1.4
    )
    ax.plot(x, y, color=color, marker=marker, linestyle=linestyle, linewidth=1.0, markersize=5)
    for kind, shape in _SHAPES.items():
        at = [j for j, point in enumerate(series.points) if point.change == kind]
        ax.plot(x[at], y[at], shape, markersize=17, markerfacecolor="none", markeredgecolor=BLACK, markeredgewidth=1.4)


def _legend(ax: Axes, result: History) -> None:
    """Explain the triangles and the dotted lines, as far as there are any."""
    from matplotlib.lines import Line2D

    def triangle(shape: str) -> Line2D:
        return Line2D([], [], marker=shape, linestyle="", markersize=9, markerfacecolor="none", markeredgecolor=BLACK)

    kinds = {point.change for _, point in result.changes}
    signs: dict[str, Line2D] = {f"called {kind}": triangle(shape) for kind, shape in _SHAPES.items() if kind in kinds}
    if result.drift:
        signs["other circumstances from here"] = Line2D([], [], color=GRAY, linestyle=":", linewidth=1.2)
    if signs:
        legend_above(ax, list(signs.values()), list(signs))
