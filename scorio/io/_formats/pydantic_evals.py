"""pydantic-evals: the report of an experiment as JSON, with one entry per run of a case; ``repeat=`` runs it again."""

import re
from typing import Any

from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import by_trial, conditions, model_of_path, shown, sums

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
        log = file.at
        rows = [*log["cases"].rows, *log["failures"].rows]  # a run whose task failed has no results
        metrics = list(dict.fromkeys(name for row in rows for kind in _KINDS for name in row[kind].obj))
        measure = request.choose("score", metrics, "evaluator") if metrics else ""
        stem = _NUMBER.sub("", measure)
        is_shared = sum(_NUMBER.sub("", name) == stem or name == stem for name in metrics) > 1
        about = At(log.peek("experiment_metadata"), "", "experiment_metadata")
        about = about if isinstance(about.value, dict) else At({})
        used = [row.spent(seconds="task_duration") for row in rows]
        return [
            Run(
                about["model"].text_or(model_of_path(file.path)),
                [_trial(i, row, measure, stem if is_shared else None, request) for i, row in enumerate(rows)],
                file.digest,
                log["dataset_name"].maybe,
                measure,
                model_from="log" if about["model"] else "file name",
                details=conditions(metadata=about.without(["model"])),
                origin=sums(used),
                trial_costs=by_trial(used),
                notes={"score": measure or "none"},
            )
        ]


def _has_first(rows: Any, keys: set[str]) -> bool:
    return isinstance(rows, list) and bool(rows) and isinstance(rows[0], dict) and rows[0].keys() >= keys


def _trial(i: int, row: At, measure: str, shared: str | None, request: Request) -> Trial:
    """Return the trial of a case; if an evaluator failed, a name that several share may be that of another one."""
    question = either(row["source_case_name"], row["name"]).text
    result = next((row[kind][measure,] for kind in _KINDS if measure in row[kind]), None)
    if result is None or result.value is None or (shared is not None and shared in _failed(row)):
        return Trial(question, i, None)
    return Trial(question, i, result["value"].to(request.outcome))


def _failed(row: At) -> list[str]:
    """Return the names of the evaluators that failed on a case."""
    return [_NUMBER.sub("", shown(each["name"].value)[1:-1]) for each in row["evaluator_failures"].rows]
