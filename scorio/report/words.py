"""What a leaderboard says, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ..prior import is_learnt
from ..rank import Leaderboard, Standing
from ..rank.settings import Settings
from ..sheet import plain
from ..words import amount
from .findings import POWER, Coverage, Separation


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first ones.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    shown = [plain(name) for name in names]
    if len(shown) > 6:
        shown = [*shown[:5], f"{len(shown) - 5} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def verdict(standing: Standing) -> str:
    """Who leads, and who is tied with it."""
    best, *others = standing.rows
    lead = f"{plain(best.model)} has the best {standing.metric}, {best.score:.3f}"
    tied = [row.model for row in others if row.tied_with_top]
    if not others:
        return f"{plain(best.model)} scores {best.score:.3f} on {standing.metric}."
    if not tied:
        return f"{lead}; at {standing.settings.percent} no other model is tied with it."
    return f"{lead}; tied with it, at {standing.settings.percent}: {listed(tied)}."


def extent(board: Leaderboard, found: Sequence[Coverage]) -> str:
    """How much was run."""
    present, planned = sum(each.present for each in found), sum(each.planned for each in found)
    trials = amount(present, "trial") if present == planned else f"{present:,} of {planned:,} planned trials"
    return f"{amount(len(found), 'model')}, {amount(board.outcomes.n_questions, 'question')}, {trials}"


def separation(found: Separation, confidence: str) -> str:
    """What it takes to tell two models apart."""
    pair = f"{plain(found.leader)} and {plain(found.rival)}"
    if found.plan.more is None:
        return f"No number of further trials is expected to tell {pair} apart: {found.plan.reason}."
    if found.plan.more == 0:
        return f"{pair} can be told apart question by question with the trials there are: compare them."
    more = amount(found.plan.more, "more trial")
    return f"To tell {pair} apart, {more} of every question; then the chance to be {confidence} sure is {POWER:.0%}."


def missing(found: Sequence[Coverage]) -> str:
    """Whether trials are missing, and what that means."""
    short = [each.model for each in found if each.present < each.planned]
    if not short:
        return "Every planned trial has an outcome."
    return (
        f"Trials are missing of {listed(short)}. They are left out, not counted as failures: had they failed for a "
        "reason that has to do with the question, scores would be too high."
    )


def meaning(settings: Settings) -> list[str]:
    """What the columns mean, one paragraph each."""
    return [_score(), _interval(settings), _prior(settings), _ties(settings), _ranks(settings)]


def _score() -> str:
    return "The score is that of the trials at hand: exact, and without any assumption."


def _interval(settings: Settings) -> str:
    about, narrower = {
        "questions": ("these questions, were they asked again and again", "trials or questions"),
        "population": ("questions like these, of which these are a sample", "questions"),
    }[settings.target]
    return (
        f"The interval is about {about}: it holds the model's true value with {settings.percent} probability. "
        f"More {narrower} make it narrower."
    )


def _prior(settings: Settings) -> str:
    if is_learnt(settings.prior):
        return "How hard the questions are is learnt from the outcomes; what that leaves open is in the interval."
    if settings.target == "population":
        return "How much questions differ is taken from the spread of their scores."
    prior = settings.prior if isinstance(settings.prior, str) else f"({', '.join(f'{x:g}' for x in settings.prior)})"
    return (
        f"Every question's success rate is taken to come from one known law, prior {prior}. Where most questions are "
        'very easy or very hard and trials are few, such intervals lean to the middle; prior "eb" learns the law.'
    )


def _ties(settings: Settings) -> str:
    rule = {
        "zscore_adjacent": "their difference is small against its uncertainty",
        "ci_overlap_adjacent": "their intervals overlap",
        "paired": "their difference, question by question, is small against its uncertainty",
    }[settings.tie]
    return f"Neighbours share a rank, and a model is tied with the best, where {rule} (at {settings.percent})."


def _ranks(settings: Settings) -> str:
    return (
        f"Ranks are those that the model has with {settings.percent} probability; P(best) is the probability that it "
        "is the best of these models."
    )
