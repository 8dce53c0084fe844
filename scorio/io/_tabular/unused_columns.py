"""Columns of a table that nobody asked for, and that may tell trials of one question apart, such as prompts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..._display.words import warn
from ...errors import OutcomeError, PoolingWarning, Remedy
from ...outcomes import (
    METRIC,
    UNNAMED,
    TableLayout,
    UnusedColumns,
    candidates,
    counted_by,
    labels_text,
    misspelt,
    usual_factors,
)
from .table import Table, Values

_MOST_BYTES = 1 << 25  # of a table all of whose columns are looked at
_MOSTLY = 0.8  # of the questions are there for every model


def named_factors(error: OutcomeError, table: Table, layout: TableLayout) -> OutcomeError:
    """Return the error about a trial that is there twice, with the columns that would keep the two apart.

    Where such a column is found, the advice to ignore the numbers of trials is left out: it would take, say, answers to
    different prompts for repeated trials.
    """
    names = _telling_apart(table, layout)
    if not names:
        return error
    kept = [
        remedy for remedy in error.remedies if not (remedy.argument == "fields" and remedy.value == {"trial": None})
    ]
    may_be_model = len(names) == 1 and "model" not in layout.roles and not usual_factors(names)
    remedies = [Remedy("fields", {"model": names[0]}, "reads the models, which it seems to name")] * may_be_model
    if not may_be_model or not misspelt("model", names):
        remedies.append(Remedy("factors", [*layout.factors, *names], "keeps their levels apart"))
    remedies += kept
    return OutcomeError(error.problem, argument=error.argument, where=error.where, remedies=remedies, hint=error.hint)


def _telling_apart(table: Table, layout: TableLayout) -> list[str]:
    """Return the fewest unused columns by which no trial of a question is there twice."""
    trial = [layout.roles["trial"]] if "trial" in layout.roles else []
    levels: dict[str, list[str | None]] = {}
    keys: list[Values] = []
    for name in unused(table, layout):
        try:
            rows = [(row.values[:-1], row.values[-1], row.times) for row in table.rows([*layout.keys, *trial, name])]
        except OutcomeError:  # its values are lists or objects
            continue
        if any(times > 1 for *_, times in rows):  # equal rows come as one: they cannot be lined up with other columns
            continue
        keys = [key for key, *_ in rows]
        column = [value for _, value, _ in rows]
        if 1 < len(set(column)) <= max(len(column) // 2, 2):
            levels[name] = column
    for several in (*([name] for name in sorted(levels, key=lambda column: len(set(levels[column])))), [*levels]):
        combined = zip(keys, *(levels[name] for name in several), strict=True)
        if several and max(Counter(combined).values()) == 1:
            return several
    return []


def unused(table: Table, layout: TableLayout) -> list[str]:
    """Return the columns that have no role."""
    used = {*layout.roles.values(), *layout.wide, *layout.factors, *layout.costs.values(), *layout.kept.values()}
    return [name for name in table.columns if name not in used and not UNNAMED.fullmatch(name)]


def unused_columns(table: Table, layout: TableLayout) -> UnusedColumns:
    """Return the columns that have no role, and the question first of those that identify a row."""
    question = layout.roles["question"]
    keys = [question, *(name for name in layout.keys if name != question)]

    def counted(names: Sequence[str]) -> Mapping[tuple[Any, ...], int]:
        rows = table.distinct(names, nested=layout.nested)
        return dict(zip(zip(*rows.columns, strict=True), rows.times, strict=True))

    return UnusedColumns(counted, keys, unused(table, layout), _in_fields)


def _in_fields(role: str, column: str) -> str:
    return f"fields={{{role!r}: {column!r}}}"


def warn_of_pooled(table: Table, layout: TableLayout) -> None:
    """Warn of columns whose levels may have been pooled by mistake.

    Where neither models nor trials have a column, another one whose levels are there once per question may hold them.
    """
    if layout.export is not None:
        return
    columns = unused_columns(table, layout)
    may_name_models = layout.form == "long" and "model" not in layout.roles
    if columns.warn_of_pooled(has_model=not may_name_models, has_run=bool(layout.run)):
        return
    name = _may_be_models(table, layout) if may_name_models and "trial" not in layout.roles else None
    if name is not None:
        warn(labels_text(name, "model", _in_fields("model", name)), PoolingWarning)


def _may_be_models(table: Table, layout: TableLayout) -> str | None:
    """Return the column whose levels are there once for nearly every question."""
    names = _telling_apart(table, layout) if table.file.size <= _MOST_BYTES else []
    if len(names) != 1:
        return None
    *keys, levels = table.distinct([*layout.keys, *names], nested=layout.nested).columns
    questions = len(set(zip(*keys, strict=True)))
    crossed = len(set(levels)) * questions  # rows if every model has every question
    return names[0] if questions > 1 and None not in levels and len(levels) >= _MOSTLY * crossed else None


def check_questions(table: Table, layout: TableLayout) -> None:
    """Check that no other column seems to name the questions, where the one that does was found by its usual name."""
    if layout.form == "long" and layout.export is None:
        unused_columns(table, layout).check_question(
            lambda name: Remedy("fields", {"question": name}, f"takes {name!r}"), has_trials="trial" in layout.roles
        )


def check_no_counts(table: Table, layout: TableLayout) -> None:
    """Check that no column of a table with one row per question counts the trials, or failures, of each row."""
    if layout.form != "long" or layout.export is not None or {"trial", METRIC} & layout.roles.keys():
        return
    outcome = layout.roles["outcome"]

    def remedies(name: str) -> list[Remedy]:
        one = Remedy("score", outcome, "if each row is one trial")
        if counted_by(name) != "trials" or not candidates("successes", [outcome]):
            return [one]
        columns = {"trials": name, "successes": outcome}
        return [Remedy("fields", columns, "reads numbers of trials and of successes"), one]

    unused_columns(table, layout).check_no_counts(outcome, remedies)
