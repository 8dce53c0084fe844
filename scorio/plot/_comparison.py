"""Two models as pictures: the law of their difference, and the differences on tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from .._arrays import Vector
from .._display.charts import Axis, Chart, Mark, two_sets
from .._display.numbers import is_chance, percent, signed, signed_span
from ..comparison import Comparison
from ..inference import Level, SmoothLaw
from ..params import check_result
from ._draw import Axes, draw
from ._names import short_names

_WIDTHS, _PLACES = 4.0, 801  # standard deviations shown to either side, and places of a density
_SETS = "the interval excludes zero", "zero is in the interval"


def compare(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the density of the difference, its interval shaded, and a dashed line where the two models are equal.

    >>> import scorio
    >>> from scorio import plot
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> plot.compare(scorio.compare(scorio.PassAtK(1), A, B)).get_xlabel()
    'difference in pass@1, 95% interval shaded, P(above 0) = 0.987'
    """
    check_result("scorio.compare", "result", result, Comparison)
    marks = [Mark("rule", 0, [result.difference], ()), Mark("rule", None, [0.0], (), look="dashed")]
    if result.lo < result.difference < result.hi:
        density = _density(result)
        reach = max(_WIDTHS * result.sigma, result.hi - result.difference, result.difference - result.lo)
        x, inside = result.difference + np.linspace(-reach, reach, _PLACES), np.linspace(result.lo, result.hi, _PLACES)
        shaded = Mark("band", 0, inside, np.zeros(_PLACES), density(inside), "fan")
        marks = [Mark("line", 0, x, density(x)), shaded, *marks]
    first, second = short_names(result.names)
    said = f"{percent(result.confidence)} interval shaded, P(above 0) {is_chance(result.p_better)}"
    chart = Chart(
        Axis(f"difference in {result.metric}, {said}"),
        Axis("density", ticks=(), low=0.0),
        marks,
        f"{result.extent}; {result.about}",
        f"{first}\nminus {second}",
    )
    return draw(chart, ax)


def _density(result: Comparison) -> Callable[[Vector], Vector]:
    """Return the density of a paired difference, Student's t, or else a smooth one with this center and interval."""
    from scipy.stats import t

    if math.isfinite(result.degrees):
        return lambda x: np.asarray(t.pdf(x, result.degrees, result.difference, result.sigma))
    return SmoothLaw(result.difference, result.lo, result.hi, Level(result.confidence).critical()).density


def differences_chart(results: Mapping[str, Comparison]) -> Chart:
    """Return a row for each comparison, with its difference and interval."""
    spans = [(each.lo, each.difference, each.hi) for each in results.values()]
    told = [each.winner is not None for each in results.values()]
    marks = [Mark("rule", None, [0.0], (), look="dashed"), *two_sets(spans, told, _SETS)]
    numbers = [f"{signed(each.difference)} {signed_span(each.lo, each.hi)}" for each in results.values()]
    return Chart(Axis("difference"), Axis(names=[*results], beside=numbers), marks)
