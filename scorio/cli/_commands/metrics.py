"""``scorio metrics``: the metrics to choose from."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING

from ..._display.table import Column, Table
from .._command import declared
from .._context import Record
from .._output import Answer, Output

if TYPE_CHECKING:
    from ...metrics import Metric


@declared("metrics", "--format md", reads=False)
def command(out: Output) -> None:
    """List the metrics, with their formulas.

    Plug-ins add metrics with the entry point scorio.metrics.
    """
    from ...metrics import Metric, metric_class, metric_names

    records = [_record(name, metric_class(name, Metric)) for name in metric_names()]
    columns = [Column("name"), Column("parameters"), Column("class"), Column("formula")]
    cells = [[str(record[each]) for each in ("name", "parameters", "class", "formula")] for record in records]
    notes = ["examples: pass@8, pass^4, gpass@8:tau=.5, max@4:w=0,.5,1; package.module:Class(k=8) for other classes"]
    out.deliver(Answer([Table("metrics", columns, cells, notes)], records))


def _record(name: str, metric: type[Metric]) -> Record:
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
