"""Forecasts: Pass@k and Pass^k for many more trials than there are, with what the trials leave open."""

from ._curves import Curve, curves_of
from ._far import can_be_forecast
from ._forecast import forecast, levels_up_to
from ._forecasts import Forecast, Forecasts
from ._tail import FEWEST_TRIALS

__all__ = [
    "FEWEST_TRIALS",
    "Curve",
    "Forecast",
    "Forecasts",
    "can_be_forecast",
    "curves_of",
    "forecast",
    "levels_up_to",
]
