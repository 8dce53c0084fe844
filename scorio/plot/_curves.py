"""Metrics against k, the number of trials per draw, and scores against what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._display.numbers import chance, percent, trials_each
from .._display.words import pluralize
from ..comparison import Costs, cost_per_trial
from ..errors import ParameterError
from ..forecasting import curves_of, levels_up_to
from ..inference import PriorLike
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import check_result, count
from ..rank import CostTable
from ._series import caption, draw_curve, label_ends, levels_drawn, panel
from ._style import GRAY, Artist, Axes, axes, legend_beside, room_beside, style

_MOST_BANDS = 8  # more models than this are drawn without bands, which would hide each other
_WIDE = 2000  # the largest k over the smallest, from which on powers of ten are marked
_DECADE = 10.0  # an interval of a cost that reaches to zero is drawn to a tenth of the cost, on the logarithmic axis


def pass_curve(
    outcomes: Any,
    ks: Iterable[int] | None = None,
    *,
    metric: Metric | str = "pass@1",
    confidence: float = 0.95,
    prior: PriorLike | None = None,
    shape: str | None = None,
    target: str = "questions",
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric against its k for each model: posterior mean (line), interval (band), scores (points).

    ``outcomes`` is an OutcomeSet, anything that makes one, or the OutcomeMatrix of one model. ``ks`` are the values of
    k, by default all up to the fewest trials of a question. Beyond that number is a forecast, without scores: there
    lines are dashed and points hollow, and bands are a fan of intervals, as in ``plot.forecast``.
    ``metric`` is the metric whose k varies (``"passhat@1"`` for Pass^k). ``confidence``, ``prior``, ``shape`` and
    ``target`` are the arguments of ``Metric.interval``.

    >>> from scorio import plot
    >>> drawn = plot.pass_curve({"a": [[1, 1, 0], [0, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]}, ks=[1, 2, 4])
    >>> [text.get_text() for text in drawn.texts][:2]
    ['a', 'b']
    """
    models, first, chosen = _asked(outcomes, ks, metric)
    options: dict[str, Any] = {"prior": prior, "shape": shape, "target": target}
    ax = panel(ax, models.models, "k, trials per draw", f"{first.name or type(first).__name__}@k")
    drawn = _draw(ax, models, first, chosen, dict.fromkeys(models, 1.0), confidence, options)
    mark_budgets(ax, chosen)
    label_ends(ax, models.models, [(float(chosen[-1]), last) for _, last in drawn])
    about = f"{pluralize(len(models), 'model')} on {pluralize(models.n_questions, 'question')}"
    ax.set_title(f"{first.name or type(first).__name__}@k of {about}", fontsize="medium", parse_math=False)
    ahead = "dashed, hollow: forecasts; " * _is_ahead(models, chosen)
    caption(ax, f"points: scores; lines: posterior means; {ahead}{_about(models, chosen, confidence)}")
    return ax


def _asked(outcomes: Any, ks: Iterable[int] | None, metric: Metric | str) -> tuple[OutcomeSet, Metric, list[int]]:
    """Return the models, the metric whose k varies, and the values of k in order."""
    first = as_metric(metric)
    if first._k is None:
        raise ParameterError(f"metric must have a k, as pass@1 has; got {first!r}")
    single = isinstance(outcomes, OutcomeMatrix)
    models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet([outcomes] if single else outcomes)
    if ks is None:
        return models, first, list(range(1, max(1, min(each.min_trials for each in models.values())) + 1))
    chosen = sorted({count("k", k) for k in ks})
    if not chosen:
        raise ParameterError("must have at least one k; got none", argument="ks")
    return models, first, chosen


def _draw(
    ax: Axes,
    models: OutcomeSet,
    first: Metric,
    ks: list[int],
    prices: Mapping[str, float],
    confidence: float,
    options: Mapping[str, Any],
) -> list[tuple[Artist, float]]:
    """Draw every model against k times its price; return the points of its scores, and the last posterior mean."""
    curves = curves_of(models, first, ks, _levels(models, ks, confidence), confidence, **options)
    ahead = _is_ahead(models, ks)
    return [
        (draw_curve(ax, i, each, ahead=ahead, price=prices[each.name]), float(each.line[-1]))
        for i, each in enumerate(curves)
    ]


