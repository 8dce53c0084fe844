"""OpenAI evals: JSON lines with the specification of a run, its events, and the final report."""

from ..._base.words import warn
from ...errors import FilesWarning
from .. import At, Format, LogFile, Request, Run, Trial, grouped, names_in
from ..checks import conditions

_MATCH, _METRICS = "match", "metrics"  # the types of the events that may say whether a response is correct


class OpenAiEvalsFormat(Format):
    """Logs of OpenAI evals."""

    name = "openai-evals"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        return file.first_row.peek("spec").has("completion_fns", "eval_name", "run_id")

    def read(self, file: LogFile, request: Request) -> Run:
        spec, rows = file.first_row["spec"], list(file.walk())
        models = spec["completion_fns"].needed.rows
        if not any("final_report" in row for row in rows):
            warn(f"{file.path} has no final_report, so that samples may be missing at its end", FilesWarning)
        events = [row for row in rows if row["sample_id"].value is not None]
        measure = _measure(events, request)
        trials = [
            Trial(sample, i, outcome)
            for sample, of_sample in grouped(events, lambda row: row["sample_id"].text).items()
            for i, outcome in enumerate(_outcomes(of_sample, measure, request) or [None])
        ]
        return Run(
            (models[0] if models else spec["completion_fns"]).text,
            trials,
            spec["run_id"].text,
            spec["eval_name"].text,
            measure,
            conditions=conditions(
                split=spec["split"].value,
                args=spec["run_config.eval_spec.args"].value,
                graders=[model.value for model in models[1:]] or None,
            ),
            origin={"date": str(spec["created_at"].value or "")},
        )


def _measure(events: list[At], request: Request) -> str:
    """Return what is the outcome: ``match`` events, or one of the metrics that an eval recorded instead."""
    kinds = {event["type"].text for event in events}
    metrics = [event["data"] for event in events if event["type"].value == _METRICS]
    numbers = [
        name for name in names_in(metrics) if any(isinstance(metric[name,].value, (int, float)) for metric in metrics)
    ]
    return request.measure([*sorted(kinds & {_MATCH}), *numbers], "metric", [_MATCH])


def _outcomes(events: list[At], measure: str, request: Request) -> list[float | None]:
    """Return the outcomes of a sample, one for each event that has one."""
    kind, key = (_MATCH, "correct") if measure == _MATCH else (_METRICS, measure)
    of_kind = [event["data"] for event in events if event["type"].value == kind]
    return [data[key,].to(request.outcome) for data in of_kind if kind == _MATCH or key in data]
