"""deepeval: a test run as JSON, with test cases and the metrics of each; repeats are test cases of one name."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from ..checks import conditions, items, label, mapping, model_of_path, shown, spent, within

_CASES = ("testCases", "conversationalTestCases")
_NUMBERED = re.compile(r"(conversational_)?test_case_\d+")  # the names that the tool gives to test cases without one
_SCORE = "/score"  # stands behind a metric's name for its score in place of its success

_Row = tuple[str, dict[str, Any]]


class DeepEvalFormat(Format):
    """Test runs of deepeval."""

    name = "deepeval"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        log = _run(file.document)
        return isinstance(log, dict) and any(_is_case(case) for key in _CASES for case in _first(log.get(key)))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = mapping(_run(file.document), "the test run")
        rows = list(_rows(log))
        metrics = list(dict.fromkeys(str(each.get("name")) for _, row in rows for each in row["metricsData"]))
        offered = [*metrics, *(f"{name}{_SCORE}" for name in metrics)] if request.score else metrics
        measure = request.choose("score", offered, "metric")
        settings = mapping(log.get("hyperparameters") or {}, "hyperparameters")
        model = settings.get("model")
        return [
            Run(
                label(model, "hyperparameters.model") if model else model_of_path(file.path),
                list(_trials(rows, measure, request)),
                file.digest,
                measure=measure,
                model_from="log" if model else "file name",
                conditions=conditions(hyperparameters={k: v for k, v in settings.items() if k != "model"}),
                origin=spent(seconds=log.get("runDuration"), dollars=log.get("evaluationCost")),
                notes={"score": measure},
            )
        ]


def _run(log: Any) -> Any:
    """Return the test run, which the tool's own cache holds one level down."""
    return log.get("testRunData", log) if isinstance(log, dict) else None


def _first(cases: Any) -> list[Any]:
    return cases[:1] if isinstance(cases, list) else []


def _is_case(case: Any) -> bool:
    return isinstance(case, dict) and "metricsData" in case


def _rows(log: dict[str, Any]) -> Iterator[_Row]:
    for key in _CASES:
        for i, case in enumerate(items(log.get(key) or [], key)):
            with within(f"{key} {i}"):
                row = mapping(case, "a test case")
                metrics = [mapping(each, "a metric") for each in items(row.get("metricsData") or [], "metricsData")]
            yield f"{key} {i}", row | {"metricsData": metrics}


def _questions(rows: list[_Row]) -> list[str]:
    """Return the question of each test case: its name if one input has it, else its input."""
    inputs: dict[Any, set[str]] = defaultdict(set)
    for _, row in rows:
        inputs[str(row.get("name"))].add(_input(row))
    return [_question(row, inputs[str(row.get("name"))]) for _, row in rows]


def _question(row: dict[str, Any], inputs: set[str]) -> str:
    name = row.get("name")
    if isinstance(name, str) and name and (not _input(row) or (len(inputs) == 1 and not _NUMBERED.fullmatch(name))):
        return name
    return label(_input(row) or None, "the name or the input")


def _input(row: dict[str, Any]) -> str:
    value = row.get("input") or row.get("scenario") or ""
    return value if isinstance(value, str) else shown(value)


def _trials(rows: list[_Row], measure: str, request: Request) -> Iterator[Trial]:
    for i, ((place, row), question) in enumerate(zip(rows, _questions(rows), strict=True)):
        with within(place):
            metrics = {str(each.get("name")): each for each in row["metricsData"]}
            yield Trial(question, i, _outcome(metrics, measure, request))


def _outcome(metrics: dict[str, dict[str, Any]], measure: str, request: Request) -> float | None:
    """Return the outcome of a metric; None if it was skipped, or failed with an error."""
    is_score = measure not in metrics and measure.endswith(_SCORE)
    metric = metrics.get(measure.removesuffix(_SCORE) if is_score else measure)
    if metric is None or metric.get("error") or metric.get("skipped"):
        return None
    value = metric.get("score" if is_score else "success")
    if not is_score and not (value is None or isinstance(value, bool)):
        raise OutcomeError(f"success must be true or false; got {shown(value)}")
    return request.outcome(value)
