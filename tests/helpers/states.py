"""States of questions as kernels take them."""

import numpy as np

from scorio._kernels.states import States


def states_of(successes, trials, questions=1):
    """The states with these successes; one number of trials, or of questions, is that of all."""
    c = np.atleast_1d(np.asarray(successes, dtype=np.int64))
    return States(
        c, *(np.broadcast_to(np.asarray(each, dtype=np.int64), c.shape).copy() for each in (trials, questions))
    )