def _is_ahead(models: OutcomeSet, ks: Sequence[int]) -> bool:
    """Return whether some k is beyond the trials of a model."""
    return any(ks[-1] > each.min_trials for each in models.values())


def _levels(models: OutcomeSet, ks: Sequence[int], confidence: float) -> Sequence[float]:
    """Return the confidences of the bands that are drawn."""
    if _is_ahead(models, ks):
        return levels_drawn(levels_up_to(confidence), len(models))
    return (confidence,) if len(models) <= _MOST_BANDS else ()


def _about(models: OutcomeSet, ks: Sequence[int], confidence: float) -> str:
    levels = ", ".join(map(percent, _levels(models, ks, confidence)))
    bands = f"bands: {levels} intervals; " if levels else ""
    return f"{bands}{pluralize(models.n_questions, 'question')}, {trials_each(*models.trials_each)}"


def mark_budgets(ax: Axes, ks: list[int]) -> None:
    """Make the axis logarithmic; mark powers of two, and the ends, with whole numbers, or of many, powers of ten."""
    from matplotlib.ticker import FixedLocator, NullLocator

    if ks[-1] >= _WIDE * ks[0]:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        return
    ax.set_xscale("log", base=2)
    powers = [1 << i for i in range(ks[-1].bit_length()) if ks[0] <= 1 << i <= ks[-1]]
    kept = [k for k in powers if k == ks[-1] or 1.4 * k <= ks[-1]]
    ax.xaxis.set_major_locator(FixedLocator(sorted({ks[0], *kept, ks[-1]})))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")


def frontier(table: CostTable, ax: Axes | None = None) -> Axes:
    """Draw the score of each model (point) with its interval (line) against its cost per trial.

    Where the costs of single trials are known, a line across is the interval of the mean cost.

    The steps connect the models that score higher than every cheaper one. The legend has the probability that this is
    so for the true scores; a model with a probability below one half is drawn hollow.

    >>> from scorio import OutcomeSet, cost_table, plot
    >>> R = {"large": [[1, 1, 1], [1, 1, 0]], "small": [[1, 0, 0], [0, 1, 1]]}
    >>> drawn = plot.frontier(cost_table("pass@1", OutcomeSet(R), {"large": 0.3, "small": 0.1}))
    >>> [text.get_text() for text in drawn.get_legend().get_texts()]
    ['small, on the frontier > .999', 'large, on the frontier 0.842']
    """
    check_result("scorio.cost_table", "table", table, CostTable)
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
    _in_money(ax, costs)
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
    prior: PriorLike | None = None,
    target: str = "questions",
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric against the cost of k trials, for each model: mean (line), interval (band), scores.

    ``cost`` is that of ``cost_table``; the other arguments are those of ``pass_curve``.

    >>> from scorio import plot
    >>> R = {"a": [[1, 1, 0], [0, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]}
    >>> plot.cost_curve(R, {"a": 0.2, "b": 0.05}).get_xlabel()
    'cost of k trials of a question'
    """
    models, first, chosen = _asked(outcomes, ks, metric)
    named, prices = cost_per_trial(models, cost)
    ax = panel(ax, models.models, f"{named} of k trials of a question", f"{first.name or type(first).__name__}@k")
    drawn = _draw(ax, models, first, chosen, prices, confidence, {"prior": prior, "target": target})
    _in_money(ax, prices.values())
    if len(models) > 1:
        legend_beside(ax, [shown for shown, _ in drawn], models.models)
    ahead = "dashed, hollow: forecasts; " * _is_ahead(models, chosen)
    about = f"{ahead}{_about(models, chosen, confidence)}"
    caption(ax, f"points: scores, k = {chosen[0]} to {chosen[-1]}; lines: posterior means; {about}")
    return ax


def _in_money(ax: Axes, costs: Iterable[float]) -> None:
    """Make the horizontal axis logarithmic, with plain numbers; it is linear below the least cost if one is 0."""
    from matplotlib.ticker import LogLocator, NullFormatter

    if not all(costs := [*costs]):
        ax.set_xscale("symlog", linthresh=min(filter(None, costs), default=1.0))
        return
    ax.set_xscale("log")
    ax.margins(x=0.08)
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=9))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
