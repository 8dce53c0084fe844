"""Charts of curves: over k, over a property of questions, over trials and over a true difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from .._base.charts import Axis, Chart, Kind, Mark, Numbers, doublings
from .._base.numbers import percent, trials_each
from .._base.words import SUBJECT, pluralize
from ..curves import Convergence, ConvergenceTable, Forecasts, Horizons
from ..curves import Curve as Logistic
from ..errors import ParameterError
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import count
from ..planning import Design

_MOST_BANDS, _FEW_BANDS = 8, 4  # more models than these, over k and over a value, are drawn without bands
_MOST_FANS, _MOST_WIDEST = 2, 4  # more models than these have the widest intervals of a fan alone, or none
_PLACES, _PARTS = 81, 8  # of a logistic curve, and groups of questions whose mean is a point
_BESIDE = 0.014  # of the axis, by which models' intervals stand beside one another
_STEPS = 25  # true differences at which a power is computed


class Curve(NamedTuple):
    """The values of one model over k: ``points``, a ``line``, and ``bands`` of intervals, the widest first.

    The first ``scored`` points are scores; the others are forecasts.
    """

    name: str
    k: Sequence[int]
    points: Numbers
    line: Numbers
    bands: Sequence[tuple[Numbers, Numbers]]
    scored: int


def curves_of(
    models: Mapping[str, OutcomeMatrix], metric: Metric, ks: Sequence[int], confidence: float, **options: Any
) -> list[Curve]:
    """Return the curve of each model over k: scores, posterior means, and intervals."""
    metrics = [replace(cast("Any", metric), k=k) for k in ks]
    model_curves = []
    for name, matrix in models.items():
        means, _, lo, hi = np.array([of_k.interval(matrix, confidence, **options) for of_k in metrics]).T
        scored = [k for k in ks if k <= matrix.min_trials]
        points = np.concatenate([metric.curve(matrix, scored), means[len(scored) :]])
        model_curves.append(Curve(name, ks, points, means, [(lo, hi)], len(scored)))
    return model_curves


def over_k(
    outcomes: Any,
    ks: Iterable[int] | None = None,
    *,
    metric: Metric | str = "pass@1",
    confidence: float = 0.95,
    **options: Any,
) -> Chart:
    """Return the curves of models over k."""
    models, first = _models(outcomes), as_metric(metric)
    if first.draw_size is None:
        raise ParameterError(f"metric must have a k, as pass@1 has; got {first!r}")
    fewest = min(matrix.min_trials for matrix in models.values())
    chosen = list(range(1, max(1, fewest) + 1)) if ks is None else sorted({count("k", k) for k in ks})
    if not chosen:
        raise ParameterError("must have at least one k; got none", argument="ks")
    levels = (confidence,) if len(models) <= _MOST_BANDS else ()
    model_curves = curves_of(models, first, chosen, confidence, **options)
    model_curves = [curve._replace(bands=curve.bands[: len(levels)]) for curve in model_curves]
    questions, label = pluralize(models.n_questions, "question"), f"{first.name or type(first).__name__}@k"
    extent = f"{questions}, {trials_each(*models.trials_each)}"
    title = f"{label} of {pluralize(len(models), 'model')} on {questions}"
    return curves(model_curves, label, _note(levels, extent, is_ahead=chosen[-1] > fewest))._replace(title=title)


def _models(outcomes: Any) -> OutcomeSet:
    """Return outcomes of one model, or of several, as a set of models."""
    if isinstance(outcomes, OutcomeSet):
        return outcomes
    return OutcomeSet([outcomes] if isinstance(outcomes, OutcomeMatrix) else outcomes)


def forecast(forecasts: Forecasts, *, models: Sequence[str] | None = None) -> Chart:
    """Return the forecasts of models, by default of all; of a suite, the overall ones."""
    models = forecasts.models if models is None else models
    levels = _levels_drawn(forecasts.levels, len(models))
    shown = [point for model in models for point in forecasts.of(model)]
    trials = (min(point.trials_each[0] for point in shown), max(point.trials_each[1] for point in shown))
    extent = f"{pluralize(shown[0].n_questions, 'question')}, {trials_each(*trials)}; for {SUBJECT[forecasts.target]}"
    note = _note(levels, extent, is_ahead=True)
    model_curves = []
    for model in models:
        points = forecasts.of(model)
        ends = [np.array([point.intervals[level] for point in points]).T for level in reversed(levels)]
        values = [point.mu if point.score is None else point.score for point in points]
        scored, bands = sum(point.score is not None for point in points), [(lo, hi) for lo, hi in ends]
        means = [point.mu for point in points]
        model_curves.append(Curve(model, [point.k for point in points], values, means, bands, scored))
    return curves(model_curves, forecasts.metric, note, is_ahead=True)


def _note(levels: Sequence[float], extent: str, *, is_ahead: bool) -> str:
    bands = f"bands: {', '.join(map(percent, levels))} intervals; " if levels else ""
    return f"points: scores; lines: posterior means; {'dashed, hollow: forecasts; ' * is_ahead}{bands}{extent}"


def _levels_drawn(levels: Sequence[float], models: int) -> Sequence[float]:
    """Return the levels of intervals that a fan shows of so many models.

    >>> _levels_drawn((0.5, 0.95), 2), _levels_drawn((0.5, 0.95), 3), _levels_drawn((0.5, 0.95), 5)
    ((0.5, 0.95), (0.95,), ())
    """
    return levels if models <= _MOST_FANS else levels[-1:] if models <= _MOST_WIDEST else ()


def curves(model_curves: Sequence[Curve], metric: str, note: str = "", *, is_ahead: bool | None = None) -> Chart:
    """Return curves over k.

    Where some curve looks ahead of its scores, bands are a fan of intervals, and forecasts are dashed and hollow.
    """
    if is_ahead is None:
        is_ahead = any(curve.scored < len(curve.k) for curve in model_curves)
    marks = [mark for i, curve in enumerate(model_curves) for mark in _of_curve(i, curve, is_ahead=is_ahead)]
    ks = model_curves[0].k
    return Chart(
        Axis("k, trials per draw", "log", doublings(ks[0], ks[-1])), Axis(metric), marks, note, names_beside=True
    )


def _of_curve(i: int, curve: Curve, *, is_ahead: bool) -> list[Mark]:
    """Return the marks of a curve; the dashed line begins where the solid one ends."""
    x, n_scored = curve.k, curve.scored
    kind: Kind = "band" if len(x) > 1 else "upright"
    bands = [Mark(kind, i, x, lo, hi, "fan" * is_ahead) for lo, hi in curve.bands]
    points = Mark("points", i, x[:n_scored], curve.points[:n_scored])
    if not is_ahead:
        return [*bands, Mark("line", i, x, curve.line, name=curve.name), points]
    last = max(n_scored - 1, 0)
    return [
        *reversed(bands),
        Mark("line", i, x[:n_scored], curve.line[:n_scored], look="solid"),
        Mark("line", i, x[last:], curve.line[last:], look="dashed", name=curve.name),
        points,
        Mark("points", i, x[n_scored:], curve.points[n_scored:], look="hollow"),
    ]


def horizon(horizons: Horizons) -> Chart:
    """Return the curves of models over the values of questions, with their horizons."""
    curves, has_bands = horizons.curves.values(), len(horizons.curves) <= _FEW_BANDS
    marks = [mark for i, curve in enumerate(curves) for mark in _of_model(i, curve, horizons, has_bands)]
    marks.append(Mark("rule", None, (), horizons.rates, look="dashed"))
    bands = f"bands: {percent(horizons.confidence)} intervals for {SUBJECT[horizons.target]}; " * has_bands
    sizes = pluralize(max(len(curve.values) for curve in curves), "question")
    note = f"{bands}points: eighths of the questions; diamonds: horizons; {horizons.metric}, {sizes}"
    value = Axis("value of a question")
    if horizons.scale == "log":
        value = value._replace(scale="log", ticks=doublings(*horizons.extent))
    return Chart(value, Axis("success", low=0.0, high=1.0), marks, note, horizons.as_title, names_beside=True)


def _of_model(i: int, curve: Logistic, horizons: Horizons, has_band: bool) -> list[Mark]:
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


def _means(curve: Logistic) -> tuple[list[float], list[float]]:
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
