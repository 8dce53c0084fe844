"""Worst@k: the expected worst reward among ``k`` trials, which is minus Max@k of minus the rewards."""

from dataclasses import dataclass
from typing import ClassVar

from ._reward_metrics import Pick

__all__ = ["MinAtK"]


@dataclass(frozen=True)
class MinAtK(Pick):
    """Worst@k: the expected worst reward among ``k`` trials, for users who meet the worst of them.

    Without weights, outcomes are binary, and it is Pass^k; ``weights`` may be a Rubric. Continuous rewards are taken
    as they are.

    >>> round(MinAtK(k=2, weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.35
    """

    name: ClassVar[str] = "worst"
    aliases: ClassVar[tuple[str, ...]] = ("min",)
    _trend: ClassVar[int] = -1
