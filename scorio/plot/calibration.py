"""How often intervals cover the truth, bank by bank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParameterError
from .style import BLACK, axes, key_above, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = {"default": "default", "calibrated": 'prior="eb", method="quantile"'}
_GOLDEN = 0.6180339887498949  # its multiples spread points evenly, whatever their number


def coverage(
    table: Sequence[Mapping[str, Any]],
    *,
    shares: Mapping[str, str] = SHARES,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of intervals that cover against the number of trials: a point a bank, a bar at the mean.

    ``table`` has a row a bank, such as those of ``docs/coverage.csv``: ``trials``, and for each of ``shares`` (a column
    and what to call it) the share of intervals that cover. ``level`` is the share that was promised.

    >>> from scorio import plot
    >>> rows = [{"trials": 4, "default": 0.81, "calibrated": 0.94}, {"trials": 8, "default": 0.88, "calibrated": 0.95}]
    >>> [label.get_text() for label in plot.coverage(rows).get_xticklabels()]
    ['4', '8']
    """
    if not table:
        raise ParameterError("table must have at least one row; got none")
    trials = np.array([int(row["trials"]) for row in table])
    sizes, place = np.unique(trials, return_inverse=True)
    ax = axes(ax, 8.0, 4.0)
    lane = 0.8 / len(shares)
    spread = (np.arange(len(table)) * _GOLDEN % 1.0 - 0.5) * 0.8 * lane
    handles = []
    for i, column in enumerate(shares):
        covered = np.array([float(row[column]) for row in table])
        color, marker, _ = look(i)
        centre = np.arange(len(sizes)) + (i + 0.5) * lane - 0.4
        (dots,) = ax.plot(
            centre[place] + spread, covered, marker, color=color, markersize=3, alpha=0.4, markeredgewidth=0
        )
        means = np.bincount(place, covered) / np.bincount(place)
        bars = ax.hlines(means, centre - lane / 2, centre + lane / 2, color=color, linewidth=3)
        handles.append((dots, bars))
    promised = ax.axhline(level, color=BLACK, linestyle="--", linewidth=1.0)
    key_above(ax, [*handles, promised], [*shares.values(), f"promised {level:g}"])
    ax.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    ax.set(xlabel="trials a question", ylabel="share of intervals that cover", ylim=(-0.02, 1.02))
    ax.grid(axis="y", alpha=0.3)
    return ax
