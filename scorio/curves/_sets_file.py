"""Files that say which questions are in which set."""

from collections import Counter
from pathlib import Path
from typing import Any

from .._display.words import shorten
from ..errors import OutcomeError
from ..io import file_rows
from ..outcomes import OutcomeSet


def read_sets(path: Path, outcomes: OutcomeSet, *, is_cut: bool = False) -> dict[str, Any]:
    """Read a CSV file that says in which set each question is, as the arguments ``sets`` and ``pairs`` of ``gap``.

    The columns are ``question`` and ``set``, and ``pair`` for questions that were rewritten. With ``is_cut``, a column
    ``date`` or ``value``, which a cut divides, stands for ``set``. A question that the file lacks is left out.
    """
    rows = [row for _, row in file_rows(path)]
    names = list(rows[0]) if rows else []
    column = next((name for name in (("date", "value") if is_cut else ("set",)) if name in names), None)
    if "question" not in names or column is None:
        wanted = "question, and date or value" if is_cut else "question and set"
        hint = "dates and values are divided by a cut" if not is_cut and {"date", "value"} & {*names} else None
        raise OutcomeError(f"needs the columns {wanted}; got {shorten(names) or 'none'}", where=str(path), hint=hint)
    doubled = [name for name, count in Counter(row["question"] for row in rows).items() if count > 1]
    if doubled:
        raise OutcomeError(f"names a question twice: {shorten(doubled)}", where=str(path))
    labels = [str(label) for label in outcomes.questions or range(outcomes.n_questions)]
    if not {row["question"] for row in rows} & {*labels}:
        problem = f"names no question of the logs, which have {shorten(labels)}"
        raise OutcomeError(problem, where=str(path))

    def listed(name: str) -> list[Any]:
        given = {row["question"]: row[name] or None for row in rows}
        return [given.get(label) for label in labels]

    return {"sets": listed(column)} | ({"pairs": listed("pair")} if "pair" in names else {})
