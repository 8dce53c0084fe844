"""Success over a property of the questions: curves, horizons and their trend, and gaps between two sets."""

from ._curve import Curve
from ._gap import Gap, gap, gaps, read_sets
from ._horizon import Horizon, HorizonRatio, Horizons, Trend, horizon

__all__ = ["Curve", "Gap", "Horizon", "HorizonRatio", "Horizons", "Trend", "gap", "gaps", "horizon", "read_sets"]
