"""Leaderboards: ranks against scipy, ties by each rule, who is level with the best, errors, odd shapes, the truth."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, rankdata

from samples import each_metric
from scorio import BayesMetric, GPassTau, Leaderboard, OutcomeMatrix, OutcomeSet, PassAtK, rank
from scorio.paired import joint_of
from scorio.rank import Settings

METHODS = {"competition": "min", "competition_max": "max", "dense": "dense", "avg": "average"}
tensors = arrays(
    np.int8, st.tuples(st.integers(1, 5), st.integers(1, 6), st.integers(2, 4)), elements=st.integers(0, 1)
)
rng = np.random.default_rng(2)
TENSOR = (rng.random((6, 40, 8)) < rng.random((1, 40, 1)) * np.linspace(0.5, 1, 6)[:, None, None]).astype(np.int8)


@given(tensors, st.sampled_from(sorted(METHODS)))
def test_ranks_without_uncertain_ties_are_rankdata_s(tensor, ranking):
    board = Leaderboard(PassAtK(2), tensor, confidence=0.5 - 1e-9, ranking=ranking)
    expected = rankdata(-np.round(board.scores, 12), method=METHODS[ranking])
    assert board.ranks.tolist() == expected.tolist()
    assert board.ranks.tolist() == rank.pass_at_k(tensor, 2, ranking).tolist()


@given(tensors, st.sampled_from(["zscore_adjacent", "ci_overlap_adjacent", "paired"]), st.randoms())
@settings(max_examples=40)
def test_everything_follows_its_model(tensor, tie, random):
    names = [f"m{i}" for i in range(len(tensor))]
    order = list(range(len(tensor)))
    random.shuffle(order)
    board = Leaderboard(PassAtK(2), dict(zip(names, tensor, strict=True)), tie=tie)
    other = Leaderboard(PassAtK(2), {names[i]: tensor[i] for i in order}, tie=tie)
    assert other.scores.tolist() == board.scores[order].tolist()
    assert other.intervals == tuple(board.intervals[i] for i in order)
    if len(set(board.scores.round(12))) == len(order):
        assert other.ranks.tolist() == board.ranks[order].tolist()
        assert other.tied_with_top.tolist() == board.tied_with_top[order].tolist()
    np.testing.assert_allclose(other.posterior.best, board.posterior.best[order], atol=1e-9)


@given(tensors)
@settings(max_examples=40)
def test_chances_add_up(tensor):
    posterior = Leaderboard(BayesMetric(), tensor).posterior
    assert posterior.best.sum() == pytest.approx(1.0, rel=1e-9)
    np.testing.assert_allclose(posterior.beats + posterior.beats.T, 1.0, rtol=1e-12)


def test_score_and_interval_are_the_metric_s():
    board = Leaderboard([PassAtK(2), BayesMetric()], TENSOR, confidence=0.9, prior="jeffreys")
    outcomes = OutcomeSet(TENSOR)
    for metric in (PassAtK(2), BayesMetric()):
        found = board[metric]
        assert found.scores.tolist() == [metric.score(bank) for bank in outcomes.values()]
        assert found.intervals == tuple(metric.interval(bank, 0.9, prior="jeffreys") for bank in outcomes.values())


@each_metric
def test_every_metric_has_a_leaderboard(metric):
    board = Leaderboard(metric, TENSOR, tie="paired")
    assert board.posterior.best.sum() == pytest.approx(1.0, rel=1e-9)
    assert board.ranks.min() == 1
    assert board.tied_with_top[np.argmax(board.scores)]


@pytest.mark.parametrize("tie", ["zscore_adjacent", "ci_overlap_adjacent"])
def test_ties_by_spec_are_rank_scores(tie):
    board = Leaderboard(BayesMetric(), TENSOR, tie=tie, confidence=0.8)
    sigmas = [interval.sigma for interval in board.intervals]
    expected = rank.rank_scores(board.scores, sigmas=sigmas, confidence=0.8, tie=tie)["competition"]
    assert board.ranks.tolist() == expected.tolist()


def test_level_with_the_best_is_asked_of_each_model_and_not_along_the_chain():
    chain = [OutcomeMatrix.from_counts([hits] * 20, 50) for hits in (30, 29, 28, 27)]
    board = Leaderboard(BayesMetric(), chain)
    gaps = board.scores[0] - board.scores
    z = gaps / np.hypot(board.intervals[0].sigma, [interval.sigma for interval in board.intervals])
    assert (z < norm.ppf(0.95)).tolist() == board.tied_with_top.tolist() == [True, True, False, False]
    assert board.ranks.tolist() == [1, 1, 1, 1]


def test_pairing_tells_models_apart_that_differ_on_every_question_alike():
    difficulty = np.linspace(2, 98, 25).astype(int)
    outcomes = [OutcomeMatrix.from_counts(difficulty + shift, 100) for shift in (1, 0)]
    assert Leaderboard(PassAtK(1), outcomes).ranks.tolist() == [1, 1]
    assert Leaderboard(PassAtK(1), outcomes, tie="paired").ranks.tolist() == [1, 2]


def test_paired_ties_are_those_of_the_joint_posterior():
    board = Leaderboard(GPassTau(4, 0.5), TENSOR, tie="paired", confidence=0.9)
    outcomes = OutcomeSet(TENSOR)
    joint = joint_of(GPassTau(4, 0.5), list(outcomes.values()))
    top = int(np.argmax(board.scores))
    chance = joint.beats(top, np.arange(6))
    assert board.tied_with_top.tolist() == (np.maximum(chance, 1 - chance) < 0.9).tolist()


class Population(PassAtK):
    """Pass@k whose interval takes a target; the one for a population is twice as wide."""

    def interval(self, R, confidence=0.95, *, target="questions", **options):
        found = super().interval(R, confidence, **options)
        return found if target == "questions" else type(found)(found.mu, 2 * found.sigma, 0.0, 1.0)


def test_a_population_shares_its_draw_of_questions():
    board = Leaderboard(Population(1), TENSOR, target="population", draws=4_000, rng=3)
    given = Leaderboard(Population(1), TENSOR)
    assert [wide.sigma / narrow.sigma for wide, narrow in zip(board.intervals, given.intervals, strict=True)] == [
        2.0
    ] * 6
    assert board.posterior.error == 0.5 / np.sqrt(4_000)
    assert not board.standings[0].joint.is_independent
    assert given.posterior.error == 0.0


def test_the_seed_is_kept_so_that_a_board_can_be_made_again():
    first = Leaderboard(Population(1), TENSOR, target="population", draws=500, rng=np.random.default_rng(9))
    again = Leaderboard(Population(1), TENSOR, target="population", draws=500, rng=first.settings.rng)
    assert (first.posterior.pmf == again.posterior.pmf).all()
    assert Leaderboard(PassAtK(1), TENSOR, rng=None).settings.rng >= 0


def test_several_metrics_are_looked_up_by_themselves_or_by_name():
    board = Leaderboard(["pass@1", PassAtK(8), "bayes"], TENSOR)
    assert board.metrics == (PassAtK(1), PassAtK(8), BayesMetric())
    assert board["pass@8"] is board[PassAtK(8)]
    assert board[" pass@8 "] is board["pass:k=8"] is board[PassAtK(8)]
    assert len(board) == len(board.rows) == len(list(board)) == 18
    assert [row.metric for row in board.rows[::6]] == ["pass@1", "pass@8", "bayes"]
    with pytest.raises(KeyError, match="pass@2"):
        board[PassAtK(2)]
    with pytest.raises(ValueError, match=r"several metrics .* board\['pass@1'\]"):
        board.ranks


def test_rows_stand_best_first_and_say_what_the_arrays_say():
    board = Leaderboard(PassAtK(2), dict(zip("abcdef", TENSOR, strict=True)))
    assert [row.score for row in board] == sorted(board.scores, reverse=True)
    for row in board:
        i = board.models.index(row.model)
        assert (row.rank, row.score, row.tied_with_top) == (board.ranks[i], board.scores[i], board.tied_with_top[i])
        assert (row.mu, row.sigma, row.lo, row.hi) == board.intervals[i]
        assert row.p_best == board.posterior.best[i]
        assert row.rank_lo <= row.rank_hi


@pytest.mark.parametrize(
    "outcomes",
    [
        [[[1]]],
        [[[0, 0], [0, 0]]] * 3,
        [[[1, 1], [1, 1]]] * 3,
        [[[1, 1], [1, 1]], [[0, 0], [0, 0]]],
        {"ragged": [[1, 0], [1, 1, 1]], "b": [[0, 1], [1]]},
        {f"a model with a long name, number {i}": [[i % 2, 1]] for i in range(40)},
    ],
    ids=["one trial", "all 0", "all 1", "1 and 0", "ragged", "40 models"],
)
@pytest.mark.parametrize("tie", ["zscore_adjacent", "ci_overlap_adjacent", "paired"])
def test_odd_shapes(outcomes, tie):
    board = Leaderboard(PassAtK(1), outcomes, tie=tie)
    assert board.ranks[np.argmax(board.scores)] == 1
    np.testing.assert_allclose(board.posterior.pmf.sum(axis=0), 1.0, rtol=1e-9)
    assert str(board).count("\n") == len(board) + 3


def test_equal_models_share_the_top_and_the_chance():
    board = Leaderboard(PassAtK(1), np.repeat(TENSOR[:1], 4, axis=0), tie="paired")
    assert board.ranks.tolist() == [1] * 4
    assert board.tied_with_top.all()
    np.testing.assert_allclose(board.posterior.best, 0.25, rtol=1e-9)


def test_missing_trials_show_as_coverage():
    gaps = np.where(rng.random((2, 20, 6)) < 0.3, np.nan, 1.0)
    board = Leaderboard(PassAtK(1), OutcomeSet(gaps, missing="omit"))
    assert all(row.coverage < 1 for row in board)
    assert "coverage" in str(board)


def test_short_questions_are_named_with_their_model_or_left_out():
    outcomes = {"full": [[1, 0, 1], [1, 1, 0]], "short": [[1, 0, 1], [1]]}
    with pytest.raises(ValueError, match=r"^short: k must satisfy 1 <= k <= N"):
        Leaderboard(PassAtK(2), outcomes)
    assert Leaderboard(PassAtK(2), outcomes, short="omit").scores.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metrics": []}, "several"),
        ({"metrics": [3]}, "metrics must be"),
        ({"metrics": "pass"}, "needs k"),
        ({"metrics": ["pass@1", PassAtK(1)]}, "pass@1 comes twice"),
        ({"outcomes": []}, "model"),
        ({"confidence": 1.0}, "confidence"),
        ({"tie": "best"}, "tie must be one of"),
        ({"ranking": "ordinal"}, "ranking must be one of"),
        ({"method": "exact"}, "method must be one of"),
        ({"target": "world"}, "target must be one of"),
        ({"short": "nan"}, "short must be one of"),
        ({"prior": "flat"}, "prior must be one of"),
        ({"prior": 3}, "prior must be"),
        ({"bounds": (1, 0)}, "bounds must satisfy"),
        ({"draws": 0}, "draws"),
        ({"rng": -1}, "rng must be"),
        ({"rng": "0"}, "rng must be"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(options, words):
    arguments = {"metrics": PassAtK(1), "outcomes": TENSOR} | options
    with pytest.raises(ValueError, match=words):
        Leaderboard(**arguments)


def test_a_board_is_frozen_and_pickles():
    board = Leaderboard(PassAtK(1), TENSOR)
    with pytest.raises(AttributeError):
        board.settings = Settings()
    with pytest.raises(AttributeError):
        board.standings[0].ranks = None
    with pytest.raises(ValueError, match="read-only"):
        board.ranks[0] = 9
    assert pickle.loads(pickle.dumps(board)).rows == board.rows
    assert repr(board) == "Leaderboard(pass@1; OutcomeSet(6 models x 40 questions, binary))"


@pytest.mark.parametrize(("trials", "metric"), [(1, PassAtK(1)), (4, PassAtK(4)), (4, BayesMetric())], ids=str)
def test_equal_models_beat_each_other_for_a_population_as_often_as_is_said(trials, metric):
    """At 95% either way one pair in ten is told apart, however few the trials."""
    random = np.random.default_rng(2)
    told = 0
    for _ in range(500):
        chance = random.beta(0.5, 0.5, 40)
        banks = [OutcomeMatrix.from_counts(random.binomial(trials, chance), trials) for _ in range(2)]
        told += not 0.05 < Leaderboard(metric, banks, target="population").standings[0].joint.beats(0, 1) < 0.95
    assert 0.06 < told / 500 < 0.14


def test_chances_to_be_the_best_are_calibrated():
    """Worlds drawn from the prior: the models said to be best with chance p are best in a share p of the worlds."""
    random = np.random.default_rng(4)
    chances, hits = [], []
    for _ in range(400):
        truth = random.random((3, 6))
        board = Leaderboard(BayesMetric(), [OutcomeMatrix.from_counts(random.binomial(10, p), 10) for p in truth])
        chances.extend(board.posterior.best)
        hits.extend(np.arange(3) == np.argmax(truth.mean(axis=1)))
    chances, hits = np.array(chances), np.array(hits)
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.7), (0.7, 0.95), (0.95, 1.0)):
        group = (chances >= low) & (chances < high)
        error = np.sqrt(chances[group].mean() * (1 - chances[group].mean()) / group.sum())
        assert abs(hits[group].mean() - chances[group].mean()) < 4 * error
