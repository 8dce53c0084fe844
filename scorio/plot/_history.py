"""Scores over runs, with the changes that are called and the runs under other circumstances."""

from __future__ import annotations

import numpy as np

from .._display.charts import Axis, Chart, Mark
from .._display.numbers import percent
from .._display.words import in_order
from ..comparison import History, HistorySeries
from ..params import check_result
from ._draw import Axes, draw

_OFFSET = 0.07  # of a step between runs, by which series stand beside one another
_CALLED = ("worse", "improved")


def history(result: History, ax: Axes | None = None) -> Axes:
    """Draw each series as scores with intervals; triangles are called changes, dotted lines other circumstances.

    >>> import scorio
    >>> from scorio import plot
    >>> runs = {"May": [[1, 1, 1, 0], [1, 1, 0, 1]], "June": [[1, 1, 0, 0], [1, 1, 1, 1]]}
    >>> ax = plot.history(scorio.analyze_history("pass@1", runs))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['May', 'June']
    """
    return draw(history_chart(result), ax)


def history_chart(result: History) -> Chart:
    """Return the scores of every series over runs, with what is called."""
    check_result("scorio.analyze_history", "result", result, History)
    runs = in_order([point.run for point in series.points] for series in result.series)
    marks = []
    for i, series in enumerate(result.series):
        marks += _marks(i, series, runs, _OFFSET * (i - (len(result.series) - 1) / 2.0))
    if drifted := list(dict.fromkeys(runs.index(point.run) - 0.5 for _, point in result.drift)):
        marks.append(Mark("rule", None, drifted, (), look="dotted", name="other circumstances from here"))
    metrics = ", ".join(dict.fromkeys(series.metric for series in result.series))
    error = f"{1.0 - result.confidence:.2g}"
    return Chart(
        Axis(names=runs),
        Axis(f"{metrics}, {percent(result.confidence)} intervals"),
        marks,
        f"{result.extent}; changes at an error rate of {error} for all comparisons together",
        key="ends",
    )


def _marks(i: int, series: HistorySeries, runs: list[str], moved: float) -> list[Mark]:
    """Return the marks of a series: intervals, the line through the scores, and a sign around each called run."""
    points = series.points
    x = np.array([runs.index(point.run) for point in points]) + moved
    y = np.array([point.mu if point.score is None else point.score for point in points])
    marks = [
        Mark("upright", i, x, [point.lo for point in points], [point.hi for point in points]),
        Mark("line", i, x, y, look="marked", name=series.name),
    ]
    for kind in _CALLED:
        at = [j for j, point in enumerate(points) if point.change == kind]
        if at:
            marks.append(Mark("points", i, x[at], y[at], look=kind, name=f"called {kind}"))
    return marks
