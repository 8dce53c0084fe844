"""Pictures by what is on them: artists, labels and limits."""

from copy import copy

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, ParameterError, Suite, analyze_history, compare, forecast
from scorio.comparison import PastRun

pytest.importorskip("matplotlib")

from helpers.pictures import MODELS, SHOWN, assert_nothing_overlaps, names_of
from scorio import plot
from scorio._base.charts import short_names

rng = np.random.default_rng(6)


def test_leaderboard_shows_scores_intervals_and_who_may_be_best():
    board = Leaderboard("pass@4", MODELS)
    ax = plot.draw(board)
    order = [row.model for row in board]
    assert [label.get_text() for label in ax.get_yticklabels()] == short_names(
        [f"{row.rank}. {row.model}" for row in board]
    )
    points = {place: score for line in ax.lines for score, place in line.get_xydata()}
    assert points == {order.index(row.model): row.score for row in board}
    ends = {segment[0, 1]: (*segment[:, 0],) for lines in ax.collections for segment in lines.get_segments()}
    assert ends == {order.index(row.model): (row.lo, row.hi) for row in board}
    spans = [ax.transData.inverted().transform(patch.get_window_extent())[:, 1] for patch in ax.patches]
    shaded = {round(span.mean(), 9) for span in spans}
    assert shaded == {order.index(row.model) for row in board if row.tied_with_top}
    assert ax.get_ylim() == (4.5, -0.5)
    assert ax.get_xlabel() == "pass@4, 95% interval"


@pytest.mark.slow
def test_forty_models_with_long_names_do_not_overlap():
    names = [f"organisation/{i}-{'very-long-name-' * (i % 6)}{i}" for i in range(40)]
    rates = np.linspace(0.2, 0.9, 40)[:, None, None]
    many = OutcomeSet((rng.random((40, 20, 6)) < rates).astype(int), models=names)
    assert_nothing_overlaps(plot.draw(Leaderboard("pass@1", many)))
    assert_nothing_overlaps(plot.draw(forecast("pass@1", many)))


def test_curves_name_every_model_as_text():
    assert names_of(plot.draw(forecast("pass@1", MODELS))) == SHOWN


def test_a_difference_has_a_row_and_each_task_its_own():
    rng = np.random.default_rng(3)
    old, new = (
        Suite({task: {"m": rng.binomial(1, rate, (40, 4))} for task in ("add", "$x_1$")}) for rate in (0.4, 0.6)
    )
    result = compare("pass@1", new, old, names=("a$b$", "c" * 99))
    ax = plot.draw(result)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["pass@1", *result.tasks]
    assert ax.texts[0].get_text().startswith("a$b$ minus ccc")
    assert_nothing_overlaps(ax)


def test_tasks_have_a_row_each_and_models_a_point_in_it():
    rng = np.random.default_rng(3)
    tables = {task: {name: rng.binomial(1, 0.5, (9, 4)) for name in "abc"} for task in ("add", "$x_1$", "mul")}
    board = Leaderboard("pass@1", Suite(tables))
    ax = plot.draw(board, by_task=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["overall", *tables]
    for line, i in zip(ax.lines, board.only.order, strict=True):
        expected = [board.scores[i], *(ranking.scores[i] for ranking in board.tasks.values())]
        assert line.get_xdata().tolist() == pytest.approx(expected)
        assert np.round(line.get_ydata()).tolist() == [0, 1, 2, 3]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == [board.models[i] for i in board.only.order]
    with pytest.raises(ParameterError, match="this one is of one task"):
        plot.draw(board.tasks["add"], by_task=True)


# Forecasts: solid up to the trials, dashed beyond, with a fan of intervals.

SOLVED = OutcomeMatrix.from_counts([0, 0, 1, 2, 5, 8, 13, 16, 16, 16], 16)


def styled(ax, style):
    return [line.get_xydata() for line in ax.lines if line.get_linestyle() == style]


@pytest.mark.filterwarnings("ignore::scorio.errors.ForecastWarning")
def test_scores_are_points_means_solid_and_forecasts_dashed():
    found = forecast("pass@1", SOLVED, [1, 4, 16, 60, 1000])
    ax = plot.draw(found)
    [solid], [dashed], [points, hollow] = (styled(ax, style) for style in ("-", "--", "None"))
    assert solid.tolist() == [[each.k, each.mu] for each in found.points[:3]]
    assert dashed.tolist() == [[each.k, each.mu] for each in found.points[2:]]  # it begins where the other ends
    assert points.tolist() == [[each.k, each.score] for each in found.points[:3]]
    assert hollow.tolist() == [[each.k, each.mu] for each in found.points[3:]]
    ends = [
        np.ptp(band.get_paths()[0].vertices[band.get_paths()[0].vertices[:, 0] == 1000, 1]) for band in ax.collections
    ]
    assert ends == pytest.approx([hi - lo for lo, hi in found.points[-1].intervals.values()])


@pytest.mark.filterwarnings("ignore::scorio.errors.ForecastWarning")
@pytest.mark.parametrize(("models", "bands"), [(1, 3), (2, 6), (8, 8), (9, 0)])
def test_many_models_have_fewer_bands(models, bands):
    found = forecast("pass@1", {f"m{i}": copy(SOLVED) for i in range(models)}, [4, 60])
    assert len(plot.draw(found).collections) == bands


def marked(ax, marker):
    return [line for line in ax.lines if line.get_marker() == marker and len(line.get_xdata())]


def history(*solved, facts=None):
    runs = {f"run {i}": OutcomeMatrix.from_counts([count] * 20, 10) for i, count in enumerate(solved)}
    if facts is not None:
        runs["run 1"] = PastRun(runs["run 1"], facts)
        runs["run 0"] = PastRun(runs["run 0"], {"judge": "a"})
    return analyze_history("pass@1", runs)


def test_points_intervals_and_calls():
    result = history(8, 2, 2, 9)
    ax = plot.draw(result)
    (series,) = marked(ax, "o")
    assert series.get_ydata().tolist() == [0.8, 0.2, 0.2, 0.9]
    assert [line.get_xdata().tolist() for line in marked(ax, "v")] == [[1.0]]
    assert [line.get_xdata().tolist() for line in marked(ax, "^")] == [[3.0]]
    segments = ax.collections[0].get_segments()
    assert [(s[0][1], s[1][1]) for s in segments] == [(p.lo, p.hi) for p in result.rows]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["model", "called worse", "called improved"]


def test_a_dotted_line_stands_before_a_run_under_other_circumstances():
    ax = plot.draw(history(8, 8, facts={"judge": "b"}))
    (dotted,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert list(dotted.get_xdata()) == [0.5, 0.5]
