"""What k samples are worth by each rule of choice, between one sample and an oracle."""

from __future__ import annotations

from .._display.numbers import percent, score_text
from ..comparison import Selection
from ..params import check_result
from ._curves import mark_budgets
from ._series import band, caption, label_ends, marked, panel
from ._style import GRAY, Axes


def selection(found: Selection, ax: Axes | None = None) -> Axes:
    """Draw the score of each rule against k (line) with its interval (band); the dashed line is one sample.

    Between a rule and the oracle is what a better way to choose could gain from the same samples.

    >>> import scorio
    >>> from scorio import plot
    >>> answers = [["7", "7", "4", "7"], ["1", "2", "1", "3"], ["8", "8", "8", "5"]]
    >>> R = scorio.OutcomeMatrix([[1, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0]], answers=answers)
    >>> drawn = plot.selection(scorio.analyze_selection(R, ks=[1, 2, 3]))
    >>> [text.get_text() for text in drawn.texts][:2]
    ['pass', 'vote']
    """
    check_result("scorio.analyze_selection", "found", found, Selection)
    ax = panel(ax, found.rules, "k, samples per question", "expected score")
    ends = []
    for i, rule in enumerate(found.rules):
        points = found.of(rule)
        ks, scores = [each.k for each in points], [each.score for each in points]
        band(ax, i, ks, [each.lo for each in points], [each.hi for each in points])
        marked(ax, i, ks, scores)
        ends.append((float(ks[-1]), scores[-1]))
    ax.axhline(found.single.score, color=GRAY, linestyle="--", linewidth=0.9, zorder=0.5)
    mark_budgets(ax, list(found.ks))
    label_ends(ax, found.rules, ends)
    caption(
        ax,
        f"bands: {percent(found.confidence)} intervals; dashed: one sample, {score_text(found.single.score)};"
        f" {found.oracle}: what an oracle would choose; {found.extent}",
    )
    return ax
