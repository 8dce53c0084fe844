"""Benchmarks that run generated code: LiveCodeBench, BigCodeBench, evalplus and human-eval.

LiveCodeBench writes ``*_eval_all.json`` with a list of outcomes per question; BigCodeBench ``*_eval_results.json`` with
a status per answer; evalplus the same with two statuses, on the base tests and on the extra tests; human-eval
``*_results.jsonl`` with one row per completion that says whether it passed, whose trials are in file order.
"""

import re
from collections import Counter
from typing import Any

from ..._display.words import unknown
from .._files import LogFile
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import conditions, model_of_path, shown

_GRADES = "graded_list"
_LIVE_NAME = re.compile(r"(?:Scenario\.)?(?P<scenario>[a-z]+)_\d+_(?P<temperature>[\d.]+)(?:_.*)?_eval_all\.json")
_BIG_NAME = re.compile(
    r"(?P<model>.+?)(?:--main)?--(?P<task>bigcodebench[a-z-]*?)"
    r"(?:--(?P<backend>.+?)-(?P<temperature>[\d.]+)-\d+-?(?P<variant>.*?))?_eval_results\.json"
)
_STATUSES = {"pass": True, "fail": False, "timeout": False, None: None}  # a time-out is a failure, as for the tools
_FIRST_STATUSES = {"success": "pass", "failed": "fail", "timed out": "timeout"}  # what the first release wrote
_UNSCORED = {"task_id", "completion", "solution", "raw_solution", "prompt", "entry_point", "canonical_solution", "test"}


def _first_has(file: LogFile, *names: str) -> bool:
    first = file.document[0] if isinstance(file.document, list) and file.document else None
    return isinstance(first, dict) and first.keys() >= set(names)


