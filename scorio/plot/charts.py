"""The picture of a result, as data, which reports draw, and drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._base.charts import Chart
from ..comparison import Comparison, History
from ..curves import Convergence, ConvergenceTable, Forecasts, Horizons
from ..errors import ParameterError
from ..factorial import FactorAnalysis
from ..planning import Design
from ..rank import CostTable, Leaderboard
from ..rank._comparisons import Comparisons
from ..rank._metric_ranking import MetricRanking
from . import _intervals, _lines
from ._draw import Axes, draw_chart

__all__ = ["chart", "draw", "has_chart"]

_CHARTS: dict[type, Callable[..., Chart]] = {
    Leaderboard: _intervals.leaderboard,
    MetricRanking: _intervals.leaderboard,
    Comparison: _intervals.differences,
    Comparisons: _intervals.differences,
    Forecasts: _lines.over_k,
    CostTable: _intervals.cost_frontier,
    History: _intervals.history,
    Horizons: _lines.horizon,
    FactorAnalysis: _intervals.margins,
    Convergence: _lines.convergence,
    ConvergenceTable: _lines.convergence,
    Design: _lines.power,
}


def has_chart(result: Any) -> bool:
    """Return whether a result has a picture."""
    return isinstance(result, tuple(_CHARTS))


def chart(result: Any, **options: Any) -> Chart:
    """Return the chart of a result, with the options that its kind has."""
    if not has_chart(result):
        kinds = ", ".join(kind.__name__ for kind in _CHARTS)
        problem = f"has no picture; these have one: {kinds}; got {type(result).__name__}"
        raise ParameterError(problem, argument="result")
    return next(made for kind, made in _CHARTS.items() if isinstance(result, kind))(result, **options)


def draw(result: Any, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a result: intervals are lines or bands, scores are points, and the caption says what they rest on.

    ==================  ==============================================================================================
    ``Leaderboard``     a row for each model, those of the top set shaded; of a suite with ``by_task=True``, a row for
                        each task. Of several metrics, one is drawn: ``draw(board["pass@8"])``
    ``Comparison``      the difference, of suites also on each task; the models are equal at the dashed line
    ``Forecasts``       means over k, with the scores as points; beyond the trials they are dashed and hollow. There
                        are all intervals of one or two models, the widest of up to eight. ``models`` chooses some
    ``CostTable``       scores against costs per trial; steps connect the models that beat every cheaper one, and a
                        hollow point is probably none of these
    ``History``         series of scores over runs; triangles are called changes, dotted lines other circumstances
    ``Horizons``        logistic curves over the values of questions, with points for eighths of them; diamonds are the
                        horizons at the rates, which are dashed
    ``FactorAnalysis``  margins, with intervals for these levels (thick) and for levels like these (thin); with
                        ``factor``, the cells of models and its levels: lines that are not parallel are an interaction
    ``Convergence``     Kendall's tau-b with the gold ranking, and the central ``confidence`` of replicates
    ``Design``          power against the true difference, for several numbers of questions; dashed: the ``goal``
    ==================  ==============================================================================================

    >>> from scorio import Leaderboard, PassAtK, plot
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> [label.get_text() for label in plot.draw(board).get_yticklabels()]
    ['1. a', '2. b']
    """
    return draw_chart(chart(result, **options), ax)
