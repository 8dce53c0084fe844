"""Forecasts: Pass@k and Pass^k for many more trials than there are, with what the trials leave open."""

from ._curves import curves_of, forecast_curves
from ._forecast import forecast, levels_up_to
from ._forecasts import Forecast, ForecastComparison, Forecasts

__all__ = ["Forecast", "ForecastComparison", "Forecasts", "curves_of", "forecast", "forecast_curves", "levels_up_to"]
