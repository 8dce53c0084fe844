"""More trials, harder questions: curves, horizons and gaps, forecasts, and how many trials a ranking needs."""

from ._convergence import Convergence as Convergence
from ._convergence import ConvergenceTable as ConvergenceTable
from ._convergence import analyze_convergence
from ._curve import Curve as Curve
from ._forecast import Forecast as Forecast
from ._forecast import Forecasts as Forecasts
from ._forecast import forecast
from ._gap import Gap as Gap
from ._gap import gap, gaps
from ._horizon import Horizon as Horizon
from ._horizon import HorizonRatio as HorizonRatio
from ._horizon import Horizons as Horizons
from ._horizon import Trend as Trend
from ._horizon import horizon

__all__ = ["analyze_convergence", "forecast", "gap", "gaps", "horizon"]
