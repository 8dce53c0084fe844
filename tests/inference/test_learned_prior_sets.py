"""The learned prior against dense quadrature on 150 small sets; ``study.py learned-prior`` has 2,000 sets."""

import numpy as np
import pytest

from oracles.learned_prior_sets import answer, draw, errors, is_as_rough, truth

SETS = 150


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SETS, 10))
def test_sets_of_every_shape_agree_with_the_oracle(first):
    of_two_minds = 0
    for seed in range(first, first + 10):
        c, n, shape, metric, target = draw(seed, most_questions=40, most_trials=12)
        mine, prior = answer(c, n, metric, target)
        found = errors(mine, truth(c, n, metric, target))
        label = f"set {seed}: {len(c)} x {n.min()}..{n.max()} {shape}, {metric}, {target}: {found}"
        assert prior.trusted, label
        if not is_as_rough(prior, c, n, metric):
            of_two_minds += 1
            continue
        assert abs(found["mean"]) < 0.02, label
        assert abs(found["sigma"]) < (0.02 if len(c) > 1 else 0.06), label
        within = max(abs(found["low"]), abs(found["high"]))
        assert within < (0.035 if len(c) > 1 else 0.25), label
    assert of_two_minds <= 2


def test_the_oracle_knows_the_beta_binomial_law():
    from mpmath import mp, rf

    from oracles.beta_binomial import Outcomes

    x, y = 0.4, -1.3
    m, s = 1 / (1 + mp.exp(-x)), mp.exp(-y)
    outcomes = Outcomes.of([3, 0, 5000], [5, 4, 9000])
    exact = [
        mp.log(rf(s * m, int(c)) * rf(s * (1 - m), int(n - c)) / rf(s, int(n)))
        for c, n in zip(outcomes.c, outcomes.n, strict=True)
    ]
    found = outcomes.log_states(np.array([x]), np.array([y]))[0]
    assert found == pytest.approx([float(value) for value in exact], rel=1e-9)
