"""The questions in a report: those with a flag and the reason, and the hardest."""

from .._display.numbers import rate
from .._display.table import Field, Table
from .._display.words import pluralize
from ..comparison import describe_questions
from ..errors import OutcomeError
from ..rank import Leaderboard
from ._drawing import Html, element
from ._page import Part, folded, paragraph, shown
from ._page import section as section_of

_HARDEST = 50  # questions that are listed whether flagged or not
_FLAGGED = 200  # flagged questions that are listed at most
_MOST = 20_000  # with more questions than this, none is listed: the page would take long to make
_FACTS = {"never solved", "always solved"}  # flags that are left out first where there are many
_NOTE = (
    "Difficulty is one minus the mean rate of the models; discrimination is the correlation over models with the other "
    "questions; disagreement is the chance that two trials of one model disagree."
)
_QUESTION, _TASK = Field("question", of="question"), Field("task", of="task", unless="")
_DIFFICULTY = Field("difficulty", True, "difficulty", rate)
_DISCRIMINATION = Field("discrimination", True, "discrimination", rate)
_REASONS = Field(
    "flags and reasons", of="flags", form=lambda flags: "; ".join(f"{each.name}: {each.reason}" for each in flags)
)
_MEAN, _DISAGREEMENT = (Field(head, True, of, rate) for head, of in (("mean rate", "mean"), ("disagreement",) * 2))
_FLAGS_SHOWN = (_QUESTION, _REASONS, _TASK, _DIFFICULTY, _DISCRIMINATION)
_HARDEST_SHOWN = (_QUESTION, _TASK, _MEAN, _DIFFICULTY, _DISCRIMINATION, _DISAGREEMENT)


def section(board: Leaderboard) -> Part:
    """Show the flagged questions with the reasons, and the hardest ones, folded."""
    if board.outcomes.n_questions > _MOST:
        return section_of("questions", "Questions", _left_out(f"There are more than {_MOST:,} questions"))
    try:
        questions = describe_questions(board.outcomes, confidence=board.settings.confidence).sorted("difficulty")
    except OutcomeError as error:
        return section_of("questions", "Questions", paragraph(f"No questions are listed: {error}."))
    parts = [paragraph(f"{questions}. {_NOTE}")]
    if flagged := questions.flagged().rows:
        news = sorted(flagged, key=lambda row: all(flag.name in _FACTS for flag in row.flags))[:_FLAGGED]
        chosen = set(map(id, news))
        rows = [row for row in flagged if id(row) in chosen]
        table = Table.of("Flagged questions, hardest first", _FLAGS_SHOWN, rows)
        parts += shown(table, "question")
        if left := len(flagged) - len(rows):
            parts.append(_left_out(f"{pluralize(left, 'further flagged question')} left out"))
    count = len(questions.rows)
    title = f"The {_HARDEST} hardest questions" if count > _HARDEST else "All questions, hardest first"
    hardest = Table.of(title, _HARDEST_SHOWN, questions.rows[:_HARDEST])
    parts.append(folded(title, *shown(hardest, "question")))
    if count > _HARDEST:
        kept = f"those with a flag and the {_HARDEST} hardest are listed"
        parts.append(_left_out(f"Of {pluralize(count, 'question')}, {kept}"))
    return section_of("questions", "Questions", *parts)


def _left_out(text: str) -> Html:
    return paragraph(f"{text}. ", element("code", "scorio questions"), " lists all of them.")
