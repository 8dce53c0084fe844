"""Outcomes that a function asks for: with two categories, or of several questions."""

from __future__ import annotations

from typing import Any

from .._display.words import pluralize
from ..errors import OutcomeError
from ._matrix import OutcomeMatrix, as_outcomes
from ._table import is_flat

TENSOR = 3  # dimensions of a set: models, questions, trials


def pass_fail_outcomes(R: Any) -> OutcomeMatrix:
    """Return ``as_outcomes(R)``, checked to have no rewards other than 0 and 1."""
    outcomes = as_outcomes(R)
    if outcomes._levels is not None:
        rewards = ", ".join(f"{level:g}" for level in outcomes._levels[:4])
        rewards += ", .." if len(outcomes._levels) > 4 else ""
        raise OutcomeError(
            f"right or wrong is needed here, and these are rewards of {rewards}: score them by BayesMetric, AvgMetric "
            "or MaxAtK, or say first which of them are right, as in values >= 1"
        )
    return outcomes


def as_questions(R: Any, **options: Any) -> OutcomeMatrix:
    """Return ``R`` as outcomes, made with these options; a flat list is refused."""
    outcomes = R if isinstance(R, OutcomeMatrix) else OutcomeMatrix(R, **options)
    if outcomes is not R and outcomes.n_questions == 1 and is_flat(R):
        raise OutcomeError(
            f"a flat list of {pluralize(outcomes.planned, 'outcome')} may be the trials of one question, or one trial "
            "of each question",
            hint="write [results] for one question, or OutcomeMatrix.from_single_run(results) for one trial per "
            "question",
        )
    return outcomes


def check_dimensions(count: int) -> None:
    """Check that an array has the dimensions of a set of models: models, questions, trials."""
    if count == 1:
        raise OutcomeError(
            "a flat list may be the trials of one question, or one trial of each question, of one model",
            hint="write {'model': [results]} for one question, or "
            "{'model': OutcomeMatrix.from_single_run(results)} for one trial per question",
        )
    if count == TENSOR - 1:
        raise OutcomeError(
            "an array of two dimensions may be one model's questions x trials, or models x questions with one trial",
            hint="write {'model': R} for one model, or numpy.asarray(R)[:, :, None] for models x questions",
        )
    if count != TENSOR:
        raise OutcomeError(f"a set of models needs a tensor models x questions x trials; got {count} dimensions")
