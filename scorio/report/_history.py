"""Scores over runs in a report: what changed in words, and a picture and a table for each task."""

from collections.abc import Sequence
from dataclasses import replace

from .._display.numbers import number, percent, signed, signed_span
from .._display.table import plain
from .._display.words import pluralize
from ..comparison import History, HistoryPoint, HistorySeries
from ..params import check_result
from ..plot.charts import history_chart
from ._drawing import SERIES, Html, element, figure
from ._page import Part, folded, paragraph, shown
from ._page import section as section_of

_OPEN = 2  # with more tasks than this, each is folded


def section(history: History) -> Part:
    """Show the scores of the models over runs, the changes that are called, and what else changed."""
    check_result("scorio.analyze_history", "history", history, History)
    by_task: dict[str, list[HistorySeries]] = {}
    for series in history.series:
        by_task.setdefault(series.task, []).append(series)
    parts = [_task(task, series, history, is_open=len(by_task) <= _OPEN) for task, series in by_task.items()]
    return section_of("history", "History", *_said(history), *parts)


def _said(history: History) -> list[Html]:
    """Return the called changes, and what the reader has to know of them."""
    about = (
        f"{history.extent}. Each run is compared with all runs since the last called change; at most "
        f"{1.0 - history.confidence:.2g} of all histories without any change have a called one."
    )
    if history.smallest_change is not None:
        least = number(history.smallest_change)
        about += f" A change of less than about {least} is rarely called from so few trials."
    changes = [
        element("li", f"{point.change} at {plain(point.run)}: {plain(series.name)}, {_difference(point)}")
        for series, point in history.changes
    ]
    calls = element("ul", *changes) if changes else paragraph("No change is called.")
    drifted = len(dict.fromkeys(point.run for _, point in history.drift))
    drift = (
        f"{pluralize(drifted, 'run')} under other circumstances than the one before (dotted lines): see the numbers."
    )
    return [paragraph(about), calls, *[paragraph(drift)] * bool(drifted)]


def _task(task: str, series: Sequence[HistorySeries], history: History, *, is_open: bool) -> Html:
    """Show one task: the picture of the models, and the numbers of their runs."""
    own = replace(history, series=tuple(replace(each, task="") for each in series))
    runs = pluralize(len({point.run for each in series for point in each.points}), "run")
    metric = ", ".join(dict.fromkeys(each.metric for each in series))
    note = f"{metric} with {percent(history.confidence)} intervals over runs."
    if len(series) > SERIES:
        note += f" The first {SERIES} models are drawn; the table lists all {len(series)}."
    label = f"Scores of {min(len(series), SERIES)} models over {runs}; a table follows"
    picture = figure(history_chart(replace(own, series=own.series[:SERIES])), note, label)
    title = f"Runs of {plain(task)}" if task else "Runs"
    table = shown(own.tables()[0]._replace(notes=[]), "run", title)
    parts = picture, folded(f"{title} in numbers", *table)
    if not task:
        return element("div", *parts)
    changes = sum(len(each.changes) for each in series)
    return folded(f"{plain(task)}: {runs}, {pluralize(changes, 'change')}", *parts, open_=is_open)


def _difference(point: HistoryPoint) -> str:
    if point.difference is None or point.difference_lo is None or point.difference_hi is None:
        return ""
    return f"{signed(point.difference)} {signed_span(point.difference_lo, point.difference_hi)}"
