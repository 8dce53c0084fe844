"""Columns of a table that nobody asked for, and that may tell trials of one question apart, such as prompts."""

import re
from collections import Counter
from collections.abc import Sequence

from ..._display.words import warn
from ...errors import OutcomeError, PoolingWarning, Remedy
from ...outcomes import (
    candidates,
    check_question,
    counted_by,
    counts_text,
    is_crossed,
    misspelt,
    names_runs,
    pooled_text,
    runs_text,
    unnamed_models_text,
    usual_factors,
)
from .columns import METRIC, UNNAMED, TableLayout
from .table import Table, Values

_MOST_BYTES = 1 << 25  # of a table all of whose columns are looked at
_COUNT = re.compile(r"\s*(\d{1,15})(?:\.0*)?\s*")  # a number of trials
_MOSTLY = 0.8  # of the questions are there for every model


def named_factors(error: OutcomeError, table: Table, how: TableLayout) -> OutcomeError:
    """Return the error about a trial that is there twice, with the columns that would keep the two apart.

    Where such a column is found, the advice to ignore the numbers of trials is left out: it would take, say, answers to
    different prompts for repeated trials.
    """
    names = _telling_apart(table, how)
    if not names:
        return error
    kept = [each for each in error.remedies if not (each.argument == "fields" and each.value == {"trial": None})]
    may_be_model = len(names) == 1 and "model" not in how.roles and not usual_factors(names)
    remedies = [Remedy("fields", {"model": names[0]}, "reads the models, which it seems to name")] * may_be_model
    if not may_be_model or not misspelt("model", names):
        remedies.append(Remedy("factors", [*how.factors, *names], "keeps their levels apart"))
    remedies += kept
    return OutcomeError(error.problem, argument=error.argument, where=error.where, remedies=remedies, hint=error.hint)


def _telling_apart(table: Table, how: TableLayout) -> list[str]:
    """Return the fewest unused columns by which no trial of a question is there twice."""
    trial = [how.roles["trial"]] if "trial" in how.roles else []
    levels: dict[str, list[str | None]] = {}
    keys: list[Values] = []
    for name in unused(table, how):
        try:
            found = [(row.values[:-1], row.values[-1], row.times) for row in table.rows([*how.keys, *trial, name])]
        except OutcomeError:  # its values are lists or objects
            continue
        if any(times > 1 for *_, times in found):  # equal rows come as one: they cannot be lined up with other columns
            continue
        keys = [key for key, *_ in found]
        column = [value for _, value, _ in found]
        if 1 < len(set(column)) <= max(len(column) // 2, 2):
            levels[name] = column
    for several in (*([name] for name in sorted(levels, key=lambda each: len(set(levels[each])))), [*levels]):
        combined = zip(keys, *(levels[name] for name in several), strict=True)
        if several and max(Counter(combined).values()) == 1:
            return several
    return []


def unused(table: Table, how: TableLayout) -> list[str]:
    """Return the columns that have no role."""
    used = {*how.roles.values(), *how.wide, *how.factors, *how.costs.values(), *how.kept.values()}
    return [name for name in table.columns if name not in used and not UNNAMED.fullmatch(name)]


def warn_of_pooled(table: Table, how: TableLayout) -> None:
    """Warn if rows of one question differ in an unused column that is named as factors, or runs, usually are.

    Where neither models nor trials have a column, warn of another one whose levels are there once per question: it may
    hold the models. So may one whose name is nearly a usual one.
    """
    for name in [] if how.run or how.export is not None else filter(names_runs, unused(table, how)):
        if is_crossed(_levels(table, how, name)):
            warn(runs_text(name, f"fields={{'run': {name!r}}}"), PoolingWarning)
    pooled = [name for name in usual_factors(unused(table, how)) if varies(table, how, name)]
    if pooled:
        warn(pooled_text(pooled), PoolingWarning)
        return
    names = _may_be_models(table, how)
    if names:
        warn(unnamed_models_text(names), PoolingWarning)


def _may_be_models(table: Table, how: TableLayout) -> list[str]:
    """Return the column that may hold the models of a table that has no column of models."""
    if how.form != "long" or how.export is not None or "model" in how.roles:
        return []
    near = [name for name in misspelt("model", unused(table, how)) if varies(table, how, name)]
    if near or "trial" in how.roles or table.file.size > _MOST_BYTES:
        return near[:1]
    names = _telling_apart(table, how)
    if len(names) != 1:
        return []
    *keys, levels = table.distinct([*how.keys, *names], nested=how.nested).columns
    questions = len(set(zip(*keys, strict=True)))
    crossed = len(set(levels)) * questions  # rows if every model has every question
    return names if questions > 1 and None not in levels and len(levels) >= _MOSTLY * crossed else []


def check_questions(table: Table, how: TableLayout) -> None:
    """Check that no other column seems to name the questions, where the one that does was found by its usual name."""

    def times(name: str) -> Sequence[int]:
        try:
            return table.distinct([name], nested=how.nested).times
        except OutcomeError:  # its values are lists or objects
            return ()

    def remedy(name: str) -> Remedy:
        return Remedy("fields", {"question": name}, f"takes {name!r}")

    if how.form == "long" and how.export is None:
        check_question(how.roles["question"], unused(table, how), times, remedy, has_trials="trial" in how.roles)


def check_no_counts(table: Table, how: TableLayout) -> None:
    """Check that no column of a table with one row per question counts the trials, or failures, of each row."""
    if how.form != "long" or how.export is not None or {"trial", METRIC} & how.roles.keys():
        return
    outcome = how.roles["outcome"]
    for name in unused(table, how):
        if counted_by(name) is None or not _holds_counts(table, how, name):
            continue
        are_trials = counted_by(name) == "trials" and candidates("successes", [outcome])
        counts = [Remedy("fields", {"trials": name, "successes": outcome}, "reads numbers of trials and of successes")]
        hint = "a table of counts has the columns n, for trials, and c, for successes"
        remedies = [*(counts if are_trials else []), Remedy("score", outcome, "if each row is one trial")]
        raise OutcomeError(counts_text(outcome, name), remedies=remedies, hint=None if are_trials else hint)


def _holds_counts(table: Table, how: TableLayout, name: str) -> bool:
    """Return whether each question has one row, with a whole number in the column, and not at most 1 in all of them."""
    try:
        found = table.distinct([*how.keys, name], nested=how.nested)
    except OutcomeError:
        return False
    *keys, values = found.columns
    is_once = max(found.times, default=0) == 1 and len(set(zip(*keys, strict=True))) == len(values)
    whole = [_COUNT.fullmatch(value or "") for value in values] if is_once else []
    return bool(whole) and all(whole) and any(match is not None and int(match[1]) > 1 for match in whole)


def varies(table: Table, how: TableLayout, name: str) -> bool:
    """Return whether a question of a model has several values of a column."""
    return _has_several(_levels(table, how, name))


def _levels(table: Table, how: TableLayout, name: str) -> Sequence[Values]:
    """Return the different values of the keys of rows and a column, the question first; none if they are no texts."""
    question = how.key_roles.index("question")
    keys = [how.keys[question], *(key for i, key in enumerate(how.keys) if i != question)]
    try:
        return [*zip(*table.distinct([*keys, name], nested=how.nested).columns, strict=True)]
    except OutcomeError:
        return []


def _has_several(distinct_rows: Sequence[Values]) -> bool:
    return max(Counter(row[:-1] for row in distinct_rows).values(), default=0) > 1
