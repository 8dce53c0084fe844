"""Plans about runs like these: more runs, or more trials of every question in the runs that there are.

How much runs differ is taken as what is known of it now. With ``T`` runs, which add the variance ``s^2 a`` to an
estimate, ``r`` more runs of as many trials leave ``s^2 a T / (T + r)`` and the noise of ``(T + r) / T`` times the
trials; more trials in the same runs leave ``s^2 a``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._choices import AUTO, RANDOM, RUNS
from ..inference import Level, RunNoise
from ..metrics import RunSums, noise_of_differences, noise_of_models, run_sums, warn_of_differing
from ..params import choice
from ._entrants import TaskPart


@dataclass(frozen=True)
class SameRuns:
    """What ``more`` trials of every question in the same runs would give; None if no number is enough."""

    more: int | None
    expected: float
    runs: int

    def __str__(self) -> str:
        what = f"more trials per question in the same {self.runs} runs"
        if self.more is None:
            return f"no number of {what} would be enough"
        return f"{self.more:,} {what} would be enough too"


@dataclass(frozen=True)
class ModelRuns:
    """The noise of the ``runs`` of one model, with so many ``trials`` per question in all."""

    noise: RunNoise
    runs: int
    trials: float

    def after(self, more: int) -> RunNoise:
        """Return the noise after so many more runs."""
        return RunNoise(self.noise.weights, self.noise.unit * self.runs / (self.runs + more))

    def trials_of(self, more: int) -> int:
        """Return the trials per question that so many more runs have."""
        return round(self.trials * more / self.runs)


def model_runs(models: Sequence[Sequence[TaskPart]], runs: str) -> list[ModelRuns] | None:
    """Return the runs of each of the models whose plan is about runs like these; None if trials are independent.

    Warns, with ``"auto"``, where runs differ.
    """
    if choice("runs", runs, RUNS) != RANDOM:
        for part in (part for parts in models for part in parts) if runs == AUTO else ():
            warn_of_differing(part.metric, part.outcomes)
        return None
    sums = [_sums(parts) for parts in models]
    noises = noise_of_models(sums) if len(sums) == 1 else noise_of_differences(sums)
    trials = [float(np.mean([part.outcomes.mean_trials for part in parts])) for parts in models]
    return [ModelRuns(*each) for each in zip(noises, [len(each.labels) for each in sums], trials, strict=True)]


def _sums(parts: Sequence[TaskPart]) -> RunSums:
    weights = np.array([part.weight for part in parts])
    return RunSums.weighted([run_sums(part.metric, part.outcomes) for part in parts], weights)


def about_runs(runs: Sequence[ModelRuns] | None) -> dict[str, str]:
    """Return the setting of a plan that is about runs like these."""
    return {"runs": RANDOM} if runs else {}


def added_variance(noises: Sequence[RunNoise], trials_variance: float, level: Level) -> float:
    """Return the variance that runs of several models add to their difference at this level."""
    sd = math.sqrt(trials_variance / len(noises))
    return sum(noise.variance_at(sd, level) for noise in noises)


def widest(noise: RunNoise, level: Level, half_width: float) -> float:
    """Return the half width without runs that has this one with them; 0 if runs alone are wider.

    >>> import numpy as np
    >>> from scorio.inference import SIZES
    >>> widest(RunNoise(np.eye(len(SIZES))[0], 1.0), Level(0.95), 0.125)
    0.125
    """
    low, high = 0.0, half_width
    if noise.reach(high, level) <= half_width:
        return high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if noise.reach(middle, level) <= half_width else (low, middle)
    return low
