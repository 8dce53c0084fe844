"""human-eval: ``*_results.jsonl``, one row for each completion with whether it passed; trials are in file order."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..errors import OutcomeError
from .expect import label, shown, within
from .files import LogFile
from .naming import FROM_NAME, model_of_path
from .records import Companion, Format, Request, Run, Trial
from .reward import reward

_SCORED = {"task_id", "passed", "result"}
_OF_TABLES = {"model", "trial"}  # which the tool does not write, and which tell more
_UNSCORED = {"task_id", "completion", "solution", "raw_solution", "prompt", "entry_point", "canonical_solution", "test"}


def _matches(file: LogFile) -> bool:
    row = file.first_row
    return isinstance(row, dict) and row.keys() >= _SCORED and not row.keys() & _OF_TABLES


def _is_unscored(file: LogFile) -> bool:
    row = file.first_row
    return isinstance(row, dict) and "task_id" in row and row.keys() < _UNSCORED


def _read(file: LogFile, _request: Request) -> list[Run]:
    trials = []
    seen: Counter[str] = Counter()
    for place, row in file.records():
        with within(place):
            question = label(row.get("task_id"), "task_id")
            trials.append(Trial(question, seen[question], _passed(row)))
        seen[question] += 1
    return [Run(model_of_path(file.path), trials, file.digest, notes=FROM_NAME)]


def _passed(row: dict[str, Any]) -> float | None:
    if "passed" not in row:
        raise OutcomeError("the row has no 'passed'")
    found = reward(row["passed"], {})
    if found not in (None, 0.0, 1.0):
        raise OutcomeError(f"passed must be true or false; got {shown(row['passed'])}")
    return found


FORMAT = Format("human-eval", _matches, _read)
UNSCORED = Companion(
    _is_unscored, "completions that were not run against their tests: read the *_results.jsonl of them"
)
