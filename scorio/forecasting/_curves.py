"""Metrics over k as curves, for pictures and reports."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from .._display.charts import Numbers
from ..metrics import Metric
from ..outcomes import OutcomeMatrix


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
    curves = []
    for name, matrix in models.items():
        ends = {level: np.array([of_k.interval(matrix, level, **options) for of_k in metrics]) for level in wanted}
        means, scored = ends[confidence][:, 0], [k for k in ks if k <= matrix.min_trials]
        bands = [(ends[level][:, 2], ends[level][:, 3]) for level in reversed(levels)]
        points = np.concatenate([metric.curve(matrix, scored), means[len(scored) :]])
        curves.append(Curve(name, ks, points, means, bands, len(scored)))
    return curves
