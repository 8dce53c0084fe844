"""Error rates of procedures: how often intervals contain the truth, and how likely a comparison shows a difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._display.numbers import percent
from .._display.words import SUBJECT, pluralize
from ..errors import ParameterError
from ..params import check_result
from ..planning import Design
from ._series import caption
from ._style import BLACK, Axes, axes, legend_above, style

SHARES = {"default": "default", "calibrated": 'prior="learned", shape="quantile"'}
_GOLDEN = 0.6180339887498949  # the fractional parts of its multiples spread any number of points evenly
_POINTS = 25


def coverage(
    table: Sequence[Mapping[str, Any]],
    *,
    shares: Mapping[str, str] = SHARES,
    confidence: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the coverage probability of intervals against the number of trials: points and means.

    ``table`` has one row per dataset (one point), such as the rows of ``docs/coverage.csv``: the number of ``trials``,
    and in each column of ``shares`` the share of intervals that contain the truth. ``shares`` maps columns to labels.
    ``confidence`` is the nominal coverage probability.

    >>> from scorio import plot
    >>> rows = [{"trials": 4, "default": 0.81, "calibrated": 0.94}, {"trials": 8, "default": 0.88, "calibrated": 0.95}]
    >>> [label.get_text() for label in plot.coverage(rows).get_xticklabels()]
    ['4', '8']
    """
    _check_table(table, ("trials", *shares))
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
    nominal = ax.axhline(confidence, color=BLACK, linestyle="--", linewidth=1.0)
    legend_above(ax, [*handles, nominal], [*shares.values(), f"nominal {confidence:g}"])
    ax.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    ax.set(xlabel="trials per question", ylabel="coverage probability", ylim=(-0.02, 1.02))
    ax.grid(axis="x", visible=False)
    caption(ax, f"point: one of {pluralize(len(table), 'dataset')}; bar: mean")
    return ax


def _check_table(table: Any, columns: Sequence[str]) -> None:
    """Raise a ParameterError if ``table`` is not a list of rows that have these columns, each a number."""
    if not isinstance(table, Sequence) or not all(isinstance(row, Mapping) for row in table):
        problem = f"must be a list of dictionaries, one for each row; got {table.__class__.__name__}"
        raise ParameterError(problem, argument="table")
    if not table:
        raise ParameterError("must have at least one row; got none", argument="table")
    for number, row in enumerate(table, 1):
        for column in columns:
            try:
                float(row[column])
            except KeyError:
                problem = f"must have the column {column!r} in every row; row {number} has {', '.join(map(str, row))}"
                raise ParameterError(problem, argument="table") from None
            except (TypeError, ValueError):
                problem = f"must have numbers; row {number} has {row[column]!r} in the column {column!r}"
                raise ParameterError(problem, argument="table") from None


def power(
    design: Design, *, n_questions: Iterable[int] | None = None, goal: float = 0.8, ax: Axes | None = None
) -> Axes:
    """Draw the power of a planned comparison against the true difference, a line per number of questions.

    ``n_questions`` are numbers of questions: by default half of the design's, its own, twice and four times as many.
    The dashed line is at the power ``goal``.

    >>> from scorio import Design, plot
    >>> ax = plot.power(Design(n_questions=100, n_trials=4))
    >>> [line.get_label() for line in ax.lines][:2]
    ['50 questions', '100 questions']
    """
    check_result("scorio.Design", "design", design, Design)
    own = design.n_questions
    numbers = list(n_questions) if n_questions is not None else [max(own // 2, 2), own, 2 * own, 4 * own]
    if not numbers:
        raise ParameterError("must have at least one number", argument="n_questions")
    plans = [replace(design, n_questions=count) for count in numbers]
    widest = min(1.5 * float(np.nanmax([plan.detectable(goal) for plan in plans] + [0.01])), 0.9)
    gaps = np.linspace(0.0, widest, _POINTS + 1)[1:]
    ax = axes(ax, 6.4, 4.0)
    handles = []
    for i, plan in enumerate(plans):
        color, marker, line = style(i)
        reached = [plan.power(gap) if plan.is_possible(gap) else np.nan for gap in gaps]
        label = f"{plan.n_questions:,} questions"
        handles += ax.plot(gaps, reached, line, marker=marker, markevery=4, markersize=4, color=color, label=label)
    ax.axhline(goal, color=BLACK, linestyle="--", linewidth=1.0)
    legend_above(ax, handles, [f"{plan.n_questions:,} questions" for plan in plans])
    ax.set(xlabel="true difference", ylabel="power", xlim=(0.0, widest), ylim=(0.0, 1.02))
    how = SUBJECT[design.target]
    profile = design.profile if isinstance(design.profile, str) else "given"
    caption(
        ax,
        f"{design.metric} for {how}, {design.n_trials} trials, {profile} difficulties, "
        f"{percent(design.confidence)} confidence",
    )
    return ax
