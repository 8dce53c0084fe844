"""Comparisons of suites, and the sum of intervals behind them, against independent truth."""

import numpy as np
import pytest

from scorio import OutcomeError, ParameterError, Suite, compare


def simulated(seed=0, models=3):
    rng = np.random.default_rng(seed)
    return Suite(
        {
            task: {
                f"model-{i}": rng.binomial(1, np.clip(rates[:, None] + 0.08 * i, 0, 1), (count, 4))
                for i in range(models)
            }
            for task, count in {"algebra": 25, "chess": 40, "law": 15}.items()
            for rates in [rng.beta(0.5, 0.7, count)]
        }
    )


@pytest.fixture(scope="module")
def suite():
    return simulated()


def one(suite, i):
    return suite.select(models=[f"model-{i}"])


def test_the_overall_difference_is_the_weighted_sum(suite):
    weights = {"algebra": 1, "chess": 3, "law": 4}
    result = compare("pass@1", one(suite, 0), one(suite, 2), task_weights=weights, prior="uniform", shape="normal")
    share = np.array([1, 3, 4]) / 8
    tasks = list(result.tasks.values())
    assert result.weights == dict(zip(suite, share, strict=True))
    assert result.difference == pytest.approx(share @ [each.difference for each in tasks])
    assert result.sigma == pytest.approx(np.sqrt(share**2 @ [each.sigma**2 for each in tasks]))
    assert result.n_questions == (80, 80)
    assert result.n_trials == (320, 320)
    assert result.extent == "3 tasks, 80 questions, 4 trials each"


def test_what_cannot_be_compared(suite):
    first, second = one(suite, 0), one(suite, 1)
    with pytest.raises(OutcomeError, match=r"the A outcomes hold 3 models.*model=.model-0."):
        compare("pass@1", suite, second)
    with pytest.raises(OutcomeError, match="a suite is compared with a suite"):
        compare("pass@1", first, [[1, 0]])
    with pytest.raises(OutcomeError, match="the B has no outcomes of 1 task of the A: 'law'"):
        compare("pass@1", first, second.select(tasks=["algebra", "chess"]))
    assert compare("pass@1", suite, suite, model=("model-0", "model-1")) == compare("pass@1", first, second)
    with pytest.raises(ParameterError, match="weights can only be given for a suite of tasks"):
        compare("pass@1", [[1, 0]], [[0, 0]], task_weights="questions")
    with pytest.raises(ParameterError, match="suite of tasks"):
        compare({"law": "pass@1"}, [[1, 0]], [[0, 0]])
