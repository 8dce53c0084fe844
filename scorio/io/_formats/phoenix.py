"""Phoenix: the runs of an experiment as JSON, one per example and repetition, with the annotations of evaluators.

The same runs as CSV are a table, whose columns tell that they are of Phoenix.
"""

from typing import Any

from .. import At, Format, LogFile, Request, Run, Trial, names_in, records_with
from ..checks import digest

_COSTS = {"seconds": "latency_ms", "input_tokens": "prompt_token_count", "output_tokens": "completion_token_count"}


class PhoenixFormat(Format):
    """Experiments of Phoenix."""

    name = "phoenix"
    options = frozenset({"score", "levels"})
    layouts = (records_with("example_id", "repetition_number", "annotations"),)

    def read(self, file: LogFile, request: Request) -> Run:
        rows = [(row, _results(row)) for row in file.walk()]
        measure = request.measure(names_in(At(results) for _, results in rows), "evaluator")
        trials = [
            Trial(
                row["example_id"].text,
                row["repetition_number"].whole,
                request.agreed(row, results, measure, "annotations"),
                used=row.spent(**_COSTS),
                mark=digest([row["input"].value, row["reference_output"].value]),
            )
            for row, results in rows
        ]
        return Run("", trials, measure=measure)


def _results(row: At) -> dict[str, list[Any]]:
    """Return what evaluators say of a run, by their names; nothing counts if the task or the evaluator failed."""
    results: dict[str, list[Any]] = {}
    for annotation in row["annotations"].needed.rows:
        given = results.setdefault(annotation["name"].text, [])
        if annotation["error"].value is None and row["error"].value is None:
            score = annotation["score"].value
            given.append(annotation["label"].value if score is None else score)
    return results
