"""Phoenix: the runs of an experiment as JSON, one per example and repetition, with the annotations of evaluators.

The same runs as CSV are a table, whose columns tell that they are of Phoenix.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, digest, items, label, mapping, model_of_path, shown, spent, sums, whole, within
from .feedback import agreed

_OF_RUNS = {"example_id", "repetition_number", "annotations"}


class _ExperimentRun(NamedTuple):
    """A run of the task on an example; one that failed has no results."""

    place: str
    example: str
    repetition: int
    results: dict[str, list[Any]]  # the scores, else the labels, by the name of the evaluator
    document: str  # a hash of the input and the reference
    spent: dict[str, float]


class PhoenixFormat(Format):
    """Experiments of Phoenix."""

    name = "phoenix"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        row = file.first_record if file.is_json else None
        return isinstance(row, dict) and row.keys() >= _OF_RUNS

    def read(self, file: LogFile, request: Request) -> list[Run]:
        runs = list(_runs(file))
        metrics = dict.fromkeys(name for run in runs for name in run.results)
        measure = request.choose("score", metrics, "evaluator") if metrics else ""
        used = [run.spent for run in runs]
        return [
            Run(
                model_of_path(file.path),
                [_trial(run, measure, request) for run in runs],
                file.digest,
                measure=measure,
                fingerprints={run.example: run.document for run in runs},
                model_from="file name",
                origin=sums(used),
                trial_costs=by_trial(used),
                notes={"score": measure or "none"},
            )
        ]


def _runs(file: LogFile) -> Iterator[_ExperimentRun]:
    for place, row in file.records():
        with within(place):
            latency = spent(seconds=row.get("latency_ms"))
            yield _ExperimentRun(
                place,
                label(row.get("example_id"), "example_id"),
                whole(row.get("repetition_number"), "repetition_number"),
                _results(row),
                digest([row.get("input"), row.get("reference_output")]),
                {name: milliseconds / 1000 for name, milliseconds in latency.items()}
                | spent(
                    input_tokens=row.get("prompt_token_count"),
                    output_tokens=row.get("completion_token_count"),
                ),
            )


def _results(row: dict[str, Any]) -> dict[str, list[Any]]:
    """Return what evaluators say of a run, by their names; nothing counts if the task or the evaluator failed."""
    results: dict[str, list[Any]] = {}
    for entry in items(row.get("annotations"), "annotations"):
        annotation = mapping(entry, "an annotation")
        given = results.setdefault(label(annotation.get("name"), "the name of an annotation"), [])
        if annotation.get("error") is None and row.get("error") is None:
            score = annotation.get("score")
            given.append(annotation.get("label") if score is None else score)
    return results


def _trial(run: _ExperimentRun, measure: str, request: Request) -> Trial:
    with within(run.place):
        outcome = agreed(run.results.get(measure, []), f"the run has annotations {shown(measure)}", request)
        return Trial(run.example, run.repetition, outcome)
