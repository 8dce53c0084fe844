"""Counts that scorio saved: every model and task of the file, counted already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...outcomes import OutcomeMatrix
from ...outcomes._saved_content import SavedContent
from ...outcomes._saved_npz import HEADER, from_npz
from ...outcomes._saved_parquet import KEY, from_parquet
from ...outcomes._saved_text import combined
from ...outcomes._trial_costs import mean_of
from .._conditions import conditions
from .._files import LogFile
from .._format import Format
from .._records import Counted, Run, TrialColumns
from .._request import Request
from .._tabular.parquet_footer import footer

_PARQUET = b"PAR1"  # at the start and at the end of a Parquet file


class SavedCountsFormat(Format):
    """Saved counts, as npz or as Parquet."""

    name = "saved-counts"

    def matches(self, file: LogFile) -> bool:
        if file.head.startswith(_PARQUET):
            return KEY.encode() in footer(file)
        return file.archive is not None and HEADER in file.archive.names

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        content = from_parquet(file.path) if file.head.startswith(_PARQUET) else from_npz(file.path)
        return [
            _run(content, task, model, matrix)
            for task, models in content.tasks.items()
            for model, matrix in models.items()
        ]


def _run(content: SavedContent, task: str | None, model: str, matrix: OutcomeMatrix) -> Run:
    own = [part[model] for part in content.parts.values() if model in part]
    metadata: Mapping[str, Any] = combined(model, own)
    settings = metadata.get("conditions")
    return Run(
        model,
        TrialColumns(),
        identity=" + ".join(sorted(content.parts)),
        task=task,
        conditions=conditions(**settings) if isinstance(settings, dict) else {},
        origin={name: value for name, value in metadata.items() if name not in ("conditions", "costs")}
        | {name: amount * _share(content, task, model, name) for name, amount in metadata.get("costs", {}).items()},
        trial_costs={what: each[model] for what, each in content.costs.get(task, {}).items() if model in each},
        counted=Counted(matrix, frozenset(content.parts)),
    )


def _share(content: SavedContent, task: str | None, model: str, cost: str) -> float:
    """Return the part of a cost of all tasks that belongs to one: by what its trials cost, or else by their number."""
    trials = {each: int(models[model].trials.sum()) for each, models in content.tasks.items() if model in models}
    told = {each: content.costs.get(each, {}).get(cost, {}).get(model) for each in trials}
    known = {each: trials[each] * mean_of(own) for each, own in told.items() if own is not None}
    amounts = known if len(known) == len(trials) and sum(known.values()) > 0.0 else trials
    return amounts[task] / (sum(amounts.values()) or 1.0)
