"""A warning where questions and trials may be swapped."""

from __future__ import annotations

from .._display.warn import warn
from ..errors import AxesWarning

_MANY = 100  # trials per question
_RATIO = 50  # trials to questions


def look_swapped(questions: int, trials: int) -> bool:
    """Return whether several questions have so many trials each that the axes may be swapped."""
    return questions > 1 and trials >= max(_MANY, _RATIO * questions)


def warn_of_axes(questions: int, trials: int) -> None:
    """Issue an AxesWarning where several unlabeled questions have very many more trials than there are questions."""
    if not look_swapped(questions, trials):
        return
    message = (
        f"the outcomes have {questions} questions with up to {trials:,} trials each: if the rows are trials, transpose "
        f"them; if not, label the questions, as in questions=range({questions})"
    )
    warn(message, AxesWarning)
