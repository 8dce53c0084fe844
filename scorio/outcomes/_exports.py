"""Outcomes as data: dictionaries, rows for data frames, and tables for notebooks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._base.exports import SHOWN, Exports, strict
from .._base.numbers import DIGITS, counts, number
from .._base.table import Column, Table

_NOTE = "a column per model: mean over the questions of the task, - for a task that the model lacks"


class MatrixAsData(Exports):
    """How the outcomes of one model are exported: one record per question."""

    __slots__ = ()

    def to_dict(self: Any) -> dict[str, Any]:
        """Return the counts, or for continuous rewards the means and variances, and all labels, ready for JSON."""
        names = ["questions", "clusters", "trials", "planned_trials", "is_adaptive"]
        names += ["means", "variances", "support"] if self.is_continuous else ["counts", "levels", "prior_counts"]
        if self.runs is not None:
            names += ["runs", "counts_by_run"] if not self.is_continuous else ["runs"]
        values: dict[str, Any] = strict({name: getattr(self, name) for name in names})
        return values

    def as_records(self: Any) -> list[dict[str, Any]]:
        """Return one record per question."""
        columns: dict[str, Sequence[Any]] = {"question": self.questions or range(self.n_questions)}
        if self.clusters is not None:
            columns["cluster"] = self.clusters
        columns |= {"trials": self.trials.tolist(), "planned": self.planned_trials.tolist()}
        if self.is_continuous:
            columns |= {"mean": self.means.tolist(), "variance": self.variances.tolist()}
        elif self.is_pass_fail:
            columns["successes"] = self.successes.tolist()
        else:
            heads = self.levels or range(self.n_categories)
            columns |= {f"count of {head:g}": part.tolist() for head, part in zip(heads, self.counts.T, strict=True)}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def tables(self: Any, digits: int = DIGITS) -> list[Table]:
        """Return the table of the first questions."""
        records = self.as_records()
        columns = [Column(name, right=name not in ("question", "cluster")) for name in records[0]]
        shown = [record.values() for record in records[:SHOWN]]
        cells = [[number(cell, digits) if isinstance(cell, float) else str(cell) for cell in row] for row in shown]
        return [Table(str(self), columns, cells, left_out=max(len(records) - SHOWN, 0))]


class SetAsData(Exports):
    """How the outcomes of several models are exported: one record per model and question, one line per model."""

    __slots__ = ()

    def to_dict(self: Any) -> dict[str, Any]:
        """Return every model's outcomes, and the conditions and mean costs that are known, ready for JSON."""
        about = {"conditions": self.conditions, "costs": self.costs}
        told = {part: {model: values for model, values in models.items() if values} for part, models in about.items()}
        models = {name: matrix.to_dict() for name, matrix in self.items()}
        return {"models": models} | {part: strict(values) for part, values in told.items() if values}

    def as_records(self: Any) -> list[dict[str, Any]]:
        """Return one record per model and question."""
        return [{"model": name, **record} for name, matrix in self.items() for record in matrix.as_records()]

    def tables(self: Any, digits: int = DIGITS) -> list[Table]:
        """Return the table of models."""
        heads = ("trials", "trials per question", "completeness", "mean")
        columns = [Column("model"), *(Column(head, right=True) for head in heads)]
        cells = [
            [
                name,
                f"{int(matrix.trials.sum()):,}",
                counts(matrix.min_trials, matrix.max_trials),
                f"{matrix.completeness:.1%}",
                _mean(matrix, digits),
            ]
            for name, matrix in self.items()
        ]
        return [Table(str(self), columns, cells)]


class SuiteAsData(Exports):
    """How the outcomes of several tasks are exported: a line per task, with the mean of each model in a column."""

    __slots__ = ()

    def to_dict(self: Any) -> dict[str, Any]:
        """Return the outcomes of every task, ready for JSON."""
        return {"tasks": {task: outcomes.to_dict() for task, outcomes in self.items()}}

    def as_records(self: Any) -> list[dict[str, Any]]:
        """Return one record per task, model and question; the records of all tasks have the same names."""
        records = [{"task": task, **record} for task, models in self.items() for record in models.as_records()]
        names = dict.fromkeys(name for record in records for name in record)
        return [{name: record.get(name) for name in names} for record in records]

    def tables(self: Any, digits: int = DIGITS) -> list[Table]:
        """Return the table of tasks."""
        columns = [Column("task"), *(Column(head, right=True) for head in ("questions", "trials", *self.models))]
        cells = [_task(task, models, self.models, digits) for task, models in self.items()]
        return [Table(repr(self), columns, cells, [_NOTE])]


def _mean(matrix: Any, digits: int) -> str:
    """Return the mean reward over questions that have trials; for categories without rewards there is none."""
    if not matrix.is_continuous and matrix.levels is None and not matrix.is_pass_fail:
        return "-"
    return number(float(np.nanmean(matrix.question_rewards()[1])), digits)


def _task(task: str, outcomes: Any, models: Sequence[str], digits: int) -> list[str]:
    trials = sum(int(matrix.trials.sum()) for matrix in outcomes.values())
    means = [_mean(outcomes[model], digits) if model in outcomes else "-" for model in models]
    return [task, f"{outcomes.n_questions:,}", f"{trials:,}", *means]
