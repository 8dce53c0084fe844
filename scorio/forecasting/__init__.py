"""Forecasts: Pass@k and Pass^k for many more trials than there are, with what the trials leave open."""

from ._far import can_be_forecast
from ._forecast import Forecast, Forecasts, forecast
from ._tail import FEWEST_TRIALS

__all__ = ["FEWEST_TRIALS", "Forecast", "Forecasts", "can_be_forecast", "forecast"]
