"""Answers of a question that are both right and wrong: in one trial, and in another one."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from .._display.words import pluralize, shorten
from ._matrix import OutcomeMatrix
from ._trials import NONE

CONTRADICTIONS = (
    "A vote takes it for one answer, so that its outcome depends on the trial: check whether the grader judges more"
    " than the answer, whether these are the answers of the model, and whether normalize= takes answers for equal that"
    " are not"
)


class ContradictedAnswer(NamedTuple):
    """An answer of a question, and how many trials with it are right and wrong."""

    question: Hashable
    answer: Hashable
    right: int
    wrong: int


def contradicted_answers(matrix: OutcomeMatrix) -> list[ContradictedAnswer]:
    """Return the answers that are right in one trial of a question and wrong in another, in the order of questions.

    Rewards may well differ between trials with one answer: there is none among outcomes that are not right or wrong.

    >>> made = OutcomeMatrix([[1, 0, 0], [1, 1, 0]], answers=[["4", "4", "5"], ["6", "6", "7"]], questions=["a", "b"])
    >>> contradicted_answers(made)
    [ContradictedAnswer(question='a', answer='4', right=1, wrong=1)]
    """
    answers = matrix.trial_columns.answers
    if answers is None or not matrix.is_pass_fail:
        return []
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    has_answer = answers.of_trial != NONE
    pairs, which = np.unique([rows[has_answer], answers.of_trial[has_answer]], axis=1, return_inverse=True)
    right = np.bincount(which.ravel(), outcomes[has_answer], minlength=pairs.shape[1]).astype(np.int64)
    wrong = np.bincount(which.ravel(), minlength=pairs.shape[1]) - right
    labels = matrix.questions or range(matrix.n_questions)
    return [
        ContradictedAnswer(labels[row], answers.labels[code], times, others)
        for row, code, times, others in zip(*pairs.tolist(), right.tolist(), wrong.tolist(), strict=True)
        if times and others
    ]


def contradictions_text(matrix: OutcomeMatrix, model: str) -> str:
    """Say how many questions of a model have an answer that is both right and wrong, with an example.

    Empty if none has.
    """
    answers = contradicted_answers(matrix)
    if not answers:
        return ""
    first, count = answers[0], len({answer.question for answer in answers})
    times = f"{pluralize(first.right, 'time')} right and {pluralize(first.wrong, 'time')} wrong"
    which = f"{'has' if count == 1 else 'have'} an answer that is both right and wrong"
    example = f"{shorten([first.answer])} of question {first.question!r}, {times}"
    return f"{pluralize(count, 'question')} of {model} {which}, such as {example}"
