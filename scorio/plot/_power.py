"""Power: how likely a planned comparison is to show a difference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .._display.numbers import percent
from ..errors import ParameterError
from ..planning import Design
from ._labels import caption
from ._style import BLACK, axes, legend_above, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 25


def power(design: Design, *, questions: Iterable[int] | None = None, goal: float = 0.8, ax: Axes | None = None) -> Axes:
    """Draw the power of a planned comparison against the true difference, a line per number of questions.

    ``questions`` are the numbers of questions: by default half of the design's, its own, twice and four times as many.
    The dashed line is at the power ``goal``.

    >>> from scorio import Design, plot
    >>> ax = plot.power(Design(questions=100, trials=4))
    >>> [line.get_label() for line in ax.lines][:2]
    ['50 questions', '100 questions']
    """
    own = design.questions
    numbers = list(questions) if questions is not None else [max(own // 2, 2), own, 2 * own, 4 * own]
    if not numbers:
        raise ParameterError("must have at least one number", argument="questions")
    plans = [replace(design, questions=count) for count in numbers]
    widest = min(1.5 * float(np.nanmax([plan.detectable(goal) for plan in plans] + [0.01])), 0.9)
    gaps = np.linspace(0.0, widest, _POINTS + 1)[1:]
    ax = axes(ax, 6.4, 4.0)
    handles = []
    for i, plan in enumerate(plans):
        color, marker, line = style(i)
        reached = [plan.power(gap) if plan.is_possible(gap) else np.nan for gap in gaps]
        label = f"{plan.questions:,} questions"
        handles += ax.plot(gaps, reached, line, marker=marker, markevery=4, markersize=4, color=color, label=label)
    ax.axhline(goal, color=BLACK, linestyle="--", linewidth=1.0)
    legend_above(ax, handles, [f"{plan.questions:,} questions" for plan in plans])
    ax.set(xlabel="true difference", ylabel="power", xlim=(0.0, widest), ylim=(0.0, 1.02))
    how = "these questions" if design.target == "questions" else "questions like these"
    profile = design.profile if isinstance(design.profile, str) else "given"
    caption(
        ax,
        f"{design.metric} for {how}, {design.trials} trials, {profile} difficulties, "
        f"{percent(design.confidence)} confidence",
    )
    return ax
