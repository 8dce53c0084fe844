"""All pairs of models: against compare, scipy and the definitions; words, matrices, exports and errors."""

import json

import numpy as np
import pytest
from scipy import stats

from helpers.few import one_more
from scorio import Leaderboard, Looks, OutcomeMatrix, OutcomeSet, Suite, compare, simulate
from scorio.errors import OutcomeError, ParameterError
from scorio.rank import Pair, Pairs

FAMILIES = ("each", "holm", "fdr", "simultaneous")
RATES = simulate.rates([1.2, 0.9, 0.9, 0.4, 0.0], 50, rng=3)
OUTCOMES = simulate.coins(RATES, 6, models=list("abcde"), rng=4).outcomes


@pytest.fixture(scope="module", params=["questions", "population"])
def board(request):
    return Leaderboard("pass@1", OUTCOMES, target=request.param)


def test_each_pair_alone_is_the_comparison(board):
    for pair in board.pairs():
        found = compare(
            "pass@1",
            OUTCOMES[pair.first],
            OUTCOMES[pair.second],
            names=(pair.first, pair.second),
            target=board.settings.target,
        )
        assert (pair.difference, pair.lo, pair.hi) == pytest.approx((found.difference, found.lo, found.hi), abs=1e-12)
        assert pair.p_value == pair.p_corrected == pytest.approx(found.p_value, rel=1e-9)
        assert pair.better == found.winner


def test_p_values_of_holm_and_of_benjamini_and_hochberg(board):
    p = np.array([pair.p_value for pair in board.pairs()])
    order = np.argsort(p)
    expected = np.empty(len(p))
    expected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    assert [pair.p_corrected for pair in board.pairs("holm")] == pytest.approx(expected.tolist())
    q = stats.false_discovery_control(p)
    assert [pair.p_corrected for pair in board.pairs("fdr")] == pytest.approx(q.tolist())


def test_calls_have_corrected_p_values_below_the_error(board):
    for name in FAMILIES:
        pairs = board.pairs(name)
        for pair in pairs:
            assert (pair.better is not None) == (pair.p_corrected <= 0.05)
            assert pair.better in (None, pair.first)
            excludes = pair.lo > 0.0 or pair.hi < 0.0
            if name in ("each", "fdr"):
                assert excludes == (pair.better is not None)
            elif excludes:
                assert pair.better is not None
        assert pairs.called == tuple(pair for pair in pairs if pair.better)


def test_the_top_set_is_what_no_model_is_called_better_than(board):
    pairs = board.pairs("simultaneous")
    beaten = {pair.second for pair in pairs.called}
    assert [name not in beaten for name in board.models] == board.tied_with_top.tolist()
    for row in board:
        better, worse = (
            [getattr(pair, side) for pair in pairs.called].count(row.model) for side in ("second", "first")
        )
        assert (row.rank_lo, row.rank_hi) == (1 + better, len(board) - worse)
        assert (row.rank_lo == 1) == row.tied_with_top


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ("each", "10 pairs, no correction for their number: error 5% for each pair of equal models"),
        ("holm", "10 pairs, Holm: family-wise error 5%"),
        ("fdr", "10 pairs, Benjamini-Hochberg: false-discovery rate 5%"),
        ("simultaneous", "10 pairs, joint law of all differences: family-wise error 5%"),
    ],
)
def test_the_error_rate_is_in_the_table_and_in_the_data(board, family, words):
    pairs = board.pairs(family)
    assert pairs.error_rate == words
    assert words in str(pairs) and words in pairs.to_markdown() and words in pairs._repr_html_()
    values = json.loads(pairs.to_json())
    assert (values["family"], values["error_rate"], len(values["rows"])) == (family, words, 10)
    assert [Pair(**row) for row in values["rows"]] == list(pairs)


def test_a_call_at_a_later_step_is_explained():
    wide = Pair("pass@1", None, "a", "b", 0.1, -0.01, 0.2, 0.02, 0.04, "a")
    text = str(Pairs("holm", 0.95, ("a", "b"), (wide,)))
    assert "1 called pair includes a difference of 0: calls are made step by step" in text


def test_pairs_by_several_metrics_are_one_family():
    several = Leaderboard(["pass@1", "pass@4"], OUTCOMES)
    both, one = several.pairs("simultaneous"), several["pass@1"].pairs("simultaneous")
    assert len(both) == 20
    for together, by_holm, alone in zip(both.rows[:10], several.pairs("holm").rows[:10], one.rows, strict=True):
        assert alone.p_corrected <= together.p_corrected <= by_holm.p_corrected * (1.0 + 1e-12)
        assert by_holm.lo < together.lo < alone.lo
    assert "20 pairs" in both.error_rate
    assert "pass@4" in str(both)
    with pytest.raises(KeyError, match="names 2 pairs"):
        both["a", "b"]


