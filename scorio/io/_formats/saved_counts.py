"""Counts that scorio saved: every model and task of the file, counted already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...outcomes import OutcomeMatrix
from ...outcomes._saved_content import SavedContent
from ...outcomes._saved_npz import HEADER, from_npz
from ...outcomes._saved_parquet import KEY, from_parquet
from ...outcomes._saved_text import combined
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
        | _of_task(metadata.get("costs", {}), content, model, matrix),
        counted=Counted(matrix, frozenset(content.parts)),
    )


def _of_task(costs: Mapping[str, float], content: SavedContent, model: str, matrix: OutcomeMatrix) -> dict[str, float]:
    """Return the part of the costs of all tasks that belongs to one: by its number of trials."""
    if len(content.tasks) == 1:
        return dict(costs)
    trials = sum(int(models[model].trials.sum()) for models in content.tasks.values() if model in models)
    share = int(matrix.trials.sum()) / trials if trials else 0.0
    return {name: amount * share for name, amount in costs.items()}
