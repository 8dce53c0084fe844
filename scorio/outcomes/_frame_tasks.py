"""The rows of each task of a data frame."""

from __future__ import annotations

from typing import Any

from ..errors import OutcomeError
from ._frame_counts import count_rows


def frames_by_task(frame: Any, column: str) -> dict[str, Any]:
    """Return the rows of each task as a frame of the same kind; tasks come sorted, named by their text."""
    import narwhals as nw

    values = [value for (value,) in count_rows(frame, [column])]
    if not values:
        raise OutcomeError("the data frame has no rows")
    if None in values:
        raise OutcomeError(f"column {column!r} has rows without a task", argument="task")
    names = {str(value): value for value in values}
    if len(names) < len(values):
        raise OutcomeError(f"column {column!r} has tasks with the same text", argument="task")
    table = nw.from_native(frame)
    return {name: table.filter(nw.col(column) == names[name]).to_native() for name in sorted(names)}
