"""Rare successes: an end of the interval for these questions that does not rest on guessed differences between them.

Two successes of one question show that questions differ; successes that all are of different questions show nothing of
the kind. The learned prior allows for differences nevertheless, under which Pass@k is smaller at the same mean rate,
and its upper end is too low: of 300 questions x 8 trials with two expected successes, Pass@4 covered .85. So the
interval reaches as far as that of one rate common to all trials, with Jeffreys' prior. Failures likewise.
"""

import numpy as np

from .._arrays import Vector
from .._kernels import rate_integrals
from .._special import betaincinv
from ..inference import NO_REACH, Bounds, Level
from ..outcomes import OutcomeMatrix


def reach_of_rare(credit: Vector, outcomes: OutcomeMatrix, level: Level) -> Bounds:
    """Return the least value that rare failures leave possible, and the largest that rare successes do.

    A side without them is ``inf`` or ``-inf``, as are both if a success can lower the value.

    >>> lo, hi = reach_of_rare(np.array([0.0, 1.0]), OutcomeMatrix([[0] * 5] * 4), Level(0.95))
    >>> lo, round(hi, 4)  # that of Jeffreys' interval for 0 of 20
    (inf, 0.1166)
    """
    states = outcomes._states
    is_solved_once, is_missed_once = (most <= 1 < outcomes.max_trials for most in states.most)
    if not (is_solved_once or is_missed_once) or np.any(np.diff(credit) < 0.0):
        return NO_REACH
    successes, trials = (int(each @ states.multiplicity) for each in (states.successes, states.trials))
    alpha, beta = successes + 0.5, trials - successes + 0.5
    low, high = float(betaincinv(alpha, beta, level.tail)), float(betaincinv(beta, alpha, level.tail))
    values = np.empty(2)
    rate_integrals.values(credit, np.array([low, 1.0 - high]), np.array([1.0 - low, high]), values)
    return float(values[0]) if is_missed_once else NO_REACH[0], float(values[1]) if is_solved_once else NO_REACH[1]
