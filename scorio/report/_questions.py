"""The questions in a report: those with a flag and the reason, and the hardest."""

from .._display.numbers import rate
from .._display.table import Field, Table
from .._display.words import pluralize
from ..comparison import QuestionTable, describe_questions
from ..errors import OutcomeError
from ..rank import Leaderboard
from . import _sections as sections
from ._drawing import Html, element

_HARDEST = 50  # questions that are listed whether flagged or not
_FLAGGED = 200  # flagged questions that are listed at most
_MOST = 20_000  # with more questions than this, none is listed: the page would take long to make
_FACTS = {"never solved", "always solved"}  # flags that are left out first where there are many
_COMMAND = "scorio questions LOGS -o questions.csv"
_NOTE = (
    "Difficulty is one minus the mean rate of the models; discrimination is the correlation over models with the other "
    "questions; disagreement is the chance that two trials of one model disagree."
)


_NAMED = (Field("question", of="question"), Field("task", of="task", unless=""))
_DIFFICULTY = Field("difficulty", True, "difficulty", rate)
_DISCRIMINATION = Field("discrimination", True, "discrimination", rate)
_FLAGGED_FIELDS = (
    _NAMED[0],
    Field(
        "flags and reasons", of="flags", form=lambda flags: "; ".join(f"{each.name}: {each.reason}" for each in flags)
    ),
    _NAMED[1],
    _DIFFICULTY,
    _DISCRIMINATION,
)
_HARDEST_FIELDS = (
    *_NAMED,
    Field("mean rate", True, "mean", rate),
    _DIFFICULTY,
    _DISCRIMINATION,
    Field("disagreement", True, "disagreement", rate),
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
    written = Table.of("Flagged questions, hardest first", _FLAGGED_FIELDS, [row for row in rows if id(row) in chosen])
    shown = sections.shown(written, "question", class_="questions")
    left_out = len(rows) - len(by_news)
    return [*shown, *[_left_out(f"{pluralize(left_out, 'further flagged question')} left out")] * bool(left_out)]


def _hardest(questions: QuestionTable) -> list[Html]:
    """Return the hardest questions, folded, and a line on those left out."""
    count = len(questions.rows)
    title = f"The {_HARDEST} hardest questions" if count > _HARDEST else "All questions, hardest first"
    written = Table.of(title, _HARDEST_FIELDS, questions.rows[:_HARDEST])
    fold = element("details", element("summary", title), *sections.shown(written, "question"))
    left_out = count - _HARDEST
    more = f"Of {pluralize(count, 'question')}, those with a flag and the {_HARDEST} hardest are listed"
    return [fold, *([_left_out(more)] if left_out > 0 else [])]


def _left_out(text: str) -> Html:
    return element("p", f"{text}. All of them: ", element("code", _COMMAND), ".")
