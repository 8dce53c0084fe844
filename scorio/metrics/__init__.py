"""Metrics: frozen objects that turn outcomes into scores and intervals."""

from . import _blend, _reward_metrics, _selectors, _threshold
from ._base import Metric, Moments
from ._blend import *  # noqa: F403 - the classes that its __all__ names, as of the next three
from ._count import CountMetric
from ._registry import METRICS, list_metrics
from ._reward_metrics import *  # noqa: F403
from ._rubric import Rubric
from ._selectors import *  # noqa: F403
from ._selectors import Draw as Draw, RuleAtK
from ._threshold import *  # noqa: F403

__all__ = ["METRICS", "CountMetric", "Metric", "Moments", "Rubric", "RuleAtK", "list_metrics"]
__all__ += _reward_metrics.__all__
__all__ += _threshold.__all__
__all__ += _blend.__all__
__all__ += _selectors.__all__
