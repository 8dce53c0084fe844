"""One question in two runs, and tables of such questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._display.numbers import chance, number
from .._display.table import Column, Table


@dataclass(frozen=True)
class QuestionChange:
    """One question in both runs, and what is said of it, ``change``.

    ``p_better`` is the probability that its rate is higher now, ``p_value`` that of the test of no change, and
    ``q_value`` the false-discovery rate at which it would just be called.
    """

    task: str
    question: Any
    old: float
    new: float
    old_trials: int
    new_trials: int
    p_better: float
    p_value: float
    q_value: float
    change: str


def changes_table(title: str, names: tuple[str, str], rows: Sequence[QuestionChange], notes: Sequence[str]) -> Table:
    """Return a table with one row per question."""
    old, new = names if names[0] != names[1] else ("old", "new")
    heads = (old, new, "trials", "P(better)", "q")
    columns = [Column("change"), Column("task"), Column("question"), *(Column(head, right=True) for head in heads)]
    cells = [
        [
            *(row.change, row.task, str(row.question), number(row.old, 2), number(row.new, 2)),
            *(f"{row.old_trials}, {row.new_trials}", chance(row.p_better), chance(row.q_value)),
        ]
        for row in rows
    ]
    if not any(row.task for row in rows):
        del columns[1]
        cells = [[line[0], *line[2:]] for line in cells]
    return Table(title, columns, cells, notes)
