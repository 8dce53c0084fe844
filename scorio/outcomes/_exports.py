"""Outcomes as data: dictionaries, rows for data frames, and tables for notebooks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._display.exports import SHOWN, strict
from .._display.numbers import counts, number
from .._display.table import Column, Table

_NOTE = "a column per model: mean over the questions of the task, - for a task that the model lacks"


def matrix_as_dict(matrix: Any) -> dict[str, Any]:
    """Return the counts, or for continuous rewards the means and variances, and all labels, ready for JSON."""
    names = ["questions", "clusters", "trials", "planned_trials", "is_adaptive"]
    names += ["means", "variances", "support"] if matrix.is_continuous else ["counts", "levels", "prior_counts"]
    if matrix.runs is not None:
        names += ["runs", "counts_by_run"] if not matrix.is_continuous else ["runs"]
    values: dict[str, Any] = strict({name: getattr(matrix, name) for name in names})
    return values


def matrix_records(matrix: Any) -> list[dict[str, Any]]:
    """Return one record per question."""
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


def matrix_as_table(matrix: Any, digits: int) -> Table:
    """Return the first questions, one row each."""
    records = matrix_records(matrix)
    columns = [Column(name, right=name not in ("question", "cluster")) for name in records[0]]
    shown = [record.values() for record in records[:SHOWN]]
    cells = [[number(each, digits) if isinstance(each, float) else str(each) for each in values] for values in shown]
    return Table(str(matrix), columns, cells, left_out=max(len(records) - SHOWN, 0))


def set_as_dict(outcomes: Any) -> dict[str, Any]:
    """Return every model's outcomes, and the conditions and costs that are known, ready for JSON."""
    conditions = {name: each for name, each in outcomes.conditions.items() if each}
    costs = {name: dict(each) for name, each in outcomes.costs.items() if each}
    of_trials = {
        model: {
            what: {name: getattr(cost.trials, name) for name in ("trials", "means", "variances")}
            | ({} if cost.successes is None else {"success_means": cost.successes.means})
            for what, cost in own.items()
            if hasattr(cost, "trials")
        }
        for model, own in outcomes.costs.items()
    }
    known = {
        "conditions": conditions,
        "costs": costs,
        "trial_costs": {name: own for name, own in of_trials.items() if own},
    }
    return {"models": {name: matrix.to_dict() for name, matrix in outcomes.items()}} | {
        name: strict(each) for name, each in known.items() if each
    }


def set_as_table(outcomes: Mapping[str, Any], digits: int) -> Table:
    """Return one row per model."""
    heads = ("trials", "trials per question", "completeness", "mean")
    columns = [Column("model"), *(Column(head, right=True) for head in heads)]
    cells = []
    for name, each in outcomes.items():
        per_question = counts(each.min_trials, each.max_trials)
        cells.append(
            [name, f"{int(each.trials.sum()):,}", per_question, f"{each.completeness:.1%}", _mean(each, digits)]
        )
    return Table(str(outcomes), columns, cells)


def suite_as_table(suite: Any, digits: int) -> Table:
    """Return one row per task, and the mean of each model in a column."""
    heads = ("questions", "trials", *suite.models)
    columns = [Column("task"), *(Column(head, right=True) for head in heads)]
    return Table(
        repr(suite), columns, [_task(task, each, suite.models, digits) for task, each in suite.items()], [_NOTE]
    )


def _mean(matrix: Any, digits: int) -> str:
    """Return the mean reward over questions that have trials; for categories without rewards there is none."""
    asked = matrix.trials > 0
    if matrix.is_continuous:
        return number(float(matrix.means[asked].mean()), digits)
    if matrix.levels is None and not matrix.is_pass_fail:
        return "-"
    levels = np.array(matrix.levels or range(matrix.n_categories), np.float64)
    return number(float((matrix.counts[asked] @ levels / matrix.trials[asked]).mean()), digits)


def _task(task: str, outcomes: Any, models: Sequence[str], digits: int) -> list[str]:
    trials = sum(int(matrix.trials.sum()) for matrix in outcomes.values())
    means = [_mean(outcomes[model], digits) if model in outcomes else "-" for model in models]
    return [task, f"{outcomes.n_questions:,}", f"{trials:,}", *means]


def own_attributes(made: Any, package: str) -> tuple[dict[str, Any] | None, dict[str, Any]] | None:
    """Return the attributes that a subclass outside of a package adds, in the form that copy and pickle set again."""
    own = [kind for kind in type(made).__mro__ if not kind.__module__.startswith(f"{package}.")]
    listed = (kind.__dict__.get("__slots__", ()) for kind in own)
    names = [name for slots in listed for name in ([slots] if isinstance(slots, str) else slots)]
    slots = {name: getattr(made, name) for name in names if not name.startswith("__") and hasattr(made, name)}
    attributes: dict[str, Any] = getattr(made, "__dict__", {})
    return (attributes or None, slots) if attributes or slots else None
