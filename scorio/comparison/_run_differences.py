"""Differences between models about runs like these: the noise of runs is added at the level that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._arrays import Vector, read_only
from ..inference import Interval, Level, RunNoise
from ._differences import Differences, OverallDifferences
from ._joint import SummedJoint


def with_run_noise(differences: Differences, noises: Sequence[RunNoise]) -> Differences:
    """Return the differences with the noise of runs of each model added.

    A posterior that is normal or Student's gets the variance of the normal law that widens a typical difference as much
    at this level; intervals with ends of their own are widened at both.
    """
    joint, level = differences.joint, differences.level
    more = _variances(differences, noises)
    if isinstance(differences, OverallDifferences):
        if isinstance(joint, SummedJoint):
            joint = replace(joint, added=read_only(joint.added + more))
        else:
            joint = replace(joint, own=read_only(joint.own + more))
        return replace(differences, joint=joint, added=read_only(differences.added + more))
    joint = replace(joint, own=read_only(joint.own + more))
    if differences.down is None or differences.up is None:
        return replace(differences, joint=joint)
    down, up = (_reached(ends, noises, level) for ends in (differences.down, differences.up))
    return replace(differences, joint=joint, down=down, up=up)


def _reached(ends: Vector, noises: Sequence[RunNoise], level: Level) -> Vector:
    pairs = zip(ends.tolist(), noises, strict=True)
    return read_only(np.array([noise.reach(end, level) for end, noise in pairs]))


def _variances(differences: Differences, noises: Sequence[RunNoise]) -> Vector:
    """Return the variance that runs add to each model, half of a typical difference's being a model's own."""
    models = np.arange(len(differences.joint.mu))
    i, j = models[:, None], models[None, :]
    spread = np.asarray(differences.sd(i, j))
    typical = float(spread[i != j].mean()) / np.sqrt(2.0) if len(models) > 1 else 0.0
    return np.array([noise.variance_at(typical, differences.level) for noise in noises])


def widened_intervals(
    intervals: Sequence[Interval], noises: Sequence[RunNoise], levels: Sequence[Level]
) -> tuple[Interval, ...]:
    """Return intervals about runs like these, each at its level."""
    rows = zip(intervals, noises, levels, strict=True)
    return tuple(noise.widened(interval, level, runs="random") for interval, noise, level in rows)
