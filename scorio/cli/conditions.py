"""``--fail-under``: conditions that scripts can act on."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import click

from ..errors import ParameterError
from ..labels import listed
from ..sheet import plain
from .metric import metric_of
from .options import Option, each_as
from .output import Record

_NAMES = ("model", "metric")


@dataclass(frozen=True)
class Condition:
    """A column must be at least ``limit`` in every row that bears all the names."""

    text: str
    names: tuple[str, ...]
    column: str
    limit: float

    def broken(self, records: Sequence[Record]) -> list[str]:
        """The rows that are under the limit, in words; NaN is under any."""
        if records and self.column not in records[0]:
            raise self._no_number(records[0])
        meant = [record for record in records if all(_bears(record, name) for name in self.names)]
        if not meant:
            there = dict.fromkeys(record[column] for column in _NAMES for record in records if column in record)
            names = " and ".join(self.names)
            raise ParameterError(f"--fail-under {self.text!r}: no row is about {names}; there are {listed(there)}")
        lost = [record for record in meant if not self._value(record) >= self.limit]
        return [f"{_who(record)}: {self.column} {self._value(record):.6g} is under {self.limit:g}" for record in lost]

    def _value(self, record: Record) -> float:
        value = record.get(self.column)
        if value is None and self.column in record:
            return math.nan
        if not isinstance(value, (int, float)):
            raise self._no_number(record)
        return float(value)

    def _no_number(self, record: Record) -> ParameterError:
        numbers = ", ".join(name for name, each in record.items() if isinstance(each, (int, float)))
        return ParameterError(f"--fail-under {self.text!r}: {self.column!r} is none of the numbers {numbers}")


def _bears(record: Record, name: str) -> bool:
    return any(record.get(column) == name for column in _NAMES) or record.get("metric") == _spelt(name)


def _spelt(name: str) -> str | None:
    """The metric's name as tables spell it; None where it names no metric."""
    try:
        return str(metric_of(name))
    except ParameterError:
        return None


def _who(record: Record) -> str:
    return " ".join(str(record[name]) for name in _NAMES if name in record)


def _condition(text: str) -> Condition:
    """``[MODEL] [METRIC] COLUMN NUMBER``."""
    try:
        *names, column, limit = shlex.split(text)
        found = Condition(text, tuple(names), column, float(limit))
    except ValueError:
        found = None
    if found is None or math.isnan(found.limit):
        raise ParameterError(f"{text!r} is not of the form '[MODEL] [METRIC] COLUMN NUMBER'")
    return found


fail_under: Option = click.option(
    "--fail-under",
    "conditions",
    multiple=True,
    callback=each_as(_condition),
    metavar="CONDITION",
    help="Exit with 1 unless it holds: '[MODEL] [METRIC] COLUMN NUMBER', as in 'model-a pass@1 lo 0.6'.",
)


def demand(conditions: Sequence[Condition], records: Sequence[Record]) -> None:
    """Exit with 1, and say why on stderr, where a condition does not hold."""
    lost = [line for condition in conditions for line in condition.broken(records)]
    for line in lost:
        click.echo(f"scorio: {plain(line)}", err=True)
    if lost:
        click.get_current_context().exit(1)
