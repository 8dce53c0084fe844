"""The sections of a report."""

from __future__ import annotations

from collections.abc import Sequence

from .._display.numbers import chance, counts, number
from .._display.table import plain
from ..outcomes import OutcomeSet
from ..rank import Leaderboard, MetricRanking, Row
from . import _drawing as drawing
from . import _text as words
from ._findings import Completeness, Curves, separations
from ._markup import Html, element, joined, table

_FAMILIES = {
    "Pass": "Pass@k is the probability that at least one of k trials solves a question",
    "Max": "Max@k is the expected best reward among k trials",
}


def section(anchor: str, title: str, *parts: str) -> Html:
    """Make a section that folds, with a heading that can be linked to."""
    heading = element("summary", element("h2", title, id=anchor))
    return element("section", element("details", heading, *parts, open="", class_="section"), aria_labelledby=anchor)


def name(model: str) -> Html:
    """Mark up a model's name, in either direction of writing."""
    return element("bdi", plain(model))


def facts(pairs: Sequence[tuple[str, str]]) -> Html:
    """List what the page is about."""
    entries = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", *entries, class_="extent")


def board(ranking: MetricRanking, anchor: str, verdicts: Sequence[str]) -> Html:
    """Show the leaderboard of one metric: the verdicts, the table, the intervals as a picture."""
    title = words.title(ranking)
    said = [element("ul", *(element("li", f"{each}.") for each in verdicts), class_="verdicts")] if verdicts else []
    return section(anchor, title, element("p", words.verdict(ranking)), *said, ranks(ranking), intervals(ranking))


def ranks(ranking: MetricRanking) -> Html:
    """Show the table of a leaderboard."""
    heads = (
        "Model",
        "Rank",
        "Score",
        f"{ranking.settings.percent} interval",
        "Ranks",
        "P(best)",
        "Top set",
    )
    return table(f"{words.title(ranking)}, best first", heads, map(_row, ranking.rows), class_="board")


def _row(row: Row) -> tuple[str, ...]:
    ranks = counts(row.rank_lo, row.rank_hi)
    tied = element("strong", "yes") if row.tied_with_top else "no"
    numbers = (f"{row.rank:g}", number(row.score), _span(row.lo, row.hi), ranks, chance(row.p_best))
    return (name(row.model), *numbers, tied)


def _span(lo: float, hi: float) -> str:
    return f"{number(lo)} to {number(hi)}"


def intervals(ranking: MetricRanking) -> Html:
    """Draw scores and intervals, each model in a line of its own."""
    rows = ranking.rows
    at = drawing.scale(min(min(row.lo, row.score) for row in rows), max(max(row.hi, row.score) for row in rows))
    lines = [
        element(
            "li",
            element("span", name(row.model), class_="name"),
            element("span", f"{number(row.score)} ({_span(row.lo, row.hi)})", class_="number"),
            drawing.interval(at, row.lo, row.hi, row.score, row.tied_with_top),
        )
        for row in rows
    ]
    caption = f"Score (point) and {ranking.settings.percent} interval (line); filled: in the top set."
    note = element("figcaption", caption)
    return element("figure", note, element("ol", *lines, class_="intervals"), drawing.axis(at))


def curves(results: Curves, confidence: str) -> Html:
    """Show the score for every budget, as a picture and as numbers."""
    family = f"{results.family}@k"
    about = element("p", f"{_FAMILIES[results.family]}. Points are scores, bands are {confidence} intervals.")
    if len(results.budgets) == 1:
        few = element("p", "Some question has fewer than two trials, so there is no curve to draw.")
        return section("curves", family, few)
    shown = results.of_models[: drawing.SERIES]
    legend = element("ul", *(element("li", drawing.key(i), name(c.model)) for i, c in enumerate(shown)), class_="key")
    rest = len(results.of_models) - len(shown)
    left_out = [element("p", f"The best {len(shown)} models are drawn; the table lists all {rest + len(shown)}.")]
    figure = element("figure", drawing.curves(results, confidence), legend)
    heads = ("Model", *(f"k = {k}" for k in results.budgets))
    rows = [
        (name(c.model), *(f"{number(s)} ({_span(i.lo, i.hi)})" for s, i in zip(c.scores, c.intervals, strict=True)))
        for c in results.of_models
    ]
    numbers = element("details", element("summary", f"{family} in numbers"), table(f"{family} by k", heads, rows))
    return section("curves", family, about, *(left_out if rest else []), figure, numbers)


def completeness(models: Sequence[Completeness]) -> Html:
    """Show how many of the planned trials are present."""
    heads = ("Model", "Trials", "Planned", "Completeness", "Trials per question")
    rows = [
        (
            name(each.model),
            f"{each.present:,}",
            f"{each.planned:,}",
            f"{each.share:.1%}",
            counts(each.fewest, each.most),
        )
        for each in models
    ]
    return section(
        "completeness", "Completeness", element("p", words.missing(models)), table("Trials by model", heads, rows)
    )


def more(board: Leaderboard, models: OutcomeSet) -> Html:
    """Show how many more trials would separate the best models."""
    parts = [
        element("li", f"{ranking.metric}: {words.separation(each, board.settings.percent)}")
        for ranking in board.rankings
        for each in separations(board, models, ranking)
    ]
    if not parts:
        return section("more", "More trials", element("p", "No other model is in the top set: no trials are needed."))
    note = (
        "The plans assume that the differences stay as they are now, and compare question by question where possible."
    )
    return section("more", "More trials", element("ul", *parts), element("p", note))


def meaning(board: Leaderboard) -> Html:
    """Explain the columns."""
    return section("meaning", "What the columns mean", *(element("p", each) for each in words.meaning(board)))


def contents(links: Sequence[tuple[str, str]]) -> Html:
    """Link to the sections."""
    entries = joined(element("li", element("a", title, href=f"#{anchor}")) for anchor, title in links)
    return element("nav", element("ul", entries), aria_label="Sections")
