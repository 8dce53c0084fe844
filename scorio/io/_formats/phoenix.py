"""Phoenix: the runs of an experiment, one per example and repetition, with annotations; its CSV is a table."""

from collections.abc import Iterator
from typing import Any

from .. import At, Format, LogFile, Request, Run, Trial, records_with
from ..checks import digest

_COSTS = {"seconds": "latency_ms", "input_tokens": "prompt_token_count", "output_tokens": "completion_token_count"}


class PhoenixFormat(Format):
    """Experiments of Phoenix."""

    name = "phoenix"
    layouts = (records_with("example_id", "repetition_number", "annotations"),)
    noun = "evaluator"

    def read(self, file: LogFile, request: Request) -> Run:
        return Run("", [_trial(row) for row in file.walk()])


def _trial(row: At) -> Trial:
    return Trial(
        row["example_id"].text,
        row["repetition_number"].whole,
        used=row.spent(**_COSTS),
        mark=digest([row["input"].value, row["reference_output"].value]),
        scores=row.feedback(_annotations(row)),
    )


def _annotations(row: At) -> Iterator[tuple[str, Any]]:
    """Yield what evaluators say of a run; nothing counts if it failed, or if the evaluator did."""
    for annotation in row["annotations"].needed.rows:
        has_failed = annotation["error"].value is not None or row["error"].value is not None
        value = annotation["label" if annotation["score"].value is None else "score"].value
        yield annotation["name"].text, None if has_failed else value
