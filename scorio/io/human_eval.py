"""human-eval: ``*_results.jsonl``, one row for each completion with whether it passed; trials are in file order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .expect import label, within
from .files import LogFile
from .records import Companion, Format, Request, Run, Trial
from .reward import reward

_SUFFIXES = (".jsonl", ".json", "_eval_results", "_results", ".jsonl", "_samples", "samples", "-samples")


def _matches(file: LogFile) -> bool:
    row = file.first_row
    return isinstance(row, dict) and {"task_id", "passed"} <= row.keys()


def _is_unscored(file: LogFile) -> bool:
    row = file.first_row
    return isinstance(row, dict) and "task_id" in row and bool(row.keys() & {"completion", "solution", "prompt"})


def _read(file: LogFile, request: Request) -> list[Run]:
    trials = []
    seen: Counter[str] = Counter()
    for number, row in file.rows():
        with within(f"line {number}"):
            question = label(row.get("task_id"), "task_id")
            trials.append(Trial(question, seen[question], reward(row.get("passed"), request.levels)))
        seen[question] += 1
    return [Run(model_of_path(file.path), trials, file.digest, notes={"model": "from the path"})]


FORMAT = Format("human-eval", _matches, _read)
UNSCORED = Companion(_is_unscored, "completions that were not run against their tests: read the *_results.jsonl of them")


def model_of_path(path: Path) -> str:
    """The model of a file that does not name one: what its name says, or its folder's where that says nothing."""
    name = path.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name or path.resolve().parent.name
