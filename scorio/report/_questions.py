"""The questions in a report: those with a flag and the reason, and the hardest."""

import math

from .._display.numbers import number
from .._display.words import pluralize
from ..comparison import QuestionRow, QuestionTable, describe_questions
from ..errors import OutcomeError
from ..rank import Leaderboard
from . import _sections as sections
from ._drawing import Html, element, table

_HARDEST = 50  # questions that are listed whether flagged or not
_FLAGGED = 200  # flagged questions that are listed at most
_MOST = 20_000  # with more questions than this, none is listed: the page would take long to make
_FACTS = {"never solved", "always solved"}  # flags that are left out first where there are many
_COMMAND = "scorio questions LOGS -o questions.csv"
_NOTE = (
    "Difficulty is one minus the mean rate of the models; discrimination is the correlation over models with the other "
    "questions; disagreement is the chance that two trials of one model disagree."
)


def section(board: Leaderboard) -> sections.Part:
    """Show the flagged questions with the reasons, and the hardest ones."""
    if board.outcomes.n_questions > _MOST:
        many = (f"There are more than {_MOST:,} questions. They are listed by ", element("code", _COMMAND), ".")
        return sections.section("questions", "Questions", element("p", *many))
    try:
        questions = describe_questions(board.outcomes, confidence=board.settings.confidence).sorted("difficulty")
    except OutcomeError as error:
        return sections.section("questions", "Questions", element("p", f"No questions are listed: {error}."))
    about = element("p", f"{questions}. {_NOTE}")
    return sections.section("questions", "Questions", about, *_flagged(questions), *_hardest(questions))


def _flagged(questions: QuestionTable) -> list[Html]:
    """Return the table of flagged questions, and a line on those left out."""
    rows = questions.flagged().rows
    if not rows:
        return []
    by_news = sorted(rows, key=lambda row: all(flag.name in _FACTS for flag in row.flags))[:_FLAGGED]
    chosen = set(map(id, by_news))
    several = any(row.task for row in rows)
    heads = ("Question", "Flags and reasons", *["Task"] * several, "Difficulty", "Discrimination")
    cells = [_with_reasons(row, several) for row in rows if id(row) in chosen]
    shown = table("Flagged questions, hardest first", heads, cells, class_="questions")
    left_out = len(rows) - len(by_news)
    return [shown, *[_left_out(f"{pluralize(left_out, 'further flagged question')} left out")] * bool(left_out)]


def _hardest(questions: QuestionTable) -> list[Html]:
    """Return the hardest questions, folded, and a line on those left out."""
    rows, count = questions.rows[:_HARDEST], len(questions.rows)
    several = any(row.task for row in rows)
    heads = ("Question", *["Task"] * several, "Mean rate", "Difficulty", "Discrimination", "Disagreement")
    title = f"The {_HARDEST} hardest questions" if count > _HARDEST else "All questions, hardest first"
    cells = [
        (*_named(row, several), *map(_value, (row.mean, row.difficulty, row.discrimination, row.disagreement)))
        for row in rows
    ]
    fold = element("details", element("summary", title), table(title, heads, cells))
    left_out = count - _HARDEST
    more = f"Of {pluralize(count, 'question')}, those with a flag and the {_HARDEST} hardest are listed"
    return [fold, *([_left_out(more)] if left_out > 0 else [])]


def _left_out(text: str) -> Html:
    return element("p", f"{text}. All of them: ", element("code", _COMMAND), ".")


def _named(row: QuestionRow, several: bool) -> list[str]:
    return [sections.name(str(row.question)), *[sections.name(row.task)] * several]


def _with_reasons(row: QuestionRow, several: bool) -> tuple[str, ...]:
    reasons = "; ".join(f"{flag.name}: {flag.reason}" for flag in row.flags)
    question, *task = _named(row, several)
    return (question, reasons, *task, _value(row.difficulty), _value(row.discrimination))


def _value(value: float) -> str:
    return "-" if math.isnan(value) else number(value, 2)
