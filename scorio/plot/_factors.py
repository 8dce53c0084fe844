"""An analysis of factors as pictures: margins with both intervals, and the interaction of models with a factor."""

from __future__ import annotations

import numpy as np

from .._display.charts import Axis, Chart, Mark, beside_one_another
from .._display.numbers import percent
from .._display.words import SUBJECT, unknown
from ..errors import ParameterError
from ..factorial import FactorAnalysis
from ..outcomes import MODEL
from ..params import check_result
from ._draw import Axes, draw

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
    places = range(len(rows))
    these = [each.these for each in rows]
    like = {i: each.like for i, each in enumerate(rows) if each.like is not None}
    marks = [
        Mark("rule", 5, (), [i - 0.5 for i in places[1:] if rows[i].factor != rows[i - 1].factor]),
        Mark("level", 0, [each[1] for each in these], places, [each[2] for each in these], "thick", "these levels"),
        Mark("points", 0, [each.mu for each in these], places, look="hollow", name="these levels"),
    ]
    if like:
        lo, hi = ([each[end] for each in like.values()] for end in (1, 2))
        marks.insert(1, Mark("level", None, lo, [*like], hi, name="levels like these"))
    names = [f"{each.factor}: {each.level}" for each in rows]
    return draw(Chart(Axis(_score(analysis)), Axis(names=names), marks, _about(analysis)), ax)


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
    scores = {each.levels: each.score for each in analysis.cells if each.factors == (MODEL, name)}
    if len(models) == 1:
        scores = {(models[0], each.level): each.these for each in analysis.margins if each.factor == name}
    marks = []
    for i, (model, moved) in enumerate(zip(models, beside_one_another(len(models), _LOOSE), strict=True)):
        mu, lo, hi = zip(*(scores[model, level][:3] for level in levels), strict=True)
        x = np.arange(len(levels)) + moved
        marks += [Mark("upright", i, x, lo, hi), Mark("line", i, x, mu, look="marked", name=model)]
    return draw(Chart(Axis(name, names=levels), Axis(_score(analysis)), marks, _about(analysis), key="beside"), ax)


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


def _score(analysis: FactorAnalysis) -> str:
    return f"{analysis._name}, {percent(analysis.confidence)} interval"


def _about(analysis: FactorAnalysis) -> str:
    return f"{analysis.extent}; for {SUBJECT[analysis.target]}"
