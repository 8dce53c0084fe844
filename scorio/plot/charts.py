"""The pictures as data, without matplotlib: what reports draw."""

from ._boards import leaderboard_chart, tasks_chart
from ._comparison import differences_chart
from ._curves import curves_chart, forecast_chart
from ._history import history_chart
from ._horizon import horizon_chart

__all__ = [
    "curves_chart",
    "differences_chart",
    "forecast_chart",
    "history_chart",
    "horizon_chart",
    "leaderboard_chart",
    "tasks_chart",
]
