"""Metrics: frozen objects that turn outcomes into scores and intervals."""

from ._base import Metric, Moments
from ._batch import intervals
from ._blend import GeomAtK, GeomDsAtK, GeoSpectrum
from ._count import CountMetric
from ._registry import METRICS
from ._reward_metrics import AvgMetric, BayesMetric, MaxAtK
from ._rubric import Rubric
from ._spectrum import AucAtK, MGPass, ThresholdSpectrum
from ._threshold import GPassTau, MajAtK, PassAtK, PassHatK

__all__ = [
    "METRICS",
    "AucAtK",
    "AvgMetric",
    "BayesMetric",
    "CountMetric",
    "GPassTau",
    "GeoSpectrum",
    "GeomAtK",
    "GeomDsAtK",
    "MGPass",
    "MajAtK",
    "MaxAtK",
    "Metric",
    "Moments",
    "PassAtK",
    "PassHatK",
    "Rubric",
    "ThresholdSpectrum",
    "intervals",
]
