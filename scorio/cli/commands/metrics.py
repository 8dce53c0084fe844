"""``scorio metrics``: what there is to choose from."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path

import click

from ...metrics import Metric
from ...sheet import Column, Sheet
from ..metric import Known
from ..output import Answer, Record, deliver, output_options


@click.command("metrics")
@output_options
def command(form: str | None, output: Path | None) -> None:
    """List the metrics, with their formulas; plug-ins of the entry point scorio.metrics among them."""
    known = Known()
    records = [_record(name, known[name]) for name in known]
    columns = [Column("name"), Column("parameters"), Column("class"), Column("what it is")]
    cells = [[str(record[each]) for each in ("name", "parameters", "class", "formula")] for record in records]
    notes = ["as in pass@8, pass^4, gpass@8:tau=.5, max@4:w=0,.5,1; or package.module:Class(k=8)"]
    deliver(Answer([Sheet("metrics", columns, cells, notes)], records), form, output)


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
