"""A leaderboard as a page: its ranks, pairs, curves, tasks, questions, other results and method."""

from collections.abc import Mapping, Sequence
from typing import Any

from .._base.choices import OVERALL, without_warning
from .._base.exports import Exports, columns_of
from .._base.numbers import of_planned, trials_each
from .._base.table import Field, Table, plain
from .._base.words import shorten
from ..comparison import describe_questions
from ..curves import forecast
from ..errors import OutcomeError, ParameterError
from ..estimates._tasks import as_tasks
from ..outcomes import OutcomeSet, Suite
from ..params import check_result
from ..plot.charts import chart
from ..rank import Leaderboard
from ..rank._metric_ranking import MetricRanking
from ._drawing import Html, element, figure
from ._page import Part, document, folded, listed, method, paragraph, result_section, section, shown, today

_PAIRS = 100  # pairs of models that are listed at most
_HARDEST, _FLAGGED = 50, 200  # questions that are listed whether flagged or not, and at most for their flags
_MOST = 20_000  # with more questions than this, none is listed: the page would take long to make
_FACTS = {"never solved", "always solved"}  # flags that come last
_NOTE = (
    "Difficulty is one minus the mean rate of the models; discrimination is the correlation over models with the other "
    "questions; disagreement is the chance that two trials of one model disagree."
)
_REASONS = Field(
    "flags and reasons", of="flags", form=lambda flags: "; ".join(f"{flag.name}: {flag.reason}" for flag in flags)
)


def html_report(
    board: Leaderboard,
    results: Mapping[str, Exports] | None = None,
    *,
    title: str = "Leaderboard",
    task: str = "",
    source: str = "",
    date: str = "",
    note: str = "",
) -> str:
    """Write a leaderboard as a page: ranks, intervals, pairs, Pass@k curves, completeness, and the method.

    Of a suite the page shows the overall ranking, and the scores and rankings by task. The questions follow: those with
    a flag, and the hardest. ``results`` are other results that the page has, by their heading, such as
    ``{"Forecast": forecast("pass@1", outcomes, [8, 100, 1000])}``: what each says, its picture, and its tables.

    ``task`` and ``source``, where the outcomes come from, stand on top if they are given, with the ``date``, by default
    today, the number of models, questions and trials, and ``note``, a line about the data.

    The page is one file that loads nothing. Its tables sort by a click on a heading, and long ones can be filtered;
    without JavaScript it reads the same. It follows the reader's light or dark setting, and reads well on a phone, by
    keyboard and with a screen reader.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> html_report(board).startswith("<!doctype html>")
    True
    """
    check_result("scorio.Leaderboard", "board", board, Leaderboard)
    for heading, result in (results or {}).items():
        if not isinstance(result, Exports):
            problem = f"has {type(result).__name__} as {heading!r}, which is no result of scorio"
            raise ParameterError(problem, argument="results")
    outcomes, ranked = board.outcomes, list(enumerate(board.rankings, 1))
    parts = [_board(ranking, f"board-{i}", board.verdicts(ranking.metric)) for i, ranking in ranked]
    if isinstance(outcomes, Suite):
        parts += [_by_task(ranking, f"tasks-{i}") for i, ranking in ranked]
    else:
        parts.append(_curve(board, outcomes))
    parts += [_completeness(outcomes), _questions(board)]
    others = enumerate((results or {}).items(), 1)
    parts += [result_section(f"result-{i}", heading, result) for i, (heading, result) in others]
    parts.append(method(board.to_methods()))
    facts = {"Task": task, "Source": source, "Date": date or today(), **_extent(board)}
    return document(title, facts, note, parts, board.rankings[0].about, "leaderboard")


def _extent(board: Leaderboard) -> dict[str, str]:
    """Count the tasks, models, questions and trials."""
    matrices = [matrix for models in as_tasks(board.outcomes).values() for matrix in models.values()]
    present, planned = sum(int(matrix.trials.sum()) for matrix in matrices), sum(matrix.planned for matrix in matrices)
    return {
        "Tasks": f"{len(board.weights):,}" if board.weights else "",
        "Models": f"{len(board.rankings[0].models):,}",
        "Questions": f"{board.outcomes.n_questions:,}",
        "Trials": f"{of_planned(present, planned)}, {trials_each(*board.rankings[0].trials_each)}",
    }


