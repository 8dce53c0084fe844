"""The pictures as data, without matplotlib: what reports draw."""

from collections.abc import Callable
from typing import Any

from .._display.charts import Chart
from ..comparison import Comparison, History
from ..curves import Horizons
from ..errors import ParameterError
from ..factorial import FactorAnalysis
from ..forecasting import Forecasts
from ..planning import Design, RunEffects
from ..rank import Comparisons, CostTable, Leaderboard, MetricRanking
from ..resampling import Convergence, ConvergenceTable
from . import _intervals, _lines
from ._lines import curves, curves_of

__all__ = ["chart", "curves", "curves_of", "has_chart"]

_CHARTS: dict[type, Callable[..., Chart]] = {
    Leaderboard: _intervals.leaderboard,
    MetricRanking: _intervals.leaderboard,
    Comparison: _lines.difference,
    Comparisons: _intervals.differences,
    Forecasts: _lines.forecast,
    CostTable: _intervals.cost_frontier,
    History: _intervals.history,
    Horizons: _lines.horizon,
    FactorAnalysis: _intervals.margins,
    Convergence: _lines.convergence,
    ConvergenceTable: _lines.convergence,
    Design: _lines.power,
    RunEffects: _intervals.runs,
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
