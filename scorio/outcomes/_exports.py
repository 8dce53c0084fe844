"""Outcomes as data: dictionaries, rows for data frames, and tables for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from .._display.exports import Exports, strict
from .._display.numbers import counts, number
from .._display.table import Column, Table

_SHOWN = 10  # questions in the table of a notebook


class OutcomeExports(Exports):
    """What outcomes of one model export."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, or for continuous rewards the means and variances, and all labels, ready for JSON."""
        matrix = cast("Any", self)
        names = ["questions", "clusters", "trials", "planned_trials", "is_adaptive"]
        names += ["means", "variances", "support"] if matrix.is_continuous else ["counts", "levels", "prior_counts"]
        values: dict[str, Any] = strict({name: getattr(matrix, name) for name in names})
        return values

    def _records(self) -> list[dict[str, Any]]:
        """Return one record per question."""
        matrix = cast("Any", self)
        columns: dict[str, Sequence[Any]] = {"question": matrix.questions or range(matrix.n_questions)}
        if matrix.clusters is not None:
            columns["cluster"] = matrix.clusters
        columns |= {"trials": matrix.trials.tolist(), "planned": matrix.planned_trials.tolist()}
        if matrix.is_continuous:
            columns |= {"mean": matrix.means.tolist(), "variance": matrix.variances.tolist()}
        elif matrix.is_pass_fail:
            columns["successes"] = matrix.successes.tolist()
        else:
            heads = matrix.levels or range(matrix.n_categories)
            columns |= {f"count of {head:g}": part.tolist() for head, part in zip(heads, matrix.counts.T, strict=True)}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _display_table(self) -> Table:
        records = self._records()
        columns = [Column(name, right=name not in ("question", "cluster")) for name in records[0]]
        cells = [[_text(value) for value in record.values()] for record in records[:_SHOWN]]
        rest = len(records) - _SHOWN
        return Table(str(self), columns, cells, [f".. and {rest:,} more questions"] if rest > 0 else [])


class SetExports(Exports):
    """What outcomes of several models export."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return every model's outcomes, and the conditions and costs that are known, ready for JSON."""
        known = {name: each for name, each in cast("Any", self).conditions.items() if each}
        conditions = {"conditions": strict(known)} if known else {}
        amounts = {name: dict(each) for name, each in cast("Any", self).costs.items() if each}
        costs = {"costs": strict(amounts)} if amounts else {}
        return (
            {"models": {name: matrix.to_dict() for name, matrix in self._items()}}
            | conditions
            | costs
            | self._trial_costs()
        )

    def _trial_costs(self) -> dict[str, Any]:
        """Return the number, mean and variance of the costs of each question's trials, where they are known."""
        known = {
            model: {what: _spread_of(cost.trials) for what, cost in own.items() if hasattr(cost, "trials")}
            for model, own in cast("Any", self).costs.items()
        }
        known = {model: each for model, each in known.items() if each}
        return {"trial_costs": known} if known else {}

    def _records(self) -> list[dict[str, Any]]:
        """Return one record per model and question."""
        return [{"model": name, **record} for name, matrix in self._items() for record in matrix._records()]

    def _items(self) -> Any:
        return cast("Any", self).items()

    def _display_table(self) -> Table:
        heads = ("trials", "trials per question", "completeness", "mean")
        columns = [Column("model"), *(Column(head, right=True) for head in heads)]
        return Table(str(self), columns, [_model(name, matrix) for name, matrix in self._items()])


def _spread_of(trials: Any) -> dict[str, Any]:
    values: dict[str, Any] = strict({name: getattr(trials, name) for name in ("trials", "means", "variances")})
    return values


def _model(name: str, matrix: Any) -> list[str]:
    per_question = counts(matrix.min_trials, matrix.max_trials)
    return [name, f"{int(matrix.trials.sum()):,}", per_question, f"{matrix.completeness:.1%}", _mean(matrix)]


def _mean(matrix: Any) -> str:
    """Return the mean reward over questions that have trials; for categories without rewards there is none."""
    asked = matrix.trials > 0
    if matrix.is_continuous:
        return number(float(matrix.means[asked].mean()))
    if matrix.levels is None and not matrix.is_pass_fail:
        return "-"
    levels = np.array(matrix.levels or range(matrix.n_categories), np.float64)
    return number(float((matrix.counts[asked] @ levels / matrix.trials[asked]).mean()))


def _text(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


class SuiteExports(Exports):
    """What outcomes on several tasks export."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the outcomes of every task, ready for JSON."""
        return {"tasks": {task: outcomes.to_dict() for task, outcomes in cast("Any", self).items()}}

    def _records(self) -> list[dict[str, Any]]:
        """Return one record per task, model and question; the records of all tasks have the same names."""
        records = [{"task": task, **record} for task, each in cast("Any", self).items() for record in each._records()]
        names = dict.fromkeys(name for record in records for name in record)
        return [{name: record.get(name) for name in names} for record in records]

    def _display_table(self) -> Table:
        """Return one row per task, and the mean of each model in a column."""
        suite = cast("Any", self)
        heads = ("questions", "trials", *suite.models)
        columns = [Column("task"), *(Column(head, right=True) for head in heads)]
        return Table(repr(self), columns, [_task(task, each, suite.models) for task, each in suite.items()], _NOTE)


_NOTE = ["a column per model: mean over the questions of the task, - for a task that the model lacks"]


def _task(task: str, outcomes: Any, models: Sequence[str]) -> list[str]:
    trials = sum(int(matrix.trials.sum()) for matrix in outcomes.values())
    means = [_mean(outcomes[model]) if model in outcomes else "-" for model in models]
    return [task, f"{outcomes.n_questions:,}", f"{trials:,}", *means]
