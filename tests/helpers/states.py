"""States of questions as kernels take them, and the calls that fill arrays for them."""

from fractions import Fraction

import numpy as np

from scorio._kernels.states import States


def states_of(successes, trials, questions=1):
    """The states with these successes; one number of trials, or of questions, is that of all."""
    c = np.atleast_1d(np.asarray(successes, dtype=np.int64))
    return States(
        c, *(np.broadcast_to(np.asarray(each, dtype=np.int64), c.shape).copy() for each in (trials, questions))
    )


def fill(entry, states, *parameters):
    """The mean and the deviation of each state by an entry of a kernel."""
    mean, sd = np.full((2, states.n_states), np.nan)
    entry(states, *parameters, mean, sd)
    return mean, sd


def edges(n):
    """Numbers of successes at the ends and inside."""
    return sorted({0, 1, n // 3, n // 2, n - 1, n})


def posterior(c, n, prior):
    """The parameters of the Beta posterior, exactly."""
    return Fraction(prior[0]) + c, Fraction(prior[1]) + n - c
