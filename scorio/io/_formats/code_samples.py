"""Benchmarks that run generated code: LiveCodeBench, BigCodeBench, evalplus and human-eval.

LiveCodeBench writes ``*_eval_all.json`` with a list of outcomes per question; BigCodeBench ``*_eval_results.json`` with
a status per answer; evalplus the same with two statuses, on the base tests and on the extra tests; human-eval
``*_results.jsonl`` with one row per completion that says whether it passed, whose trials are in file order.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..._display.words import unknown
from ...errors import OutcomeError
from .._files import LogFile
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from ..checks import conditions, items, label, mapping, maybe_label, model_of_path, shown, within

_GRADES = "graded_list"
_LIVE_NAME = re.compile(r"(?:Scenario\.)?(?P<scenario>[a-z]+)_\d+_(?P<temperature>[\d.]+)(?:_.*)?_eval_all\.json")
_BIG_NAME = re.compile(
    r"(?P<model>.+?)(?:--main)?--(?P<task>bigcodebench[a-z-]*?)"
    r"(?:--(?P<backend>.+?)-(?P<temperature>[\d.]+)-\d+-?(?P<variant>.*?))?_eval_results\.json"
)
_STATUSES = {"pass": True, "fail": False, "timeout": False}
_FIRST_STATUSES = {"success": "pass", "failed": "fail", "timed out": "timeout"}  # what the first release wrote
_SCORED = {"task_id", "passed", "result"}
_OF_TABLES = {"model", "trial"}  # the tool does not write these; with them the file is a table
_UNSCORED = {"task_id", "completion", "solution", "raw_solution", "prompt", "entry_point", "canonical_solution", "test"}


def _first(file: LogFile) -> dict[str, Any]:
    first = file.document[0] if isinstance(file.document, list) and file.document else None
    return first if isinstance(first, dict) else {}


def _is_means(file: LogFile) -> bool:
    return {"pass@1", "detail"} <= _first(file).keys()


def _is_ungraded(file: LogFile) -> bool:
    return {"question_id", "output_list"} <= _first(file).keys() and _GRADES not in _first(file)


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
    companions = (
        Companion(
            lambda file: file.has_keys("pass@1", "split"),
            "means of BigCodeBench: its trials are in the file of eval results",
        ),
    )

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


def _is_generations(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, list) and any(log) and all(_is_programs(entry) for entry in log)


def _is_programs(entry: Any) -> bool:
    return isinstance(entry, list) and all(isinstance(program, str) for program in entry)


class EvalPlusFormat(Format):
    """Results of EvalPlus, with statuses on base and extra tests."""

    name = "evalplus"
    options = frozenset({"score"})
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
        suite = request.choose("score", suites, "test suite")
        trials = [Trial(question, key, _passed_suite(base, plus, suite)) for question, key, base, plus in rows]
        return [
            Run(
                model_of_path(file.path),
                trials,
                file.digest,
                measure=suite,
                model_from="file name",
                notes={"score": suite},
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


def _passed_suite(base: Any, plus: Any, suite: str) -> float | None:
    """Return whether all tests of the suite passed; "plus" needs the base tests as well as the extra ones."""
    statuses = (base,) if suite == "base" else (base, plus)
    passed = [_passed(status) for status in statuses]
    return 0.0 if False in passed else None if None in passed else 1.0


def _is_unscored(file: LogFile) -> bool:
    return file.row_has_keys("task_id") and file.first_row.keys() < _UNSCORED


class HumanEvalFormat(Format):
    """Results of human-eval, one row per completion."""

    name = "human-eval"
    companions = (
        Companion(_is_unscored, "completions that were not run against their tests: read their *_results.jsonl"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys(*_SCORED) and not file.first_row.keys() & _OF_TABLES

    def read(self, file: LogFile, request: Request) -> list[Run]:
        trials = []
        seen: Counter[str] = Counter()
        for place, row in file.records():
            with within(place):
                question = label(row.get("task_id"), "task_id")
                trials.append(Trial(question, seen[question], _graded(row, request)))
            seen[question] += 1
        return [Run(model_of_path(file.path), trials, file.digest, model_from="file name")]


def _graded(row: dict[str, Any], request: Request) -> float | None:
    if "passed" not in row:
        raise OutcomeError("the row has no 'passed'")
    outcome = request.outcome(row["passed"])
    if outcome not in (None, 0.0, 1.0):
        raise OutcomeError(f"passed must be true or false; got {shown(row['passed'])}")
    return outcome
