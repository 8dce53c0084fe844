"""The metrics to choose from, which ``scorio score --list`` shows."""

from __future__ import annotations

import dataclasses
import inspect

from .._choices import FROM_PAPERS
from .._display.table import Column, Table
from ..metrics import Metric, metric_class, metric_names
from ._context import Record
from ._output import Answer


def list_of_metrics() -> Answer:
    """Return the names, parameters, classes and formulas of all metrics, those that are seldom reported last."""
    names = sorted(metric_names(), key=lambda name: name in FROM_PAPERS)
    records = [_record(name, metric_class(name, Metric)) for name in names]
    columns = [Column("name"), Column("parameters"), Column("class"), Column("formula")]
    cells = [[str(record[each]) for each in ("name", "parameters", "class", "formula")] for record in records]
    notes = ["examples: pass@8, pass^4, gpass@8:tau=.5, max@4:w=0,.5,1; package.module:Class(k=8) for other classes"]
    notes += [f"from papers, seldom reported: {', '.join(FROM_PAPERS)}"]
    return Answer([Table("metrics", columns, cells, notes)], records, kind="list")


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
