"""What the heat map shows: the leaderboard's numbers in their places, readable, with frames around ties."""

import functools

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.patches import Rectangle

from helpers.pictures import assert_nothing_overlaps, boxes, drawn
from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, Suite, plot
from scorio._display.table import plain
from scorio.errors import ParameterError
from scorio.plot._tasks import CELL, _luminance


@functools.cache
def board(models, tasks, trials=4, questions=12):
    rng = np.random.default_rng(3)
    rates = rng.beta(1, 1, questions)
    return Leaderboard(
        "pass@1",
        Suite(
            {
                f"task {j}": {
                    f"m{i}": rng.binomial(1, np.clip(rates[:, None] * i / models, 0, 1), (questions, trials))
                    for i in range(models)
                }
                for j in range(tasks)
            }
        ),
    )


def texts(ax):
    """Pairs of score and uncertainty by row and column."""
    cells = {}
    for text in ax.texts:
        if text.get_gid() == CELL:
            x, y = text.get_position()
            cells.setdefault((int(np.floor(y)), int(x)), []).append(text)
    return cells


@pytest.mark.slow
@pytest.mark.parametrize(("models", "tasks"), [(3, 2), (40, 20)])
def test_cells_hold_scores_and_half_widths_and_frames_hold_ties(models, tasks):
    ranking = board(models, tasks).only
    ax = plot.heatmap(ranking)
    cells = texts(ax)
    assert len(cells) == models * (tasks + 1)
    frames = {(round(p.get_y() + 0.45), round(p.get_x() + 0.45)) for p in ax.patches if isinstance(p, Rectangle)}
    for j, column in enumerate([ranking, *ranking.tasks.values()]):
        for row, i in enumerate(ranking.order):
            score, half = cells[row, j]
            _, _, lo, hi = column.intervals[i]
            assert float(score.get_text()) == pytest.approx(column.scores[i], abs=0.0051)
            assert float(half.get_text().removeprefix("±")) == pytest.approx((hi - lo) / 2, abs=0.0051)
            assert ((row, j) in frames) == (score.get_weight() == "bold") == column.tied_with_top[i]
    assert [label.get_text() for label in ax.get_yticklabels()] == [plain(row.model) for row in ranking.rows]


@pytest.mark.slow
@pytest.mark.parametrize(("models", "tasks"), [(2, 1), (5, 7), (40, 20)])
def test_numbers_stay_in_their_cells_and_can_be_read(models, tasks):
    ax = plot.heatmap(board(models, tasks))
    assert_nothing_overlaps(ax)
    figure = drawn(ax)
    (mesh,) = [each for each in ax.collections if each.get_gid() == CELL]
    colors = np.asarray(mesh.get_facecolor())[:, :3].reshape(models, tasks + 1, 3)
    for (row, column), pair in texts(ax).items():
        (left, top), (right, bottom) = ax.transData.transform([(column - 0.5, row - 0.5), (column + 0.5, row + 0.5)])
        score, half = boxes(pair, figure)
        for box in (score, half):
            assert left < box.x0 < box.x1 < right
            assert bottom < box.y0 < box.y1 < top
        assert not score.overlaps(half)
        ink, ground = (
            _luminance(np.asarray(c))
            for c in (np.ones(3) if pair[0].get_color() == "white" else np.zeros(3), colors[row, column])
        )
        assert (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) >= 4.5
        assert pair[0].get_fontsize() > 6.0


def test_darker_is_higher():
    ax = plot.heatmap(board(6, 3))
    drawn(ax)
    (mesh,) = [each for each in ax.collections if each.get_gid() == CELL]
    lights = [_luminance(color[:3]) for color in np.asarray(mesh.get_facecolor())]
    scores = [float(pair[0].get_text()) for _, pair in sorted(texts(ax).items())]
    order = np.argsort(scores, kind="stable")
    assert (np.diff(np.array(lights)[order]) <= 0.02).all()
    assert max(lights) > 0.9


def test_equal_scores_and_rewards_are_drawn():
    same = {"a": [[1, 1], [0, 1]], "b": [[1, 1], [0, 1]]}
    assert_nothing_overlaps(plot.heatmap(Leaderboard("pass@1", Suite({"x": same, "y": same}))))
    rewards = OutcomeSet(
        {n: OutcomeMatrix.from_rewards([[0.0, 500.0], [k, 2500.0]]) for n, k in (("a", 500.0), ("b", 0.0))}
    )
    ax = plot.heatmap(Leaderboard("bayes", Suite({"x": rewards, "y": rewards})))
    assert_nothing_overlaps(ax)
    assert all(len(pair[0].get_text()) > 4 for pair in texts(ax).values())


def test_one_task_has_no_heat_map():
    with pytest.raises(ParameterError, match="plot.leaderboard draws it"):
        plot.heatmap(Leaderboard("pass@1", {"a": [[1, 0]]}))
