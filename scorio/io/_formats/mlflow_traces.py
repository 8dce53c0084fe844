"""mlflow: the traces that ``search_traces()`` returns, as CSV, JSON or JSON lines, with the assessments of each.

A row is a trace: ``trace_id``, ``state``, ``request``, ``assessments`` (feedback of scorers, judges and people, and
expectations, which are no outcomes), ``trace_metadata`` with the run, and ``trace``, which repeats all of it as JSON. A
table in CSV has lists and objects as Python shows them, so that its column ``trace`` is read instead.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile, parsed
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._tabular.text import CsvTable, is_separated
from .._walk import At
from ..checks import model_of_path, shown, storable
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
        return is_likely and is_separated(file) and _is_of_traces(CsvTable(file).own_columns)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        by_run: dict[str | None, list[tuple[At, str, _Results]]] = {}
        for row in _rows(file):
            info = _info(row)
            results = {} if info["state"].value == "ERROR" else _feedback(_plain(info, "assessments"))
            run = _plain(info, "trace_metadata")[_SOURCE,].text_or(None)
            by_run.setdefault(run, []).append((row, _question(row), results))
        metrics = dict.fromkeys(name for traces in by_run.values() for *_, results in traces for name in results)
        measure = request.choose("score", metrics, "scorer")
        return [
            Run(
                run or model_of_path(file.path),
                [
                    Trial(question, row["trace_id"].text, agreed(row, results, measure, "feedback", request))
                    for row, question, results in traces
                ],
                "mlflow",  # the trials of two exports are told apart by the traces
                measure=measure,
                model_from="log" if run else "file name",
                notes={"score": measure},
            )
            for run, traces in by_run.items()
        ]


def _is_of_traces(names: Iterable[str]) -> bool:
    """Return whether a row has these columns; the tables of ``evaluate()`` have a column for each score besides."""
    every = set(names)
    return every >= _OF_TRACES and not any(name.endswith("/value") for name in every)


def _rows(file: LogFile) -> Iterator[At]:
    if file.is_json:
        yield from file.walk()
        return
    table = CsvTable(file)
    names = [name for name in table.own_columns if name in _OF_TRACES | {"trace"}]
    for row in table.rows(names):
        yield At(dict(zip(names, row.values, strict=True)), row.place)


def _question(row: At) -> str:
    inputs = row["request"].value
    question = inputs if isinstance(inputs, str) else json.dumps(inputs, ensure_ascii=False)
    if not question.strip() or inputs is None:
        raise row.fault("the trace has no request")
    return At(question, row.where).to(storable, "the request")


def _info(row: At) -> At:
    """Return what is known of a trace: from the column ``trace`` if this is JSON."""
    trace = row["trace"]
    if isinstance(trace.value, str) and trace.value.startswith("{"):
        trace = At(trace.to(parsed), row.where, "trace")
    return trace["info"].needed if isinstance(trace.value, dict) else row


def _plain(info: At, name: str) -> At:
    """Return a list or an object; it may be written as JSON."""
    part = info[name]
    if not isinstance(part.value, str):
        return part
    try:
        return At(parsed(part.value), part.where, part.key)
    except OutcomeError as error:
        raise part.fault(f"{name} must be JSON; got {shown(part.value)}", hint=_AS_JSON) from error


def _feedback(assessments: At) -> _Results:
    """Return the values of the feedback by name; what was overridden by later feedback is not valid."""
    results: _Results = {}
    for each in assessments.rows:
        feedback = each["feedback"]
        if feedback.value is not None and each["valid"].value is not False:
            value = None if feedback["error"].value is not None else feedback["value"].value
            results.setdefault(each["assessment_name"].text, []).append(value)
    return results
