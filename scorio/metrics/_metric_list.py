"""The metrics to choose from, with their parameters and formulas."""

import dataclasses
import inspect

from .._choices import FROM_PAPERS
from .._display.row_exports import RowExports
from .._display.table import Column, Table
from ._base import Metric
from ._names import metric_class, metric_names


@dataclasses.dataclass(frozen=True)
class MetricList(RowExports):
    """The names, parameters, classes and formulas of metrics: ``rows`` has one record for each."""

    rows: tuple[dict[str, str], ...]

    def __str__(self) -> str:
        return self._display_table().text()

    def _records(self) -> list[dict[str, str]]:
        return list(self.rows)

    def _display_table(self) -> Table:
        columns = [Column("name"), Column("parameters"), Column("class"), Column("formula")]
        cells = [[record[each] for each in ("name", "parameters", "class", "formula")] for record in self.rows]
        examples = "pass@8, pass^4, gpass@8:tau=.5, max@4:w=0,.5,1; package.module:Class(k=8) for other classes"
        notes = [f"examples: {examples}"]
        notes += [f"from papers, seldom reported: {', '.join(FROM_PAPERS)}"]
        return Table("metrics", columns, cells, notes)


def list_metrics() -> MetricList:
    """Return all metrics that have a name, those that are seldom reported last."""
    names = sorted(metric_names(), key=lambda name: name in FROM_PAPERS)
    return MetricList(tuple(_record(name, metric_class(name, Metric)) for name in names))


def _record(name: str, metric: type[Metric]) -> dict[str, str]:
    fields = dataclasses.fields(metric)
    parameters = [
        each.name if each.default is dataclasses.MISSING else f"{each.name}={each.default}" for each in fields
    ]
    formula = (inspect.getdoc(metric) or "").partition("\n\n")[0].replace("``", "").replace("\n", " ")
    return {
        "name": name,
        "parameters": ", ".join(parameters),
        "class": f"{metric.__module__.partition('.')[0]}.{metric.__qualname__}",
        "formula": formula,
    }
