"""The posterior of the difference between two models."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import Vector
from .._display.numbers import is_chance, percent
from ..comparison import Comparison
from ..inference._interval import two_sided_z
from ..inference._smooth_law import SmoothLaw
from ._labels import caption
from ._style import BLACK, BLUE, axes, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTHS = 4.0  # standard deviations shown to either side


def compare(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the density of the difference, its interval shaded, and a dashed line where the two models are equal.

    >>> import scorio
    >>> from scorio import plot
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> plot.compare(scorio.compare(scorio.PassAtK(1), A, B)).get_xlabel()
    'difference in pass@1, 95% interval shaded, P(above 0) = 0.985'
    """
    ax = axes(ax, 6.4, 3.4)
    first, second = short_names(result.names)
    if result.lo < result.difference < result.hi:
        density = _density(result)
        reach = max(_WIDTHS * result.sigma, result.hi - result.difference, result.difference - result.lo)
        x = result.difference + np.linspace(-reach, reach, 801)
        ax.plot(x, density(x), color=BLUE, linewidth=1.6)
        inside = np.linspace(result.lo, result.hi, 401)
        ax.fill_between(inside, density(inside), color=BLUE, alpha=0.25, linewidth=0)
    ax.axvline(result.difference, color=BLUE, linewidth=1.0)
    ax.axvline(0.0, color=BLACK, linestyle="--", linewidth=1.0)
    ax.set_title(f"{first}\nminus {second}", fontsize="medium", parse_math=False)
    ax.set(
        xlabel=f"difference in {result.metric}, {percent(result.confidence)} interval shaded, "
        f"P(above 0) {is_chance(result.p_better)}",
        ylabel="density",
        yticks=[],
    )
    ax.set_ylim(bottom=0.0)
    ax.grid(axis="y", visible=False)
    caption(ax, f"{result.extent}; {result.about}")
    return ax


def _density(result: Comparison) -> Callable[[Vector], Vector]:
    """Return the density of a paired difference, Student's t, or else a smooth one with this center and interval."""
    from scipy.stats import t

    if math.isfinite(result.degrees):
        return lambda x: np.asarray(t.pdf(x, result.degrees, result.difference, result.sigma))
    return SmoothLaw(result.difference, result.lo, result.hi, two_sided_z(result.confidence)).density
