"""Comparisons of suites, and the sum of intervals behind them, against independent truth."""

import json

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeError, ParameterError, Suite, compare, plot


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


@pytest.mark.parametrize("options", [{}, {"target": "population"}, {"task_weights": "questions", "confidence": 0.8}])
def test_winners_are_those_of_the_leaderboard(suite, options):
    board = Leaderboard("pass@1", suite, **options)
    for i, model in enumerate(suite.models):
        better = [compare("pass@1", one(suite, j), one(suite, i), **options).winner == "A" for j in range(3) if j != i]
        assert board.ranks[suite.models.index(model)] == 1 + sum(better)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_one_task_is_compared_as_alone(suite, target):
    whole = compare("pass@1", *(one(suite.select(tasks="chess"), i) for i in (0, 2)), target=target)
    alone = compare("pass@1", suite["chess"]["model-0"], suite["chess"]["model-2"], target=target)
    for name in ("difference", "sigma", "lo", "hi", "p_better", "scores", "winner"):
        assert getattr(whole, name) == pytest.approx(getattr(alone, name)), name
    assert whole.tasks["chess"] == alone


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


def test_text_and_exports(suite):
    result = compare("pass@1", one(suite, 0), one(suite, 2), names=("old", "new"))
    assert "on overall pass@1 for these questions" in str(result)
    values = json.loads(result.to_json())
    assert list(values["tasks"]) == ["algebra", "chess", "law"]
    assert values["tasks"]["law"]["difference"] == result.tasks["law"].difference
    assert "tasks" not in values["tasks"]["law"]
    assert [record["task"] for record in result._records()] == ["overall", *suite]
    draws = result.draws(50_000, rng=0)
    assert np.median(draws) == pytest.approx(result.difference, abs=0.002)
    assert np.quantile(draws, 0.975) == pytest.approx(result.hi, abs=0.003)


def test_a_picture_of_a_comparison_of_suites(suite):
    pytest.importorskip("matplotlib")
    assert plot.compare(compare("pass@1", one(suite, 0), one(suite, 2))).get_xlabel()


def test_what_cannot_be_compared(suite):
    first, second = one(suite, 0), one(suite, 1)
    with pytest.raises(OutcomeError, match=r"A: a comparison is of one model.*suite.select\(models=\['model-0'\]\)"):
        compare("pass@1", suite, second)
    with pytest.raises(OutcomeError, match="a suite is compared with a suite"):
        compare("pass@1", first, [[1, 0]])
    with pytest.raises(OutcomeError, match=r"model 'B' has no outcomes of 'law': .*tasks=\['algebra', 'chess'\]"):
        compare("pass@1", first, second.select(tasks=["algebra", "chess"]))
    with pytest.raises(ParameterError, match="weights can only be given for a suite of tasks"):
        compare("pass@1", [[1, 0]], [[0, 0]], task_weights="questions")
    with pytest.raises(ParameterError, match="metric maps tasks"):
        compare({"law": "pass@1"}, [[1, 0]], [[0, 0]])
