"""Success over a property of the questions: curves, horizons and their trend, categories, and gaps between two sets."""

from ._curve import Curve, CurvePoint, Curves, curve_over
from ._gap import Gap, Gaps, gap, gaps
from ._horizon import Horizon, HorizonRatio, Horizons, horizon
from ._monotone import monotone
from ._sets_file import number_or_text, read_sets
from ._steps import Step, Steps
from ._trend import Trend

__all__ = [
    "Curve",
    "CurvePoint",
    "Curves",
    "Gap",
    "Gaps",
    "Horizon",
    "HorizonRatio",
    "Horizons",
    "Step",
    "Steps",
    "Trend",
    "curve_over",
    "gap",
    "gaps",
    "horizon",
    "monotone",
    "number_or_text",
    "read_sets",
]
