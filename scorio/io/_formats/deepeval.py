"""deepeval: a test run as JSON, with test cases and the metrics of each; repeats are test cases of one name."""

import re
from collections import defaultdict

from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import conditions, model_of_path, shown

_CASES = ("testCases", "conversationalTestCases")
_NUMBERED = re.compile(r"(conversational_)?test_case_\d+")  # the names that the tool gives to test cases without one
_SCORE = "/score"  # stands behind a metric's name for its score in place of its success


class DeepEvalFormat(Format):
    """Test runs of deepeval."""

    name = "deepeval"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        cases = [_run(file).peek(key) for key in _CASES]
        return any(
            isinstance(each, list) and each and isinstance(each[0], dict) and "metricsData" in each[0] for each in cases
        )

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = _run(file)
        rows = [row for key in _CASES for row in log[key].rows]
        metrics = [{str(each["name"].value): each for each in row["metricsData"].rows} for row in rows]
        names = list(dict.fromkeys(name for each in metrics for name in each))
        offered = [*names, *(f"{name}{_SCORE}" for name in names)] if request.score else names
        measure = request.choose("score", offered, "metric")
        questions, settings = _questions(rows), log["hyperparameters"]
        trials = [
            Trial(question, i, _outcome(each, measure, request))
            for i, (question, each) in enumerate(zip(questions, metrics, strict=True))
        ]
        return [
            Run(
                settings["model"].text_or(model_of_path(file.path)),
                trials,
                file.digest,
                measure=measure,
                model_from="log" if settings["model"] else "file name",
                conditions=conditions(hyperparameters=settings.without(["model"])),
                origin=log.spent(seconds="runDuration", dollars="evaluationCost"),
                notes={"score": measure},
            )
        ]


def _run(file: LogFile) -> At:
    """Return the test run, which the tool's own cache holds one level down."""
    log = file.document
    return At(log.get("testRunData", log) if isinstance(log, dict) else None)


def _questions(rows: list[At]) -> list[str]:
    """Return the question of each test case: its name if one input has it, else its input."""
    inputs: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        inputs[str(row["name"].value)].add(_input(row))
    return [_question(row, inputs[str(row["name"].value)]) for row in rows]


def _question(row: At, inputs: set[str]) -> str:
    name, asked = row["name"].value, _input(row)
    if isinstance(name, str) and name and (not asked or (len(inputs) == 1 and not _NUMBERED.fullmatch(name))):
        return name
    return At(asked or None, row.where, "input").text


def _input(row: At) -> str:
    value = either(row["input"], row["scenario"]).value or ""
    return value if isinstance(value, str) else shown(value)


def _outcome(metrics: dict[str, At], measure: str, request: Request) -> float | None:
    """Return the outcome of a metric; None if it was skipped, or failed with an error."""
    is_score = measure not in metrics and measure.endswith(_SCORE)
    metric = metrics.get(measure.removesuffix(_SCORE) if is_score else measure)
    if metric is None or metric["error"] or metric["skipped"]:
        return None
    return metric["score"].to(request.outcome) if is_score else request.outcome(metric["success"].flag)
