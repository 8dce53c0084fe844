"""Allocation: the number of further trials of every question, as a table, as JSON and as a file for a runner."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._display.exports import Exports
from .._display.table import Column, Table
from ..errors import ParameterError

_SHOWN = 20  # questions in the printed table
_FORMATS = (".json", ".jsonl", ".csv")
_COLUMNS = ("model", "task", "question", "trials")


class NextTrials(NamedTuple):
    """The number of further ``trials`` that one model should run on one question, and the cost per trial.

    ``task`` is that of the question in a suite, else None.
    """

    model: str
    question: Hashable
    trials_so_far: int
    trials: int
    cost: float
    task: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields by name, the task only in a suite."""
        values = self._asdict()
        task = values.pop("task")
        return values if task is None else {"model": values.pop("model"), "task": task} | values


@dataclass(frozen=True)
class Allocation(Exports):
    """The next trials of every question, and the precision that is expected of them.

    ``goal`` is ``"interval"`` (one model), ``"comparison"`` (two) or ``"leaderboard"`` (more). ``half_width`` is the
    expected half-width of the interval, or of the interval of the difference (on a leaderboard the mean over the
    differences from the leader); ``half_width_now`` is the present one and ``half_width_even`` what the same budget is
    expected to reach when it is spent evenly. ``rows`` has one row per model and question, those without further trials
    included. As text, an allocation is a table of the questions that get the most.
    """

    metric: str
    goal: str
    confidence: float
    rows: tuple[NextTrials, ...]
    budget: float
    unit: str
    half_width_now: float
    half_width: float
    half_width_even: float
    notes: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models that may get trials."""
        return tuple(dict.fromkeys(row.model for row in self.rows))

    @property
    def trials(self) -> NDArray[np.int64]:
        """Further trials as an array (models, questions)."""
        return np.array([row.trials for row in self.rows]).reshape(len(self.models), -1)

    @property
    def _is_suite(self) -> bool:
        return self.rows[0].task is not None

    @property
    def total(self) -> int:
        """The number of further trials."""
        return sum(row.trials for row in self.rows)

    @property
    def spent(self) -> float:
        """The cost of the further trials, at most the budget."""
        return float(sum(row.trials * row.cost for row in self.rows))

    @property
    def is_adaptive(self) -> bool:
        """Whether questions of one model and task get different numbers: then raw means of the results are biased."""
        numbers: dict[tuple[str, str | None], set[int]] = {}
        for row in self.rows:
            numbers.setdefault((row.model, row.task), set()).add(row.trials)
        return any(len(each) > 1 for each in numbers.values())

    def __str__(self) -> str:
        return self._display_table().text()

    def _display_table(self) -> Table:
        chosen = sorted((row for row in self.rows if row.trials), key=lambda row: -row.trials)
        heads = ["model"] * (len(self.models) > 1) + ["task"] * self._is_suite + ["question"]
        columns = [*map(Column, heads), Column("so far", right=True), Column("next", right=True)]
        cells = [
            [*(str(getattr(row, head)) for head in heads), str(row.trials_so_far), str(row.trials)]
            for row in chosen[:_SHOWN]
        ]
        return Table(self._title(len(chosen)), columns, cells, self._footer(len(chosen)))

    def _title(self, chosen: int) -> str:
        spent = f" for {self.spent:g} of {self.budget:g} {self.unit}" if self.unit != "trials" else ""
        return f"{self.total} further trials of {chosen} of {len(self.rows)} questions{spent}"

    def _footer(self, chosen: int) -> list[str]:
        what = {"interval": "interval", "comparison": "interval of the difference"}
        subject = what.get(self.goal, "intervals of the differences from the leader")
        rest = [f".. and {chosen - _SHOWN} more questions with fewer further trials"] if chosen > _SHOWN else []
        expected = f"expected half-width of the {100 * self.confidence:.6g}% {subject}: {self.half_width:.3g}"
        others = f"now {self.half_width_now:.3g}; with the same budget spent evenly {self.half_width_even:.3g}"
        return [*rest, f"{expected}; {others}", *self.notes]

    def to_dict(self) -> dict[str, Any]:
        """All numbers, ready for JSON; labels that JSON does not have are written as text."""
        return {
            "metric": self.metric,
            "goal": self.goal,
            "confidence": self.confidence,
            "budget": self.budget,
            "unit": self.unit,
            "spent": self.spent,
            "trials": self.total,
            "adaptive": self.is_adaptive,
            "half_width_now": self.half_width_now,
            "half_width": self.half_width,
            "half_width_even": self.half_width_even,
            "notes": list(self.notes),
            "rows": [row.record() | {"question": _plain(row.question)} for row in self.rows],
        }

    def _records(self) -> list[dict[str, Any]]:
        return [row.record() for row in self.rows]

    def write(self, path: str | Path) -> Path:
        """Write a file for a runner: model, question and trials of each row that gets any, in a suite also the task.

        The suffix decides: ``.csv``, ``.jsonl`` (one object per line) or ``.json`` (a list).
        """
        target = Path(path)
        if target.suffix not in _FORMATS:
            raise ParameterError(f"the file name must end in {', '.join(_FORMATS)}; got {str(path)!r}")
        columns = [name for name in _COLUMNS if name != "task" or self._is_suite]
        rows = [{name: _plain(getattr(row, name)) for name in columns} for row in self.rows if row.trials]
        target.write_text(_as_text(rows, columns, target.suffix), encoding="utf-8")
        return target


def _as_text(rows: list[dict[str, Any]], columns: list[str], suffix: str) -> str:
    if suffix == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row[name] for name in columns] for row in rows)
        return text.getvalue()
    if suffix == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def _plain(label: Hashable) -> Any:
    if isinstance(label, np.generic):
        return label.item()
    return label if isinstance(label, (str, int, float)) else str(label)
