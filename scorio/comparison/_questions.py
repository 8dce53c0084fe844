"""The questions that two models have in common."""

from __future__ import annotations

from .._display.warn import warn
from ..errors import OutcomeError, QuestionsWarning
from ..outcomes import OutcomeMatrix, OutcomeSet

SHARED = "shared"
QUESTIONS = ("all", SHARED)


def lined_up(
    models: list[OutcomeMatrix], names: tuple[str, str], questions: str, paired: bool | None
) -> tuple[list[OutcomeMatrix], bool]:
    """Return both models, with their questions in one order if they are paired, and whether they are."""
    if questions == SHARED:
        models = shared_questions(*models)
    if paired is None:
        paired = shares_questions(*models)
        if not paired:
            warn_of_questions(*models)
    return (list(OutcomeSet(dict(zip(names, models, strict=True))).values()) if paired else models), paired


def shares_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> bool:
    """Return whether both have the same questions: by label, or by number if neither has labels."""
    if one.questions is None and other.questions is None:
        return one.n_questions == other.n_questions
    return one.questions is not None and other.questions is not None and set(one.questions) == set(other.questions)


def shared_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> list[OutcomeMatrix]:
    """Return the outcomes of both models on the questions that both have, by label."""
    if one.questions is None or other.questions is None:
        raise OutcomeError("the shared questions are found by their labels: pass questions=[...] with the outcomes")
    theirs = set(other.questions)
    labels = [label for label in one.questions if label in theirs]
    if not labels:
        raise OutcomeError("the models share no question")
    return [one.select(labels), other.select(labels)]


def warn_of_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> None:
    """Issue a QuestionsWarning that says how many questions the models share."""
    both = len(set(one.questions or ()) & set(other.questions or ()))
    shared = (
        f"{both} of them shared" if one.questions and other.questions else "without labels that say which are shared"
    )
    advice = "compare on the shared questions, or choose an unpaired comparison"
    message = f"the models have different questions, {one.n_questions} and {other.n_questions}, {shared}: {advice}"
    warn(f'{message} (questions="shared", paired=False)', QuestionsWarning)
