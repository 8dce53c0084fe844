"""Eight threads on shared outcomes get what one gets; the kernels one by one are the plugin ``crowd``'s business."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from helpers.crowd import THREADS, crowded
from helpers.samples import each_metric
from scorio import OutcomeMatrix


def many_questions():
    """Rows of different lengths, so that every lazy part of a matrix is built; a new one at every call."""
    rng = np.random.default_rng(5)
    rows = [(rng.random(n) < rng.random()).astype("i1") for n in rng.integers(2, 40, 60)]
    return OutcomeMatrix(rows, prior=np.ones((60, 1), "i1"))


def everything(metric, R):
    """All that a metric says of ``R``, to the last bit."""
    moments = metric.moments(R)
    interval = metric.interval(R, prior="uniform")
    said = (metric.score(R), *interval, metric.cov(metric, R), hash(R), repr(R), R.completeness)
    return *said, metric.per_question(R).tobytes(), moments.mean.tobytes(), moments.variance.tobytes()


@each_metric
def test_one_matrix_in_many_threads(metric):
    shared, barrier = many_questions(), threading.Barrier(THREADS)

    def ask(_):
        barrier.wait()
        return everything(metric, shared)

    with ThreadPoolExecutor(THREADS) as pool:
        answers = set(pool.map(ask, range(THREADS)))
    assert answers == {everything(metric, many_questions())}


def racy():
    """A function that gives the first caller something else."""
    first = threading.Lock()
    return lambda out: out.fill(first.acquire(blocking=False))


def test_the_crowd_notices_a_race():
    with pytest.raises(AssertionError, match="in a thread"):
        crowded(racy())(np.zeros(3))