@pytest.mark.parametrize("target", ["questions", "population"])
def test_pairs_of_a_suite_are_overall_and_those_of_its_tasks_are_joined(target):
    other = simulate.coins(
        simulate.rates([0.6, 0.5, 0.4, 0.2, 0.0], 30, rng=8), 6, models=list("abcde"), rng=9
    ).outcomes
    suite = Suite({"x": OUTCOMES, "y": other})
    board = Leaderboard("pass@1", suite, target=target)
    for pair in board.pairs():
        sides = (suite.select(models=[name]) for name in (pair.first, pair.second))
        found = compare("pass@1", *sides, names=(pair.first, pair.second), target=target)
        assert (pair.difference, pair.lo, pair.hi) == pytest.approx((found.difference, found.lo, found.hi))
        assert pair.better == found.winner
    whole = board.pairs("simultaneous", by_task=True)
    assert [pair.task for pair in whole.rows[::10]] == ["x", "y"]
    narrow = board.pairs("simultaneous")
    for together, alone in zip(narrow.rows, board.pairs().rows, strict=True):
        assert together.hi - together.lo >= alone.hi - alone.lo


def test_errors_say_what_to_do():
    board = Leaderboard("pass@1", OUTCOMES)
    with pytest.raises(ParameterError, match="unknown family 'hlm'. Did you mean 'holm'"):
        board.pairs("hlm")
    with pytest.raises(OutcomeError, match="pairs need two models"):
        Leaderboard("pass@1", {"a": [[1]]}).pairs()
    with pytest.raises(KeyError, match="unknown model 'z'"):
        board.pairs()["a", "z"]
    looks = Leaderboard("pass@1", OUTCOMES, looks=Looks(trials=6))
    with pytest.raises(ParameterError, match="no pairs of one error rate at many looks"):
        looks.pairs()


def _boards():
    """Boards of few noisy questions, of more models than are drawn, of a few tasks, and of several metrics."""
    rng = np.random.default_rng(12)
    for questions, trials, models in (
        (5, 4, 6),
        (5, 16, 5),
        (10, 2, 6),
        (30, 4, 6),
        (20, 8, 34),
        (8, 2, 64),
        (12, 1, 5),
    ):
        p = np.clip(rng.beta(0.4, 0.4, questions) + rng.normal(0.0, 0.25, (models, 1)), 0.0, 1.0)
        yield {f"m{i}": rng.binomial(1, row[:, None], (questions, trials)) for i, row in enumerate(p)}


@pytest.mark.parametrize("target", ["questions", "population"])
def test_the_joint_law_is_never_weaker_than_holm(target):
    more, boards = 0, [Leaderboard("pass@1", outcomes, target=target) for outcomes in _boards()]
    for board in [*boards, Leaderboard(["pass@1", "pass@2"], next(_boards()), target=target)]:
        ours, theirs = board.pairs("simultaneous"), board.pairs("holm")
        for pair, by_holm in zip(ours, theirs, strict=True):
            assert pair.p_value <= pair.p_corrected <= by_holm.p_corrected + 1e-15
            assert by_holm.lo - 1e-12 <= pair.lo <= pair.hi <= by_holm.hi + 1e-12
        more += sum(pair.p_corrected < 0.9 * by_holm.p_corrected for pair, by_holm in zip(ours, theirs, strict=True))
        if len(board.metrics) == 1:
            beaten = {pair.second for pair in theirs.called}
            assert not beaten & {row.model for row in board if row.tied_with_top}
    assert more > 10


def test_overall_differences_have_the_tails_of_their_degrees_of_freedom():
    """Tasks of five questions: far out, Student's t is not normal."""
    rng = np.random.default_rng(3)
    tasks = {
        task: {f"m{i}": rng.binomial(8, np.clip(rng.beta(1, 1, 5) + 0.2 * i, 0, 1)) for i in range(3)} for task in "xy"
    }
    suite = Suite(
        {
            task: OutcomeSet({name: OutcomeMatrix.from_counts(row, 8) for name, row in of.items()})
            for task, of in tasks.items()
        }
    )
    for pair in Leaderboard("pass@1", suite, target="population").pairs():
        gaps = [(tasks[task][pair.first] - tasks[task][pair.second]) / 8 for task in tasks]
        laws = [one_more(gap, share=0.5) for gap in gaps]  # one more of the ten questions of both
        variances = np.array([law.sd**2 for law in laws]) / 4
        degrees = variances.sum() ** 2 / (variances**2 / laws[0].degrees).sum()
        t = np.mean([law.mean for law in laws]) / np.sqrt(variances.sum())
        assert pair.p_value == pytest.approx(max(2.0 * stats.t(degrees).sf(abs(t)), 2.0**-9), rel=1e-6)


def test_the_joint_law_of_independent_models_is_no_narrower_than_the_studentized_range():
    """Questions that are a draw, and one more that could be anything: equal models are called at the rate said."""
    rng = np.random.default_rng(0)
    for models, questions in ((20, 60), (12, 12)):
        rates = np.clip(0.5 + rng.normal(0.0, 0.1, (models, questions, 1)), 0.0, 1.0)
        outcomes = {f"m{i}": rng.binomial(1, row, (questions, 4)) for i, row in enumerate(rates)}
        law = Leaderboard("pass@1", outcomes, target="population").only.law
        usual = stats.studentized_range.ppf(0.95, models, law.df) / np.sqrt(2.0)
        assert 0.98 * usual < law.critical(0.05) < 1.2 * usual
