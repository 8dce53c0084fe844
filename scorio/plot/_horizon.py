"""Success over a property of the questions: curves of models, and where they cross rates."""

from __future__ import annotations

import numpy as np

from .._display.numbers import percent
from .._display.words import SUBJECT, pluralize
from ..curves import Curve, Horizons
from ..params import check_result
from ._series import band, caption, label_ends, line, panel, points
from ._style import GRAY, Axes, style

_PLACES = 81  # of a curve
_PARTS = 8  # groups of questions whose mean is a point
_BESIDE = 0.014  # of the axis, by which models' intervals stand beside one another
_MOST_BANDS = 4  # more models than this are drawn without bands, which would hide each other


def horizon(found: Horizons, ax: Axes | None = None) -> Axes:
    """Draw the success of each model over the value of a question: its logistic curve (line) with its interval (band).

    Points are the success of eighths of its questions. Dashed lines are the rates, and diamonds on them the horizons
    with their intervals; where an interval reaches beyond the data, its line does so up to the edge.

    >>> from scorio import plot
    >>> from scorio.curves import horizon
    >>> rows = [[1, 1], [1, 1], [1, 0], [1, 1], [0, 1], [0, 0], [1, 0], [0, 0]]
    >>> drawn = plot.horizon(horizon("pass@1", {"m": rows, "n": rows[::-1]}, [1, 2, 4, 8, 16, 32, 64, 128]))
    >>> [text.get_text() for text in drawn.texts][:2]
    ['m', 'n']
    """
    check_result("scorio.curves.horizon", "found", found, Horizons)
    curves = found.curves
    ax = panel(ax, found.models, "value of a question", "success")
    ends = []
    for i, curve in enumerate(curves.values()):
        places = curve.heights(curve.spread(_PLACES))
        at = [each.value for each in places]
        if len(curves) <= _MOST_BANDS:
            band(ax, i, at, [each.lo for each in places], [each.hi for each in places])
        line(ax, i, at, [each.rate for each in places])
        points(ax, i, *_means(curve))
        _mark(ax, i, found, curve)
        ends.append((at[-1], places[-1].rate))
    for rate in found.rates:
        ax.axhline(rate, color=GRAY, linestyle="--", linewidth=0.9, zorder=0.5)
    if curves.scale == "log":
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(-0.02, 1.02)
    label_ends(ax, found.models, ends)
    bands = f"bands: {percent(curves.confidence)} intervals for {SUBJECT[curves.target]}; " * (
        len(curves) <= _MOST_BANDS
    )
    sizes = pluralize(max(len(each.values) for each in curves.values()), "question")
    ax.set_title(found._title, fontsize="medium", parse_math=False)
    caption(ax, f"{bands}points: eighths of the questions; diamonds: horizons; {curves.metric}, {sizes}")
    return ax


def _means(curve: Curve) -> tuple[list[float], list[float]]:
    """Return the middle value and the weighted mean of groups of questions with neighboring values."""
    order = np.argsort(curve.values, kind="stable")
    groups = [each for each in np.array_split(order, min(_PARTS, len(order))) if curve.weights[each].sum() > 0.0]
    middles = [float(np.median(curve.values[each])) for each in groups]
    return middles, [float(np.average(curve.rates[each], weights=curve.weights[each])) for each in groups]


def _mark(ax: Axes, i: int, found: Horizons, curve: Curve) -> None:
    """Mark the horizons of a model with their intervals."""
    low, high = curve.extent
    beside = _BESIDE * (i - (len(found.models) - 1) / 2.0)
    for rate in found.rates:
        each = found.of(curve.model, rate)
        if each.lo is not None or each.hi is not None:
            ends = (low if each.lo is None else each.lo, high if each.hi is None else each.hi)
            ax.plot(ends, (rate + beside, rate + beside), color=style(i).color, linewidth=1.8, solid_capstyle="butt")
        if each.value is not None:
            ax.plot([each.value], [rate + beside], marker="D", color=style(i).color, markersize=5.0, linestyle="")
