"""The report of a leaderboard: which sections it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..comparison import History
from ..outcomes import OutcomeSet, Suite
from ..rank import Leaderboard, MetricRanking
from . import _findings as findings
from . import _history as past
from . import _questions as questions
from . import _sections as sections
from . import _tasks as tasks
from . import _text as words
from ._document import Part, document, today


def html_report(
    board: Leaderboard,
    *,
    history: History | None = None,
    title: str = "Leaderboard",
    task: str = "",
    source: str = "",
    date: str = "",
    note: str = "",
) -> str:
    """Write a leaderboard as a page: ranks, intervals, Pass@k curves, completeness, plans, and what the columns mean.

    Of a suite it shows the overall ranking, the scores and rankings by task, and comparisons with the top model. The
    questions follow: those with a flag, and the hardest. A ``history`` of these models adds their scores over runs.

    ``task`` and ``source``, where the outcomes come from, stand on top if they are given, with the ``date``, by default
    today, the number of models, questions and trials, and ``note``, a line about the data.

    The page is one file that loads nothing. Its tables sort by a click on a heading, and long ones can be filtered;
    without JavaScript it reads the same. It follows the reader's light or dark setting, and reads well on a phone, by
    keyboard and with a screen reader.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> html_report(board).startswith("<!doctype html>")
    True
    """
    contents = _of_tasks(board) if isinstance(board.outcomes, Suite) else _of_set(board, board.outcomes)
    boards = [
        Part(f"board-{i}", str(each.metric), sections.board(each, f"board-{i}", board.verdicts(each.metric)))
        for i, each in _numbered(board)
    ]
    parts = [
        *boards,
        *contents.parts,
        Part("questions", "Questions", questions.section(board)),
        *([Part("history", "History", past.section(history))] if history else []),
        Part("meaning", "What the columns mean", sections.meaning(board)),
    ]
    facts = words.extent(board, contents.trials, task, source, date or today())
    return document(title, facts, note, parts, str(board.settings), "leaderboard")


class _Contents(NamedTuple):
    """The sections after the leaderboards, and the trials of all models."""

    parts: list[Part]
    trials: list[findings.Completeness]


def _numbered(board: Leaderboard) -> Iterator[tuple[int, MetricRanking]]:
    return enumerate(board.rankings, 1)


def _of_set(board: Leaderboard, models: OutcomeSet) -> _Contents:
    """Return what a report shows of one task."""
    completeness = findings.completeness(models)
    curves = findings.curves(board, models)
    parts = [
        Part("curves", f"{curves.family}@k", sections.curves(curves, board.settings.percent)),
        Part("completeness", "Completeness", sections.completeness(completeness)),
        Part("more", "More trials", sections.more(board, models)),
    ]
    return _Contents(parts, completeness)


def _of_tasks(board: Leaderboard) -> _Contents:
    """Return what a report shows of several tasks."""
    assert isinstance(board.outcomes, Suite)
    trials = tasks.trials_of(board.outcomes)
    parts = [Part(f"tasks-{i}", "By task", tasks.by_task(each, f"tasks-{i}")) for i, each in _numbered(board)]
    parts += [
        Part(f"against-{i}", "Comparisons", tasks.comparisons(board, each, f"against-{i}"))
        for i, each in _numbered(board)
    ]
    parts.append(Part("completeness", "Completeness", tasks.trials(trials)))
    return _Contents(parts, tasks.all_trials(trials))