class LiveCodeBenchFormat(Format):
    """Graded answers of LiveCodeBench."""

    name = "livecodebench"
    options = frozenset({"cluster"})
    companions = (
        Companion(
            lambda file: _first_has(file, "pass@1", "detail"),
            "means of LiveCodeBench: its trials are in the file that ends with _eval_all.json",
        ),
        Companion(
            lambda file: _first_has(file, "question_id", "output_list") and not _first_has(file, _GRADES),
            "answers of LiveCodeBench without their outcomes: run it with --evaluate",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return _first_has(file, "question_id", _GRADES)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        name = _LIVE_NAME.fullmatch(file.path.name)
        column, trials = request.fields.get("cluster"), list[Trial]()
        for row in file.walk():
            question, part = either(row["id"], row["question_id"]).text, row["test_id"].maybe
            if part is not None:  # some scenarios ask several questions about one problem
                question = f"{question}/{part}"
            if column and column not in row:
                raise row.fault(unknown("field", column, row.obj))
            cluster = row[column,].maybe if column else None
            for key, grade in enumerate(row[_GRADES].needed.rows):
                trials.append(Trial(question, key, request.outcome(grade.flag), cluster))
        return [
            Run(
                file.path.resolve().parent.name if name else model_of_path(file.path).removesuffix("_eval_all"),
                trials,
                file.digest,
                task=name["scenario"] if name else None,
                model_from="folder" if name else "file name",
                conditions=conditions(temperature=name["temperature"] if name else None),
            )
        ]


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
        results = file.document["eval"] if file.has_keys("eval", "date") else None
        first = next(iter(results.values()), None) if isinstance(results, dict) else None
        return isinstance(first, list) and any(isinstance(entry, dict) and "status" in entry for entry in first)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        parts: dict[str, Any] = name.groupdict() if (name := _BIG_NAME.fullmatch(file.path.name)) else {}
        trials = [
            Trial(question, key, request.outcome(_passed(entry["status"])))
            for question, entries in file.at["eval"].items
            for key, entry in enumerate(entries.needed.rows)
        ]
        return [
            Run(
                parts["model"].replace("--", "/") if parts else model_of_path(file.path),
                trials,
                file.digest,
                task=parts.get("task"),
                model_from="folder" if parts else "file name",
                conditions=conditions(**{key: parts.get(key) for key in ("backend", "temperature", "variant")}),
                origin={"date": file.at["date"].value},
            )
        ]


def _passed(status: At) -> bool | None:
    """Return whether all tests passed."""
    if not (status.value is None or isinstance(status.value, str)) or status.value not in _STATUSES:
        raise status.fault(f"a status is {shown(status.value)}; expected pass, fail or timeout")
    return _STATUSES[status.value]


def _is_generations(file: LogFile) -> bool:
    log = file.document if isinstance(file.document, list) and any(file.document) else [None]
    return all(isinstance(entry, list) and all(isinstance(each, str) for each in entry) for entry in log)


class EvalPlusFormat(Format):
    """Results of EvalPlus, with statuses on base and extra tests; "plus" needs both."""

    name = "evalplus"
    options = frozenset({"score"})
    companions = (
        Companion(_is_generations, "programs without their outcomes (bigcode generations): run their tests first"),
    )

    def matches(self, file: LogFile) -> bool:
        log = file.document
        return isinstance(log, dict) and isinstance(log.get("eval"), dict) and {"hash", "date"} & log.keys() != set()

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = [
            (question, key, base, plus)
            for question, entry in file.at["eval"].items
            for key, (base, plus) in enumerate(_pairs(entry))
        ]
        suites = ["base", "plus"] if any(plus.value is not None for *_, plus in rows) else ["base"]
        suite, trials = request.choose("score", suites, "test suite"), []
        for question, key, base, plus in rows:
            passed = [_passed(status) for status in ((base, plus) if suite == "plus" else (base,))]
            trials.append(Trial(question, key, 0.0 if False in passed else None if None in passed else 1.0))
        about: dict[str, Any] = {"measure": suite, "model_from": "file name", "notes": {"score": suite}}
        return [Run(model_of_path(file.path), trials, file.digest, **about)]


def _pairs(entry: At) -> list[tuple[At, At]]:
    """Return both statuses of each completion; the first release wrote a list per suite, of statuses with details."""
    if not isinstance(entry.value, dict):
        return [(each["base_status"], each["plus_status"]) for each in entry.needed.rows]
    base, plus = entry["base"].needed.rows, entry["plus"].rows
    if plus and len(base) != len(plus):
        raise entry.fault(f"{len(base)} completions have base tests, {len(plus)} have extra ones")
    return [
        (_first_status(one), _first_status(other))
        for one, other in zip(base, plus or [At(None)] * len(base), strict=True)
    ]


def _first_status(entry: At) -> At:
    status = entry.value[0] if isinstance(entry.value, list) and entry.value else entry.value
    return At(_FIRST_STATUSES.get(status, status) if isinstance(status, str) else status, entry.where)


class HumanEvalFormat(Format):
    """Results of human-eval, one row per completion."""

    name = "human-eval"
    companions = (
        Companion(
            lambda file: file.row_has_keys("task_id") and file.first_row.keys() < _UNSCORED,
            "completions that were not run against their tests: read their *_results.jsonl",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        is_table = any(file.row_has_keys(name) for name in ("model", "trial"))  # which the tool does not write
        return file.row_has_keys("task_id", "passed", "result") and not is_table

    def read(self, file: LogFile, request: Request) -> list[Run]:
        trials = []
        seen: Counter[str] = Counter()
        for row in file.walk():
            question = row["task_id"].text
            if "passed" not in row:
                raise row.fault("the row has no 'passed'")
            outcome = row["passed"].to(request.outcome)
            if outcome not in (None, 0.0, 1.0):
                raise row.fault(f"passed must be true or false; got {shown(row['passed'].value)}")
            trials.append(Trial(question, seen[question], outcome))
            seen[question] += 1
        return [Run(model_of_path(file.path), trials, file.digest, model_from="file name")]
