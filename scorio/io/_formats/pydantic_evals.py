"""pydantic-evals: the report of an experiment as JSON, with one entry per run of a case; ``repeat=`` runs it again."""

import re
from collections.abc import Iterator
from typing import Any

from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, conditions, items, label, mapping, maybe_label, model_of_path, shown, spent, sums, within

_CASE = {"inputs", "scores", "labels", "assertions"}  # of every case that was run
_FAILURE = {"inputs", "error_message"}  # of every case whose task failed
_KINDS = ("assertions", "scores")  # of results that are outcomes; labels are words of the evaluator's own
_NUMBER = re.compile(r"_\d+$")  # behind the name of an evaluator that has another one's name


class PydanticEvalsFormat(Format):
    """Reports of pydantic-evals."""

    name = "pydantic-evals"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        if not file.has_keys("name", "cases"):
            return False
        return _has_first(file.document["cases"], _CASE) or _has_first(file.document.get("failures"), _FAILURE)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = mapping(file.document, "the report")
        rows = list(_rows(log))
        metrics = dict.fromkeys(name for _, row in rows for kind in _KINDS for name in row[kind])
        measure = request.choose("score", metrics, "evaluator") if metrics else ""
        about = log.get("experiment_metadata")
        about = about if isinstance(about, dict) else {}
        model = about.get("model")
        used = [spent(seconds=row.get("task_duration")) for _, row in rows]
        return [
            Run(
                label(model, "experiment_metadata.model") if model else model_of_path(file.path),
                list(_trials(rows, measure, list(metrics), request)),
                file.digest,
                maybe_label(log.get("dataset_name"), "dataset_name"),
                measure,
                model_from="log" if model else "file name",
                details=conditions(metadata={name: value for name, value in about.items() if name != "model"}),
                origin=sums(used),
                trial_costs=by_trial(used),
                notes={"score": measure or "none"},
            )
        ]


def _has_first(rows: Any, keys: set[str]) -> bool:
    return isinstance(rows, list) and bool(rows) and isinstance(rows[0], dict) and rows[0].keys() >= keys


def _rows(log: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every run of a case, with its results; a run whose task failed has none."""
    for key in ("cases", "failures"):
        for i, entry in enumerate(items(log.get(key) or [], key)):
            with within(f"{key} {i}"):
                row = mapping(entry, "a case")
                yield f"{key} {i}", row | {kind: mapping(row.get(kind) or {}, kind) for kind in _KINDS}


def _trials(
    rows: list[tuple[str, dict[str, Any]]], measure: str, metrics: list[str], request: Request
) -> Iterator[Trial]:
    stem = _NUMBER.sub("", measure)
    alike = [
        name for name in metrics if name == stem or (name.startswith(stem) and _NUMBER.fullmatch(name[len(stem) :]))
    ]
    for i, (place, row) in enumerate(rows):
        with within(place):
            question = label(row.get("source_case_name") or row.get("name"), "the name")
            result = next((row[kind][measure] for kind in _KINDS if measure in row[kind]), None)
            if result is None or (len(alike) > 1 and stem in _failed(row)):  # the name may be that of another evaluator
                yield Trial(question, i, None)
            else:
                yield Trial(question, i, request.outcome(_value(result)))


def _failed(row: dict[str, Any]) -> list[str]:
    """Return the names of the evaluators that failed on a case."""
    failures = items(row.get("evaluator_failures") or [], "evaluator_failures")
    return [_NUMBER.sub("", shown(mapping(each, "an evaluator's failure").get("name"))[1:-1]) for each in failures]


def _value(result: Any) -> Any:
    return mapping(result, "a result").get("value")
