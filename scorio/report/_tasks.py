"""The sections of a report about several tasks: scores by task, comparisons with the top model, trials by task."""

from __future__ import annotations

from typing import NamedTuple

from .._choices import OVERALL
from .._display.numbers import chance, counts, number, signed
from .._display.table import plain
from .._display.words import pluralize
from ..comparison import Comparison, compare
from ..outcomes import Suite
from ..rank import Leaderboard, MetricRanking, Row
from . import _sections as sections
from . import _text as words
from ._findings import Completeness, completeness
from ._markup import Html, element, table

_RIVALS = 10  # at most so many models are compared with the top model


class TaskTrials(NamedTuple):
    """How many of the planned trials of a task are present, by model."""

    task: str
    models: list[Completeness]


def trials_of(suite: Suite) -> list[TaskTrials]:
    """Count the trials of every task and model."""
    return [TaskTrials(task, completeness(outcomes)) for task, outcomes in suite.items()]


def all_trials(tasks: list[TaskTrials]) -> list[Completeness]:
    """Return the trials of all tasks as those of one."""
    by_model: dict[str, list[Completeness]] = {}
    for each in (each for task in tasks for each in task.models):
        by_model.setdefault(each.model, []).append(each)
    return [
        Completeness(
            model,
            sum(each.present for each in parts),
            sum(each.planned for each in parts),
            min(each.fewest for each in parts),
            max(each.most for each in parts),
        )
        for model, parts in by_model.items()
    ]


def by_task(ranking: MetricRanking, anchor: str) -> Html:
    """Show the scores by task as one table, and the leaderboard of each task behind a line that unfolds."""
    models = [row.model for row in ranking.rows]
    heads = ("Task", "Questions", "Weight", *models)
    rows = [_scores(task, each, ranking, models) for task, each in ranking.tasks.items()]
    note = f"Score with half the width of its {ranking.settings.percent} interval; bold: in the task's top set."
    parts = [_fold(task, each) for task, each in ranking.tasks.items()]
    name = str(ranking.metric)
    title = "By task" if name == OVERALL else f"{name} by task"
    return sections.section(anchor, title, element("p", note), table(title, heads, rows), *parts)


def _scores(task: str, ranking: MetricRanking, whole: MetricRanking, models: list[str]) -> tuple[str, ...]:
    of_model = {row.model: row for row in ranking.rows}
    cells = (_score(of_model[model]) for model in models)
    return (sections.name(task), f"{ranking.n_questions:,}", f"{whole.weights[task]:.3g}", *cells)


def _score(row: Row) -> Html:
    text = f"{number(row.score)} ±{number((row.hi - row.lo) / 2.0, 2).removeprefix('0')}"
    return element("strong" if row.tied_with_top else "span", text)


def _fold(task: str, ranking: MetricRanking) -> Html:
    best = ranking.rows[0]
    line = f"{plain(task)}: {plain(best.model)} {number(best.score)} ({ranking.metric}, {ranking.extent})"
    return element("details", element("summary", line), sections.ranks(ranking), sections.intervals(ranking))


def comparisons(board: Leaderboard, ranking: MetricRanking, anchor: str) -> Html:
    """Compare the top model with the others, over all tasks and on each."""
    suite = board.outcomes
    assert isinstance(suite, Suite)
    leader, *others = (row.model for row in ranking.rows)
    found = [(other, _compared(board, ranking, suite, leader, other)) for other in others[:_RIVALS]]
    title = f"{plain(leader)} against the others"
    if not found:
        return sections.section(anchor, title, element("p", "There is no other model."))
    heads = ("Model", "Difference", f"{ranking.settings.percent} interval", "P(better)", "Better on", "Worse on")
    rows = [_against(other, result) for other, result in found]
    about = (
        f"The overall difference between {plain(leader)} and each model, question by question within tasks, with the"
        " probability that it is above zero; and the number of tasks on which the interval of the difference lies above"
        " or below zero."
    )
    left_out = len(others) - len(found)
    more = [element("p", f"{pluralize(left_out, 'further model')} left out.")] if left_out else []
    return sections.section(anchor, title, element("p", about), table(title, heads, rows), *more)


def _compared(board: Leaderboard, ranking: MetricRanking, suite: Suite, leader: str, other: str) -> Comparison:
    settings = board.settings
    metrics = {task: each.metric for task, each in ranking.tasks.items()}
    return compare(
        metrics,  # type: ignore[arg-type]
        suite.select(models=[leader]),
        suite.select(models=[other]),
        weights=dict(ranking.weights),
        names=(leader, other),
        target=settings.target,
        prior=settings.prior,
        shape=settings.shape,
        confidence=settings.confidence,
    )


def _against(other: str, result: Comparison) -> tuple[str, ...]:
    tasks = (result.tasks or {}).items()
    called = [sum(each.winner == name for _, each in tasks) for name in result.names]
    interval = f"{signed(result.lo)} to {signed(result.hi)}"
    of = (f"{count} of {len(tasks)}" for count in called)
    return (sections.name(other), signed(result.difference), interval, chance(result.p_better), *of)


def trials(tasks: list[TaskTrials]) -> Html:
    """Show how many of the planned trials are present."""
    heads = ("Task", "Model", "Trials", "Planned", "Completeness", "Trials per question")
    rows = [
        (
            sections.name(each.task),
            sections.name(part.model),
            f"{part.present:,}",
            f"{part.planned:,}",
            f"{part.share:.1%}",
            counts(part.fewest, part.most),
        )
        for each in tasks
        for part in each.models
    ]
    numbers = element("details", element("summary", "Trials by task and model"), table("Trials", heads, rows))
    return sections.section("completeness", "Completeness", element("p", words.missing(all_trials(tasks))), numbers)
