"""Which column of a table plays which role: those that the user names, and others by their names and values."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from .._display.words import shorten, unknown
from ..errors import OutcomeError, Remedy
from ._column_names import metric_column, plain, turn_columns
from ._table_layout import (
    METRIC,
    NotATableError,
    Several,
    TableLayout,
    UnknownColumnsError,
    export_of,
    kept_columns,
    recognise_columns,
)
from ._unused_columns import UnusedColumns

_VALUE = "value"  # the column of outcomes beside names of metrics
_MEAN = re.compile(r"(pass|avg|maj|cons|mean)[@_^]")  # names of means over trials


@dataclass(frozen=True)
class Asked:
    """What the user says of a table: columns by role, that of the outcomes or the metric, factors, what is kept."""

    fields: Mapping[str, str | None] = field(default_factory=dict)
    score: str | None = None
    factors: tuple[str, ...] = ()
    several: Several = field(default_factory=dict)
    keep: tuple[str, ...] = ()


def layout_of(table: Any, asked: Asked) -> TableLayout:
    """Return the layout of a table: the rows of one metric, and turns that are kept apart."""
    columns_of_rows = {role: name for role, name in asked.fields.items() if role not in ("answer", "run")}
    run = asked.fields.get("run") or ""
    factors = (*asked.factors, run) if run else asked.factors
    layout = replace(_layout_of_metrics(table, replace(asked, fields=columns_of_rows, factors=factors)), run=run)
    rest = UnusedColumns(table, layout)
    if asked.score is None and not {"trials", "outcome"} & asked.fields.keys():
        rest.check_no_counts()
    if "question" not in asked.fields:
        rest.check_question()
    if asked.keep:
        layout = replace(layout, kept=kept_columns(table.columns, layout, asked.keep, asked.fields.get("answer")))
        rest = replace(rest, layout=layout)
    return layout.with_factors(filter(rest.varies, turn_columns(rest.names)))


def _layout_of_metrics(table: Any, asked: Asked) -> TableLayout:
    """Return the layout of a table, in which a column may name the metric of each row."""
    names = table.columns
    column = metric_column(name for name in names if name not in (*asked.fields.values(), *asked.factors))
    if column is None or column == asked.score or export_of(names) is not None:
        return _layout_of_outcomes(table, asked)
    score = asked.score if asked.score in names else next((name for name in names if plain(name) == _VALUE), None)
    try:
        layout = _layout_of_outcomes(table, replace(asked, score=score))
    except OutcomeError:
        if score is None:
            raise
        layout = _layout_of_outcomes(table, replace(asked, score=None))
    if asked.score not in (None, score) or UnusedColumns(table, layout).varies(column):
        metrics = [text for (text,) in table.tally([column]) if text is not None]
        chosen = choose(None if asked.score == score else asked.score, metrics, "score", "metric")
        return replace(layout, roles={**layout.roles, METRIC: column}, metric=chosen)
    return layout


def _layout_of_outcomes(table: Any, asked: Asked) -> TableLayout:
    """Return the layout of a table, whose outcomes are no means."""
    names = table.columns
    try:
        layout = recognise_columns(names, asked.fields, asked.score, asked.factors, asked.several)
    except UnknownColumnsError as error:
        lists = [] if asked.score else _lists_of_flags(table)
        if len(lists) == 1:
            layout = recognise_columns(names, asked.fields, lists[0], asked.factors, asked.several)
        elif not table.is_rectangular:
            raise NotATableError(error.problem, remedies=error.remedies, hint=error.hint) from None
        else:
            raise
    is_list = layout.form == "long" and _holds_lists(table, layout.roles["outcome"])
    layout = replace(layout, form="lists", share="", costs={}) if is_list else layout
    if _MEAN.match(layout.roles.get("outcome", "")) and (lists := _lists_of_flags(table)):
        problem = f"{layout.roles['outcome']!r} is a mean over trials, whose outcomes are in {lists[0]!r}"
        raise OutcomeError(problem, where="record 0", remedies=[Remedy("score", lists[0], "reads these")])
    return layout


def _lists_of_flags(table: Any) -> list[str]:
    """Return the columns that hold a list of truth values in each of the first rows."""
    if table.kinds is not None:
        return [name for name, kind in table.kinds.items() if kind == "BOOLEAN[]"]
    first = {name: table.first_values(name) for name in table.columns}
    lists = {name: values for name, values in first.items() if values and all(isinstance(v, list) for v in values)}
    return [name for name, values in lists.items() if all(values) and {*map(type, chain(*values))} == {bool}]


def _holds_lists(table: Any, name: str) -> bool:
    """Return whether the first value of a column is a list."""
    if table.kinds is not None:
        return str(table.kinds.get(name, "")).endswith("]")
    return isinstance(next((value for value in table.first_values(name) if value is not None), None), list)


def choose(name: str | None, offered: Collection[str], argument: str, noun: str) -> str:
    """Return the one of the ``offered`` names that ``name`` stands for, or the only one if ``name`` is None."""
    if not offered:
        raise OutcomeError(f"there is no {noun}")
    if name is None:
        if len(offered) > 1:
            problem = f"there are several {noun}s, {shorten(offered)}"
            raise OutcomeError(problem, remedies=[Remedy.choice(argument, offered)])
        return next(iter(offered))
    matches = [candidate for candidate in offered if candidate == name] or [
        candidate for candidate in offered if candidate.rpartition("/")[2] == name
    ]
    if len(matches) > 1:
        raise OutcomeError(f"names {len(matches)} {noun}s: {shorten(matches)}", argument=f"{argument}={name!r}")
    if not matches:
        raise OutcomeError(unknown(noun, name, offered))
    return matches[0]
