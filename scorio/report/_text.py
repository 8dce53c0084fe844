"""What a leaderboard says, in sentences."""

from collections.abc import Sequence

from .._choices import OVERALL
from .._display.numbers import trials_each
from .._display.table import plain
from ..rank import Leaderboard, MetricRanking
from ._findings import Completeness


def listed(names: Sequence[str]) -> str:
    """Write names in a sentence; of more than six, the first five and how many more there are.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    shown = [plain(name) for name in names]
    if len(shown) > 6:
        shown = [*shown[:5], f"{len(shown) - 5} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def title(ranking: MetricRanking) -> str:
    """Name the metric, and say that it is overall if there are several tasks."""
    name = str(ranking.metric)
    return f"{name}, overall" if ranking.tasks and name != OVERALL else name


def extent(
    board: Leaderboard, models: Sequence[Completeness], task: str, source: str, date: str
) -> list[tuple[str, str]]:
    """Name what the page is about, and count the models, questions and trials; without what is not known."""
    present, planned = sum(each.present for each in models), sum(each.planned for each in models)
    trials = f"{present:,}" if present == planned else f"{present:,} of {planned:,} planned"
    facts = {
        "Task": plain(task),
        "Source": plain(source),
        "Date": plain(date),
        "Tasks": f"{len(board.weights):,}" if board.weights else "",
        "Models": f"{len(models):,}",
        "Questions": f"{board.outcomes.n_questions:,}",
        "Trials": f"{trials}, {trials_each(*board.rankings[0].trials_each)}",
    }
    return [(name, value) for name, value in facts.items() if value]


def missing(models: Sequence[Completeness]) -> str:
    """Say whether trials are missing, and what that means."""
    incomplete = [each.model for each in models if each.present < each.planned]
    if not incomplete:
        return "Every planned trial has an outcome."
    return (
        f"Trials are missing for {listed(incomplete)}. They are left out, not counted as failures: if they are missing "
        "for a reason related to the question, the scores may be too high."
    )
