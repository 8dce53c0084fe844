"""What the check behind a PriorWarning costs in small calls of ``scorio.eval``: at most two microseconds.

python benchmarks/prior_check.py

The outcomes are those of ``small_calls.py``, even enough that nothing is warned of. A figure is the least of several
repeats. The exit code is 1 if a check costs more.
"""

import sys
from functools import partial
from time import process_time
from timeit import repeat

import numpy as np

from scorio import BayesMetric, MaxAtK, OutcomeMatrix, PassAtK
from scorio.metrics._prior_check import contradicts_uniform, warn_of_contradiction

MOST = 2e-6
CALLS = 20_000


def main():
    rng = np.random.default_rng(0)
    binary = OutcomeMatrix(rng.binomial(1, rng.random((30, 1)), (30, 80)))
    graded = OutcomeMatrix([rng.choice(3, 80, p=rates) for rates in rng.dirichlet(np.ones(3), 30)])
    rewards = (0.0, 0.5, 1.0)
    cases = {"pass_at_k_ci": (PassAtK(20), binary), "bayes": (BayesMetric(), binary)}
    cases |= {"bayes with weights": (BayesMetric(rewards), graded), "max_at_k_ci": (MaxAtK(20, rewards), graded)}
    worst = 0.0
    for name, (metric, outcomes) in cases.items():
        assert not contradicts_uniform(outcomes, metric._rewards_of_categories(outcomes))
        call = partial(warn_of_contradiction, metric, outcomes)
        least = min(repeat(call, number=CALLS, repeat=9, timer=process_time)) / CALLS
        worst = max(worst, least)
        print(f"{name:<20}{least * 1e6:8.2f} us{'  above' if least > MOST else ''}")
    sys.exit(worst > MOST)


if __name__ == "__main__":
    main()
