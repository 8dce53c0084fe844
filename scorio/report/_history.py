"""Scores over runs in a report: what changed in words, and a picture and a table for each task."""

from __future__ import annotations

from collections.abc import Sequence

from .._display.numbers import number, percent, signed
from .._display.table import plain
from .._display.words import pluralize
from ..comparison import History, HistoryPoint, HistorySeries
from . import _drawing as drawing
from . import _sections as sections
from ._markup import Html, element, table
from ._timeline import marks, timeline

_OPEN = 2  # with more tasks than this, each is folded


def section(history: History) -> Html:
    """Show the scores of the models over runs, the changes that are called, and what else changed."""
    by_task: dict[str, list[HistorySeries]] = {}
    for series in history.series:
        by_task.setdefault(series.task, []).append(series)
    parts = [_task(task, series, history, is_open=len(by_task) <= _OPEN) for task, series in by_task.items()]
    return sections.section("history", "History", *_said(history), *parts)


def _said(history: History) -> list[Html]:
    """Return the called changes, and what the reader has to know of them."""
    about = (
        f"{history.extent}. Each run is compared with all runs since the last called change; at most "
        f"{1.0 - history.confidence:.2g} of all histories without any change have a called one."
    )
    least = history.smallest_change
    if least is not None:
        about += f" A change of less than about {number(least)} is rarely called from so few trials."
    changes = [
        element("li", f"{point.change} at {plain(point.run)}: {plain(series.name)}, {_difference(point)}")
        for series, point in history.changes
    ]
    calls = element("ul", *changes) if changes else element("p", "No change is called.")
    drifted = len(dict.fromkeys(point.run for _, point in history.drift))
    drift = (
        f"{pluralize(drifted, 'run')} under other circumstances than the one before (dotted lines): see the numbers."
    )
    return [element("p", about), calls, *([element("p", drift)] if drifted else [])]


def _task(task: str, series: Sequence[HistorySeries], history: History, *, is_open: bool) -> Html:
    """Show one task: the picture of the models, and the numbers of their runs."""
    shown = series[: drawing.SERIES]
    level, metric = percent(history.confidence), ", ".join(dict.fromkeys(each.metric for each in series))
    note = f"{metric} with {level} intervals over runs; ▼ called worse, ▲ called improved."
    if len(series) > len(shown):
        note += f" The first {len(shown)} models are drawn; the table lists all {len(series)}."
    legend = element("ul", *(_key(i, each) for i, each in enumerate(shown)), class_="key")
    figure = element("figure", element("figcaption", note), timeline(shown, level), legend)
    heads = ("Run", "Model", "Questions", "Trials", "Score", f"{level} interval", "Difference", "Change", "Drift")
    title = f"Runs of {plain(task)}" if task else "Runs"
    rows = [_row(each, point) for each in series for point in each.points]
    numbers = element("details", element("summary", f"{title} in numbers"), table(title, heads, rows, class_="runs"))
    if not task:
        return element("div", figure, numbers)
    changes = sum(len(each.changes) for each in series)
    line = f"{plain(task)}: {pluralize(len(marks(series)), 'run')}, {pluralize(changes, 'change')}"
    return element("details", element("summary", line), figure, numbers, open="" if is_open else None)


def _key(i: int, series: HistorySeries) -> Html:
    return element("li", drawing.key(i), sections.name(series.model))


def _row(series: HistorySeries, point: HistoryPoint) -> tuple[str, ...]:
    score = "-" if point.score is None else number(point.score)
    interval = f"{number(point.lo)} to {number(point.hi)}"
    extent = (f"{point.n_questions:,}", f"{point.n_trials:,}", score, interval)
    drift = plain("; ".join(point.drift))
    return (plain(point.run), sections.name(series.model), *extent, _difference(point), point.change, drift)


def _difference(point: HistoryPoint) -> str:
    if point.difference is None or point.difference_lo is None or point.difference_hi is None:
        return ""
    return f"{signed(point.difference)} ({signed(point.difference_lo)} to {signed(point.difference_hi)})"
