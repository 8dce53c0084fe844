"""Counts that scorio saved: every model and task of the file, counted already."""

from collections.abc import Mapping
from typing import Any

from ...outcomes import HEADER, SavedContent, combined, conditions_of, costs_of, from_npz
from .._files import LogFile
from .._format import Format
from .._records import Asked, Counted, Run, TrialColumns
from .._request import Request
from ..checks import conditions

_KNOWN = ("conditions", "costs", "measured")  # entries of the metadata that mean something
_ASKED = {"score": str, "questions": int, "inputs": str}


class SavedCountsFormat(Format):
    """Saved counts."""

    name = "saved-counts"
    options = frozenset({"answers", "scores"})

    def matches(self, file: LogFile) -> bool:
        return file.archive is not None and HEADER in file.archive.names

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        content = from_npz(file.path)
        settings, costs = conditions_of(content), costs_of(content)
        return [
            _run(content, task, model, settings.get(task, {}).get(model, {}), costs.get(task, {}).get(model, {}))
            for task, models in content.tasks.items()
            for model in models
        ]


def _run(
    content: SavedContent, task: str | None, model: str, settings: Mapping[str, Any], costs: Mapping[str, float]
) -> Run:
    matrix = content.tasks[task][model]
    trials = int(matrix.trials.sum())
    metadata = combined(model, [part[model] for part in content.parts.values() if model in part])
    asked = _asked(metadata.get("measured"), task)
    return Run(
        model,
        TrialColumns(),
        identity=" + ".join(sorted(content.parts)),
        task=task,
        conditions=conditions(**settings),
        measure="" if asked is None else asked.score,
        asked=asked,
        origin={name: str(value) for name, value in metadata.items() if name not in _KNOWN}
        | {what: mean * trials for what, mean in costs.items()},  # only costs are numbers
        trial_costs={what: each[model] for what, each in content.costs.get(task, {}).items() if model in each},
        success_costs={
            what: each[model] for what, each in content.success_costs.get(task, {}).items() if model in each
        },
        counted=Counted(matrix, frozenset(content.parts)),
    )


def _asked(measured: Any, task: str | None) -> Asked | None:
    """Return what the counts tell of the questions of a task; a set without tasks may be that of a task with a name."""
    told = measured if isinstance(measured, dict) else {}
    name = next(iter(told)) if task is None and len(told) == 1 else task or ""
    entry = told.get(name)
    if not isinstance(entry, dict) or any(type(entry.get(key)) is not kind for key, kind in _ASKED.items()):
        return None
    return Asked(str(name), *(entry[key] for key in _ASKED))
