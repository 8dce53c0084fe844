"""The one list of the metrics that this package defines; all that offers metrics by name iterates over it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .base import Metric
from .blend import GeomAtK, GeomDsAtK, GeoSpectrum
from .rewarded import AvgMetric, BayesMetric, MaxAtK
from .spectrum import AucAtK, MGPass, ThresholdSpectrum
from .threshold import GPassTau, MajAtK, PassAtK, PassHatK

METRICS: Mapping[str, type[Metric]] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            BayesMetric,
            AvgMetric,
            PassAtK,
            PassHatK,
            GPassTau,
            MGPass,
            MajAtK,
            AucAtK,
            MaxAtK,
            ThresholdSpectrum,
            GeomAtK,
            GeomDsAtK,
            GeoSpectrum,
        )
    }
)
