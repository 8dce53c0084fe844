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
from ..rank import CostTable, Leaderboard, MetricRanking
from ..resampling import Convergence, ConvergenceTable
from . import _intervals, _lines
from ._intervals import differences
from ._lines import curves

__all__ = ["chart", "curves", "differences"]

_CHARTS: dict[type, Callable[..., Chart]] = {
    Leaderboard: _intervals.leaderboard,
    MetricRanking: _intervals.leaderboard,
    Comparison: _lines.difference,
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


def chart(result: Any, **options: Any) -> Chart:
    """Return the chart of a result, with the options that its kind has."""
    for kind, made in _CHARTS.items():
        if isinstance(result, kind):
            return made(result, **options)
    kinds = ", ".join(kind.__name__ for kind in _CHARTS)
    raise ParameterError(f"has no picture; these have one: {kinds}; got {type(result).__name__}", argument="result")
