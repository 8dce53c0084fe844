"""deepeval: a test run as JSON, with test cases and the metrics of each; repeats are test cases of one name."""

import re
from collections import defaultdict

from .. import At, Format, LogFile, Request, Run, Trial, either
from ..checks import conditions, shown

_CASES = ("testCases", "conversationalTestCases")
_NUMBERED = re.compile(r"(conversational_)?test_case_\d+")  # the names that the tool gives to test cases without one
_SCORE = "/score"  # stands behind a metric's name for its score in place of its success


class DeepEvalFormat(Format):
    """Test runs of deepeval."""

    name = "deepeval"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        return any(_run(file).peek(key).first.has("metricsData") for key in _CASES)

    def read(self, file: LogFile, request: Request) -> Run:
        log = _run(file)
        rows = [row for key in _CASES for row in log[key].rows]
        metrics = [{str(metric["name"].value): metric for metric in row["metricsData"].rows} for row in rows]
        names = list(dict.fromkeys(name for metric in metrics for name in metric))
        offered = [*names, *(f"{name}{_SCORE}" for name in names)] if request.score else names
        measure = request.choose("score", offered, "metric")
        inputs: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            inputs[str(row["name"].value)].add(_input(row))
        settings = log["hyperparameters"]
        return Run(
            settings["model"].text_or(""),
            [
                Trial(_question(row, inputs[str(row["name"].value)]), i, _outcome(by_name, measure, request))
                for i, (row, by_name) in enumerate(zip(rows, metrics, strict=True))
            ],
            measure=measure,
            conditions=conditions(hyperparameters=settings.without(["model"])),
            origin=log.spent(seconds="runDuration", dollars="evaluationCost"),
        )


def _run(file: LogFile) -> At:
    """Return the test run, which the tool's own cache holds one level down."""
    return At(file.at.plain.get("testRunData", file.document))


def _question(row: At, inputs: set[str]) -> str:
    """Return the question of a test case: its name if only one of the ``inputs`` has it, else its input."""
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
