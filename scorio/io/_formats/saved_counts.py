"""Counts that scorio saved: every model and task of the file, counted already."""

from collections.abc import Mapping
from typing import Any

from ...outcomes import HEADER, SavedContent, combined, conditions_of, costs_of, from_npz
from .._files import LogFile
from .._format import Format
from .._records import Counted, Run, TrialColumns
from .._request import Request
from ..checks import conditions


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
    return Run(
        model,
        TrialColumns(),
        identity=" + ".join(sorted(content.parts)),
        task=task,
        conditions=conditions(**settings),
        origin={name: str(value) for name, value in metadata.items() if name not in ("conditions", "costs")}
        | {what: mean * trials for what, mean in costs.items()},  # only costs are numbers
        trial_costs={what: each[model] for what, each in content.costs.get(task, {}).items() if model in each},
        success_costs={
            what: each[model] for what, each in content.success_costs.get(task, {}).items() if model in each
        },
        counted=Counted(matrix, frozenset(content.parts)),
    )
