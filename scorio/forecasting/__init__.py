"""Forecasts: Pass@k and Pass^k for many more trials than there are, with what the trials leave open."""

from ._forecast import forecast, levels_up_to
from ._forecasts import Forecast, ForecastComparison, Forecasts

__all__ = ["Forecast", "ForecastComparison", "Forecasts", "forecast", "levels_up_to"]
