"""Metrics over k as curves, for pictures and reports."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from .._display.charts import Numbers
from ..metrics import Metric
from ..outcomes import OutcomeMatrix
from ._forecasts import Forecasts


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
    models: Mapping[str, OutcomeMatrix],
    metric: Metric,
    ks: Sequence[int],
    levels: Sequence[float],
    confidence: float,
    **options: Any,
) -> list[Curve]:
    """Return the curve of each model over k: scores, posterior means at this confidence, intervals at the levels."""
    metrics = [replace(cast("Any", metric), k=k) for k in ks]
    wanted = dict.fromkeys((*levels, confidence))
    found = []
    for name, matrix in models.items():
        ends = {level: np.array([each.interval(matrix, level, **options) for each in metrics]) for level in wanted}
        means, scored = ends[confidence][:, 0], [k for k in ks if k <= matrix.min_trials]
        bands = [(ends[level][:, 2], ends[level][:, 3]) for level in reversed(levels)]
        points = np.concatenate([metric.curve(matrix, scored), means[len(scored) :]])
        found.append(Curve(name, ks, points, means, bands, len(scored)))
    return found


def forecast_curves(found: Forecasts, levels: Sequence[float], models: Sequence[str] | None = None) -> list[Curve]:
    """Return the curves of models, by default all, with the intervals at these levels."""
    curves = []
    for model in found.models if models is None else models:
        values = found.of(model)
        bands = [
            ([each.intervals[level][0] for each in values], [each.intervals[level][1] for each in values])
            for level in reversed(levels)
        ]
        points = [each.mu if each.score is None else each.score for each in values]
        scored = sum(each.score is not None for each in values)
        curves.append(Curve(model, [each.k for each in values], points, [each.mu for each in values], bands, scored))
    return curves
