"""LiveCodeBench: ``*_eval_all.json`` with a list of outcomes per question; BigCodeBench: ``*_eval_results.json``."""

from __future__ import annotations

import re
from typing import Any

from ..._display.words import unknown
from ...errors import OutcomeError
from .._conditions import conditions
from .._files import LogFile
from .._format import Companion, Format
from .._naming import model_of_path
from .._records import Run, Trial
from .._request import Request
from .._validate import items, label, mapping, maybe_label, shown, within

_GRADES = "graded_list"
_LIVE_NAME = re.compile(r"(?:Scenario\.)?(?P<scenario>[a-z]+)_\d+_(?P<temperature>[\d.]+)(?:_.*)?_eval_all\.json")
_BIG_NAME = re.compile(
    r"(?P<model>.+?)(?:--main)?--(?P<task>bigcodebench[a-z-]*?)"
    r"(?:--(?P<backend>.+?)-(?P<temperature>[\d.]+)-\d+-?(?P<variant>.*?))?_eval_results\.json"
)
_STATUSES = {"pass": True, "fail": False, "timeout": False}


def _first(file: LogFile) -> dict[str, Any]:
    first = file.document[0] if isinstance(file.document, list) and file.document else None
    return first if isinstance(first, dict) else {}


def _is_means(file: LogFile) -> bool:
    return {"pass@1", "detail"} <= _first(file).keys()


def _is_ungraded(file: LogFile) -> bool:
    return {"question_id", "output_list"} <= _first(file).keys() and _GRADES not in _first(file)


def _is_pass_at_k(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, dict) and {"pass@1", "split"} <= log.keys()


class LiveCodeBenchFormat(Format):
    """Graded answers of LiveCodeBench."""

    name = "livecodebench"
    options = frozenset({"cluster"})
    companions = (
        Companion(_is_means, "means of LiveCodeBench: its trials are in the file that ends with _eval_all.json"),
        Companion(_is_ungraded, "answers of LiveCodeBench without their outcomes: run it with --evaluate"),
    )

    def matches(self, file: LogFile) -> bool:
        return {"question_id", _GRADES} <= _first(file).keys()

    def read(self, file: LogFile, request: Request) -> list[Run]:
        name = _LIVE_NAME.fullmatch(file.path.name)
        column, trials = request.fields.get("cluster"), []
        for place, row in file.records():
            with within(place):
                question = _question(row)
                if column and column not in row:
                    raise OutcomeError(unknown("field", column, row))
                cluster = maybe_label(row.get(column), column) if column else None
                for key, grade in enumerate(items(row.get(_GRADES), _GRADES)):
                    if not (grade is None or isinstance(grade, bool)):
                        raise OutcomeError(f"{_GRADES} must hold true and false; got {shown(grade)}")
                    trials.append(Trial(question, key, request.outcome(grade), cluster))
        return [
            Run(
                model=file.path.resolve().parent.name if name else model_of_path(file.path).removesuffix("_eval_all"),
                model_from="folder" if name else "file name",
                task=name["scenario"] if name else None,
                trials=trials,
                identity=file.digest,
                conditions=conditions(temperature=name["temperature"] if name else None),
            )
        ]


def _question(row: dict[str, Any]) -> str:
    """Return the name of a question: some scenarios ask several questions about one problem."""
    problem = label(row.get("id") or row.get("question_id"), "question_id")
    part = maybe_label(row.get("test_id"), "test_id")
    return problem if part is None else f"{problem}/{part}"


class BigCodeBenchFormat(Format):
    """Results of BigCodeBench, with one status per answer."""

    name = "bigcodebench"
    companions = (Companion(_is_pass_at_k, "means of BigCodeBench: its trials are in the file of eval results"),)

    def matches(self, file: LogFile) -> bool:
        log = file.document
        results = log.get("eval") if isinstance(log, dict) and "date" in log else None
        first = next(iter(results.values()), None) if isinstance(results, dict) else None
        return isinstance(first, list) and any(isinstance(entry, dict) and "status" in entry for entry in first)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = mapping(file.document, "BigCodeBench results")
        name = _BIG_NAME.fullmatch(file.path.name)
        parts: dict[str, Any] = name.groupdict() if name else {}
        trials = []
        for question, entries in mapping(log.get("eval"), "eval").items():
            with within(question):
                for key, entry in enumerate(items(entries, "the answers")):
                    status = mapping(entry, "an answer").get("status")
                    trials.append(Trial(question, key, request.outcome(_passed(status))))
        return [
            Run(
                model=parts["model"].replace("--", "/") if parts else model_of_path(file.path),
                model_from="folder" if parts else "file name",
                task=parts.get("task"),
                trials=trials,
                identity=file.digest,
                conditions=conditions(**{key: parts.get(key) for key in ("backend", "temperature", "variant")}),
                origin={"date": log.get("date")},
            )
        ]


def _passed(status: Any) -> bool | None:
    """Return whether all tests passed; a time-out is a failure, as it is for the tool."""
    if status is not None and not (isinstance(status, str) and status in _STATUSES):
        raise OutcomeError(f"a status is {shown(status)}; expected pass, fail or timeout")
    return None if status is None else _STATUSES[status]
