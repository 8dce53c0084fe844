"""Metrics against k, the number of trials per draw, and scores against what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._display.charts import Axis, Chart, Kind, Mark, Numbers, doublings, prices
from .._display.numbers import chance, percent, trials_each
from .._display.words import SUBJECT, pluralize
from ..comparison import Costs, cost_per_trial
from ..errors import ParameterError
from ..forecasting import Curve, Forecasts, curves_of, forecast_curves, levels_up_to
from ..inference import PriorLike
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import check_result, count
from ..rank import CostTable
from ._draw import Axes, draw

_MOST_BANDS = 8  # more models than this are drawn without bands, which would hide each other
_MOST_FANS, _MOST_WIDEST = 2, 4  # more models than these have the widest intervals of a fan alone, or none
_TENTH = 0.1  # of a cost: the end on a logarithmic axis of an interval that reaches to zero


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
    models = _models(outcomes)
    chart = _over_k(models, ks, metric, confidence, prior=prior, shape=shape, target=target)
    about = f"{pluralize(len(models), 'model')} on {pluralize(models.n_questions, 'question')}"
    return draw(chart._replace(title=f"{chart.y.label} of {about}"), ax)


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
    models = _models(outcomes)
    named, each = cost_per_trial(models, cost)
    chart = _over_k(models, ks, metric, confidence, each, prior=prior, target=target)
    axis = _in_money(f"{named} of k trials of a question", [x for mark in chart.marks for x in mark.x])
    return draw(chart._replace(x=axis, key="beside"), ax)


def forecast(found: Forecasts, ax: Axes | None = None) -> Axes:
    """Draw each model's values against k: solid up to its trials, with its scores (points), beyond dashed (hollow).

    Around the means is a fan of the intervals: of three and four models the widest alone, of more none. Of a suite, the
    values are the overall ones.

    >>> import scorio
    >>> from scorio import plot
    >>> solved = scorio.OutcomeMatrix.from_counts([1, 2, 5, 8, 13, 16, 16], 16)
    >>> drawn = plot.forecast(scorio.forecast("pass@1", {"a": solved, "b": solved}, k=[1, 4, 16, 60]))
    >>> [line.get_linestyle() for line in drawn.lines if line.get_linestyle() != "None"]
    ['-', '--', '-', '--']
    """
    return draw(forecast_chart(found), ax)


def forecast_chart(found: Forecasts, models: Sequence[str] | None = None) -> Chart:
    """Return the forecasts of models, by default of all."""
    check_result("scorio.forecast", "found", found, Forecasts)
    models = found.models if models is None else models
    levels = _levels_drawn(found.levels, len(models))
    shown = [point for model in models for point in found.of(model)]
    trials = (min(each.trials_each[0] for each in shown), max(each.trials_each[1] for each in shown))
    extent = f"{pluralize(shown[0].n_questions, 'question')}, {trials_each(*trials)}; for {SUBJECT[found.target]}"
    note = _note("points: scores", levels, extent, is_ahead=True)
    return curves_chart(forecast_curves(found, levels, models), found.metric, note, is_ahead=True)


def _models(outcomes: Any) -> OutcomeSet:
    """Return outcomes of one model, or of several, as a set of models."""
    if isinstance(outcomes, OutcomeSet):
        return outcomes
    return OutcomeSet([outcomes] if isinstance(outcomes, OutcomeMatrix) else outcomes)


def _over_k(
    models: OutcomeSet,
    ks: Iterable[int] | None,
    metric: Metric | str,
    confidence: float,
    price: Mapping[str, float] | None = None,
    **options: Any,
) -> Chart:
    """Return the curves of models over k, or over its price, with what they rest on."""
    first = as_metric(metric)
    if first._k is None:
        raise ParameterError(f"metric must have a k, as pass@1 has; got {first!r}")
    fewest = min(each.min_trials for each in models.values())
    chosen = list(range(1, max(1, fewest) + 1)) if ks is None else sorted({count("k", k) for k in ks})
    if not chosen:
        raise ParameterError("must have at least one k; got none", argument="ks")
    levels: Sequence[float] = (confidence,) if len(models) <= _MOST_BANDS else ()
    if is_ahead := chosen[-1] > fewest:
        levels = _levels_drawn(levels_up_to(confidence), len(models))
    curves = curves_of(models, first, chosen, levels, confidence, **options)
    extent = f"{pluralize(models.n_questions, 'question')}, {trials_each(*models.trials_each)}"
    points = f"points: scores{f', k = {chosen[0]} to {chosen[-1]}' if price else ''}"
    note = _note(points, levels, extent, is_ahead=is_ahead)
    return curves_chart(curves, f"{first.name or type(first).__name__}@k", note, price)


def _note(points: str, levels: Sequence[float], extent: str, *, is_ahead: bool) -> str:
    bands = f"bands: {', '.join(map(percent, levels))} intervals; " if levels else ""
    return f"{points}; lines: posterior means; {'dashed, hollow: forecasts; ' * is_ahead}{bands}{extent}"


def _levels_drawn(levels: Sequence[float], models: int) -> Sequence[float]:
    """Return the levels of intervals that a fan shows of so many models.

    >>> _levels_drawn((0.5, 0.95), 2), _levels_drawn((0.5, 0.95), 3), _levels_drawn((0.5, 0.95), 5)
    ((0.5, 0.95), (0.95,), ())
    """
    return levels if models <= _MOST_FANS else levels[-1:] if models <= _MOST_WIDEST else ()


def curves_chart(
    curves: Sequence[Curve],
    metric: str,
    note: str = "",
    price: Mapping[str, float] | None = None,
    *,
    is_ahead: bool | None = None,
    first: int = 0,
) -> Chart:
    """Return curves over k, or over its ``price``; the styles are those from the ``first`` one on.

    Where some curve looks ahead of its scores, bands are a fan of intervals, and forecasts are dashed and hollow.
    """
    if is_ahead is None:
        is_ahead = any(each.scored < len(each.k) for each in curves)
    marks = [
        mark
        for i, each in enumerate(curves, first)
        for mark in _marks(i, each, np.array(each.k) * (price[each.name] if price else 1.0), is_ahead=is_ahead)
    ]
    ks = curves[0].k
    return Chart(Axis("k, trials per draw", "log", doublings(ks[0], ks[-1])), Axis(metric), marks, note, key="ends")


def _marks(i: int, curve: Curve, x: Numbers, *, is_ahead: bool) -> list[Mark]:
    """Return the marks of a curve; the dashed line begins where the solid one ends."""
    known = curve.scored
    kind: Kind = "band" if len(x) > 1 else "upright"
    bands = [Mark(kind, i, x, lo, hi, "fan" * is_ahead) for lo, hi in curve.bands]
    points = Mark("points", i, x[:known], curve.points[:known])
    if not is_ahead:
        return [*bands, Mark("line", i, x, curve.line, name=curve.name), points]
    last = max(known - 1, 0)
    return [
        *reversed(bands),
        Mark("line", i, x[:known], curve.line[:known], look="solid"),
        Mark("line", i, x[last:], curve.line[last:], look="dashed", name=curve.name),
        points,
        Mark("points", i, x[known:], curve.points[known:], look="hollow"),
    ]


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
    marks = []
    for i, row in enumerate(table.rows):
        name = f"{row.model}, on the frontier {chance(row.on_frontier).replace('>', '> ')}"
        marks.append(Mark("upright", i, [row.cost], [row.lo], [row.hi]))
        if row.cost_lo is not None and row.cost_hi is not None:
            marks.append(Mark("level", i, [max(row.cost_lo, row.cost * _TENTH)], [row.score], [row.cost_hi]))
        marks.append(Mark("points", i, [row.cost], [row.score], look="hollow" * (row.on_frontier < 0.5), name=name))
    costs = [row.cost for row in table.rows]
    best = np.maximum.accumulate([row.score for row in table.rows])
    marks.append(Mark("line", None, costs, best, look="dashed steps"))
    note = f"dashed: best score for the money; hollow: probably not on the frontier; {table.extent}"
    label = f"{table.metric}, {percent(table.confidence)} interval"
    return draw(Chart(_in_money(f"{table.cost} per trial", costs), Axis(label), marks, note, key="beside"), ax)


def _in_money(label: str, costs: Sequence[float]) -> Axis:
    """Return a logarithmic axis; it is linear below the least cost if one is 0."""
    return Axis(label, "log", prices(min(costs), max(costs))) if all(costs) else Axis(label, "symlog")
