"""Scores against what they cost: the models of a table of costs, and a metric by its budget in money."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._display.numbers import chance, percent, trials_each
from .._display.words import pluralize
from ..errors import ParameterError
from ..inference._prior import LEARNED, PriorLike
from ..metrics import Metric
from ..metrics._batch import intervals_of_set
from ..metrics._registry import as_metric
from ..rank import CostTable
from ..rank._cost_table import Costs, cost_per_trial
from ._budgets import MOST_BANDS, budgets_of, models_of
from ._labels import caption
from ._series import band, line, panel, points
from ._style import GRAY, axes, legend_beside, room_beside, style

_DECADE = 10.0  # an interval of a cost that reaches to zero is drawn to a tenth of the cost, on the logarithmic axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def frontier(table: CostTable, ax: Axes | None = None) -> Axes:
    """Draw the score of each model (point) with its interval (line) against its cost per trial.

    Where the costs of single trials are known, a line across is the interval of the mean cost.

    The steps connect the models that score higher than every cheaper one. The legend has the probability that this is
    so for the true scores; a model with a probability below one half is drawn hollow.

    >>> from scorio import OutcomeSet, cost_table, plot
    >>> R = {"large": [[1, 1, 1], [1, 1, 0]], "small": [[1, 0, 0], [0, 1, 1]]}
    >>> drawn = plot.frontier(cost_table("pass@1", OutcomeSet(R), {"large": 0.3, "small": 0.1}))
    >>> [text.get_text() for text in drawn.get_legend().get_texts()]
    ['small, on the frontier > .999', 'large, on the frontier 0.822']
    """
    names = [f"{row.model}, on the frontier {chance(row.on_frontier).replace('>', '> ')}" for row in table.rows]
    ax = axes(ax, 5.6 + room_beside(names), 4.0)
    handles = []
    for i, row in enumerate(table.rows):
        look = style(i)
        ax.vlines(row.cost, row.lo, row.hi, color=look.color, linewidth=1.3)
        if row.cost_lo is not None and row.cost_hi is not None:
            ax.hlines(row.score, max(row.cost_lo, row.cost / _DECADE), row.cost_hi, color=look.color, linewidth=1.3)
        fill = look.color if row.on_frontier >= 0.5 else "white"
        handles += ax.plot(row.cost, row.score, look.marker, color=look.color, markerfacecolor=fill, markersize=6.0)
    best = np.maximum.accumulate([row.score for row in table.rows])
    costs = [row.cost for row in table.rows]
    ax.step(costs, best, where="post", color=GRAY, linewidth=0.8, linestyle="--", zorder=0.5)
    _in_money(ax)
    ax.set(xlabel=f"{table.cost} per trial", ylabel=f"{table.metric}, {percent(table.confidence)} interval")
    legend_beside(ax, handles, names)
    caption(ax, f"dashed: best score for the money; hollow: probably not on the frontier; {table.extent}")
    return ax


def cost_curve(
    outcomes: Any,
    cost: Costs = None,
    ks: Iterable[int] | None = None,
    *,
    metric: Metric | str = "pass@1",
    confidence: float = 0.95,
    prior: PriorLike = LEARNED,
    target: str = "questions",
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric of budget k against the cost of k trials, for each model: mean (line), interval (band), scores.

    ``cost`` is that of ``cost_table``; the other arguments are those of ``pass_curve``.

    >>> from scorio import plot
    >>> R = {"a": [[1, 1, 0], [0, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]}
    >>> plot.cost_curve(R, {"a": 0.2, "b": 0.05}).get_xlabel()
    'cost of k trials of a question'
    """
    models = models_of(outcomes)
    named, prices = cost_per_trial(models, cost)
    budgets, first = budgets_of(models, ks), as_metric(metric)
    if first.budget is None:
        raise ParameterError(f"metric must have a budget k, as pass@1 has; got {first!r}")
    of_budget = [replace(first, k=k) for k in budgets]  # type: ignore[call-arg]
    xlabel = f"{named} of k trials of a question"
    ax = panel(ax, models.names, xlabel, f"{first.name or type(first).__name__}@k")
    handles = []
    for i, (name, matrix) in enumerate(models.items()):
        spent = np.array(budgets) * prices[name]
        intervals = np.array(intervals_of_set(of_budget, matrix, confidence, prior=prior, target=target))
        scored = [k for k in budgets if k <= matrix.min_trials]
        if len(models) <= MOST_BANDS:
            band(ax, i, spent, intervals[:, 2], intervals[:, 3])
        line(ax, i, spent, intervals[:, 0])
        handles.append(points(ax, i, np.array(scored) * prices[name], first.curve(matrix, scored)))
    _in_money(ax)
    if len(models) > 1:
        legend_beside(ax, handles, models.names)
    bands = f"bands: {percent(confidence)} intervals; " if len(models) <= MOST_BANDS else ""
    extent = f"{pluralize(models.n_questions, 'question')}, {trials_each(*models.trials_each)}"
    caption(ax, f"points: scores, k = {budgets[0]} to {budgets[-1]}; lines: posterior means; {bands}{extent}")
    return ax


def _in_money(ax: Axes) -> None:
    """Make the horizontal axis logarithmic, with plain numbers."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.margins(x=0.08)
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=9))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
