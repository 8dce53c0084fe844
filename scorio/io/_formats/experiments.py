"""Experiments of trackers: Phoenix, Langfuse, LangSmith and mlflow, whose scorers, judges and people give feedback.

Phoenix exports the runs of an experiment, one per example and repetition, with annotations. Langfuse's API returns
items with their scores: a page (``{"data": [..], "meta": {..}}``), a list or JSON lines. LangSmith has runs
(``client.list_runs``, queries, and examples with their runs). mlflow's ``search_traces()`` returns a table with the
assessments of each trace; as CSV it has lists and objects as Python shows them, and its column ``trace``, which repeats
all of it as JSON, is read instead. The CSV of Phoenix and LangSmith are tables, whose columns tell their origin.
"""

import json
from collections.abc import Iterable
from typing import Any

from ...errors import OutcomeError
from .. import At, Format, LogFile, Request, Run, Trial, grouped, names_in, records_with
from .._files import parsed
from .._tabular.text import CsvTable, is_separated
from ..checks import conditions, digest, shown

_COSTS = {"seconds": "latency_ms", "input_tokens": "prompt_token_count", "output_tokens": "completion_token_count"}
_NO_OUTCOME = ("TEXT", "CORRECTION")  # types of Langfuse's scores that are texts without a value
_OF_TRACES = {"trace_id", "state", "request", "assessments", "trace_metadata"}
_SOURCE = "mlflow.sourceRun"  # in the metadata: the run that made the trace
_AS_JSON = "keep the column trace, or write the table with to_json(orient='records', lines=True)"
_Feedback = dict[str, list[Any]]  # the values of each name; none counts if the task failed


class PhoenixFormat(Format):
    """Experiments of Phoenix."""

    name = "phoenix"
    options = frozenset({"score", "levels"})
    layouts = (records_with("example_id", "repetition_number", "annotations"),)

    def read(self, file: LogFile, request: Request) -> Run:
        rows = [(row, _annotations(row)) for row in file.walk()]
        measure = request.measure(names_in(At(feedback) for _, feedback in rows), "evaluator")
        trials = [
            Trial(
                row["example_id"].text,
                row["repetition_number"].whole,
                request.agreed(row, feedback, measure, "annotations"),
                used=row.spent(**_COSTS),
                mark=digest([row["input"].value, row["reference_output"].value]),
            )
            for row, feedback in rows
        ]
        return Run("", trials, measure=measure)


def _annotations(row: At) -> _Feedback:
    """Return what evaluators say of a run, by their names; nothing counts if the evaluator failed."""
    feedback: _Feedback = {}
    for annotation in row["annotations"].needed.rows:
        given, score = feedback.setdefault(annotation["name"].text, []), annotation["score"].value
        if annotation["error"].value is None and row["error"].value is None:
            given.append(annotation["label"].value if score is None else score)
    return feedback


class LangfuseFormat(Format):
    """Items of experiments of Langfuse."""

    name = "langfuse"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        row = _page(file).first if _page(file) else file.first_record
        return row.has("id", "experimentName", "experimentItemId")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        every = [(row, _scores(row)) for row in (_page(file).rows if _page(file) else file.walk())]
        metrics = names_in(At(scores) for _, scores in every)
        if not metrics:
            raise OutcomeError("no item has a score", hint="get the items again with fields='scores'")
        measure = request.choose("score", metrics)
        by_run = grouped(
            every, lambda item: (item[0]["experimentName"].text, item[0]["experimentMetadata.model"].text_or(""))
        )
        return [
            Run(
                model or experiment,
                [
                    Trial(row["experimentItemId"].text, row["id"].text, request.agreed(row, scores, measure, "scores"))
                    for row, scores in items
                ],
                "langfuse",  # the trials of two exports are told apart by their items
                measure=measure,
                details=conditions(metadata=items[0][0]["experimentMetadata"].without(["model"])),
                notes={"experiment": repr(experiment) if model else ""},
            )
            for (experiment, model), items in by_run.items()
        ]


