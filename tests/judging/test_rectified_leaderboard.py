"""Leaderboards of corrected scores: intervals are those of ``estimate_with_judge``, calls have their error rate."""

import numpy as np
import pytest

from scorio import AvgMetric, Leaderboard, OutcomeMatrix
from scorio.errors import LabelsWarning, OutcomeError
from scorio.judging import judge_models


def world(seed, abilities, questions=60, labelled=30, trials=4):
    """Outcomes by a judge that passes some wrong answers, more on some questions, and by people for some questions."""
    rng = np.random.default_rng(seed)
    ease, lax = rng.normal(0.0, 2.0, questions), 0.4 * rng.random((questions, 1))
    place = rng.choice(questions, labelled, replace=False)
    judged, human = {}, {}
    for i, ability in enumerate(abilities):
        right = rng.random((questions, trials)) < 1 / (1 + np.exp(-(ease + ability)))[:, None]
        passed = np.where(right, rng.random(right.shape) < 0.95, rng.random(right.shape) < lax)
        judged[f"m{i}"] = passed.astype(int)
        human[f"m{i}"] = {int(q): right[q].astype(int) for q in place}
    return judged, human


def test_the_best_of_distant_models_is_alone_at_the_top():
    judged, human = world(1, [0.0, 0.0, 5.0])
    board = judge_models("pass@1", judged, human)
    assert [(row.rank, row.top) for row in board.rows] == [(1, True), (2, False), (2, False)]
    assert board.rows[0].model == "m2"


def test_a_judge_that_favors_one_model_does_not_win_for_it():
    rng = np.random.default_rng(2)
    right = rng.random((80, 4)) < rng.random((80, 1))
    judged = {"flattered": np.ones((80, 4), dtype=int), "plain": right.astype(int)}
    human = {name: {q: right[q].astype(int) for q in range(0, 80, 2)} for name in judged}
    assert Leaderboard("pass@1", judged)["pass@1"].models[0] == "flattered"
    board = judge_models("pass@1", judged, human)
    assert {(row.rank, row.top) for row in board.rows} == {(1, True)}


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::scorio.errors.LabelsWarning")  # one random sample in a thousand does not look it
@pytest.mark.filterwarnings("ignore::scorio.errors.TrialsWarning")  # nor does the order of trials in one world of many
def test_of_equal_models_the_top_set_loses_any_in_at_most_5_percent_of_worlds():
    lost = [not all(row.top for row in judge_models("pass@1", *world(seed, [0.0] * 6)).rows) for seed in range(150)]
    assert np.mean(lost) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_models_with_few_labels_are_named():
    with pytest.warns(LabelsWarning, match="m[01]: 12 labelled questions: the interval is rough"):
        judge_models("pass@1", *world(3, [0.0, 0.0], labelled=12), rank=False)


def test_models_without_labels_are_named():
    judged, human = world(4, [0.0, 0.0])
    with pytest.raises(OutcomeError, match="human: unknown model 'm1'"):
        judge_models("pass@1", judged, {"m0": human["m0"]})
    with pytest.raises(OutcomeError, match="judged: unknown model 'm1'"):
        judge_models("pass@1", {"m0": judged["m0"]}, human)
    human["m1"] = {q: [0, 1, 0, 1] for q in range(30, 60)}
    with pytest.raises(OutcomeError, match="different labelled questions"):
        judge_models("pass@1", judged, human)


@pytest.mark.filterwarnings("ignore:.*3 labelled questions")
def test_a_difference_is_limited_by_the_width_of_the_rewards():
    """Of rewards from 1 to 2, and of few labels, so that the interval without limits reaches beyond."""
    judged = {"a": [[2.0, 1.5]] * 12 + [[1.0, 1.5]] * 2, "b": [[1.0, 1.5]] * 12 + [[2.0, 1.5]] * 2}
    human = {"a": [[2.0, 2.0], [1.0, 1.0], [1.0, 1.5]], "b": [[1.0, 1.0], [2.0, 2.0], [2.0, 1.5]]}
    human = {name: OutcomeMatrix.from_rewards(rows, questions=[0, 1, 13]) for name, rows in human.items()}
    models = {name: OutcomeMatrix.from_rewards(rows) for name, rows in judged.items()}
    [pair] = judge_models(AvgMetric((1.0, 1.5, 2.0)), models, human).pairs
    assert (pair.difference.lo, pair.difference.hi) == (-1.0, 1.0)


def test_labels_alone_are_named_where_they_say_more_than_the_judge():
    rng = np.random.default_rng(4)
    right = rng.random((80, 4)) < rng.random((80, 1))
    judged = {"noise": rng.integers(0, 2, (80, 4)), "exact": right.astype(int)}
    human = {name: {q: right[q].astype(int) for q in range(40)} for name in judged}
    notes = judge_models("pass@1", judged, human).tables()[0].notes
    assert "the interval of labels alone is the narrower one for noise: report that" in notes
