"""Logs of one task or of several, for the commands that take both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .._display.words import unknown
from ..errors import ParameterError
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ._reading import Reading, load_part

if TYPE_CHECKING:
    from ..io import Reading as LogReading


class Loaded(NamedTuple):
    """The outcomes that were read, one set or a suite, and the readings they come from."""

    outcomes: OutcomeSet | Suite
    parts: Sequence[LogReading]

    @property
    def by_task(self) -> OutcomeSet | Suite:
        """The outcomes as a suite where the logs name the task, also if there is only one."""
        tasks = {source.run.task for part in self.parts for source in part.sources}
        if isinstance(self.outcomes, Suite) or len(tasks) != 1 or not all(tasks):
            return self.outcomes
        return Suite({str(task): self.outcomes for task in tasks})

    def paths(self) -> dict[tuple[str, str, str], list[Path]]:
        """Return the logs that hold trials of a question, by task, model and question; one task is also named ""."""
        several = isinstance(self.outcomes, Suite)
        places: dict[tuple[str, str, str], list[Path]] = {}
        for part in self.parts:
            for source in part.sources:
                task = (source.run.task or "") if several else ""
                for question in dict.fromkeys(source.run.columns.questions):
                    places.setdefault((task, source.run.model, question), []).append(source.path)
        return places


def model_names(outcomes: OutcomeSet | Suite) -> tuple[str, ...]:
    """Return the models, of any task."""
    return outcomes.models if isinstance(outcomes, Suite) else outcomes.names


def of_model(outcomes: OutcomeSet | Suite, model: str) -> OutcomeMatrix | Suite:
    """Return the outcomes of one model: on its tasks, if there are several."""
    if model not in model_names(outcomes):
        raise ParameterError(unknown("model", model, model_names(outcomes)))
    return outcomes.select(models=[model]) if isinstance(outcomes, Suite) else outcomes[model]


def load_tasks(sources: Sequence[str], how: Reading) -> Loaded:
    """Read logs of any number of tasks: a suite if there are several."""
    part = load_part(sources, how)
    return Loaded(part.outcomes, [part])


def on_one_footing(*loaded: Loaded, by_task: bool = False) -> list[OutcomeSet | Suite]:
    """Return the outcomes: as suites if any of them is one, or ``by_task``, so that a single task keeps its name."""
    is_suite = by_task or any(isinstance(each.outcomes, Suite) for each in loaded)
    return [each.by_task if is_suite else each.outcomes for each in loaded]
