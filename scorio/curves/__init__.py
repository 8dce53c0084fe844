"""More trials, harder questions: curves, horizons and gaps, forecasts, and how many trials a ranking needs."""

from ._convergence import Convergence as Convergence, ConvergenceTable as ConvergenceTable, analyze_convergence
from ._curve import Curve as Curve
from ._forecast import Forecast as Forecast, Forecasts as Forecasts, forecast
from ._gap import Gap as Gap, gap, gaps
from ._horizon import Horizon as Horizon, HorizonRatio as HorizonRatio, Horizons as Horizons, Trend as Trend, horizon

__all__ = ["analyze_convergence", "forecast", "gap", "gaps", "horizon"]
