"""Phoenix: the runs of an experiment as JSON, one per example and repetition, with the annotations of evaluators.

The same runs as CSV are a table, whose columns tell that they are of Phoenix.
"""

from typing import Any

from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At
from ..checks import by_trial, digest, model_of_path, sums
from .feedback import agreed


class PhoenixFormat(Format):
    """Experiments of Phoenix."""

    name = "phoenix"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        row = file.first_record if file.is_json else None
        return isinstance(row, dict) and row.keys() >= {"example_id", "repetition_number", "annotations"}

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = [(row, row["example_id"].text, _results(row)) for row in file.walk()]
        metrics = dict.fromkeys(name for *_, results in rows for name in results)
        measure = request.choose("score", metrics, "evaluator") if metrics else ""
        used = [
            row.spent(seconds="latency_ms", input_tokens="prompt_token_count", output_tokens="completion_token_count")
            for row, *_ in rows
        ]
        return [
            Run(
                model_of_path(file.path),
                [
                    Trial(
                        example, row["repetition_number"].whole, agreed(row, results, measure, "annotations", request)
                    )
                    for row, example, results in rows
                ],
                file.digest,
                measure=measure,
                fingerprints={
                    example: digest([row["input"].value, row["reference_output"].value]) for row, example, _ in rows
                },
                model_from="file name",
                origin=sums(used),
                trial_costs=by_trial(used),
                notes={"score": measure or "none"},
            )
        ]


def _results(row: At) -> dict[str, list[Any]]:
    """Return what evaluators say of a run, by their names; nothing counts if the task or the evaluator failed."""
    results: dict[str, list[Any]] = {}
    for annotation in row["annotations"].needed.rows:
        given = results.setdefault(annotation["name"].text, [])
        if annotation["error"].value is None and row["error"].value is None:
            score = annotation["score"].value
            given.append(annotation["label"].value if score is None else score)
    return results
