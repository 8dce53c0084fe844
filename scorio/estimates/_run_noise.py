"""Values of models about runs like these: the noise of runs is added at the level that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._arrays import Vector, read_only
from ..inference import Level, RunNoise
from ._form import difference
from ._joint import SummedJoint
from ._stack import Stack, SummedStack


def with_run_noise(stack: Stack, noises: Sequence[RunNoise]) -> Stack:
    """Return the values with the noise of runs of each model added.

    A posterior that is normal or Student's gets the variance of the normal law that widens a typical difference as much
    at this level; intervals with ends of their own are widened at both.
    """
    joint, level = stack.joint, stack.level
    more = _variances(stack, noises)
    if isinstance(stack, SummedStack):
        if isinstance(joint, SummedJoint):
            joint = replace(joint, added=read_only(joint.added + more))
        else:
            joint = replace(joint, alone=read_only(joint.alone + more))
        return replace(stack, joint=joint, added=read_only(stack.added + more))
    joint = replace(joint, alone=read_only(joint.alone + more))
    if stack.down is None or stack.up is None:
        return replace(stack, joint=joint)
    down, up = (_reached(ends, noises, level) for ends in (stack.down, stack.up))
    return replace(stack, joint=joint, down=down, up=up)


def _reached(ends: Vector, noises: Sequence[RunNoise], level: Level) -> Vector:
    pairs = zip(ends.tolist(), noises, strict=True)
    return read_only(np.array([noise.reach(end, level) for end, noise in pairs]))


def _variances(stack: Stack, noises: Sequence[RunNoise]) -> Vector:
    """Return the variance that runs add to each model, half of a typical difference's being a model's own."""
    models = np.arange(len(stack.joint.mu))
    i, j = models[:, None], models[None, :]
    spread = np.asarray(stack.sd(difference(i, j)))
    typical = float(spread[i != j].mean()) / np.sqrt(2.0) if len(models) > 1 else 0.0
    return np.array([noise.variance_at(typical, stack.level) for noise in noises])
