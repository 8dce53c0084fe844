"""The sections of a report: of one task, and scores by task, comparisons and trials of several."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._choices import OVERALL, told
from .._display.numbers import chance, counts, number, score_text, signed
from .._display.table import plain
from .._display.words import pluralize
from ..comparison import Comparison, compare
from ..outcomes import OutcomeSet, Suite
from ..rank import Leaderboard, MetricRanking, Row
from . import _drawing as drawing
from . import _text as words
from ._drawing import Html, element, joined, table
from ._findings import Completeness, Curves, all_trials, separations

_FAMILIES = {
    "Pass": "Pass@k is the probability that at least one of k trials solves a question",
    "Max": "Max@k is the expected best reward among k trials",
}
_RIVALS = 10  # at most so many models are compared with the top model


class Part(NamedTuple):
    """A section, its anchor and its title in the list of sections."""

    anchor: str
    title: str
    body: Html


def section(anchor: str, heading: str, *parts: str, title: str = "") -> Part:
    """Make a section that folds, with a heading that can be linked to; the heading is also its title by default."""
    summary = element("summary", element("h2", heading, id=anchor))
    fold = element("details", summary, *parts, open="", class_="section")
    return Part(anchor, title or heading, element("section", fold, aria_labelledby=anchor))


def name(model: str) -> Html:
    """Mark up a model's name, in either direction of writing."""
    return element("bdi", plain(model))


def facts(pairs: Sequence[tuple[str, str]]) -> Html:
    """List what the page is about."""
    entries = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", *entries, class_="extent")


def board(ranking: MetricRanking, anchor: str, verdicts: Sequence[str]) -> Part:
    """Show the leaderboard of one metric: the verdicts, the table, the intervals as a picture."""
    said = [element("ul", *(element("li", f"{each}.") for each in verdicts), class_="verdicts")] if verdicts else []
    parts = (element("p", words.verdict(ranking)), *said, ranks(ranking), intervals(ranking))
    return section(anchor, words.title(ranking), *parts, title=str(ranking.metric))


def ranks(ranking: MetricRanking) -> Html:
    """Show the table of a leaderboard."""
    heads = ("Model", "Rank", "Score", f"{ranking.settings.percent} interval", "Ranks", "P(best)", "Top set")
    return table(f"{words.title(ranking)}, best first", heads, map(_row, ranking.rows), class_="board")


def _row(row: Row) -> tuple[str, ...]:
    ranks = counts(row.rank_lo, row.rank_hi)
    tied = element("strong", "yes") if row.tied_with_top else "no"
    numbers = (f"{row.rank:g}", score_text(row.score), _span(row.lo, row.hi), ranks, chance(row.p_best))
    return (name(row.model), *numbers, tied)


def _span(lo: float, hi: float) -> str:
    return f"{number(lo)} to {number(hi)}"


def intervals(ranking: MetricRanking) -> Html:
    """Draw scores and intervals, each model in a line of its own."""
    lines = []
    for row in ranking.rows:
        numbers = f"{score_text(row.score)} ({_span(row.lo, row.hi)})"
        lines.append(drawing.Line(name(row.model), numbers, row.lo, row.hi, row.point, row.tied_with_top))
    caption = f"Score (point) and {ranking.settings.percent} interval (line); filled: in the top set."
    return drawing.intervals(lines, caption)


def curves(results: Curves, confidence: str) -> Part:
    """Show the score for every k, as a picture and as numbers."""
    family = f"{results.family}@k"
    about = element("p", f"{_FAMILIES[results.family]}. Points are scores, bands are {confidence} intervals.")
    if len(results.ks) == 1:
        few = element("p", "Some question has fewer than two trials, so there is no curve to draw.")
        return section("curves", family, few)
    shown = results.of_models[: drawing.SERIES]
    legend = drawing.legend([name(each.model) for each in shown])
    rest = len(results.of_models) - len(shown)
    left_out = [element("p", f"The best {len(shown)} models are drawn; the table lists all {rest + len(shown)}.")]
    figure = element("figure", drawing.curves(results, confidence), legend)
    heads = ("Model", *(f"k = {k}" for k in results.ks))
    rows = [
        (name(c.model), *(f"{number(s)} ({_span(i.lo, i.hi)})" for s, i in zip(c.scores, c.intervals, strict=True)))
        for c in results.of_models
    ]
    numbers = element("details", element("summary", f"{family} in numbers"), table(f"{family} by k", heads, rows))
    return section("curves", family, about, *(left_out if rest else []), figure, numbers)


def completeness(tasks: Mapping[str, Sequence[Completeness]]) -> Part:
    """Show how many of the planned trials are present, by model; those of several tasks are folded away."""
    several = len(tasks) > 1
    heads = (*["Task"] * several, "Model", "Trials", "Planned", "Completeness", "Trials per question")
    rows = [
        (
            *[name(task)] * several,
            name(each.model),
            f"{each.present:,}",
            f"{each.planned:,}",
            f"{each.share:.1%}",
            counts(each.fewest, each.most),
        )
        for task, models in tasks.items()
        for each in models
    ]
    shown = table("Trials" if several else "Trials by model", heads, rows)
    if several:
        shown = element("details", element("summary", "Trials by task and model"), shown)
    return section("completeness", "Completeness", element("p", words.missing(all_trials(tasks))), shown)


