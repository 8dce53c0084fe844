"""Error rates of procedures: how often intervals contain the truth, and how likely a comparison shows a difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._display.charts import Axis, Chart, Mark
from .._display.numbers import percent
from .._display.words import SUBJECT, pluralize
from ..errors import ParameterError
from ..params import check_result
from ..planning import Design
from ._draw import Axes, draw

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
    sizes, place = np.unique([int(row["trials"]) for row in table], return_inverse=True)
    lane = 0.8 / len(shares)
    spread = (np.arange(len(table)) * _GOLDEN % 1.0 - 0.5) * 0.8 * lane
    marks = []
    for i, (column, name) in enumerate(shares.items()):
        coverages = np.array([float(row[column]) for row in table])
        centers = np.arange(len(sizes)) + (i + 0.5) * lane - 0.4
        means = np.bincount(place, coverages) / np.bincount(place)
        marks += [
            Mark("points", i, centers[place] + spread, coverages, look="faint", name=name),
            Mark("level", i, centers - lane / 2, means, centers + lane / 2, "thick", name),
        ]
    marks.append(Mark("rule", None, (), [confidence], look="dashed", name=f"nominal {confidence:g}"))
    trials = Axis("trials per question", names=[str(size) for size in sizes])
    note = f"point: one of {pluralize(len(table), 'dataset')}; bar: mean"
    return draw(Chart(trials, Axis("coverage probability", low=0.0, high=1.0), marks, note), ax)


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
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:2]
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
    marks = []
    for i, plan in enumerate(plans):
        reached = [plan.power(gap) if plan.is_possible(gap) else np.nan for gap in gaps]
        marks.append(Mark("line", i, gaps, reached, look="marked", name=f"{plan.n_questions:,} questions"))
    marks.append(Mark("rule", None, (), [goal], look="dashed"))
    profile = design.profile if isinstance(design.profile, str) else "given"
    note = (
        f"{design.metric} for {SUBJECT[design.target]}, {design.n_trials} trials, {profile} difficulties, "
        f"{percent(design.confidence)} confidence"
    )
    gap = Axis("true difference", low=0.0, high=widest)
    return draw(Chart(gap, Axis("power", low=0.0, high=1.0), marks, note, key="beside"), ax)
