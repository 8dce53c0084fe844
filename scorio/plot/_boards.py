"""Leaderboards as pictures: a row per model, or per task of a suite."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .._choices import OVERALL
from .._display.charts import Axis, Chart, Mark, beside_one_another, intervals, two_sets
from .._display.numbers import score_text, span
from ..errors import ParameterError
from ..params import check_result
from ..rank import Leaderboard, MetricRanking, Row
from ._draw import Axes, draw

_SETS = "in the top set", "not in the top set"
_LOOSE = 0.8  # share of a row that its models fill


def leaderboard(board: Leaderboard | MetricRanking, ax: Axes | None = None) -> Axes:
    """Draw each model's score (point) and interval (line), best on top; models of the top set are shaded.

    A board of several metrics is drawn one metric at a time: ``leaderboard(board["pass@8"])``.

    >>> from scorio import Leaderboard, PassAtK, plot
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> [label.get_text() for label in plot.leaderboard(board).get_yticklabels()]
    ['1. a', '2. b']
    """
    return draw(leaderboard_chart(board), ax)


def leaderboard_chart(board: Leaderboard | MetricRanking) -> Chart:
    """Return a row for each model, with its score and interval."""
    ranking = _ranking(board)
    tied = [row.tied_with_top for row in ranking.rows]
    marks = [Mark("shade", 5, (), np.flatnonzero(tied)), *two_sets(list(map(_span, ranking.rows)), tied, _SETS)]
    numbers = [f"{score_text(row.score)} {span(row.lo, row.hi)}" for row in ranking.rows]
    names = [f"{row.rank:g}. {row.model}" for row in ranking.rows]
    label = f"{ranking.name}, {ranking.settings.percent} interval"
    return Chart(Axis(label), Axis(names=names, beside=numbers), marks, f"{ranking.extent}; {ranking.about}")


def tasks(board: Leaderboard | MetricRanking, ax: Axes | None = None) -> Axes:
    """Draw each model's score (point) and interval (line) on every task of a suite, below its overall score.

    Models stand in the order of their overall scores, the same in each row.

    >>> from scorio import Leaderboard, Suite, plot
    >>> suite = Suite({"add": {"a": [[1, 1], [0, 1]], "b": [[0, 1], [0, 0]]}, "mul": {"a": [[1, 0]], "b": [[0, 0]]}})
    >>> [label.get_text() for label in plot.tasks(Leaderboard("pass@1", suite)).get_yticklabels()]
    ['overall', 'add', 'mul']
    """
    return draw(tasks_chart(board), ax)


def tasks_chart(board: Leaderboard | MetricRanking, most: int | None = None) -> Chart:
    """Return a row for each task and one for all, with an interval for each model, or each of the ``most`` best."""
    ranking = _ranking(board)
    if not ranking.tasks:
        raise ParameterError("is the leaderboard of one task: plot.leaderboard draws it", argument="board")
    rows: Mapping[str, MetricRanking] = {OVERALL: ranking, **ranking.tasks}
    models = [row.model for row in ranking.rows[:most]]
    marks = [Mark("shade", 5, (), [0.0])]
    for i, (model, moved) in enumerate(zip(models, beside_one_another(len(models), _LOOSE), strict=True)):
        spans = [_span(next(row for row in each.rows if row.model == model)) for each in rows.values()]
        marks += intervals(i, np.arange(len(rows)) + moved, spans, name=model)
    metrics = ", ".join(sorted({str(each.metric) for each in ranking.tasks.values()}))
    label = f"{metrics}, {ranking.settings.percent} interval"
    return Chart(Axis(label), Axis(names=[*rows]), marks, f"{ranking.extent}; {ranking.about}", key="beside")


def _ranking(board: Leaderboard | MetricRanking) -> MetricRanking:
    check_result("scorio.Leaderboard", "board", board, Leaderboard, MetricRanking)
    return board.only if isinstance(board, Leaderboard) else board


def _span(row: Row) -> tuple[float, float, float]:
    return row.lo, row.point, row.hi
