"""mlflow: the traces that ``search_traces()`` returns, as CSV, JSON or JSON lines, with the assessments of each.

A row is a trace: ``trace_id``, ``state``, ``request``, ``assessments`` (feedback of scorers, judges and people, and
expectations, which are no outcomes), ``trace_metadata`` with the run, and ``trace``, which repeats all of it as JSON. A
table in CSV has lists and objects as Python shows them, so that its column ``trace`` is read instead.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile, parsed
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._tabular.rows import is_separated, is_table, own_columns, rows
from ..checks import items, label, mapping, model_of_path, shown, storable, within
from .feedback import agreed

_OF_TRACES = {"trace_id", "state", "request", "assessments", "trace_metadata"}
_SOURCE = "mlflow.sourceRun"  # in the metadata: the run that made the trace
_AS_JSON = "keep the column trace, or write the table with to_json(orient='records', lines=True)"
_Results = dict[str, list[Any]]  # the values of the feedback, by its name


class MlflowTracesFormat(Format):
    """Exported traces of mlflow."""

    name = "mlflow-traces"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        if file.is_json:
            return isinstance(file.first_record, dict) and _is_of_traces(file.first_record)
        is_likely = all(name.encode() in file.head for name in _OF_TRACES)
        return is_likely and is_separated(file) and is_table(file) and _is_of_traces(own_columns(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        traces = list(_traces(file))
        metrics = dict.fromkeys(name for *_, results in traces for name in results)
        measure = request.choose("score", metrics, "scorer")
        what = f"the trace has feedback {shown(measure)}"
        by_run: dict[str | None, list[Trial]] = defaultdict(list)
        for place, run, question, key, results in traces:
            with within(place):
                by_run[run].append(Trial(question, key, agreed(results.get(measure, []), what, request)))
        return [
            Run(
                run or model_of_path(file.path),
                trials,
                "mlflow",  # the trials of two exports are told apart by the traces
                measure=measure,
                model_from="log" if run else "file name",
                notes={"score": measure},
            )
            for run, trials in by_run.items()
        ]


def _is_of_traces(names: Iterable[str]) -> bool:
    """Return whether a row has these columns; the tables of ``evaluate()`` have a column for each score besides."""
    every = set(names)
    return every >= _OF_TRACES and not any(name.endswith("/value") for name in every)


def _traces(file: LogFile) -> Iterator[tuple[str, str | None, str, str, _Results]]:
    """Yield the place, the run, the question, the name and the feedback of every trace."""
    for place, row in _rows(file):
        with within(place):
            info = _info(row)
            run = mapping(_plain(info, "trace_metadata"), "trace_metadata").get(_SOURCE)
            inputs = row.get("request")
            question = inputs if isinstance(inputs, str) else json.dumps(inputs, ensure_ascii=False)
            if not question.strip() or inputs is None:
                raise OutcomeError("the trace has no request")
            results = {} if info.get("state") == "ERROR" else _feedback(_plain(info, "assessments"))
            named = None if run is None else label(run, _SOURCE)
            yield place, named, storable(question, "the request"), label(row.get("trace_id"), "trace_id"), results


def _rows(file: LogFile) -> Iterator[tuple[str, dict[str, Any]]]:
    if file.is_json:
        yield from file.records()
        return
    names = [name for name in own_columns(file) if name in _OF_TRACES | {"trace"}]
    for row in rows(file, names):
        yield row.place, dict(zip(names, row.values, strict=True))


def _info(row: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a trace: from the column ``trace`` if this is JSON."""
    trace = row.get("trace")
    if isinstance(trace, str) and trace.startswith("{"):
        trace = parsed(trace)
    return mapping(trace.get("info"), "info") if isinstance(trace, dict) else row


def _plain(info: dict[str, Any], name: str) -> Any:
    """Return a list or an object; it may be written as JSON."""
    value = info.get(name)
    if not isinstance(value, str):
        return value or ([] if name == "assessments" else {})
    try:
        return parsed(value)
    except OutcomeError as error:
        raise OutcomeError(f"{name} must be JSON; got {shown(value)}", hint=_AS_JSON) from error


def _feedback(assessments: Any) -> _Results:
    """Return the values of the feedback by name; what was overridden by later feedback is not valid."""
    results: _Results = defaultdict(list)
    for entry in items(assessments, "assessments"):
        assessment = mapping(entry, "an assessment")
        if assessment.get("feedback") is None or assessment.get("valid") is False:
            continue
        feedback = mapping(assessment["feedback"], "feedback")
        value = None if feedback.get("error") is not None else feedback.get("value")
        results[label(assessment.get("assessment_name"), "assessment_name")].append(value)
    return results
