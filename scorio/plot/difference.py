"""The posterior of the difference between two models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..compare import Comparison
from .style import BLACK, BLUE, axes, shorts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTHS = 4.0  # standard deviations shown to either side


def compare(result: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the density of the difference, its interval shaded, and a broken line where the two models are equal.

    >>> import scorio
    >>> from scorio import plot
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> plot.compare(scorio.compare(scorio.PassAtK(1), A, B)).get_xlabel()
    'difference in pass@1, 95% interval shaded, P(above 0) = 0.9811'
    """
    from scipy.stats import t

    ax = axes(ax, 6.4, 3.4)
    first, second = shorts(result.names)
    if result.sigma > 0.0:
        law = t(result.degrees, result.difference, result.sigma)
        reach = max(_WIDTHS * result.sigma, result.hi - result.difference)
        x = result.difference + np.linspace(-reach, reach, 801)
        ax.plot(x, law.pdf(x), color=BLUE, linewidth=1.6)
        inside = np.linspace(result.lo, result.hi, 401)
        ax.fill_between(inside, law.pdf(inside), color=BLUE, alpha=0.25, linewidth=0)
    ax.axvline(result.difference, color=BLUE, linewidth=1.0)
    ax.axvline(0.0, color=BLACK, linestyle="--", linewidth=1.0)
    ax.set_title(f"{first}\nminus {second}", fontsize="medium", parse_math=False)
    ax.set(
        xlabel=f"difference in {result.metric}, {100 * result.confidence:.6g}% interval shaded, "
        f"P(above 0) = {result.p_better:.4g}",
        ylabel="density",
        yticks=[],
    )
    ax.set_ylim(bottom=0.0)
    return ax
