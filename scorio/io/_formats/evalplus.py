"""evalplus: ``*_eval_results.json`` with the status of each completion on the base tests and on the extra tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Companion, Format
from .._naming import model_of_path
from .._records import Run, Trial
from .._request import Request
from .._validate import items, mapping, shown, within

_STATUSES = {"pass": True, "fail": False, "timeout": False}
_FIRST_STATUSES = {"success": "pass", "failed": "fail", "timed out": "timeout"}  # what the first release wrote


def _is_generations(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, list) and any(log) and all(_is_programs(entry) for entry in log)


def _is_programs(entry: Any) -> bool:
    return isinstance(entry, list) and all(isinstance(program, str) for program in entry)


class EvalPlusFormat(Format):
    """Results of EvalPlus, with statuses on base and extra tests."""

    name = "evalplus"
    options = frozenset({"metric"})
    companions = (
        Companion(_is_generations, "programs without their outcomes (bigcode generations): run their tests first"),
    )

    def matches(self, file: LogFile) -> bool:
        log = file.document
        return isinstance(log, dict) and isinstance(log.get("eval"), dict) and {"hash", "date"} & log.keys() != set()

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = mapping(file.document, "evalplus results")
        rows = list(_rows(mapping(log.get("eval"), "eval")))
        suites = ["base", "plus"] if any(plus is not None for *_, plus in rows) else ["base"]
        suite = request.choose("metric", suites, "test suite")
        trials = [Trial(question, key, _passed(base, plus, suite)) for question, key, base, plus in rows]
        return [
            Run(
                model_of_path(file.path),
                trials,
                file.digest,
                measure=suite,
                model_from="file name",
                notes={"metric": suite},
            )
        ]


def _rows(results: dict[str, Any]) -> Iterator[tuple[str, int, Any, Any]]:
    """Yield question, trial and both statuses."""
    for question, entry in results.items():
        with within(question):
            pairs = _pairs_of_lists(entry) if isinstance(entry, dict) else _pairs(items(entry, "the completions"))
        for key, (base, plus) in enumerate(pairs):
            yield question, key, base, plus


def _pairs(completions: list[Any]) -> list[tuple[Any, Any]]:
    entries = [mapping(entry, "a completion") for entry in completions]
    return [(entry.get("base_status"), entry.get("plus_status")) for entry in entries]


def _pairs_of_lists(suites: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return both statuses as the first release wrote them: a list per suite, of statuses with details."""
    base = items(suites.get("base"), "base")
    plus = items(suites.get("plus") or [None] * len(base), "plus")
    if len(base) != len(plus):
        raise OutcomeError(f"{len(base)} completions have base tests, {len(plus)} have extra ones")
    return [(_status(one), _status(other)) for one, other in zip(base, plus, strict=True)]


def _status(entry: Any) -> Any:
    status = entry[0] if isinstance(entry, list) and entry else entry
    return _FIRST_STATUSES.get(status, status) if isinstance(status, str) else status


def _passed(base: Any, plus: Any, suite: str) -> float | None:
    """Return whether all tests of the suite passed; "plus" needs the base tests as well as the extra ones."""
    statuses = (base,) if suite == "base" else (base, plus)
    for status in statuses:
        if status is not None and not (isinstance(status, str) and status in _STATUSES):
            raise OutcomeError(f"a status is {shown(status)}; expected pass, fail or timeout")
    passed = [None if status is None else _STATUSES[status] for status in statuses]
    return 0.0 if False in passed else None if None in passed else 1.0
