"""``scorio metrics``: the metrics to choose from."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING

import click

from ..._choices import FROM_PAPERS
from ..._display.table import Column, Table
from .._command import declared
from .._context import Record
from .._output import Answer, Output

if TYPE_CHECKING:
    from ...metrics import Metric


@declared(
    "metrics",
    "--format md",
    click.option(
        "--from-papers",
        is_flag=True,
        help="List the metrics that are seldom reported outside the papers that proposed them.",
    ),
    reads=False,
)
def command(out: Output, from_papers: bool) -> None:
    """List the metrics, with their formulas.

    Those that are seldom reported have a list of their own. Plug-ins add metrics with the entry point scorio.metrics.
    """
    from ...metrics import Metric, metric_class, metric_names

    names = [name for name in metric_names() if (name in FROM_PAPERS) == from_papers]
    records = [_record(name, metric_class(name, Metric)) for name in names]
    columns = [Column("name"), Column("parameters"), Column("class"), Column("formula")]
    cells = [[str(record[each]) for each in ("name", "parameters", "class", "formula")] for record in records]
    notes = ["examples: pass@8, pass^4, gpass@8:tau=.5, max@4:w=0,.5,1; package.module:Class(k=8) for other classes"]
    notes += (
        []
        if from_papers
        else [f"from papers, seldom reported: {', '.join(FROM_PAPERS)} (scorio metrics --from-papers)"]
    )
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
