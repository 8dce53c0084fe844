"""More trials, harder questions: curves, horizons and gaps, forecasts, and how many trials a ranking needs."""

from ._convergence import Convergence, analyze_convergence
from ._convergence import ConvergenceTable as ConvergenceTable
from ._curve import Curve as Curve
from ._forecast import Forecast as Forecast
from ._forecast import Forecasts, forecast
from ._gap import Gap, gap, gaps
from ._horizon import Horizon as Horizon
from ._horizon import HorizonRatio as HorizonRatio
from ._horizon import Horizons, horizon
from ._horizon import Trend as Trend

__all__ = [
    "Convergence",
    "Forecasts",
    "Gap",
    "Horizons",
    "analyze_convergence",
    "forecast",
    "gap",
    "gaps",
    "horizon",
]
