r"""The weighted sum of what is known about several tasks: overall scores, their intervals and their differences.

Tasks have questions of their own, so their posteriors are independent and the cumulants of the weighted parts add up.
With ``v_t`` the variance of the part of task ``t``, ``V = sum v_t``, and an interval of the part that reaches
``below_t`` and ``above_t`` from its mean,

    asymmetry  a_t = above_t - below_t                    A = sum v_t a_t / V          (third cumulants)
    excess     e_t = (above_t + below_t)/2 - z sqrt(v_t)  E = sum v_t^1.5 e_t / V^1.5  (fourth cumulants)
    reach      z sqrt(V) + E -+ A/2

which is the Cornish-Fisher expansion with the cumulants read off the intervals: one task keeps its interval, and many
tasks tend to a normal law.

A learned prior pulls the posterior mean of a small task a little, and the pulls of many similar tasks add up while
their errors cancel. Scores have no bias, so the pulls ``p_t``, weighted posterior means minus weighted scores, show it.
Pulls in random directions would make the squared sum ``P^2 = (sum p_t)^2`` about ``Q = sum p_t^2``; what exceeds it is
taken for bias, as by James and Stein: the share ``c = max(0, 1 - Q / P^2)`` of ``P`` is taken out. The scatter of the
pulls around a common bias, ``sum (p_t - w_t P)^2``, times ``c^2`` is added to the variance. For one task the share is
zero.

Differences for the population and differences of single trials, Student's t on a task, have the degrees of freedom of
Welch and Satterthwaite.

An interval of a metric that needs more trials than there are (``metrics/_shapes``) is a law of errors and, by its
share, the range of all distributions that fit. Errors of two models are independent, and their variances add. What is
left open is no error: every value of a range is as good as any other, so the ranges of two models add as they are. From
4 times the trials on, where only the ranges are left, models are told apart only if these do not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Vector, read_only
from ..metrics._shapes import LeftOpen
from ._joint import Part, sides


class Pull(NamedTuple):
    """What is taken out of the overall mean of each model, and the variance that this adds, (L,) each."""

    bias: Vector
    variance: Vector


def pull(pulls_of_tasks: Vector, weights: Vector) -> Pull:
    """Return the part of the weighted sum of pulls that is bias; both are by task and model, (T, L).

    >>> pull(np.array([[0.02, 0.02], [0.02, -0.02]]), np.full((2, 2), 0.5))
    Pull(bias=array([0.01, 0.  ]), variance=array([0., 0.]))
    """
    weighted, whole = weights * pulls_of_tasks, weights.sum(axis=0)
    total, squares = weighted.sum(axis=0), (weighted**2).sum(axis=0)
    noise = np.divide(squares, total**2, out=np.ones_like(total), where=total != 0.0)
    share = np.maximum(0.0, 1.0 - noise)
    common = weights * np.divide(total, whole, out=np.zeros_like(total), where=whole != 0.0)
    return Pull(share * total, share**2 * ((weighted - common) ** 2).sum(axis=0))


def together(reaches: Sequence[Any], correlation: Any = None) -> Any:
    """Return how far a sum reaches from the reaches of its parts, with their signs: they add up as deviations do.

    This is the method of variance estimates recovery (Zou and Donner 2008; Donner and Zou 2012).

    >>> float(together([0.3, 0.4])), round(float(together([0.3, -0.4], [[1.0, 0.5], [0.5, 1.0]])), 4)
    (0.5, 0.3606)
    """
    if correlation is None or np.isinf(reaches).any():
        return reduce(np.hypot, reaches)
    signed = np.array(reaches)
    return np.sqrt(max(float(signed @ np.asarray(correlation) @ signed), 0.0))


def added_reach(spread: Vector, below: Vector, above: Vector, z: float) -> tuple[Any, Any]:
    """Return how far the interval of a sum reaches below and above its mean.

    The parts are along the first axis, with standard deviations ``spread``.

    >>> below, above = added_reach(np.array([0.1, 0.1]), np.array([0.1, 0.2]), np.array([0.3, 0.2]), 2.0)
    >>> round(float(below), 4), round(float(above), 4)
    (0.2328, 0.3328)
    """
    variance = (spread**2).sum(axis=0)
    asymmetry = (spread**2 * (above - below)).sum(axis=0)
    excess = (spread**3 * ((above + below) / 2.0 - z * spread)).sum(axis=0)
    has_width = variance > 0.0
    safe = np.where(has_width, variance, 1.0)
    middle = z * np.sqrt(variance) + excess / safe**1.5
    tilt = asymmetry / safe / 2.0
    return np.maximum(middle - tilt, 0.0)[()], np.maximum(middle + tilt, 0.0)[()]


class OpenReach(NamedTuple):
    """The reach ``below`` and ``above`` the mean of each model, (L,) each; ``kept`` is the share of the law of errors.

    >>> open_reach([LeftOpen(0.5, (0.2, 0.8)), None], np.array([0.4, 0.3]))
    OpenReach(below=array([0.1, 0. ]), above=array([0.2, 0. ]), kept=1.0)
    """

    below: Vector
    above: Vector
    kept: float = 1.0

    def variance(self, unit: float) -> Vector:
        """Return the variance of each model with which independent errors tell nothing apart that ranges do not."""
        return np.asarray(2.0 * ((self.below + self.above) / (2.0 * unit)) ** 2)


def open_reach(parts: Sequence[LeftOpen | None], mu: Vector) -> OpenReach | None:
    """Return the reach of what is left open of each model around ``mu``; None if that is nothing."""
    if not any(parts):
        return None
    share = np.array([0.0 if part is None else part.share for part in parts])
    low, high = np.array([(mean, mean) if part is None else part.ends for part, mean in zip(parts, mu, strict=True)]).T
    below, above = (np.maximum(share * side, 0.0) for side in (mu - low, high - mu))
    return OpenReach(read_only(below), read_only(above), 1.0 - float(share.min()))


def summed_reach(parts: Sequence[Part]) -> OpenReach | None:
    """Return the reach of weighted sums over tasks, which may all lie at the same end."""
    is_open = [(part.of_models, part.law.left_open) for part in parts if part.law.left_open is not None]
    if not is_open:
        return None
    ends = [sides(form, reach.below, reach.above) for form, reach in is_open]
    below, above = (read_only(np.sum([side for [side] in of_tasks], axis=0)) for of_tasks in zip(*ends, strict=True))
    return OpenReach(below, above)
