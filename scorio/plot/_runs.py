"""Scores of runs over what trials alone would give."""

from __future__ import annotations

import numpy as np

from .._display.numbers import is_chance, number, percent
from ..inference import Level
from ..params import check_result
from ..planning import RunEffects
from ._series import caption, name_columns
from ._style import BLACK, GRAY, Axes, axes, style


def runs(effects: RunEffects, ax: Axes | None = None) -> Axes:
    """Draw the score of each run; the band is where trials alone would put it, and the dashed lines hold the next run.

    >>> import scorio
    >>> from scorio import plot
    >>> R = scorio.OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], runs=["mon", "tue", "wed"])
    >>> ax = plot.runs(scorio.planning.analyze_runs("pass@1", R))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['mon', 'tue', 'wed']
    """
    check_result("scorio.planning.analyze_runs", "effects", effects, RunEffects)
    ax = axes(ax, 5.6, 4.0)
    place, z = np.arange(len(effects.runs)), Level(effects.confidence).critical()
    color = style(0).color
    for at, noise in zip(place.tolist(), effects.noise.tolist(), strict=True):
        low, high = effects.score - z * noise, effects.score + z * noise
        ax.fill_between([at - 0.4, at + 0.4], low, high, color=GRAY, alpha=0.25, linewidth=0.0)
    ax.axhline(effects.score, color=BLACK, linewidth=0.8)
    following = effects.next_run()
    for end in (following.lo, following.hi):
        ax.axhline(end, color=color, linestyle="--", linewidth=0.8)
    ax.plot(place, effects.scores, marker="o", linestyle="none", color=color)
    name_columns(ax, [str(run) for run in effects.runs])
    ax.set_ylabel(str(effects.metric))
    said = (
        f"band: {percent(effects.confidence)} of runs that differ by trials alone;"
        f" p {is_chance(effects.p_value)}; dashed: the next run; standard deviation between runs {number(effects.sd)}"
    )
    caption(ax, said)
    return ax
