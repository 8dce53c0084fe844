"""One check of a gate: a task, or all tasks together, by one metric."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from .._display.numbers import number, signed
from .._display.words import pluralize
from ._difference_law import DifferenceLaw

PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
MODES: Mapping[str, str] = MappingProxyType(
    {
        "noninferior": "passed if the drop is below {drop} with {confidence} confidence, failed if it is above with "
        "{confidence} confidence, else undecided",
        "significant": "failed if the drop is above {drop} with {confidence} confidence, else passed",
        "point": "failed if the drop of the scores is above {drop}, else passed",
    }
)
CHANCE = 0.8  # that the data which are asked for are enough
_MOST = 1000.0  # times as much data that are worth naming
_ROUNDING = 1e-12


@dataclass(frozen=True)
class GateCheck:
    """How much better the new model is than the baseline on one task, or overall, and what follows.

    ``lo`` and ``hi`` are one-sided bounds of the difference, each at the confidence of the gate. ``p_passed`` is the
    error probability at which the check would just pass, and ``p_failed`` that at which it would just fail, corrected
    by Holm's method. ``effort`` is how many times as much data an undecided check needs, to be told with 80%
    probability; ``effort_of_new`` the same if only the new model gets more trials; None if no amount is enough.
    ``decides`` says whether the verdict of the gate depends on the check, and ``max_drop`` is the accepted drop.
    """

    task: str
    metric: str
    scores: tuple[float | None, float | None]
    difference: float
    lo: float
    hi: float
    p_passed: float
    p_failed: float
    n_questions: int
    n_trials: tuple[int, int]
    decides: bool = True
    verdict: str = UNDECIDED
    effort: float | None = None
    effort_of_new: float | None = None
    max_drop: float = 0.0

    def judged(self, mode: str, error: float, p_failed: float) -> GateCheck:
        """Return the check with its verdict; ``p_failed`` is corrected for the number of checks."""
        verdict = self._verdict(mode, error, p_failed)
        judged = replace(self, p_failed=p_failed, verdict=verdict)
        return judged if verdict == UNDECIDED else replace(judged, effort=None, effort_of_new=None)

    def _verdict(self, mode: str, error: float, p_failed: float) -> str:
        if mode == "point":
            return FAILED if self.drop_of_scores > self.max_drop + _ROUNDING else PASSED
        if p_failed <= error:
            return FAILED
        return PASSED if mode == "significant" or self.p_passed <= error else UNDECIDED

    @property
    def drop_of_scores(self) -> float:
        """How much lower the score is than the baseline's; of posterior means, where trials are too few for scores."""
        new, old = self.scores
        return -self.difference if new is None or old is None else old - new

    def needs(self, unit: str) -> str:
        """Say what an undecided check needs, in ``unit`` (``"trials"`` or ``"questions"``); empty for any other."""
        if self.verdict != UNDECIDED:
            return ""
        if self.effort is None:
            return "the drop is too close to the limit to tell at any realistic cost"
        each = self.n_questions if unit == "questions" else max(self.n_trials) / self.n_questions
        text = f"about {self.effort:.2g} times as many {unit}"
        if unit == "questions":
            return f"{text} ({math.ceil(self.effort * each):,} instead of {each:,})"
        alone = self.effort_of_new
        one = "" if alone is None or math.isnan(alone) else f"; of the new model alone, {alone:.2g} times as many"
        return f"{text} of both models ({math.ceil(self.effort * each):,} instead of {each:.4g} per question{one})"

    def __str__(self) -> str:
        new, old = ("-" if each is None else number(each) for each in self.scores)
        extent = pluralize(self.n_questions, "question")
        bounds = f"[{signed(self.lo)}, {signed(self.hi)}]"
        change = f"{old} to {new}, difference {signed(self.difference)} {bounds}"
        subject = " by ".join(dict.fromkeys(filter(None, [self.task, self.metric])))
        return f"{self.verdict}: {subject}, {change} on {extent}"

    def to_dict(self) -> dict[str, Any]:
        """Return all values in one flat record."""
        return {
            "task": self.task,
            "metric": self.metric,
            "verdict": self.verdict,
            "decides": self.decides,
            "new_score": self.scores[0],
            "baseline_score": self.scores[1],
            "difference": self.difference,
            "max_drop": self.max_drop,
            "lo": self.lo,
            "hi": self.hi,
            "p_passed": self.p_passed,
            "p_failed": self.p_failed,
            "n_questions": self.n_questions,
            "new_trials": self.n_trials[0],
            "baseline_trials": self.n_trials[1],
            "effort": self.effort,
            "effort_of_new": self.effort_of_new,
        }


def check_of(law: DifferenceLaw, max_drop: float, **about: Any) -> GateCheck:
    """Return a check without its verdict; ``about`` has the other fields."""
    efforts = (law.effort(-max_drop, CHANCE), law.effort_of_first(-max_drop, CHANCE))
    effort, alone = (each if each <= _MOST else None for each in efforts)
    return GateCheck(
        difference=law.mean,
        lo=law.lo,
        hi=law.hi,
        p_passed=law.p_at_most(-max_drop),
        p_failed=law.p_at_least(-max_drop),
        effort=effort,
        effort_of_new=alone,
        max_drop=max_drop,
        **about,
    )
