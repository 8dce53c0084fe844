"""OpenAI evals: JSON lines with the specification of a run, its events, and the final report."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from ..._display.words import warn
from ...errors import FilesWarning
from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from ..checks import conditions, items, label, mapping, within

_MATCH = "match"  # the type of the events that say whether a response is correct
_Event = tuple[str, str, dict[str, Any]]  # the sample, the type of the event, and its data


class OpenAiEvalsFormat(Format):
    """Logs of OpenAI evals."""

    name = "openai-evals"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        spec = file.first_row.get("spec") if isinstance(file.first_row, dict) else None
        return isinstance(spec, dict) and {"completion_fns", "eval_name", "run_id"} <= spec.keys()

    def read(self, file: LogFile, request: Request) -> list[Run]:
        spec = mapping(mapping(file.first_row, "the first line").get("spec"), "spec")
        with within("spec"):
            models = items(spec.get("completion_fns"), "completion_fns")
            run = mapping(spec.get("run_config") or {}, "run_config")
            model = label(models[0] if models else None, "the first of completion_fns")
            task, identity = label(spec.get("eval_name"), "eval_name"), label(spec.get("run_id"), "run_id")
            arguments = mapping(run.get("eval_spec") or {}, "eval_spec").get("args")
        rows = list(file.records())
        events = list(_events(rows))
        if not any("final_report" in row for _, row in rows):
            warn(f"{file.path} has no final_report, so that samples may be missing at its end", FilesWarning)
        measure = _measure(events, request)
        return [
            Run(
                model,
                _trials(events, measure, request),
                identity,
                task,
                measure=measure,
                conditions=conditions(split=spec.get("split"), args=arguments, graders=models[1:] or None),
                origin={"date": str(spec.get("created_at") or "")},
                notes={"score": measure},
            )
        ]


def _events(rows: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[_Event]:
    """Yield the events that are about a sample."""
    for place, row in rows:
        if row.get("sample_id") is not None:
            with within(place):
                data = mapping(row.get("data") or {}, "data")
                yield label(row["sample_id"], "sample_id"), label(row.get("type"), "type"), data


def _measure(events: list[_Event], request: Request) -> str:
    """Return what is the outcome: ``match`` events, or one of the metrics that an eval recorded instead."""
    kinds = {kind for _, kind, _ in events}
    metrics = dict.fromkeys(
        name
        for _, kind, data in events
        if kind == "metrics"
        for name, value in data.items()
        if isinstance(value, (bool, int, float))
    )
    if request.score is None and _MATCH in kinds:
        return _MATCH
    return request.choose("score", [*sorted(kinds & {_MATCH}), *metrics], "metric")


def _trials(events: list[_Event], measure: str, request: Request) -> list[Trial]:
    """Return one trial per event with an outcome, and one without for each sample that has no such event."""
    outcomes: dict[str, list[float | None]] = defaultdict(list)
    for sample, kind, data in events:
        recorded = outcomes[sample]
        if kind == _MATCH == measure:
            recorded.append(request.outcome(data.get("correct")))
        elif kind == "metrics" and measure in data:
            recorded.append(request.outcome(data[measure]))
    return [Trial(sample, i, value) for sample, values in outcomes.items() for i, value in enumerate(values or [None])]
