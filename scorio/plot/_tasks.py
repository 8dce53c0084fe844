"""Scores by task as a picture: a row per task with a point per model, or a cell per model and task."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import Flags, Vector
from .._choices import OVERALL
from .._display.numbers import number
from ..errors import ParameterError
from ..params import check_result
from ..rank import Leaderboard, MetricRanking
from ._series import caption
from ._style import BLACK, CHARACTER, OKABE_ITO, SKY, Axes, axes, legend_beside, room_beside, short_names, style

_ROW, _MODEL = 0.16, 0.13  # inches per task, and per model in it
_LOOSE = 0.8  # share of a row that its models fill
CELL = "scorio-cell"  # the group id of the texts in cells
_CELL_ROW, _CELL_COLUMN, _LETTER = 0.3, 0.46, 0.1  # inches: a row, the narrowest column, and a letter in a cell
_WIDE, _FEW = 1.1, 8  # inches of a column, and the number of columns, up to which labels of tasks lie flat
_FONT, _SMALL = 8.5, 6.3  # points
_FRAME = OKABE_ITO[4]  # orange, which stands out from every blue
_LIGHTEST, _DARKEST = np.array([0.97, 0.98, 1.0]), np.array([0.03, 0.27, 0.53])  # one hue, that prints in gray too
_WHITE_BELOW = 0.18  # luminance of a cell below which white reads better than black


def tasks(board: Leaderboard | MetricRanking, ax: Axes | None = None) -> Axes:
    """Draw each model's score (point) and interval (line) on every task of a suite, below its overall score.

    Models stand in the order of their overall scores, the same in each row.

    >>> from scorio import Leaderboard, Suite, plot
    >>> suite = Suite({"add": {"a": [[1, 1], [0, 1]], "b": [[0, 1], [0, 0]]}, "mul": {"a": [[1, 0]], "b": [[0, 0]]}})
    >>> [label.get_text() for label in plot.tasks(Leaderboard("pass@1", suite)).get_yticklabels()]
    ['overall', 'add', 'mul']
    """
    ranking, metrics = _of_suite(board)
    rows = {OVERALL: ranking, **ranking.tasks}
    labels = short_names(list(rows))
    count = len(ranking.models)
    names = [ranking.models[i] for i in ranking.order]
    width = 5.0 + CHARACTER * max(map(len, labels)) + room_beside(names)
    ax = axes(ax, width, 1.2 + len(rows) * (_ROW + _MODEL * count))
    ax.axhspan(-0.5, 0.5, color=SKY, alpha=0.25, linewidth=0)
    offsets = (np.arange(count) - (count - 1) / 2.0) * _LOOSE / count
    handles = []
    for place, (i, offset) in enumerate(zip(ranking.order, offsets, strict=True)):
        look = style(place)
        y = np.arange(len(rows)) + offset
        ends = np.array([each.intervals[i][2:] for each in rows.values()])
        scores = [each.scores[i] for each in rows.values()]
        ax.hlines(y, ends[:, 0], ends[:, 1], color=look.color, linewidth=1.3)
        handles += ax.plot(scores, y, look.marker, color=look.color, markersize=4.5)
    legend_beside(ax, handles, names)
    ax.set_yticks(range(len(rows)), labels, parse_math=False)
    ax.set(ylim=(len(rows) - 0.5, -0.5), xlabel=f"{metrics}, {ranking.settings.percent} interval")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", visible=False)
    caption(ax, f"{ranking.extent}; {ranking.about}")
    return ax


def _of_suite(board: Leaderboard | MetricRanking) -> tuple[MetricRanking, str]:
    """Return the ranking of several tasks, and their metrics in words."""
    check_result("scorio.Leaderboard", "board", board, Leaderboard, MetricRanking)
    ranking = board.only if isinstance(board, Leaderboard) else board
    if not ranking.tasks:
        raise ParameterError("is the leaderboard of one task: plot.leaderboard draws it", argument="board")
    return ranking, ", ".join(sorted({str(each.metric) for each in ranking.tasks.values()}))


def heatmap(board: Leaderboard | MetricRanking, ax: Axes | None = None) -> Axes:
    """Draw the score of each model (row) on every task of a suite (column) as a cell: darker is higher.

    The small number is half the width of the interval. Frames and bold numbers mark the scores that are tied with the
    top model of their column. Models stand in the order of their overall scores, which are the first column.

    >>> from scorio import Leaderboard, Suite, plot
    >>> suite = Suite({"add": {"a": [[1, 1], [0, 1]], "b": [[0, 1], [0, 0]]}, "mul": {"a": [[1, 0]], "b": [[0, 0]]}})
    >>> [label.get_text() for label in plot.heatmap(Leaderboard("pass@1", suite)).get_xticklabels()]
    ['overall', 'add', 'mul']
    """
    ranking, metrics = _of_suite(board)
    scores, halves, tied = _cells(ranking)
    names, tasks = short_names([ranking.models[i] for i in ranking.order]), short_names([OVERALL, *ranking.tasks])
    column = max(_CELL_COLUMN, _LETTER * max(len(_short(score)) for score in scores.flat))
    longest = CHARACTER * max(map(len, tasks))
    column = max(column, longest) if longest <= _WIDE and len(tasks) <= _FEW else column
    is_tall = longest > column
    width = 0.6 + column * len(tasks) + CHARACTER * max(map(len, names))
    ax = axes(ax, max(width, 4.8), 0.9 + _CELL_ROW * len(names) + (longest if is_tall else 0.2))
    _draw(ax, scores, halves, tied)
    ax.set_xticks(range(len(tasks)), tasks, rotation=90 if is_tall else 0, parse_math=False)
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)
    ax.set_xlabel(f"{metrics}, ± half of the {ranking.settings.percent} interval")
    caption(ax, f"framed: tied with the top of the column; {ranking.extent}; {ranking.about}")
    return ax


def _cells(ranking: MetricRanking) -> tuple[Vector, Vector, Flags]:
    """Return scores, half the widths of their intervals, and ties with the top of the column: models by columns."""
    columns = [ranking, *ranking.tasks.values()]
    scores = np.array([each.scores[ranking.order] for each in columns]).T
    ends = np.array([[each.intervals[i][2:] for i in ranking.order] for each in columns])
    tied = np.array([each.tied_with_top[ranking.order] for each in columns]).T
    return scores, (ends[..., 1] - ends[..., 0]).T / 2.0, tied


def _draw(ax: Axes, scores: Vector, halves: Vector, tied: Flags) -> None:
    """Fill the cells, write the numbers in them, and frame the ties."""
    from matplotlib.patches import Rectangle

    rows, columns = scores.shape
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    colors = _colors(scores)
    edges = np.arange(max(rows, columns) + 1) - 0.5
    mesh = ax.pcolormesh(edges[: columns + 1], edges[: rows + 1], colors, edgecolors="white", linewidth=1.0)
    mesh.set_gid(CELL)
    shrink = min(1.0, 72.0 * ax.bbox.height / ax.figure.dpi / rows / (_CELL_ROW * 72.0 * 0.9))
    for (i, j), is_tied in np.ndenumerate(tied):
        ink = "white" if _luminance(colors[i, j]) < _WHITE_BELOW else BLACK
        look: dict[str, Any] = {"color": ink, "ha": "center", "parse_math": False, "gid": CELL}
        weight = "bold" if is_tied else "normal"
        ax.text(j, i + 0.04, _short(float(scores[i, j])), va="bottom", fontsize=_FONT * shrink, weight=weight, **look)
        ax.text(j, i + 0.1, f"±{_short(float(halves[i, j]))}", va="top", fontsize=_SMALL * shrink, **look)
        if is_tied:
            ax.add_patch(Rectangle((j - 0.45, i - 0.45), 0.9, 0.9, fill=False, edgecolor=_FRAME, linewidth=1.8))
    ax.axvline(0.5, color=BLACK, linewidth=1.2)


def _short(value: float) -> str:
    """Write a number with two decimals, without a leading zero.

    >>> _short(0.625), _short(1.0), _short(12.5)
    ('.62', '1.00', '12.50')
    """
    return number(float(value), 2).removeprefix("0")


def _colors(scores: Vector) -> Vector:
    """Return the colors of cells, (models, columns, 3): from the lowest to the highest score from light to dark."""
    low, high = np.nanmin(scores), np.nanmax(scores)
    place = np.nan_to_num((scores - low) / (high - low) if high > low else np.zeros(scores.shape))
    return np.asarray(_LIGHTEST + place[..., None] * (_DARKEST - _LIGHTEST))


def _luminance(color: Vector) -> float:
    """Return the relative luminance of a color, by which contrast is measured."""
    linear = np.where(color <= 0.03928, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))
