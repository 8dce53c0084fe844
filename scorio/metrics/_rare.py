"""Rare successes: an end of the interval for these questions that does not rest on guessed differences between them.

Two successes of one question show that questions differ; successes that all are of different questions show nothing of
the kind. The learned prior allows for differences nevertheless, under which Pass@k is smaller at the same mean rate,
and its upper end is too low: of 300 questions x 8 trials with two expected successes, Pass@4 covered .85. So the
interval reaches as far as that of one rate common to all trials, with Jeffreys' prior. Failures likewise.
"""

import numpy as np

from .._arrays import Counts, Vector
from .._kernels import rate_integrals
from .._kernels.states import States
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
    states = outcomes.states
    solved, missed = states.most
    is_solved_once, is_missed_once = solved <= 1 < outcomes.max_trials, missed <= 1 < outcomes.max_trials
    if not (is_solved_once or is_missed_once) or np.any(np.diff(credit) < 0.0):
        return NO_REACH
    successes, trials = (int(counts @ states.multiplicity) for counts in (states.successes, states.trials))
    alpha, beta = successes + 0.5, trials - successes + 0.5
    low, high = float(betaincinv(alpha, beta, level.tail)), float(betaincinv(beta, alpha, level.tail))
    values = np.array([credit[0], credit[-1]])  # of the rates 0 and 1, where a tail is so small that no other is known
    if 0.0 < low < 1.0 and 0.0 < high < 1.0:
        rate_integrals.values(credit, np.array([low, 1.0 - high]), np.array([1.0 - low, high]), values)
    return float(values[0]) if is_missed_once else NO_REACH[0], float(values[1]) if is_solved_once else NO_REACH[1]


def reach_of_alike(credit: Vector, states: States) -> Bounds:
    """Return the lowest credit as an end where no question shows more, and the highest where none shows less.

    With fewer trials than the credit has, a question shows more if the same share of its trials succeeded. Other ends
    are ``inf`` and ``-inf``.

    >>> reach_of_alike(np.array([0.0, 1.0, 1.0]), OutcomeMatrix([[0, 1], [1, 1]]).states)
    (inf, 1.0)
    """
    c, n, k = states.successes, states.trials, len(credit) - 1
    low, high = float(credit.min()), float(credit.max())
    more, less = np.flatnonzero(credit != low), np.flatnonzero(credit[::-1] != high)
    is_low = credit[0] == low and not (len(more) and _shows(c, n, more[0], k))
    is_high = credit[-1] == high and not (len(less) and _shows(n - c, n, less[0], k))
    return low if is_low else NO_REACH[0], high if is_high else NO_REACH[1]


def reach_of_questions(credit: Vector, outcomes: OutcomeMatrix, level: Level) -> Bounds:
    """Return the ends for these questions: of rare successes and failures, and those that nothing speaks against.

    If all questions score the most within their trials, only the smoothness of a density says that some have rates at
    which they would not: half at .3 and half at .7 have Pass@16 .998, and mostly all are solved in 16 trials.
    """
    least, most = reach_of_rare(credit, outcomes, level)
    k = len(credit) - 1
    if min(outcomes.states.most) >= k:  # draws show both ends
        return least, most
    low, high = reach_of_alike(credit, outcomes.states)
    return min(least, low), max(most, high)


def _shows(counts: Counts, trials: Counts, needed: np.intp, k: int) -> bool:
    """Return whether ``needed`` of ``k`` draws can be among the ``counts`` of some question's trials."""
    few = np.maximum(-(-needed * trials // k), 1)
    return bool((counts >= np.where(trials < k, few, needed)).any())
