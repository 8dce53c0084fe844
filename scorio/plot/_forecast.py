"""Forecasts: a metric for k up to far more than the trials, with a fan of intervals."""

from __future__ import annotations

from collections.abc import Sequence

from .._display.numbers import percent, trials_each
from .._display.words import SUBJECT, pluralize
from ..forecasting import Forecast, Forecasts
from ._curves import mark_budgets
from ._series import caption, label_ends, marker_size, panel, points
from ._style import Axes, style

_MOST_FANS, _MOST_BANDS = 2, 4  # more models than these have the widest intervals alone, or none: they would hide lines
_FILL = 0.14  # opacity of one interval of a fan
_WIDE = 100  # the largest k over the smallest, from which on powers of ten are marked


def forecast(found: Forecasts, ax: Axes | None = None) -> Axes:
    """Draw each model's values against k: solid up to its trials, with its scores (points), beyond dashed (hollow).

    Around the means is a fan of the intervals: of three and four models the widest alone, of more none. Of a suite, the
    values are the overall ones.

    >>> import scorio
    >>> from scorio import plot
    >>> solved = scorio.OutcomeMatrix.from_counts([1, 2, 5, 8, 13, 16, 16], 16)
    >>> drawn = plot.forecast(scorio.forecast("pass@1", {"a": solved, "b": solved}, k=[1, 4, 16, 60]))
    >>> [line.get_linestyle() for line in drawn.lines if line.get_linestyle() != "None"]
    ['-', '--', '-', '--']
    """
    models = {name: found.of(name) for name in found.models}
    ax = panel(ax, [*models], "k, trials per draw", found.metric)
    fan = found.levels if len(models) <= _MOST_FANS else found.levels[-1:] if len(models) <= _MOST_BANDS else ()
    for i, each in enumerate(models.values()):
        _draw(ax, i, each, fan)
    _mark(ax, found.ks)
    if len(models) > 1:
        label_ends(ax, [*models], [(float(each[-1].k), each[-1].mu) for each in models.values()])
    shown = [point for each in models.values() for point in each]
    trials = (min(each.trials_each[0] for each in shown), max(each.trials_each[1] for each in shown))
    bands = f"bands: {', '.join(map(percent, fan))} intervals; " if fan else ""
    extent = f"{pluralize(shown[0].n_questions, 'question')}, {trials_each(*trials)}; for {SUBJECT[found.target]}"
    caption(ax, f"points: scores; lines: posterior means; dashed, hollow: forecasts; {bands}{extent}")
    return ax


def _draw(ax: Axes, i: int, values: Sequence[Forecast], fan: Sequence[float]) -> None:
    """Draw one model; the dashed line begins where the solid one ends."""
    color, ks = style(i).color, [each.k for each in values]
    for level in fan:
        lo, hi = zip(*(each.intervals[level] for each in values), strict=True)
        ax.fill_between(ks, lo, hi, facecolor=(color, _FILL), linewidth=0.0)
        if len(ks) == 1:
            ax.vlines(ks, lo, hi, color=(color, 3.0 * _FILL), linewidth=5.0)
    scored = [each for each in values if not each.is_forecast]
    rest = [each for each in values if each.is_forecast]
    for part, dashes in ((scored, "-"), ([*scored[-1:], *rest], "--")):
        ax.plot([each.k for each in part], [each.mu for each in part], color=color, linestyle=dashes, linewidth=1.6)
    for part, fill in ((scored, color), (rest, "white")):
        at = [each.mu if each.score is None else each.score for each in part]
        marks = points(ax, i, [each.k for each in part], at)
        marks.set(markerfacecolor=fill, markersize=marker_size(ks))


def _mark(ax: Axes, ks: Sequence[int]) -> None:
    """Mark k on a logarithmic axis."""
    if ks[-1] < _WIDE * ks[0]:
        ax.set_xscale("log", base=2)
        mark_budgets(ax, [*ks])
        return
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
