"""Charts of curves: over k, over a property of questions, over trials and over a true difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._base.charts import Axis, Chart, Kind, Mark, doublings
from .._base.numbers import percent, trials_each
from .._base.words import SUBJECT, pluralize
from ..curves import Convergence, ConvergenceTable, Curve, Forecast, Forecasts, Horizons
from ..planning import Design

_MOST_FANS, _MOST_BANDS = 2, 8  # more models than these have the widest intervals over k alone, or none
_FEW_BANDS = 4  # more models than these have none over a value
_PLACES, _PARTS = 81, 8  # of a logistic curve, and groups of questions whose mean is a point
_BESIDE = 0.014  # of the axis, by which models' intervals stand beside one another
_STEPS = 25  # true differences at which a power is computed


def over_k(forecasts: Forecasts, *, models: Sequence[str] | None = None) -> Chart:
    """Return the curves of models over k, by default of all; of a suite, the overall ones.

    Where one goes beyond the trials, bands are a fan of intervals, and forecasts are dashed and hollow.
    """
    models = forecasts.models if models is None else models
    levels = _levels_drawn(forecasts.levels, len(models))
    points = {model: forecasts.of(model) for model in models}
    shown = [point for of_model in points.values() for point in of_model]
    is_ahead = any(point.is_forecast for point in shown)
    trials = (min(point.trials_each[0] for point in shown), max(point.trials_each[1] for point in shown))
    extent = f"{pluralize(shown[0].n_questions, 'question')}, {trials_each(*trials)}; for {SUBJECT[forecasts.target]}"
    marks = [mark for i, curve in enumerate(points.items()) for mark in _of_curve(i, *curve, levels, is_ahead=is_ahead)]
    axis = Axis("k, trials per draw", "log", doublings(forecasts.ks[0], forecasts.ks[-1]))
    return Chart(axis, Axis(forecasts.metric), marks, _note(levels, extent, is_ahead=is_ahead), names_beside=True)


def _note(levels: Sequence[float], extent: str, *, is_ahead: bool) -> str:
    bands = f"bands: {', '.join(map(percent, levels))} intervals; " if levels else ""
    return f"points: scores; lines: posterior means; {'dashed, hollow: forecasts; ' * is_ahead}{bands}{extent}"


def _levels_drawn(levels: Sequence[float], models: int) -> Sequence[float]:
    """Return the levels of intervals that are drawn of so many models.

    >>> _levels_drawn((0.5, 0.95), 2), _levels_drawn((0.5, 0.95), 3), _levels_drawn((0.5, 0.95), 9)
    ((0.5, 0.95), (0.95,), ())
    """
    return levels if models <= _MOST_FANS else levels[-1:] if models <= _MOST_BANDS else ()


def _of_curve(i: int, model: str, points: Sequence[Forecast], levels: Sequence[float], *, is_ahead: bool) -> list[Mark]:
    """Return the marks of a curve; the dashed line begins where the solid one ends."""
    x, line = [point.k for point in points], [point.mu for point in points]
    values = [point.mu if point.score is None else point.score for point in points]
    n_scored = sum(point.score is not None for point in points)
    kind: Kind = "band" if len(x) > 1 else "upright"
    ends = [np.array([point.intervals[level] for point in points]).T for level in levels]
    bands = [Mark(kind, i, x, lo, hi, "fan" * (len(levels) > 1)) for lo, hi in ends]
    scores = Mark("points", i, x[:n_scored], values[:n_scored])
    if not is_ahead:
        return [*bands, Mark("line", i, x, line, name=model), scores]
    last = max(n_scored - 1, 0)
    return [
        *bands,
        Mark("line", i, x[:n_scored], line[:n_scored], look="solid"),
        Mark("line", i, x[last:], line[last:], look="dashed", name=model),
        scores,
        Mark("points", i, x[n_scored:], values[n_scored:], look="hollow"),
    ]


def horizon(horizons: Horizons) -> Chart:
    """Return the curves of models over the values of questions, with their horizons."""
    curves, has_bands = horizons.curves.values(), len(horizons.curves) <= _FEW_BANDS
    marks = [mark for i, curve in enumerate(curves) for mark in _of_model(i, curve, horizons, has_bands)]
    marks.append(Mark("rule", None, (), horizons.rates, look="dashed"))
    bands = f"bands: {percent(horizons.confidence)} intervals for {SUBJECT[horizons.target]}; " * has_bands
    sizes = pluralize(max(len(curve.values) for curve in curves), "question")
    note = f"{bands}points: eighths of the questions; diamonds: horizons; {horizons.metric}, {sizes}"
    value = Axis("value of a question", "log", doublings(*horizons.extent))
    return Chart(value, Axis("success", low=0.0, high=1.0), marks, note, horizons.as_title, names_beside=True)


def _of_model(i: int, curve: Curve, horizons: Horizons, has_band: bool) -> list[Mark]:
    """Return the marks of a model: its curve, the means of groups of questions, and its horizons.

    Where the interval of a horizon reaches beyond the data, its line does so up to the edge.
    """
    low, high = curve.extent
    places = curve.heights(curve.spread(_PLACES))
    at = [height.value for height in places]
    marks = [Mark("band", i, at, [height.lo for height in places], [height.hi for height in places])] * has_band
    marks += [
        Mark("line", i, at, [height.rate for height in places], name=curve.model),
        Mark("points", i, *_means(curve)),
    ]
    moved = _BESIDE * (i - (len(horizons.models) - 1) / 2.0)
    for rate in horizons.rates:
        crossing = horizons.of(curve.model, rate)
        if crossing.lo is not None or crossing.hi is not None:
            lo, hi = low if crossing.lo is None else crossing.lo, high if crossing.hi is None else crossing.hi
            marks.append(Mark("level", i, [lo], [rate + moved], [hi]))
        if crossing.value is not None:
            marks.append(Mark("points", i, [crossing.value], [rate + moved], look="diamond"))
    return marks


def _means(curve: Curve) -> tuple[list[float], list[float]]:
    """Return the middle value and the weighted mean of groups of questions with neighboring values."""
    order = np.argsort(curve.values, kind="stable")
    groups = [group for group in np.array_split(order, min(_PARTS, len(order))) if curve.weights[group].sum() > 0.0]
    middles = [float(np.median(curve.values[group])) for group in groups]
    return middles, [float(np.average(curve.rates[group], weights=curve.weights[group])) for group in groups]


def convergence(result: Convergence | ConvergenceTable, *, confidence: float = 0.95) -> Chart:
    """Return tau-b with the gold ranking over n; the band has the central ``confidence`` of replicates."""
    results = [result] if isinstance(result, Convergence) else list(result.values())
    marks = []
    for i, of_metric in enumerate(results):
        line = Mark("line", i, of_metric.n, of_metric.mean_tau, look="marked", name=str(of_metric.metric))
        marks += [Mark("band", i, of_metric.n, *of_metric.band(confidence)), line]
    note = f"line: mean; band: central {percent(confidence)} of replicates; {results[0].extent}"
    axes = Axis("n, trials per question", scale="whole"), Axis("Kendall's tau-b with gold ranking")
    return Chart(*axes, marks, note, names_beside=True)


def power(design: Design, *, goal: float = 0.8) -> Chart:
    """Return the power over the true difference with half of, all, twice and four times the questions of a design."""
    n = design.n_questions
    plans = [replace(design, n_questions=number) for number in (max(n // 2, 2), n, 2 * n, 4 * n)]
    widest = min(1.5 * float(np.nanmax([plan.detectable(goal) for plan in plans] + [0.01])), 0.9)
    gaps = np.linspace(0.0, widest, _STEPS + 1)[1:]
    marks = []
    for i, plan in enumerate(plans):
        reached = [plan.power(gap) if plan.is_possible(gap) else np.nan for gap in gaps]
        marks.append(Mark("line", i, gaps, reached, look="marked", name=f"{plan.n_questions:,} questions"))
    marks.append(Mark("rule", None, (), [goal], look="dashed"))
    note = (
        f"{design.metric} for {SUBJECT[design.target]}, {design.n_trials} trials, {design.profile} difficulties, "
        f"{percent(design.confidence)} confidence"
    )
    gap = Axis("true difference", low=0.0, high=widest)
    return Chart(gap, Axis("power", low=0.0, high=1.0), marks, note, names_beside=True)
