"""Coverage probability: how often intervals contain the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._display.words import pluralize
from ..errors import ParameterError
from ._labels import caption
from ._style import BLACK, axes, legend_above, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = {"default": "default", "calibrated": 'prior="learned", shape="quantile"'}
_GOLDEN = 0.6180339887498949  # the fractional parts of its multiples spread any number of points evenly


def coverage(
    table: Sequence[Mapping[str, Any]],
    *,
    shares: Mapping[str, str] = SHARES,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the coverage probability of intervals against the number of trials: points and means.

    ``table`` has one row per dataset (one point), such as the rows of ``docs/coverage.csv``: the number of ``trials``,
    and in each column of ``shares`` the share of intervals that contain the truth. ``shares`` maps columns to labels.
    ``level`` is the nominal coverage probability.

    >>> from scorio import plot
    >>> rows = [{"trials": 4, "default": 0.81, "calibrated": 0.94}, {"trials": 8, "default": 0.88, "calibrated": 0.95}]
    >>> [label.get_text() for label in plot.coverage(rows).get_xticklabels()]
    ['4', '8']
    """
    if not table:
        raise ParameterError("must have at least one row; got none", argument="table")
    trials = np.array([int(row["trials"]) for row in table])
    sizes, place = np.unique(trials, return_inverse=True)
    ax = axes(ax, 8.0, 4.0)
    lane = 0.8 / len(shares)
    spread = (np.arange(len(table)) * _GOLDEN % 1.0 - 0.5) * 0.8 * lane
    handles = []
    for i, column in enumerate(shares):
        coverages = np.array([float(row[column]) for row in table])
        color, marker, _ = style(i)
        center = np.arange(len(sizes)) + (i + 0.5) * lane - 0.4
        (dots,) = ax.plot(
            center[place] + spread, coverages, marker, color=color, markersize=3, alpha=0.4, markeredgewidth=0
        )
        means = np.bincount(place, coverages) / np.bincount(place)
        bars = ax.hlines(means, center - lane / 2, center + lane / 2, color=color, linewidth=3)
        handles.append((dots, bars))
    nominal = ax.axhline(level, color=BLACK, linestyle="--", linewidth=1.0)
    legend_above(ax, [*handles, nominal], [*shares.values(), f"nominal {level:g}"])
    ax.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    ax.set(xlabel="trials per question", ylabel="coverage probability", ylim=(-0.02, 1.02))
    ax.grid(axis="x", visible=False)
    caption(ax, f"point: one of {pluralize(len(table), 'dataset')}; bar: mean")
    return ax
