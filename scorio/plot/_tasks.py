"""Scores by task as a picture: a row per task with a point per model."""

from __future__ import annotations

import numpy as np

from .._choices import OVERALL
from ..errors import ParameterError
from ..params import check_result
from ..rank import Leaderboard, MetricRanking
from ._series import beside, caption, name_rows
from ._style import CHARACTER, SKY, Axes, axes, legend_beside, room_beside, short_names, style

_ROW, _MODEL = 0.16, 0.13  # inches per task, and per model in it
_LOOSE = 0.8  # share of a row that its models fill


def tasks(board: Leaderboard | MetricRanking, ax: Axes | None = None) -> Axes:
    """Draw each model's score (point) and interval (line) on every task of a suite, below its overall score.

    Models stand in the order of their overall scores, the same in each row.

    >>> from scorio import Leaderboard, Suite, plot
    >>> suite = Suite({"add": {"a": [[1, 1], [0, 1]], "b": [[0, 1], [0, 0]]}, "mul": {"a": [[1, 0]], "b": [[0, 0]]}})
    >>> [label.get_text() for label in plot.tasks(Leaderboard("pass@1", suite)).get_yticklabels()]
    ['overall', 'add', 'mul']
    """
    ranking, metrics = _of_suite(board)
    rows = {OVERALL: ranking, **ranking.tasks}
    labels = short_names(list(rows))
    count = len(ranking.models)
    names = [ranking.models[i] for i in ranking.order]
    width = 5.0 + CHARACTER * max(map(len, labels)) + room_beside(names)
    ax = axes(ax, width, 1.2 + len(rows) * (_ROW + _MODEL * count))
    ax.axhspan(-0.5, 0.5, color=SKY, alpha=0.25, linewidth=0)
    handles = []
    for place, (i, offset) in enumerate(zip(ranking.order, beside(count, _LOOSE), strict=True)):
        look = style(place)
        y = np.arange(len(rows)) + offset
        ends = np.array([each.intervals[i][2:] for each in rows.values()])
        scores = [each.scores[i] for each in rows.values()]
        ax.hlines(y, ends[:, 0], ends[:, 1], color=look.color, linewidth=1.3)
        handles += ax.plot(scores, y, look.marker, color=look.color, markersize=4.5)
    legend_beside(ax, handles, names)
    name_rows(ax, labels)
    ax.set_xlabel(f"{metrics}, {ranking.settings.percent} interval")
    caption(ax, f"{ranking.extent}; {ranking.about}")
    return ax


def _of_suite(board: Leaderboard | MetricRanking) -> tuple[MetricRanking, str]:
    """Return the ranking of several tasks, and their metrics in words."""
    check_result("scorio.Leaderboard", "board", board, Leaderboard, MetricRanking)
    ranking = board.only if isinstance(board, Leaderboard) else board
    if not ranking.tasks:
        raise ParameterError("is the leaderboard of one task: plot.leaderboard draws it", argument="board")
    return ranking, ", ".join(sorted({str(each.metric) for each in ranking.tasks.values()}))
