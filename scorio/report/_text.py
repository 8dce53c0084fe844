"""What a leaderboard says, in sentences."""

from collections.abc import Sequence

from .._choices import DIFFERENCE, OVERALL
from .._display.numbers import trials_each
from .._display.table import plain
from .._display.words import spread_of
from ..inference import SAMPLES
from ..rank import Leaderboard, LeaderboardSettings, MetricRanking
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


def meaning(board: Leaderboard) -> list[str]:
    """Explain the columns, one paragraph each."""
    settings = board.settings
    overall = [_overall(board)] if board.weights else []
    score = "The score is computed from the available trials, exactly and without any assumption."
    prior = _prior(settings, board.rankings[0].rewards)
    return [score, *overall, _interval(settings), prior, _ties(settings), _ranks(settings)]


def _overall(board: Leaderboard) -> str:
    weights = board.weights
    equal = max(weights.values()) - min(weights.values()) < 1e-12
    shares = "equal weights" if equal else "weights " + ", ".join(f"{each:.3g}" for each in weights.values())
    return (
        f"The overall score is the mean over the {len(weights)} tasks, with {shares}. The uncertainty of the tasks adds"
        " up in its interval, because they have questions of their own. What the prior pulls in the same direction on"
        " many tasks is taken out."
    )


def _interval(settings: LeaderboardSettings) -> str:
    subject, narrower = {
        "questions": ("these questions, as if each had been asked very many times", "trials or questions"),
        "population": ("the population of questions of which these are a sample", "questions"),
    }[settings.target]
    return (
        f"The interval describes {subject}: it contains the model's true value with {settings.percent} probability. "
        f"More {narrower} make it narrower."
    )


def _prior(settings: LeaderboardSettings, rewards: str) -> str:
    if rewards == SAMPLES:
        return (
            "What a rule chooses among samples has no prior: "
            f"the uncertainty is estimated {spread_of(settings.target)}."
        )
    if settings.assumed.is_learned:
        return (
            "The distribution of the questions' success rates is learned from the outcomes; the uncertainty that "
            "remains is part of the interval."
        )
    if settings.target == "population":
        return "How much questions differ is taken from the spread of their scores."
    return (
        f"Every question's success rate is taken to come from one known law, prior {settings.assumed}. "
        "Where most questions are very easy or very hard and trials are few, such intervals lean to the middle; "
        'prior "learned" learns the law.'
    )


def _ties(settings: LeaderboardSettings) -> str:
    if settings.tie == DIFFERENCE:
        return (
            "A model's rank is one more than the number of models that are better in a comparison of the two alone: "
            f"those for which the {settings.percent} interval of the difference excludes zero."
        )
    rule = {
        "zscore_adjacent": "their difference is small compared with its uncertainty",
        "ci_overlap_adjacent": "their intervals overlap",
    }[settings.tie]
    return (
        f"Models that are next to each other share a rank, and a model is tied with the top model, if {rule} (at the "
        f"{settings.percent} level)."
    )


def _ranks(settings: LeaderboardSettings) -> str:
    best = "P(best) is the probability that the model is the best of these models."
    if settings.tie != DIFFERENCE or settings.looks is not None:
        return f"Ranks are the ranks that the model has with {settings.percent} probability; {best}"
    return (
        "A model is in the top set if no other model is significantly better, judged for all pairs of models together: "
        f"all best models are in it with {settings.percent} probability, however many models there are (family-wise "
        f"error {settings.error_percent}). Ranks are intervals of the ranks that hold together with the same "
        f"probability; exactly the models of the top set may have rank 1. {best}"
    )
