"""The report: what it says is the leaderboard's, whatever the names and the shape of the data."""

import re

import numpy as np
import pytest

from helpers.pages import AWKWARD, Page, world
from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, PassAtK, plan_separation, simulate
from scorio._base.table import plain
from scorio.report import html_report


def test_the_tables_are_the_leaderboards():
    board = Leaderboard([PassAtK(1), PassAtK(4)], world(), prior="learned", shape="quantile")
    page = Page(html_report(board, title="Puzzles"))
    for standing, (head, *body) in zip(board.rankings, page.tables[:4:2], strict=True):
        assert head[0] == "model"
        for row, cells in zip(standing.rows, body, strict=True):
            assert cells[:4] == [plain(row.model), f"{row.rank:g}", f"{row.score:.3f}", f"[{row.lo:.3f}, {row.hi:.3f}]"]
            assert cells[-1] == ("*" if row.tied_with_top else "")
    by_k, completeness = page.tables[4:6]
    assert by_k[0] == ["model", "k", "score", "mean", "95%"]
    best = board.rankings[0].rows[0].model
    expected = [PassAtK(k).interval(board.outcomes[best], prior="learned", shape="quantile") for k in (1, 2, 4, 8)]
    assert [row[-1] for row in by_k[1:5]] == [f"[{each.lo:.3f}, {each.hi:.3f}]" for each in expected]
    assert completeness[1] == ["model-0", "240", "8", "100.0%", "0.617"]


def test_it_says_how_many_more_trials_tell_the_leaders_apart():
    rates = np.add.outer([0.02, 0.0], np.linspace(0.2, 0.8, 30))
    models = simulate.coins(rates, 4, models=["strong", "weak"], rng=1).outcomes
    board = Leaderboard(PassAtK(1), models, prior="learned", shape="quantile")
    leader, rival = (row.model for row in board.rows)
    assert board.rows[1].tied_with_top
    plan = plan_separation(PassAtK(1), models[leader], models[rival], prior="learned")
    text = Page(html_report(board)).all_text
    assert (f"{plan.more:,} more trial" in text) if plan.more else (plan.reason in text)
    assert "(forecast)" not in text


def test_every_verdict_of_the_leaderboard_is_on_the_page():
    board = Leaderboard(PassAtK(1), world())
    text = Page(html_report(board)).all_text
    assert board.verdicts()
    assert all(f"{sentence}." in text for sentence in board.verdicts())


def test_a_board_without_a_curve_has_a_page():
    """The shape is for pass@1 alone, and the categories have the weights of this metric only."""
    graded = {name: np.random.default_rng(i).integers(0, 3, (20, 4)) for i, name in enumerate("ab")}
    for board in (Leaderboard("pass@1", world(), shape="binomial"), Leaderboard("avg:w=0,.5,1", graded)):
        assert "There is no curve over k: " in Page(html_report(board)).all_text


@pytest.mark.slow
def test_missing_trials_are_named():
    torn = OutcomeMatrix.from_counts([3, 4], [5, 5], planned=[5, 8])
    page = Page(html_report(Leaderboard(PassAtK(1), {"whole": [[1, 0, 1], [1, 1, 1]], "torn": torn})))
    assert "trials are missing for 'torn':" in page.all_text
    assert ["torn", "10", "5", "76.9%", "0.700"] in [row for table in page.tables for row in table]
    assert "every planned trial has an outcome." in Page(html_report(Leaderboard(PassAtK(1), world()))).all_text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prior": "learned"}, ["was learned from the outcomes", "are for these questions"]),
        ({"prior": "jeffreys"}, ["Success rates had the prior Jeffreys"]),
        ({"prior": (2, 0.5)}, ["the prior Beta(2, 0.5)"]),
        ({"target": "population"}, ["was learned", "are for questions like these"]),
        ({"target": "population", "prior": "uniform"}, ["the prior uniform"]),
        ({"confidence": 0.9}, ["The 90% equal-tailed intervals are", "family-wise error 10%"]),
    ],
    ids=str,
)
def test_the_words_are_about_the_settings(options, said):
    text = Page(html_report(Leaderboard(PassAtK(1), world(), **options))).all_text
    assert all(each in text for each in said)


SHAPES = {
    "one model": world(models=1),
    "one question": world(questions=1),
    "one trial": world(trials=1),
    "one of each": OutcomeSet({"only": [[1]]}),
    "all fail": OutcomeSet({"a": [[0, 0], [0, 0]], "b": [[0, 0], [0, 0]]}),
    "all succeed": OutcomeSet({"a": [[1, 1], [1, 1]], "b": [[1, 1], [1, 1]]}),
    "ragged": OutcomeSet({"a": [[1, 0, 1], [1]], "b": [[0], [1, 1]]}),
    "forty models": world(models=40, questions=5, trials=2),
    "awkward names": OutcomeSet({AWKWARD: [[1, 0], [1, 1]], "x" * 200: [[0, 1], [0, 1]], "": [[0, 0], [1, 0]]}),
    "rewards": OutcomeSet(
        {
            name: OutcomeMatrix.from_rewards([[0.0, 0.5, 2.5], [reward, 2.5, 0.0]])
            for name, reward in (("a", 0.5), ("b", 0.0))
        }
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["learned", (1, 1)], ids=str)
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_a_page_that_loads_nothing(shape, target, prior):
    models = SHAPES[shape]
    if target == "population" and models.n_questions == 1:
        pytest.skip("one question says nothing of others")
    metric = "pass@1" if models.is_pass_fail else "bayes"
    text = html_report(Leaderboard(metric, models, prior=prior, target=target))
    page = Page(text)
    assert not {"src", "srcset", "onload", "style"} & {name for name, _ in page.attributes}
    links = [value for name, value in page.attributes if name == "href"]
    anchors = [value for name, value in page.attributes if name == "id"]
    assert all(link[0] == "#" and link[1:] in anchors for link in links)
    assert len(set(anchors)) == len(anchors)
    assert not re.search(r"https?:|url\(|@import|fetch|\bnan\b", text)
    assert text.count("<script") == 1
    assert [row[0] for row in page.tables[0][1:]] == [plain(row.model) for row in Leaderboard(metric, models)]
