"""Answers: when two of them are equal, their numbers, and those of a question that are both right and wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from .._arrays import Codes
from .._display.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ._labels import Labels
from ._outcome_values import is_missing

Normalize = Callable[[Any], Hashable]  # makes an answer a label, which is equal for equal answers
_BLANKS = re.compile(r"\s+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?(/\d+)?|[+-]?\d+(\.\d*)?%")
_WRAPPED = re.compile(r"\\boxed\{(?P<boxed>[^{}]*)\}|\$(?P<math>[^$]*)\$|\\\((?P<inline>.*)\\\)")
CONTRADICTIONS = (
    "A vote takes it for one answer, so that its outcome depends on the trial: check whether the grader judges more"
    " than the answer, whether these are the answers of the model, and whether normalize= takes answers for equal that"
    " are not"
)
_ENDS = " \t\r\n.,;:!"
_LONGEST = 1_000  # characters of a number; Python writes at most 4,300 digits, and longer text is compared as it is
_NONE: dict[str, None] = dict.fromkeys(["", "none", "null", "n/a", "[invalid]"])


def normalize_answer(answer: Any) -> Hashable:
    r"""Return what is equal for equal answers: blanks, case and the way in which a number is written do not matter.

    Text loses blanks at its ends, punctuation at its end, ``$..$`` and ``\boxed{..}`` around it, and its case; runs
    of blanks become one. A number, a fraction or a percentage becomes a fraction in lowest terms, with or without
    commas between thousands. Empty text, ``none`` and ``[invalid]`` are no answer: None. Other values, and text
    with more than a number in it or of more than 1,000 characters, stay as they are: ``2x`` and ``x + x`` are different
    answers.

    >>> normalize_answer(" 0.50 "), normalize_answer("1/2"), normalize_answer("50%"), normalize_answer(0.5)
    ('1/2', '1/2', '1/2', '1/2')
    >>> normalize_answer("$1,024$"), normalize_answer("  The  Hague. "), normalize_answer("[invalid]")
    ('1024', 'the hague', None)
    """
    if isinstance(answer, (bool, np.bool_)):
        return str(answer).lower()
    if isinstance(answer, (int, float, np.integer, np.floating, Fraction)):
        return _of_number(answer)
    if not isinstance(answer, str):
        return answer  # type: ignore[no-any-return]
    text = _BLANKS.sub(" ", answer).strip().rstrip(_ENDS)
    if wrapped := _WRAPPED.fullmatch(text):
        text = next(part for part in wrapped.groups() if part is not None).strip().rstrip(_ENDS)
    text = text.casefold()
    return _number(text) if text not in _NONE else None


def _of_number(number: Any) -> str:
    """Return a number as text: a fraction in lowest terms, or ``nan`` and ``inf`` as they are."""
    if isinstance(number, (float, np.floating)):
        return str(Fraction(str(number))) if np.isfinite(number) else str(float(number))
    exact = Fraction(number)
    parts = [exact.numerator] if exact.denominator == 1 else [exact.numerator, exact.denominator]
    return "/".join(str(Decimal(int(part))) for part in parts)  # a Decimal writes any number of digits, an int does not


def _number(text: str) -> str:
    """Return a number as a fraction in lowest terms; other text as it is."""
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
    if len(plain) > _LONGEST or not _NUMBER.fullmatch(plain):
        return text
    try:
        parts = [Fraction(part) for part in plain.removesuffix("%").split("/")]
        value = parts[0] / (parts[1] if len(parts) > 1 else 1)
    except ZeroDivisionError:
        return text
    return str(value / 100 if plain.endswith("%") else value)


def coded_answers(answers: Iterable[Any], normalize: Normalize | None) -> tuple[Labels, Codes]:
    """Return the distinct answers in the order of their first place, and the number of each; -1 is no answer."""
    if not (normalize is None or callable(normalize)):
        raise ParameterError(f"must be a function of one answer, or None; got {normalize!r}", argument="normalize")
    number: dict[Hashable, int] = {}
    code_of: dict[tuple[type, Any], int] = {}  # by the answer as it was given, which saves most calls
    codes: list[int] = []
    for answer in answers:
        try:
            code = code_of.get((type(answer), answer))
            if code is None:
                made = None if is_missing(answer) else answer if normalize is None else normalize(answer)
                code = code_of[type(answer), answer] = -1 if is_missing(made) else number.setdefault(made, len(number))
        except TypeError:
            problem = f"has an answer that cannot be compared with others: {shorten([answer])}"
            hint = "give text or numbers, or a function normalize that makes such of each answer"
            raise OutcomeError(problem, argument="answers", hint=hint) from None
        codes.append(code)
    return tuple(number), np.array(codes, np.int32)


def contradictions_text(matrix: Any, model: str) -> str:
    """Say how many questions of a model have an answer that is right in one trial and wrong in another.

    Empty if none has. Rewards may well differ between trials with one answer: there is none among other outcomes.

    >>> from scorio import OutcomeMatrix
    >>> made = OutcomeMatrix([[1, 0, 0], [1, 1, 0]], answers=[["4", "4", "5"], ["6", "6", "7"]], questions=["a", "b"])
    >>> contradictions_text(made, "model-0")[:71]
    '1 question of model-0 has an answer that is both right and wrong, such '
    """
    answers = matrix.trial_columns.answers
    if answers is None or not matrix.is_pass_fail:
        return ""
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    has_answer = answers.of_trial >= 0
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
