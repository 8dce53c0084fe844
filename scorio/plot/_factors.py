"""An analysis of factors as pictures: margins with both intervals, and the interaction of models with a factor."""

from __future__ import annotations

import numpy as np

from .._display.numbers import percent
from .._display.words import SUBJECT, unknown
from ..errors import ParameterError
from ..factorial import Contrast, FactorAnalysis
from ..outcomes import MODEL
from ..params import check_result
from ._series import beside, caption, name_rows
from ._style import (
    BLACK,
    BLUE,
    CHARACTER,
    SKY,
    Axes,
    axes,
    legend_above,
    legend_beside,
    room_beside,
    short_names,
    style,
)

_ROW, _GAP = 0.24, 0.6  # inches per level; rows between two factors
_LOOSE = 0.5  # of the distance between two levels that the models take


def margins(analysis: FactorAnalysis, ax: Axes | None = None) -> Axes:
    """Draw the margins of models and of every factor: scores (points), and intervals for these levels (thick lines)
    and for levels like these (thin lines).

    >>> from scorio import OutcomeSet, analyze_factors, plot
    >>> rows = {f"{m} {p}": [[m < "b", p < "y"], [1, 0], [m < "b", 0]] for m in "ab" for p in "xyz"}
    >>> conditions = {name: {"model": name[0], "prompt": name[2]} for name in rows}
    >>> ax = plot.margins(analyze_factors("pass@1", OutcomeSet(rows, conditions=conditions)))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['model: a', 'model: b', 'prompt: x', 'prompt: y', 'prompt: z']
    """
    check_result("scorio.analyze_factors", "analysis", analysis, FactorAnalysis)
    rows = [each for name in analysis.levels for each in analysis.margins if each.factor == name]
    labels = short_names([f"{each.factor}: {each.level}" for each in rows])
    factor = np.array([list(analysis.levels).index(each.factor) for each in rows])
    places = np.arange(len(rows)) + _GAP * factor
    ax = axes(ax, 5.0 + CHARACTER * max(map(len, labels)), 1.4 + _ROW * (places[-1] + 1.0))
    handles, names = [], []
    like = [(place, each.like) for place, each in zip(places, rows, strict=True) if each.like is not None]
    if like:
        where, ends = np.array([place for place, _ in like]), np.array([each[1:3] for _, each in like])
        handles.append(ax.hlines(where, ends[:, 0], ends[:, 1], color=BLACK, linewidth=1.0))
        names.append("levels like these")
    ends = np.array([each.these[1:3] for each in rows])
    lines = ax.hlines(places, ends[:, 0], ends[:, 1], color=BLUE, linewidth=3.2)
    (points,) = ax.plot(
        [each.these.mu for each in rows], places, "o", color=BLUE, markerfacecolor="white", markersize=5
    )
    legend_above(ax, [(lines, points), *handles], ["these levels", *names])
    for place in places[1:][np.diff(factor) > 0]:
        ax.axhline(place - (1.0 + _GAP) / 2.0, color=SKY, linewidth=0.8)
    name_rows(ax, labels, places)
    ax.set_xlabel(_score(analysis))
    caption(ax, _about(analysis))
    return ax


def interaction(analysis: FactorAnalysis, factor: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the score of each model under each level of a factor, with intervals; lines of models that are not parallel
    show that the effect of the factor depends on the model.

    >>> from scorio import OutcomeSet, analyze_factors, plot
    >>> rows = {f"{m} {p}": [[m < "b", p < "y"], [1, 0], [m < "b", 0]] for m in "ab" for p in "xyz"}
    >>> conditions = {name: {"model": name[0], "prompt": name[2]} for name in rows}
    >>> ax = plot.interaction(analyze_factors("pass@1", OutcomeSet(rows, conditions=conditions)))
    >>> ax.get_xlabel(), [label.get_text() for label in ax.get_xticklabels()]
    ('prompt', ['x', 'y', 'z'])
    """
    check_result("scorio.analyze_factors", "analysis", analysis, FactorAnalysis)
    name = _chosen(analysis, factor)
    models, levels = analysis.levels[MODEL], analysis.levels[name]
    scores = _scores(analysis, name)
    shown = short_names(levels)
    step = max(0.6, CHARACTER * (1.0 + max(map(len, shown))), 0.14 * len(models))
    ax = axes(ax, 1.6 + step * len(levels) + room_beside(models), 3.8)
    handles = []
    for i, (model, offset) in enumerate(zip(models, beside(len(models), _LOOSE), strict=True)):
        look = style(i)
        own = np.array([scores[model, level][:3] for level in levels])
        x = np.arange(len(levels)) + offset
        ax.vlines(x, own[:, 1], own[:, 2], color=look.color, linewidth=1.3)
        handles += ax.plot(
            x, own[:, 0], marker=look.marker, linestyle=look.linestyle, color=look.color, markersize=5, linewidth=1.0
        )
    legend_beside(ax, handles, models)
    ax.set_xticks(range(len(levels)), shown, parse_math=False)
    ax.set_xlabel(name, parse_math=False)
    ax.set(xlim=(-0.6, len(levels) - 0.4), ylabel=_score(analysis))
    ax.tick_params(axis="x", length=0)
    ax.grid(axis="x", visible=False)
    caption(ax, _about(analysis))
    return ax


def _chosen(analysis: FactorAnalysis, factor: str | None) -> str:
    """Return the factor, by default the only one."""
    if factor is None and len(analysis.factors) == 1:
        return analysis.factors[0]
    if factor not in analysis.factors:
        problem = f"is missing: choose one of {', '.join(analysis.factors)}"
        raise ParameterError(
            problem if factor is None else f"has an {unknown('factor', factor, analysis.factors)}", argument="factor"
        )
    return factor


def _scores(analysis: FactorAnalysis, factor: str) -> dict[tuple[str, str], Contrast]:
    """Return the score of each model and level; the margins are those of the only model."""
    models = analysis.levels[MODEL]
    if len(models) == 1:
        return {(models[0], each.level): each.these for each in analysis.margins if each.factor == factor}
    cells = [each for each in analysis.cells if each.factors == (MODEL, factor)]
    return {(each.levels[0], each.levels[1]): each.score for each in cells}


def _score(analysis: FactorAnalysis) -> str:
    return f"{analysis._name}, {percent(analysis.confidence)} interval"


def _about(analysis: FactorAnalysis) -> str:
    return f"{analysis.extent}; for {SUBJECT[analysis.target]}"
