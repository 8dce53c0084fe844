"""Counts that scorio saved: every model and task of the file, counted already."""

from ...outcomes import HEADER, SavedContent, combined, conditions_of, costs_of, from_npz
from .._marks import told
from .._records import TASK, Counted, TrialColumns
from . import At, Format, LogFile, Request, Run, conditions

_KNOWN = ("conditions", "costs", "measured")  # entries of the metadata that mean something


class SavedCountsFormat(Format):
    """Saved counts."""

    name = "saved-counts"
    options = frozenset({"answers", "scores"})

    def matches(self, file: LogFile) -> bool:
        return file.archive is not None and HEADER in file.archive.names

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        content = from_npz(file.path)
        return [_run(content, task, model) for task, models in content.tasks.items() for model in models]


def _run(content: SavedContent, task: str | None, model: str) -> Run:
    matrix = content.tasks[task][model]
    costs = costs_of(content).get(task, {}).get(model, {})
    totals = {name: mean * int(matrix.trials.sum()) for name, mean in costs.items()}  # only costs are numbers
    metadata = combined(model, [part[model] for part in content.parts.values() if model in part])
    entries = At(metadata.get("measured")).plain
    name = str(next(iter(entries))) if task is None and len(entries) == 1 else task or ""
    score, marks = told(entries.get(name), matrix)
    others = {key: str(value) for key, value in metadata.items() if key not in _KNOWN}
    return Run(
        model,
        TrialColumns(),
        identity=" + ".join(sorted(content.parts)),
        task=task,
        conditions=conditions(**conditions_of(content).get(task, {}).get(model, {})),
        measure=score,
        fingerprints=marks,
        origin=others | ({TASK: name} if name else {}) | totals,
        trial_costs={key: own[model] for key, own in content.costs.get(task, {}).items() if model in own},
        success_costs={key: own[model] for key, own in content.success_costs.get(task, {}).items() if model in own},
        counted=Counted(matrix, frozenset(content.parts)),
    )
