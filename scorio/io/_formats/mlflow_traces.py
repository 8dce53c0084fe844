"""mlflow: the table that ``search_traces()`` returns, with the assessments of each trace.

As CSV it has lists and objects as Python shows them, and its column ``trace``, which repeats all of it as JSON, is read
instead.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import OutcomeError
from .. import At, Format, LogFile, Request, Run, Trial, grouped
from .._files import parsed
from .._tabular.text import CsvTable, is_separated
from ..checks import shown

_OF_TRACES = {"trace_id", "state", "request", "assessments", "trace_metadata"}
_SOURCE = "mlflow.sourceRun"  # in the metadata: the run that made the trace
_AS_JSON = "keep the column trace, or write the table with to_json(orient='records', lines=True)"


class MlflowTracesFormat(Format):
    """Exported traces of mlflow."""

    name = "mlflow-traces"
    is_json = False
    noun = "scorer"

    def matches(self, file: LogFile) -> bool:
        if file.is_json:
            return _are_of_traces(file.first_record.plain)
        is_likely = all(name.encode() in file.head for name in _OF_TRACES)
        return is_likely and is_separated(file) and _are_of_traces(CsvTable(file).columns)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        traces = [(row, _info(row)) for row in _traces(file)]
        by_run = grouped(traces, lambda trace: _unpacked(trace[1], "trace_metadata")[_SOURCE,].text_or(""))
        return [
            Run(
                run,
                [
                    Trial(_question(row), row["trace_id"].text, scores=row.feedback(_assessments(info)))
                    for row, info in of_run
                ],
                "mlflow",  # the trials of two exports are told apart by the traces
            )
            for run, of_run in by_run.items()
        ]


def _are_of_traces(names: Iterable[str]) -> bool:
    """Return whether a row has these columns; the tables of ``evaluate()`` have a column for each score besides."""
    every = set(names)
    return every >= _OF_TRACES and not any(name.endswith("/value") for name in every)


def _traces(file: LogFile) -> Iterable[At]:
    if file.is_json:
        return file.walk()
    table = CsvTable(file)
    names = [name for name in table.columns if name in _OF_TRACES | {"trace"}]
    return (At(dict(zip(names, row.values, strict=True)), row.place) for row in table.rows(names, ()))


def _question(row: At) -> str:
    inputs = row["request"].value
    question = inputs if isinstance(inputs, str) else json.dumps(inputs, ensure_ascii=False)
    if not question.strip() or inputs is None:
        raise row.fault("the trace has no request")
    return At(question, row.where, "the request").text


def _info(row: At) -> At:
    """Return what is known of a trace: from the column ``trace`` if this is JSON."""
    trace = row["trace"]
    if isinstance(trace.value, str) and trace.value.startswith("{"):
        trace = At(trace.to(parsed), row.where, "trace")
    return trace["info"].needed if isinstance(trace.value, dict) else row


def _unpacked(info: At, name: str) -> At:
    """Return a list or an object; it may be written as JSON."""
    part = info[name]
    if not isinstance(part.value, str):
        return part
    try:
        return At(parsed(part.value), part.where, part.key)
    except OutcomeError as error:
        raise part.fault(f"{name} must be JSON; got {shown(part.value)}", hint=_AS_JSON) from error


def _assessments(info: At) -> Iterator[tuple[str, Any]]:
    """Yield the feedback on a trace; what was overridden by later feedback is not valid."""
    for row in _unpacked(info, "assessments").rows if info["state"].value != "ERROR" else ():
        if row["feedback"].value is not None and row["valid"].value is not False:
            has_failed = row["feedback.error"].value is not None
            yield row["assessment_name"].text, None if has_failed else row["feedback.value"].value
