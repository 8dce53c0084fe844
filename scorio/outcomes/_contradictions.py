"""Answers of a question that are both right and wrong: in one trial, and in another one."""

import numpy as np

from .._display.words import pluralize, shorten
from ._matrix import OutcomeMatrix
from ._trials import NONE

CONTRADICTIONS = (
    "A vote takes it for one answer, so that its outcome depends on the trial: check whether the grader judges more"
    " than the answer, whether these are the answers of the model, and whether normalize= takes answers for equal that"
    " are not"
)


def contradictions_text(matrix: OutcomeMatrix, model: str) -> str:
    """Say how many questions of a model have an answer that is right in one trial and wrong in another.

    Empty if none has. Rewards may well differ between trials with one answer: there is none among other outcomes.

    >>> made = OutcomeMatrix([[1, 0, 0], [1, 1, 0]], answers=[["4", "4", "5"], ["6", "6", "7"]], questions=["a", "b"])
    >>> contradictions_text(made, "model-0")[:71]
    '1 question of model-0 has an answer that is both right and wrong, such '
    """
    answers = matrix.trial_columns.answers
    if answers is None or not matrix.is_pass_fail:
        return ""
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    has_answer = answers.of_trial != NONE
    pairs, which = np.unique([rows[has_answer], answers.of_trial[has_answer]], axis=1, return_inverse=True)
    right = np.bincount(which.ravel(), outcomes[has_answer], minlength=pairs.shape[1]).astype(np.int64)
    wrong = np.bincount(which.ravel(), minlength=pairs.shape[1]) - right
    both = np.flatnonzero((right > 0) & (wrong > 0))
    if not both.size:
        return ""
    (row, code), count = pairs[:, both[0]].tolist(), len({*pairs[0, both].tolist()})
    question = (matrix.questions or range(matrix.n_questions))[row]
    times = f"{pluralize(int(right[both[0]]), 'time')} right and {pluralize(int(wrong[both[0]]), 'time')} wrong"
    which_answer = f"{'has' if count == 1 else 'have'} an answer that is both right and wrong"
    example = f"{shorten([answers.labels[code]])} of question {question!r}, {times}"
    return f"{pluralize(count, 'question')} of {model} {which_answer}, such as {example}"
