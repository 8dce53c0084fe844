"""Forecasts: a metric for k up to far more than the trials, with a fan of intervals."""

from __future__ import annotations

from .._display.numbers import percent, trials_each
from .._display.words import SUBJECT, pluralize
from ..forecasting import Forecasts, forecast_curves
from ..params import check_result
from ._curves import mark_budgets
from ._series import caption, draw_curve, label_ends, levels_drawn, panel
from ._style import Axes


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
    check_result("scorio.forecast", "found", found, Forecasts)
    models = {name: found.of(name) for name in found.models}
    ax = panel(ax, [*models], "k, trials per draw", found.metric)
    levels = levels_drawn(found.levels, len(models))
    for i, each in enumerate(forecast_curves(found, levels)):
        draw_curve(ax, i, each, ahead=True)
    mark_budgets(ax, [*found.ks])
    label_ends(ax, [*models], [(float(each[-1].k), each[-1].mu) for each in models.values()])
    shown = [point for each in models.values() for point in each]
    trials = (min(each.trials_each[0] for each in shown), max(each.trials_each[1] for each in shown))
    bands = f"bands: {', '.join(map(percent, levels))} intervals; " if levels else ""
    extent = f"{pluralize(shown[0].n_questions, 'question')}, {trials_each(*trials)}; for {SUBJECT[found.target]}"
    caption(ax, f"points: scores; lines: posterior means; dashed, hollow: forecasts; {bands}{extent}")
    return ax
