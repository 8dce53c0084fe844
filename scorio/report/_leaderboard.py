"""A leaderboard as a page: its ranks, pairs, curves, forecasts, tasks, questions, history and method."""

from collections.abc import Sequence

from .._choices import OVERALL, told
from .._display.numbers import number, score_text, span, trials_each
from .._display.table import Column, Table, plain
from .._display.words import shorten
from ..comparison import History
from ..curves import Horizons
from ..estimates import as_tasks
from ..forecasting import curves_of
from ..metrics import MaxAtK, Metric, PassAtK
from ..outcomes import OutcomeSet, Suite
from ..params import check_result
from ..plot.charts import chart, curves
from ..rank import Accuracies, Leaderboard, MetricRanking
from . import _sections
from ._drawing import SERIES, Html, figure
from ._page import Part, document, folded, listed, method, paragraph, section, shown, today

_FAMILIES = {
    "pass": "Pass@k is the probability that at least one of k trials solves a question",
    "max": "Max@k is the expected best reward among k trials",
}
_PAIRS = 100  # pairs of models that are listed at most


def html_report(
    board: Leaderboard,
    *,
    history: History | None = None,
    horizons: Horizons | None = None,
    accuracies: Accuracies | None = None,
    title: str = "Leaderboard",
    task: str = "",
    source: str = "",
    date: str = "",
    note: str = "",
) -> str:
    """Write a leaderboard as a page: ranks, intervals, pairs, Pass@k curves, completeness, and the method.

    Where Pass@k or Pass^k takes more trials than there are (``too_few="nan"``), a forecast shows what they would give.
    Of a suite it shows the overall ranking, and the scores and rankings by task. The
    questions follow: those with a flag, and the hardest. A ``history`` of these models adds their scores over runs,
    ``horizons`` the values of questions at which their success crosses rates, and ``accuracies`` the two accuracies of
    NIST AI 800-3.

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
    outcomes, ranked = board.outcomes, list(enumerate(board.rankings, 1))
    parts = [_board(ranking, f"board-{i}", board.verdicts(ranking.metric)) for i, ranking in ranked]
    if isinstance(outcomes, Suite):
        parts += [_by_task(ranking, f"tasks-{i}") for i, ranking in ranked]
    else:
        parts.append(_curves(board, outcomes))
    parts += _sections.forecasts(board)
    parts += [] if accuracies is None else [_sections.both_accuracies(accuracies)]
    parts += [] if horizons is None else [_sections.horizons(horizons)]
    parts += [_completeness(outcomes), _sections.questions(board)]
    parts += [_sections.history(history)] if history else []
    parts.append(method(board.to_methods()))
    facts = {"Task": task, "Source": source, "Date": date or today(), **_extent(board)}
    return document(title, facts, note, parts, board.rankings[0].about, "leaderboard")


def _extent(board: Leaderboard) -> dict[str, str]:
    """Count the tasks, models, questions and trials."""
    matrices = [matrix for models in as_tasks(board.outcomes).values() for matrix in models.values()]
    present, planned = sum(int(matrix.trials.sum()) for matrix in matrices), sum(matrix.planned for matrix in matrices)
    trials = f"{present:,}" if present == planned else f"{present:,} of {planned:,} planned"
    return {
        "Tasks": f"{len(board.weights):,}" if board.weights else "",
        "Models": f"{len(board.rankings[0].models):,}",
        "Questions": f"{board.outcomes.n_questions:,}",
        "Trials": f"{trials}, {trials_each(*board.rankings[0].trials_each)}",
    }


def _board(ranking: MetricRanking, anchor: str, verdicts: Sequence[str]) -> Part:
    """Show the leaderboard of one metric: verdicts, the table, the intervals as a picture, and all pairs, folded."""
    alone = f"{plain(ranking.models[0])}: {ranking.name} {ranking.intervals[0]}"
    parts = [listed(verdicts or [alone]), *_ranks(ranking)]
    if len(ranking.models) > 1 and ranking.settings.looks is None:
        pairs = ranking.pairs("simultaneous").tables()[0].first(_PAIRS)
        parts.append(folded(pairs.title.capitalize(), *shown(pairs, "first")))
    return section(anchor, _title(ranking), *parts, title=str(ranking.metric))


def _title(ranking: MetricRanking) -> str:
    """Name the metric, and say that it is overall if there are several tasks."""
    name = str(ranking.metric)
    return f"{name}, overall" if ranking.tasks and name != OVERALL else name


def _ranks(ranking: MetricRanking) -> list[Html]:
    """Show the table of a leaderboard, and its intervals."""
    written = ranking.tables()[0]._replace(notes=[])
    caption = f"Score (point) and {ranking.settings.percent} interval (line)."
    table = shown(written, "model", f"{_title(ranking)}, best first", class_="board")
    return [*table, figure(chart(ranking), caption)]


def _curves(board: Leaderboard, models: OutcomeSet) -> Part:
    """Show the score for every k, as a picture and as numbers."""
    metric, settings, ks = family_of(models), board.settings, ks_of(models)
    family, level = f"{metric.name.capitalize()}@k", settings.percent
    if len(ks) == 1:
        return section("curves", family, paragraph("Some question has fewer than two trials: there is no curve."))
    options = settings.interval_options | {"runs": told(settings.runs)}
    ranked = {row.model: models[row.model] for row in board.rankings[0]}
    model_curves = curves_of(ranked, metric, ks, [settings.confidence], settings.confidence, **options)
    about = f"{_FAMILIES[metric.name]}. Points are scores, lines are posterior means, bands are {level} intervals."
    about += _sections.left_out(len(model_curves))
    label = f"{family} of {min(len(model_curves), SERIES)} models against k, with {level} intervals; a table follows"
    cells = [
        [curve.name, *(f"{number(s)} {span(lo, hi)}" for s, lo, hi in zip(curve.points, *curve.bands[0], strict=True))]
        for curve in model_curves
    ]
    table = Table(f"{family} by k", [Column("model"), *(Column(f"k = {k}") for k in ks)], cells)
    picture = figure(curves(model_curves[:SERIES], family), about, label)
    return section("curves", family, picture, folded(f"{family} in numbers", *shown(table, "model")))


def family_of(models: OutcomeSet) -> Metric:
    """Return the metric whose k a curve varies: Pass@k, or Max@k for rewards."""
    return PassAtK(1) if models.is_pass_fail else MaxAtK(1)


def ks_of(models: OutcomeSet) -> list[int]:
    """Return powers of two up to the fewest trials of a question, and that number itself.

    >>> ks_of(OutcomeSet({"a": [[0, 1, 1, 0, 1, 1]]}))
    [1, 2, 4, 6]
    """
    return _sections.ks_up_to(max(1, min(outcomes.min_trials for outcomes in models.values())))


def _completeness(outcomes: OutcomeSet | Suite) -> Part:
    """Show how many of the planned trials are present, by model; those of several tasks are folded away."""
    tasks = as_tasks(outcomes)
    torn = [plain(name) for models in tasks.values() for name, matrix in models.items() if matrix.completeness < 1.0]
    said = "Every planned trial has an outcome."
    if torn:
        said = (
            f"Trials are missing for {shorten(dict.fromkeys(torn))}. They are left out, not counted as failures: if"
            " they are missing for a reason related to the question, the scores may be too high."
        )
    captions = {task: f"Trials of {plain(task)}" if task else "Trials by model" for task in tasks}
    tables = [part for task, models in tasks.items() for part in shown(models.tables()[0], "model", captions[task])]
    parts = tables if len(tasks) == 1 else [folded("Trials by task and model", *tables)]
    return section("completeness", "Completeness", paragraph(said), *parts)


def _by_task(ranking: MetricRanking, anchor: str) -> Part:
    """Show the scores by task as one table and as a picture, and the leaderboard of each task behind a line."""
    written = ranking.tables()[1]
    heading = "By task" if str(ranking.metric) == OVERALL else f"{ranking.metric} by task"
    caption = f"Score (point) and {ranking.settings.percent} interval (line)."
    caption += _sections.left_out(len(ranking.rows))
    picture = figure(chart(ranking, by_task=True, most=SERIES), caption)
    folds = [folded(_best_of(task, board), *_ranks(board)) for task, board in ranking.tasks.items()]
    return section(anchor, heading, *shown(written, written.columns[0].head, heading), picture, *folds, title="By task")


def _best_of(task: str, ranking: MetricRanking) -> str:
    best = ranking.rows[0]
    return f"{plain(task)}: {plain(best.model)} {score_text(best.score)} ({ranking.metric}, {ranking.extent})"