def _board(ranking: MetricRanking, anchor: str, verdicts: Sequence[str]) -> Part:
    """Show the leaderboard of one metric: verdicts, the table, the intervals as a picture, and all pairs, folded."""
    parts = [listed(verdicts or [plain(ranking.as_sentence())]), *_ranks(ranking)]
    if len(ranking.models) > 1 and ranking.settings.looks is None:
        pairs = ranking.pairs("simultaneous").tables()[0].first(_PAIRS)
        parts.append(folded(pairs.title.capitalize(), *shown(pairs)))
    return section(anchor, ranking.name, *parts, title=str(ranking.metric))


def _ranks(ranking: MetricRanking) -> list[Html]:
    """Show the table of a leaderboard, and its intervals."""
    written = ranking.tables()[0]._replace(notes=[])
    return [*shown(written, f"{ranking.name}, best first", class_="board"), figure(chart(ranking))]


def _curve(board: Leaderboard, models: OutcomeSet) -> Part:
    """Show the usual metric for every k, as a picture and as numbers."""
    options: dict[str, Any] = board.settings.interval_options | {"runs": without_warning(board.settings.runs)}
    ranked = models.select(models=[row.model for row in board.rankings[0]])
    try:
        curve = forecast(None, ranked, levels=(), confidence=board.settings.confidence, **options)
    except (OutcomeError, ParameterError) as error:  # a shape of one k alone, or categories without rewards
        return section("curves", "Every k", paragraph(f"There is no curve over k: {error}."))
    heading = curve.metric.capitalize()
    if len(curve.ks) == 1:
        return section("curves", heading, paragraph("Some question has fewer than two trials: there is no curve."))
    return section("curves", heading, figure(chart(curve)), folded(f"{heading} in numbers", *shown(curve.tables()[0])))


def _completeness(outcomes: OutcomeSet | Suite) -> Part:
    """Show how many of the planned trials are present, and for whom some are missing."""
    of_tasks = as_tasks(outcomes).values()
    torn = [plain(name) for models in of_tasks for name, matrix in models.items() if matrix.completeness < 1.0]
    said = "every planned trial has an outcome"
    if torn:
        said = (
            f"trials are missing for {shorten(dict.fromkeys(torn))}: they are left out, not counted as failures, and if"
            " they are missing for a reason related to the question, the scores may be too high"
        )
    return result_section("completeness", "Completeness", outcomes, [said])


def _questions(board: Leaderboard) -> Part:
    """Show the flagged questions with the reasons, and the hardest ones, folded."""
    more = paragraph(element("code", "scorio questions"), " lists all questions.")
    if board.outcomes.n_questions > _MOST:
        return section("questions", "Questions", paragraph(f"There are more than {_MOST:,} questions."), more)
    try:
        described = describe_questions(board.outcomes, confidence=board.settings.confidence).sorted("difficulty")
    except OutcomeError as error:
        return section("questions", "Questions", paragraph(f"No questions are listed: {error}."))
    parts = [paragraph(f"{described}. {_NOTE}")]
    flagged = sorted(described.flagged().rows, key=lambda row: all(flag.name in _FACTS for flag in row.flags))
    if flagged:
        task, question, *_ = columns_of(described)
        table = Table.of("Flagged questions", [question, _REASONS, task, *columns_of(described)[2:-1]], flagged)
        parts += shown(table.first(_FLAGGED))
    rest = len(described.rows) - _HARDEST
    title = f"The {_HARDEST} hardest questions" if rest > 0 else "All questions, hardest first"
    parts.append(folded(title, *shown(described.tables()[0].first(_HARDEST)._replace(notes=[]), title)))
    return section("questions", "Questions", *parts, *[more] * (rest > 0 or len(flagged) > _FLAGGED))


def _by_task(ranking: MetricRanking, anchor: str) -> Part:
    """Show the scores by task as one table and as a picture, and the leaderboard of each task behind a line."""
    heading = "By task" if str(ranking.metric) == OVERALL else f"{ranking.metric} by task"
    boards = ranking.tasks.items()
    folds = [folded(plain(f"{task}: {board.as_sentence()}"), *_ranks(board)) for task, board in boards]
    drawn = figure(chart(ranking, by_task=True))
    return section(anchor, heading, *shown(ranking.tables()[1], heading), drawn, *folds, title="By task")
