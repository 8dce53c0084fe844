"""deepeval: a test run as JSON, with test cases and the metrics of each; repeats are test cases of one name."""

import re
from collections import defaultdict

from .. import At, Format, LogFile, Request, Run, Trial, either
from ..checks import conditions, shown

_CASES = ("testCases", "conversationalTestCases")
_NUMBERED = re.compile(r"(conversational_)?test_case_\d+")  # the names that the tool gives to test cases without one


class DeepEvalFormat(Format):
    """Test runs of deepeval."""

    name = "deepeval"
    noun = "metric"

    def matches(self, file: LogFile) -> bool:
        return any(_run(file).peek(key).first.has("metricsData") for key in _CASES)

    def read(self, file: LogFile, request: Request) -> Run:
        log = _run(file)
        rows = [row for key in _CASES for row in log[key].rows]
        inputs: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            inputs[str(row["name"].value)].add(_input(row))
        settings = log["hyperparameters"]
        return Run(
            settings["model"].text_or(""),
            [
                Trial(_question(row, inputs[str(row["name"].value)]), i, scores=_scores(row))
                for i, row in enumerate(rows)
            ],
            usual=[str(metric["name"].value) for row in rows for metric in row["metricsData"].rows],
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


def _scores(row: At) -> dict[str, At]:
    """Return whether each metric is met, and its score; nothing of one that was skipped, or failed with an error."""
    scores: dict[str, At] = {}
    for metric in row["metricsData"].rows:
        name, is_lost = str(metric["name"].value), metric["error"] or metric["skipped"]
        scores[name] = At(None if is_lost else metric["success"].flag)
        scores[f"{name}/score"] = At(None) if is_lost else metric["score"]
    return scores
