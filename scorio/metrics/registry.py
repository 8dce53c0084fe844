"""The one list of the metrics that this package defines; all that offers metrics by name iterates over it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import ParameterError
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


def as_metric(metric: Any) -> Metric:
    """The metric itself, or the one that a text names."""
    if isinstance(metric, str):
        return Metric.from_string(metric)
    if not isinstance(metric, Metric):
        raise ParameterError(f"metric must be a Metric or its name, as in 'pass@8'; got {metric!r}")
    return metric


def as_metrics(metrics: Any) -> list[Metric]:
    """The metrics of one or of several, each a Metric or its name, each once."""
    several = [metrics] if isinstance(metrics, (Metric, str)) else list(metrics) if np.iterable(metrics) else []
    if not several or not all(isinstance(each, (Metric, str)) for each in several):
        raise ParameterError(f"metrics must be a Metric, its name or several of them; got {metrics!r}")
    found = [as_metric(each) for each in several]
    names = [str(each) for each in found]
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise ParameterError(f"metrics must differ; {twice[0]} comes twice")
    return found


def spelt(metric: Any, known: Container[str]) -> str:
    """The name of a metric, or of the one that a text names, where that is not known itself; empty of anything else."""
    if isinstance(metric, str) and metric in known:
        return metric
    try:
        return str(as_metric(metric))
    except ParameterError:
        return ""
