"""Metrics: frozen objects that turn outcomes into scores and intervals."""

from .base import Metric, Moments
from .blend import GeomAtK, GeomDsAtK, GeoSpectrum
from .count import AucAtK, CountMetric, GPassTau, MajAtK, MGPass, PassAtK, PassHatK, ThresholdSpectrum
from .registry import METRICS
from .rewarded import AvgMetric, BayesMetric, MaxAtK
from .rubric import Rubric

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
]
