"""OpenAI evals: JSON lines with the specification of a run, its events, and the final report."""

from collections import defaultdict

from ..._display.words import warn
from ...errors import FilesWarning
from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At
from ..checks import conditions

_MATCH = "match"  # the type of the events that say whether a response is correct
_Event = tuple[str, str, At]  # the sample, the type of the event, and its data


class OpenAiEvalsFormat(Format):
    """Logs of OpenAI evals."""

    name = "openai-evals"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        spec = At(file.first_row).peek("spec")
        return isinstance(spec, dict) and {"completion_fns", "eval_name", "run_id"} <= spec.keys()

    def read(self, file: LogFile, request: Request) -> list[Run]:
        spec = At(file.first_row)["spec"]
        models = spec["completion_fns"].needed.rows
        model = (models[0] if models else spec["completion_fns"]).text
        task, identity = spec["eval_name"].text, spec["run_id"].text
        rows = list(file.walk())
        events = [
            (row["sample_id"].text, row["type"].text, row["data"]) for row in rows if row["sample_id"].value is not None
        ]
        if not any("final_report" in row for row in rows):
            warn(f"{file.path} has no final_report, so that samples may be missing at its end", FilesWarning)
        measure = _measure(events, request)
        return [
            Run(
                model,
                _trials(events, measure, request),
                identity,
                task,
                measure=measure,
                conditions=conditions(
                    split=spec["split"].value,
                    args=spec["run_config.eval_spec.args"].value,
                    graders=[each.value for each in models[1:]] or None,
                ),
                origin={"date": str(spec["created_at"].value or "")},
                notes={"score": measure},
            )
        ]


def _measure(events: list[_Event], request: Request) -> str:
    """Return what is the outcome: ``match`` events, or one of the metrics that an eval recorded instead."""
    kinds = {kind for _, kind, _ in events}
    numbers = (
        name
        for _, kind, data in events
        if kind == "metrics"
        for name, value in data.obj.items()
        if isinstance(value, (bool, int, float))
    )
    if request.score is None and _MATCH in kinds:
        return _MATCH
    return request.choose("score", [*sorted(kinds & {_MATCH}), *dict.fromkeys(numbers)], "metric")


def _trials(events: list[_Event], measure: str, request: Request) -> list[Trial]:
    """Return one trial per event with an outcome, and one without for each sample that has no such event."""
    outcomes: dict[str, list[float | None]] = defaultdict(list)
    for sample, kind, data in events:
        recorded = outcomes[sample]
        if kind == _MATCH == measure:
            recorded.append(data["correct"].to(request.outcome))
        elif kind == "metrics" and measure in data:
            recorded.append(data[measure,].to(request.outcome))
    return [Trial(sample, i, value) for sample, values in outcomes.items() for i, value in enumerate(values or [None])]
