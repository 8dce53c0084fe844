"""Counts that scorio saved: every model and task of the file, counted already."""

from collections.abc import Mapping
from typing import Any

from ...outcomes import HEADER, SavedContent, combined, conditions_of, costs_of, from_npz
from .._files import LogFile
from .._format import Format
from .._marks import told
from .._records import TASK, Counted, Run, TrialColumns
from .._request import Request
from ..checks import conditions

_KNOWN = ("conditions", "costs", "measured")  # entries of the metadata that mean something


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
    measured = metadata.get("measured")
    entries = measured if isinstance(measured, dict) else {}
    name = str(next(iter(entries))) if task is None and len(entries) == 1 else task or ""
    score, marks = told(entries.get(name), matrix)
    return Run(
        model,
        TrialColumns(),
        identity=" + ".join(sorted(content.parts)),
        task=task,
        conditions=conditions(**settings),
        measure=score,
        fingerprints=marks,
        origin={key: str(value) for key, value in metadata.items() if key not in _KNOWN}
        | ({TASK: name} if name else {})
        | {what: mean * trials for what, mean in costs.items()},  # only costs are numbers
        trial_costs={what: each[model] for what, each in content.costs.get(task, {}).items() if model in each},
        success_costs={
            what: each[model] for what, each in content.success_costs.get(task, {}).items() if model in each
        },
        counted=Counted(matrix, frozenset(content.parts)),
    )
