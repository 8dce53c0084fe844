"""Metrics: frozen objects that turn outcomes into scores and intervals."""

from .base import Metric, Moments
from .blend import GeomAtK, GeomDsAtK, GeoSpectrum
from .count import CountMetric
from .registry import METRICS
from .rewarded import AvgMetric, BayesMetric, MaxAtK
from .rubric import Rubric
from .spectrum import AucAtK, MGPass, ThresholdSpectrum
from .threshold import GPassTau, MajAtK, PassAtK, PassHatK

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
