"""``--fail-under``: conditions on which scripts can act."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import click

from .._display.table import plain
from .._display.words import shorten, unknown
from ..errors import ParameterError
from ._context import Record
from ._metric import metric_of

_NAMES = ("task", "model", "metric")


@dataclass(frozen=True)
class Condition:
    """A column must be at least ``limit`` in every row with all the names."""

    text: str
    names: tuple[str, ...]
    column: str
    limit: float

    def violations(self, records: Sequence[Record]) -> list[str]:
        """Describe the rows under the limit; NaN is under every limit."""
        if records and self.column not in records[0]:
            raise self._no_number(records[0])
        rows = [record for record in records if all(_has_name(record, name) for name in self.names)]
        if not rows:
            known = dict.fromkeys(record[column] for column in _NAMES for record in records if column in record)
            names = " and ".join(self.names)
            raise ParameterError(f"--fail-under {self.text!r}: no row is about {names}; there are {shorten(known)}")
        failed = [record for record in rows if not self._value(record) >= self.limit]
        return [f"{_who(record)}: {self.column} {self._value(record):.6g} is under {self.limit:g}" for record in failed]

    def _value(self, record: Record) -> float:
        value = record.get(self.column)
        if value is None and self.column in record:
            return math.nan
        if not isinstance(value, (int, float)):
            raise self._no_number(record)
        return float(value)

    def _no_number(self, record: Record) -> ParameterError:
        numbers = [name for name, each in record.items() if isinstance(each, (int, float))]
        return ParameterError(f"--fail-under {self.text!r}: {unknown('column of numbers', self.column, numbers)}")


def _has_name(record: Record, name: str) -> bool:
    return any(record.get(column) == name for column in _NAMES) or record.get("metric") == _canonical(name)


def _canonical(name: str) -> str | None:
    """Return the metric's name as it is in tables, or None for an unknown metric."""
    try:
        return str(metric_of(name))
    except ParameterError:
        return None


def _who(record: Record) -> str:
    return " ".join(str(record[name]) for name in _NAMES if name in record)


def condition_of(text: str) -> Condition:
    """Return the condition that ``[TASK] [MODEL] [METRIC] COLUMN NUMBER`` means."""
    try:
        *names, column, limit = shlex.split(text)
        condition = Condition(text, tuple(names), column, float(limit))
    except ValueError:
        condition = None
    if condition is None or math.isnan(condition.limit):
        raise ParameterError(f"{text!r} is not of the form '[TASK] [MODEL] [METRIC] COLUMN NUMBER'")
    return condition


def check_conditions(conditions: Sequence[Condition], records: Sequence[Record]) -> None:
    """Exit with 1 if a condition does not hold, and say which one on stderr."""
    lines = [line for condition in conditions for line in condition.violations(records)]
    for line in lines:
        click.echo(f"scorio: {plain(line)}", err=True)
    if lines:
        click.get_current_context().exit(1)
