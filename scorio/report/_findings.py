"""What a report shows besides the leaderboard: the values of k of curves, and completeness."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..comparison import as_tasks
from ..metrics import MaxAtK, Metric, PassAtK
from ..outcomes import OutcomeSet, Suite


def family_of(models: OutcomeSet) -> Metric:
    """Return the metric whose k a curve varies: Pass@k, or Max@k for rewards."""
    return PassAtK(1) if models.is_pass_fail else MaxAtK(1)


def ks_of(models: OutcomeSet) -> list[int]:
    """Return powers of two up to the fewest trials of a question, and that number itself.

    >>> ks_of(OutcomeSet({"a": [[0, 1, 1, 0, 1, 1]]}))
    [1, 2, 4, 6]
    """
    most = max(1, min(outcomes.min_trials for outcomes in models.values()))
    return sorted({1 << i for i in range(most.bit_length())} | {most})


class Completeness(NamedTuple):
    """How many of a model's planned trials are present."""

    model: str
    present: int
    planned: int
    fewest: int
    most: int

    @property
    def share(self) -> float:
        """Trials present over trials planned."""
        return self.present / self.planned


def trials_by_task(outcomes: OutcomeSet | Suite) -> dict[str, list[Completeness]]:
    """Count the trials of every task and model."""
    return {
        task: [
            Completeness(name, int(each.trials.sum()), each.planned, each.min_trials, each.max_trials)
            for name, each in models.items()
        ]
        for task, models in as_tasks(outcomes).items()
    }


def all_trials(tasks: Mapping[str, Sequence[Completeness]]) -> list[Completeness]:
    """Return the trials of all tasks as those of one."""
    by_model: dict[str, list[Completeness]] = {}
    for each in itertools.chain(*tasks.values()):
        by_model.setdefault(each.model, []).append(each)
    return [
        Completeness(
            model,
            sum(each.present for each in parts),
            sum(each.planned for each in parts),
            min(each.fewest for each in parts),
            max(each.most for each in parts),
        )
        for model, parts in by_model.items()
    ]
