"""Charts of scores and differences with their intervals: a row, or a place along the axis, for each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .._base.charts import Axis, Chart, Mark, beside_one_another, intervals, prices, short_names, two_sets
from .._base.choices import OVERALL
from .._base.numbers import chance, difference_span, percent, score_text, span
from .._base.words import SUBJECT, in_order, unknown
from ..comparison import Comparison, History, HistoryPoint
from ..errors import ParameterError
from ..factorial import FactorAnalysis
from ..outcomes._column_names import MODEL
from ..rank import CostTable, Leaderboard
from ..rank._comparisons import Comparisons
from ..rank._metric_ranking import MetricRanking

_TOP = "in the top set", "not in the top set"
_CALLED = "the interval excludes zero", "zero is in the interval"
_ROW, _BETWEEN = 0.8, 0.5  # shares of a row, and of the room between two places, that models fill
_OFFSET = 0.07  # of a step between runs, by which series stand beside one another
_TENTH = 0.1  # of a cost: the end on a logarithmic axis of an interval that reaches to zero


def leaderboard(board: Leaderboard | MetricRanking, *, by_task: bool = False) -> Chart:
    """Return a row for each model, the top set shaded; or ``by_task``, a row for each task."""
    ranking = board.only if isinstance(board, Leaderboard) else board
    if by_task:
        return _tasks(ranking)
    tied, spans = zip(*((row.tied_with_top, (row.lo, row.point, row.hi)) for row in ranking.rows), strict=True)
    marks = [Mark("shade", 5, (), np.flatnonzero(tied)), *two_sets(spans, tied, _TOP)]
    numbers = [f"{score_text(row.score)} {span(row.lo, row.hi)}" for row in ranking.rows]
    names = [f"{row.rank:g}. {row.model}" for row in ranking.rows]
    label = f"{ranking.name}, {ranking.settings.percent} interval"
    return Chart(Axis(label), Axis(names=names, beside=numbers), marks, f"{ranking.extent}; {ranking.about}")


def _tasks(ranking: MetricRanking) -> Chart:
    """Return a row for each task and one for all, with an interval for each model, in the order of overall scores."""
    if not ranking.tasks:
        raise ParameterError("is for the leaderboard of a suite, and this one is of one task", argument="by_task")
    rows: Mapping[str, MetricRanking] = {OVERALL: ranking, **ranking.tasks}
    models = [row.model for row in ranking.rows]
    marks = [Mark("shade", 5, (), [0.0])]
    for i, (model, moved) in enumerate(zip(models, beside_one_another(len(models), _ROW), strict=True)):
        of_model = (next(row for row in board.rows if row.model == model) for board in rows.values())
        spans = [(row.lo, row.point, row.hi) for row in of_model]
        marks += intervals(i, np.arange(len(rows)) + moved, spans, name=model)
    metrics = ", ".join(sorted({str(board.metric) for board in ranking.tasks.values()}))
    label = f"{metrics}, {ranking.settings.percent} interval"
    return Chart(Axis(label), Axis(names=[*rows]), marks, f"{ranking.extent}; {ranking.about}", names_beside=True)


def differences(result: Comparison | Comparisons) -> Chart:
    """Return a row for each comparison, by every metric and on every task, with its difference and interval."""
    parts = (result,) if isinstance(result, Comparison) else result.parts
    rows = []
    for part in parts:
        by = f", {part.metric}" * (len(parts) > 1)
        rows.append((str(part.metric), part))
        rows += [(task + by, on_task) for task, on_task in (part.tasks or {}).items()]
    spans = [(part.lo, part.difference, part.hi) for _, part in rows]
    told = [part.winner is not None for _, part in rows]
    marks = [Mark("rule", None, [0.0], (), look="dashed"), *two_sets(spans, told, _CALLED)]
    numbers = [difference_span(gap, lo, hi) for lo, gap, hi in spans]
    first = parts[0]
    label = f"difference, {percent(first.confidence)} interval"
    about = "{} minus {}: {}; {}".format(*short_names(first.names), first.extent, first.about)
    return Chart(Axis(label), Axis(names=[name for name, _ in rows], beside=numbers), marks, about)


def cost_frontier(table: CostTable) -> Chart:
    """Return the score of each model against its cost, with steps through those that beat every cheaper one."""
    marks = []
    for i, row in enumerate(table.rows):
        name = f"{row.model}, on the frontier {chance(row.on_frontier).replace('>', '> ')}"
        marks.append(Mark("upright", i, [row.cost], [row.lo], [row.hi]))
        if row.cost_lo is not None and row.cost_hi is not None:
            marks.append(Mark("level", i, [max(row.cost_lo, row.cost * _TENTH)], [row.score], [row.cost_hi]))
        marks.append(Mark("points", i, [row.cost], [row.score], look="hollow" * (row.on_frontier < 0.5), name=name))
    costs = [row.cost for row in table.rows]
    paid = Axis(f"{table.cost} per trial", "symlog")
    if all(costs):
        paid = paid._replace(scale="log", ticks=prices(min(costs), max(costs)))
    best = np.maximum.accumulate([row.score for row in table.rows])
    marks.append(Mark("line", None, costs, best, look="dashed steps"))
    note = f"dashed: best score for the money; hollow: probably not on the frontier; {table.extent}"
    label = f"{table.metric}, {percent(table.confidence)} interval"
    return Chart(paid, Axis(label), marks, note, names_beside=True)


def margins(analysis: FactorAnalysis, *, factor: str | None = None) -> Chart:
    """Return the margins of models and factors, with both intervals; with a ``factor``, the cells of it and models."""
    if factor is not None:
        return _interaction(analysis, factor)
    rows = [margin for name in analysis.levels for margin in analysis.margins if margin.factor == name]
    places, these = range(len(rows)), [margin.these for margin in rows]
    like = {i: margin.like for i, margin in enumerate(rows) if margin.like is not None}
    marks = [
        Mark("rule", 5, (), [i - 0.5 for i in places[1:] if rows[i].factor != rows[i - 1].factor]),
        Mark("level", 0, [score[1] for score in these], places, [score[2] for score in these], "thick", "these levels"),
        Mark("points", 0, [score.mu for score in these], places, look="hollow", name="these levels"),
    ]
    if like:
        lo, hi = ([score[end] for score in like.values()] for end in (1, 2))
        marks.insert(1, Mark("level", None, lo, [*like], hi, name="levels like these"))
    names = Axis(names=[f"{margin.factor}: {margin.level}" for margin in rows])
    return Chart(_score(analysis), names, marks, _about(analysis))


def _interaction(analysis: FactorAnalysis, factor: str) -> Chart:
    """Return the score of each model under each level of a factor."""
    if factor not in analysis.factors:
        raise ParameterError(f"has an {unknown('factor', factor, analysis.factors)}", argument="factor")
    models, levels = analysis.levels[MODEL], analysis.levels[factor]
    scores = {cell.levels: cell.score for cell in analysis.cells if cell.factors == (MODEL, factor)}
    if len(models) == 1:
        scores = {(models[0], margin.level): margin.these for margin in analysis.margins if margin.factor == factor}
    marks = []
    for i, (model, moved) in enumerate(zip(models, beside_one_another(len(models), _BETWEEN), strict=True)):
        mu, lo, hi = zip(*(scores[model, level][:3] for level in levels), strict=True)
        x = np.arange(len(levels)) + moved
        marks += [Mark("upright", i, x, lo, hi), Mark("line", i, x, mu, look="marked", name=model)]
    return Chart(Axis(factor, names=levels), _score(analysis), marks, _about(analysis), names_beside=True)


def _score(analysis: FactorAnalysis) -> Axis:
    return Axis(f"{analysis.metric}, {percent(analysis.confidence)} interval")


def _about(analysis: FactorAnalysis) -> str:
    return f"{analysis.extent}; for {SUBJECT[analysis.target]}"


def history(result: History) -> Chart:
    """Return the scores of every series over runs, with what is called."""
    series = result.series
    names = in_order([point.run for point in points] for points in series.values())
    marks = []
    for i, points in enumerate(series.values()):
        marks += _of_series(i, points, names, _OFFSET * (i - (len(series) - 1) / 2.0))
    if drifted := list(dict.fromkeys(names.index(point.run) - 0.5 for point in result.drift)):
        marks.append(Mark("rule", None, drifted, (), look="dotted", name="other circumstances from here"))
    metrics = ", ".join(dict.fromkeys(point.metric for point in result.rows))
    label = f"{metrics}, {percent(result.confidence)} intervals"
    note = f"{result.extent}; changes at an error rate of {1.0 - result.confidence:.2g} for all comparisons together"
    return Chart(Axis(names=names), Axis(label), marks, note, names_beside=True)


def _of_series(i: int, points: list[HistoryPoint], names: list[str], moved: float) -> list[Mark]:
    """Return the marks of a series: intervals, the line through the scores, and a sign around each called run."""
    x = np.array([names.index(point.run) for point in points]) + moved
    y = np.array([point.mu if point.score is None else point.score for point in points])
    marks = [
        Mark("upright", i, x, [point.lo for point in points], [point.hi for point in points]),
        Mark("line", i, x, y, look="marked", name=points[0].name),
    ]
    called = {kind: [j for j, point in enumerate(points) if point.change == kind] for kind in ("worse", "improved")}
    signs = [Mark("points", i, x[at], y[at], look=kind, name=f"called {kind}") for kind, at in called.items() if at]
    return marks + signs
