"""The sections of a report: of one task, and scores by task, comparisons and trials of several."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._choices import OVERALL, told
from .._display.charts import Bar
from .._display.numbers import chance, counts, number, score_text, signed, signed_span, span
from .._display.table import Table, plain
from .._display.words import pluralize
from ..comparison import Comparison, Methods, compare
from ..forecasting import curves_of
from ..outcomes import OutcomeSet, Suite
from ..rank import Leaderboard, MetricRanking
from . import _drawing as drawing
from . import _text as words
from ._drawing import Html, element, joined, table
from ._drawing import name_of as name
from ._findings import Completeness, all_trials, family_of, ks_of

_FAMILIES = {
    "pass": "Pass@k is the probability that at least one of k trials solves a question",
    "max": "Max@k is the expected best reward among k trials",
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


def shown(written: Table, first: str, title: str = "", **attributes: Any) -> list[Html]:
    """Return a table that a result prints, with its notes below; the column of this heading comes first."""
    heads, *rows = written.lines()
    at = heads.index(first)
    order = [at, *(i for i in range(len(heads)) if i != at)]
    titles = [heads[i] for i in order]
    lines = [(name(row[at]), *(row[i] for i in order[1:])) for row in rows]
    made = table(title or plain(written.title), titles, lines, **attributes)
    return [made, *(element("p", f"{plain(note)}.") for note in written.notes)]


def sentence(text: str) -> str:
    """Return the text as a sentence."""
    return f"{text[:1].upper()}{plain(text[1:])}."


def facts(pairs: Sequence[tuple[str, str]]) -> Html:
    """List what the page is about."""
    entries = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", *entries, class_="extent")


def board(ranking: MetricRanking, anchor: str, verdicts: Sequence[str]) -> Part:
    """Show the leaderboard of one metric: the verdicts, the table, the intervals as a picture."""
    alone = f"{plain(ranking.models[0])}: {ranking.name} {ranking.intervals[0]}"
    said = element("ul", *(element("li", f"{each}.") for each in verdicts or [alone]), class_="verdicts")
    parts = (said, ranks(ranking), intervals(ranking))
    return section(anchor, words.title(ranking), *parts, title=str(ranking.metric))


def ranks(ranking: MetricRanking) -> Html:
    """Show the table of a leaderboard."""
    written = ranking.tables()[0]._replace(notes=[])
    return shown(written, "model", f"{words.title(ranking)}, best first", class_="board")[0]


def intervals(ranking: MetricRanking) -> Html:
    """Draw scores and intervals, each model in a line of its own."""
    caption = f"Score (point) and {ranking.settings.percent} interval (line); filled: in the top set."
    bars = [
        Bar(row.model, row.lo, row.hi, row.point, row.tied_with_top, f"{score_text(row.score)} {span(row.lo, row.hi)}")
        for row in ranking.rows
    ]
    return drawing.intervals(bars, caption)


def curves(board: Leaderboard, models: OutcomeSet) -> Part:
    """Show the score for every k, as a picture and as numbers."""
    metric, settings = family_of(models), board.settings
    family, level = f"{metric.name.capitalize()}@k", settings.percent
    about = f"{_FAMILIES[metric.name]}. Points are scores, lines are posterior means, bands are {level} intervals."
    ks = ks_of(models)
    if len(ks) == 1:
        few = element("p", "Some question has fewer than two trials, so there is no curve to draw.")
        return section("curves", family, few)
    options = settings.interval_options | {"runs": told(settings.runs)}
    ranked = {row.model: models[row.model] for row in board.rankings[0]}
    found = curves_of(ranked, metric, ks, [settings.confidence], settings.confidence, **options)
    shown, rest = found[: drawing.SERIES], len(found) - drawing.SERIES
    left_out = [element("p", f"The best {len(shown)} models are drawn; the table lists all {len(found)}.")] * (rest > 0)
    label = f"{family} of {len(shown)} models against k, with {level} intervals; a table follows"
    figure = element("figure", drawing.curves(shown, label), drawing.legend([each.name for each in shown]))
    heads = ("model", *(f"k = {k}" for k in ks))
    rows = [
        (
            name(each.name),
            *(f"{number(s)} {span(lo, hi)}" for s, lo, hi in zip(each.points, *each.bands[0], strict=True)),
        )
        for each in found
    ]
    numbers = element("details", element("summary", f"{family} in numbers"), table(f"{family} by k", heads, rows))
    return section("curves", family, element("p", about), *left_out, figure, numbers)


def completeness(tasks: Mapping[str, Sequence[Completeness]]) -> Part:
    """Show how many of the planned trials are present, by model; those of several tasks are folded away."""
    several = len(tasks) > 1
    heads = (*["task"] * several, "model", "trials", "planned", "completeness", "trials per question")
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


def method(methods: Methods) -> Part:
    """Say how the numbers were computed, as for a paper, without the references."""
    return section("method", "Method", element("p", re.sub(r" \[@[^]]*\]", "", methods.text)))


def contents(parts: Sequence[Part]) -> Html:
    """Link to the sections."""
    entries = joined(element("li", element("a", each.title, href=f"#{each.anchor}")) for each in parts)
    return element("nav", element("ul", entries), aria_label="Sections")


def by_task(ranking: MetricRanking, anchor: str) -> Part:
    """Show the scores by task as one table, and the leaderboard of each task behind a line that unfolds."""
    written = ranking.tables()[1]
    parts = [_fold(task, each) for task, each in ranking.tasks.items()]
    heading = "By task" if str(ranking.metric) == OVERALL else f"{ranking.metric} by task"
    return section(anchor, heading, *shown(written, written.columns[0].head, heading), *parts, title="By task")


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
    heads = ("model", "difference", f"{ranking.settings.percent} interval", "P(better)", "better on", "worse on")
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
    interval = signed_span(result.lo, result.hi)
    of = (f"{count} of {len(tasks)}" for count in called)
    return (name(other), signed(result.difference), interval, chance(result.p_better), *of)
