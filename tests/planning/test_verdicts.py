"""Verdicts: their sentences, and the trials that they promise, against simulated futures."""

import numpy as np

from scorio import Leaderboard, plan_separation


def board(**options):
    rng = np.random.default_rng(2)
    rates = rng.beta(1, 1, 40)
    levels = {"oak": 1.0, "elm": 0.97, "ash": 0.95, "fir": 0.93, "yew": 0.92, "low": 0.2}
    models = {name: rng.binomial(1, (rates * level)[:, None], (40, 4)) for name, level in levels.items()}
    return Leaderboard("pass@1", models, **options)


def test_every_model_has_a_verdict():
    ranks = board()
    said = ranks.verdicts()
    top = [row.model for row in ranks.rows if row.tied_with_top]
    first, second, third, *_ = (row.score for row in ranks.rows)
    assert first == second > third
    assert said[0].startswith(f"{top[0]} and {top[1]} have the highest score, and {len(top) - 2} models may be as good")
    assert said[1] == str(ranks.leader_score)
    for model, sentence in zip(top[1:4], said[2:], strict=False):
        plan = plan_separation("pass@1", ranks.outcomes[top[0]], ranks.outcomes[model])
        assert sentence == f"{model} is tied with {top[0]} as best; {plan.separation}"
    assert said[-1].startswith("low is not among the best")
    assert all(any(row.model in sentence for sentence in said) for row in ranks.rows)


def test_a_single_best_model():
    ranks = Leaderboard("pass@1", {"a": [[1, 1, 1, 1]] * 20, "b": [[1, 0, 0, 1]] * 20})
    assert ranks.verdicts()[0] == "a is the best model (family-wise error 5%)"
    assert ranks.verdicts()[2] == "b is not among the best (family-wise error 5%)"
