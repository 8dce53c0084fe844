"""The metrics to choose from, with their parameters and formulas."""

import dataclasses
import inspect
from typing import ClassVar

from .._choices import FROM_PAPERS
from .._display.exports import Exports
from .._display.table import Field
from ._base import Metric
from ._names import metric_class, metric_names


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
    formula = (inspect.getdoc(metric) or "").partition("\n\n")[0].replace("``", "").replace("\n", " ")
    return {
        "name": name,
        "parameters": ", ".join(parameters),
        "class": f"{metric.__module__.partition('.')[0]}.{metric.__qualname__}",
        "formula": formula,
    }
