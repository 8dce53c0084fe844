"""Counts that scorio saved: every model and task of the file, counted already."""

from ...outcomes import HEADER, MeanCost, OutcomeMatrix, SavedCounts
from .._files import LogFile
from .._format import Format, Request
from .._records import TASK, Counted, Run, Trials, marks_told
from ..checks import conditions

_KNOWN = ("conditions", "costs", "measured")  # entries of the metadata that mean something


class SavedCountsFormat(Format):
    """Saved counts."""

    name = "saved-counts"
    is_json = False
    options = frozenset({"answers", "scores"})

    def matches(self, file: LogFile) -> bool:
        return file.archive is not None and HEADER in file.archive.names

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        saved = SavedCounts.load(file.path)
        return [
            _run(saved, task, model, matrix)
            for task, models in saved.outcomes.by_task.items()
            for model, matrix in models.items()
        ]


def _run(saved: SavedCounts, task: str, model: str, matrix: OutcomeMatrix) -> Run:
    models = saved.outcomes.by_task[task]
    metadata, costs = saved.metadata.get(model, {}), models.costs[model]
    measured = metadata.get("measured")
    entries = measured if isinstance(measured, dict) else {}
    name = task or (str(next(iter(entries))) if len(entries) == 1 else "")
    score, marks = marks_told(entries.get(name), matrix)
    trials = int(matrix.trials.sum())
    told_costs = {what: cost for what, cost in costs.items() if isinstance(cost, MeanCost)}
    return Run(
        model,
        Trials(),
        identity=" + ".join(sorted(saved.parts)),
        task=task or None,
        conditions=conditions(**models.conditions[model]),
        measure=score,
        fingerprints=marks,
        origin={key: str(value) for key, value in metadata.items() if key not in _KNOWN}
        | ({TASK: name} if name else {})
        | {what: mean * trials for what, mean in costs.items()},  # only costs are numbers
        counted=Counted(
            matrix,
            frozenset(saved.parts),
            {what: cost.trials for what, cost in told_costs.items()},
            {what: cost.successes for what, cost in told_costs.items() if cost.successes is not None},
        ),
    )
