"""The built-in metrics, in the order of lists and tables, and metrics from the names that users pass."""

import dataclasses
import inspect
import itertools
from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from .._base.choices import FROM_PAPERS
from .._base.exports import Exports
from .._base.table import Field
from ..errors import ParameterError
from . import _blend, _reward_metrics, _selectors, _threshold
from ._base import Metric
from ._names import metric_class, metric_names, register

_MODULES = _reward_metrics, _threshold, _blend, _selectors  # whose __all__ names their metrics
METRICS: Mapping[str, type[Metric]] = MappingProxyType(
    {metric.name: metric for module in _MODULES for metric in (vars(module)[name] for name in module.__all__)}
)
for _metric in METRICS.values():
    register(_metric)  # again, so that lists show them in this order


def as_metric(metric: Any) -> Metric:
    """Return the metric itself, or the one that a text names."""
    if isinstance(metric, str):
        return Metric.from_string(metric)
    if not isinstance(metric, Metric):
        raise ParameterError(f"must be a Metric or its name, as in 'pass@8'; got {metric!r}", argument="metric")
    return metric


def as_metrics(metrics: Any) -> list[Metric]:
    """Return one metric or several as a list; each is a Metric or its name, and none comes twice."""
    several = [metrics] if isinstance(metrics, (Metric, str)) else list(metrics) if np.iterable(metrics) else []
    if not several or [isinstance(metric, (Metric, str)) for metric in several].count(False):
        raise ParameterError(f"must be a Metric, its name or several of them; got {metrics!r}", argument="metrics")
    chosen = [as_metric(metric) for metric in several]
    for at, metric in enumerate(chosen):
        if metric in chosen[:at]:
            raise ParameterError(f"must differ; {metric} comes twice", argument="metrics")
    return chosen


def spelt(metric: Any, names: Container[str]) -> str:
    """Return the known name that a metric or a text stands for; empty for anything else."""
    if isinstance(metric, str) and metric in names:
        return metric
    try:
        return str(as_metric(metric))
    except ParameterError:
        return ""


@dataclasses.dataclass(frozen=True)
class MetricList(Exports):
    """The names, parameters, classes and formulas of metrics: ``rows`` has one record for each."""

    rows: tuple[dict[str, str], ...]
    _columns: ClassVar = tuple(Field(name, of=name) for name in ("name", "parameters", "class", "formula"))

    @property
    def as_title(self) -> str:
        return "metrics"

    def _notes(self) -> tuple[str, ...]:
        examples = "pass@8, pass^4, gpass@8:tau=.5, max@4:w=0,.5,1; package.module:Class(k=8) for other classes"
        return f"examples: {examples}", f"from papers, seldom reported: {', '.join(FROM_PAPERS)}"


def list_metrics() -> MetricList:
    """Return all metrics that have a name, those that are seldom reported last."""
    names = sorted(metric_names(), key=lambda name: name in FROM_PAPERS)
    return MetricList(tuple(_record(name, metric_class(name, Metric)) for name in names))


def _record(name: str, metric: type[Metric]) -> dict[str, str]:
    fields = dataclasses.fields(metric)
    parameters = [
        field.name if field.default is dataclasses.MISSING else f"{field.name}={field.default}" for field in fields
    ]
    public = itertools.takewhile(lambda part: not part.startswith("_"), metric.__module__.split("."))
    formula = (inspect.getdoc(metric) or "").partition("\n\n")[0].replace("``", "").replace("\n", " ")
    return {
        "name": name,
        "parameters": ", ".join(parameters),
        "class": ".".join([*public, metric.__qualname__]),
        "formula": formula,
    }