def more(board: Leaderboard, models: OutcomeSet) -> Part:
    """Show how many more trials would separate the best models."""
    planned = [ranking for ranking in board.rankings if not any(row.forecast for row in ranking)]
    parts = [
        element("li", f"{ranking.metric}: {words.separation(each, board.settings.percent)}")
        for ranking in planned
        for each in separations(board, models, ranking)
    ]
    ahead = [str(ranking.metric) for ranking in board.rankings if ranking not in planned]
    advice = [element("p", f"Plans for forecasts take a while: scorio plan -m {each} makes one.") for each in ahead]
    if not parts:
        none = [element("p", "No other model is in the top set: no trials are needed.")] * bool(planned)
        return section("more", "More trials", *none, *advice)
    note = (
        "The plans assume that the differences stay as they are now, and compare question by question where possible."
    )
    return section("more", "More trials", element("ul", *parts), element("p", note), *advice)


def meaning(board: Leaderboard) -> Part:
    """Explain the columns."""
    return section("meaning", "What the columns mean", *(element("p", each) for each in words.meaning(board)))


def contents(parts: Sequence[Part]) -> Html:
    """Link to the sections."""
    entries = joined(element("li", element("a", each.title, href=f"#{each.anchor}")) for each in parts)
    return element("nav", element("ul", entries), aria_label="Sections")


def by_task(ranking: MetricRanking, anchor: str) -> Part:
    """Show the scores by task as one table, and the leaderboard of each task behind a line that unfolds."""
    models = [row.model for row in ranking.rows]
    heads = ("Task", "Questions", "Weight", *models)
    rows = [_scores(task, each, ranking, models) for task, each in ranking.tasks.items()]
    note = f"Score with half the width of its {ranking.settings.percent} interval; bold: in the task's top set."
    parts = [_fold(task, each) for task, each in ranking.tasks.items()]
    name = str(ranking.metric)
    heading = "By task" if name == OVERALL else f"{name} by task"
    return section(anchor, heading, element("p", note), table(heading, heads, rows), *parts, title="By task")


def _scores(task: str, ranking: MetricRanking, whole: MetricRanking, models: list[str]) -> tuple[str, ...]:
    of_model = {row.model: row for row in ranking.rows}
    cells = (_score(of_model[model]) for model in models)
    return (name(task), f"{ranking.n_questions:,}", f"{whole.weights[task]:.3g}", *cells)


def _score(row: Row) -> Html:
    text = f"{score_text(row.score)} ±{number((row.hi - row.lo) / 2.0, 2).removeprefix('0')}"
    return element("strong" if row.tied_with_top else "span", text)


def _fold(task: str, ranking: MetricRanking) -> Html:
    best = ranking.rows[0]
    line = f"{plain(task)}: {plain(best.model)} {score_text(best.score)} ({ranking.metric}, {ranking.extent})"
    return element("details", element("summary", line), ranks(ranking), intervals(ranking))


def comparisons(board: Leaderboard, ranking: MetricRanking, anchor: str) -> Part:
    """Compare the top model with the others, over all tasks and on each."""
    suite = board.outcomes
    assert isinstance(suite, Suite)
    leader, *others = (row.model for row in ranking.rows)
    found = [(other, _compared(ranking, suite, leader, other)) for other in others[:_RIVALS]]
    heading, listed = f"{plain(leader)} against the others", "Comparisons"
    if not found:
        return section(anchor, heading, element("p", "There is no other model."), title=listed)
    heads = ("Model", "Difference", f"{ranking.settings.percent} interval", "P(better)", "Better on", "Worse on")
    rows = [_against(other, result) for other, result in found]
    about = (
        f"The overall difference between {plain(leader)} and each model, question by question within tasks, with the"
        " probability that it is above zero; and the number of tasks on which the interval of the difference lies above"
        " or below zero."
    )
    left_out = len(others) - len(found)
    more = [element("p", f"{pluralize(left_out, 'further model')} left out.")] if left_out else []
    return section(anchor, heading, element("p", about), table(heading, heads, rows), *more, title=listed)


def _compared(ranking: MetricRanking, suite: Suite, leader: str, other: str) -> Comparison:
    metrics = {task: each.metric for task, each in ranking.tasks.items()}
    return compare(
        metrics,  # type: ignore[arg-type]
        suite.select(models=[leader]),
        suite.select(models=[other]),
        task_weights=dict(ranking.weights),
        names=(leader, other),
        runs=told(ranking.settings.runs),
        **{each: getattr(ranking.settings, each) for each in ("target", "prior", "shape", "confidence")},
    )


def _against(other: str, result: Comparison) -> tuple[str, ...]:
    tasks = (result.tasks or {}).items()
    called = [sum(each.winner == name for _, each in tasks) for name in result.names]
    interval = f"{signed(result.lo)} to {signed(result.hi)}"
    of = (f"{count} of {len(tasks)}" for count in called)
    return (name(other), signed(result.difference), interval, chance(result.p_better), *of)