def _page(file: LogFile) -> At:
    """Return the items of a page of the API; nothing if the file is none."""
    data = file.at.plain.get("data")
    return At(data if isinstance(data, list) else None, key="data")


def _scores(row: At) -> _Feedback:
    """Return the values of the scores of an item by their names."""
    scores: _Feedback = {}
    for score in row["scores"].rows:
        if (kind := score["dataType"].value) not in _NO_OUTCOME:
            given = scores.setdefault(score["name"].text, [])
            if row["level"].value != "ERROR":
                is_word = kind == "CATEGORICAL" and score["stringValue"].value is not None
                given.append(score["stringValue" if is_word else "value"].value)  # where the value is a mere number
    return scores


class LangSmithFormat(Format):
    """Runs of experiments of LangSmith."""

    name = "langsmith"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        row = file.at if isinstance(file.document, dict) else file.first_record
        run = row.peek("runs").first if row.has("runs") else row
        return run.has("reference_example_id", "feedback_stats", "session_id")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        records = [file.at] if isinstance(file.document, dict) else file.walk()  # a query returns one object
        every = [run for row in records for run in (row["runs"].rows if "runs" in row else [row])]
        rows = [row for row in every if row["parent_run_id"].value is None]  # a run of a part of the task has a parent
        measure = request.measure(names_in(row["feedback_stats"] for row in rows), "feedback")
        sessions = grouped(rows, lambda row: row["session_id"].text)
        return [
            Run(
                runs[0]["extra.metadata.model"].text_or(session if len(sessions) > 1 else ""),
                [_trial(row, measure, request) for row in runs],
                "langsmith",  # the trials of two exports are told apart by their runs
                measure=measure,
                origin={"experiment": session},
            )
            for session, runs in sessions.items()
        ]


def _trial(row: At, measure: str, request: Request) -> Trial:
    """Return the trial of a run by its feedback, a number or a word; one that failed has no outcome in any case."""
    given, value = row["feedback_stats"][measure,], None
    if row["error"].value is None and given.value is not None:
        if given["n"].whole > 1:
            raise given.fault(f"the run has {given['n'].value} values of {measure!r}, of which only the mean is known")
        value = given["avg"].value if given["avg"].value is not None else next(iter(given["values"].obj), None)
    return Trial(
        row["reference_example_id"].text,
        row["id"].text,
        At(value, row.where, given.key).to(request.outcome),
        used=row.spent(input_tokens="prompt_tokens", output_tokens="completion_tokens"),
        mark=digest(row["inputs"].value),
    )


class MlflowTracesFormat(Format):
    """Exported traces of mlflow."""

    name = "mlflow-traces"
    is_json = False
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        if file.is_json:
            return _are_of_traces(file.first_record.plain)
        is_likely = all(name.encode() in file.head for name in _OF_TRACES)
        return is_likely and is_separated(file) and _are_of_traces(CsvTable(file).columns)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        traces = [(row, info, _assessments(info)) for row, info in ((row, _info(row)) for row in _traces(file))]
        measure = request.choose("score", names_in(At(feedback) for *_, feedback in traces), "scorer")
        by_run = grouped(traces, lambda trace: _unpacked(trace[1], "trace_metadata")[_SOURCE,].text_or(""))
        return [
            Run(
                run,
                [
                    Trial(_question(row), row["trace_id"].text, request.agreed(row, feedback, measure, "feedback"))
                    for row, _, feedback in of_run
                ],
                "mlflow",  # the trials of two exports are told apart by the traces
                measure=measure,
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


def _assessments(info: At) -> _Feedback:
    """Return the values of the feedback by name; what was overridden by later feedback is not valid."""
    values: _Feedback = {}
    for row in _unpacked(info, "assessments").rows if info["state"].value != "ERROR" else ():
        if row["feedback"].value is not None and row["valid"].value is not False:
            has_failed = row["feedback.error"].value is not None
            given = values.setdefault(row["assessment_name"].text, [])
            given.append(None if has_failed else row["feedback.value"].value)
    return values
