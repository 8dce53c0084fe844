"""The parts of a report."""

from __future__ import annotations

from collections.abc import Sequence

from ..rank import Leaderboard, Standing
from ..rank.rendering import chance
from ..rank.standing import Row
from ..sheet import plain
from . import drawing, words
from .findings import Coverage, Curves, separations
from .markup import Html, element, joined, table

_FAMILIES = {
    "Pass": "Pass@k is the chance that at least one of k trials solves a question",
    "Max": "Max@k is the best reward among k trials, on average",
}


def section(anchor: str, title: str, *parts: str) -> Html:
    """A section with a heading that can be linked to."""
    return element("section", element("h2", title, id=anchor), *parts, aria_labelledby=anchor)


def name(model: str) -> Html:
    """A model's name, whichever way its letters run."""
    return element("bdi", plain(model))


def board(standing: Standing, anchor: str) -> Html:
    """The leaderboard of one metric: who leads, the table, the intervals as a picture."""
    heads = (
        "Model",
        "Rank",
        "Score",
        f"{standing.settings.percent} interval",
        "Ranks",
        "P(best)",
        "Tied with the best",
    )
    found = table(f"{standing.metric}, best first", heads, map(_row, standing.rows), class_="board")
    return section(anchor, str(standing.metric), element("p", words.verdict(standing)), found, _intervals(standing))


def _row(row: Row) -> tuple[str, ...]:
    ranks = "\u2013".join(map(str, sorted({row.rank_lo, row.rank_hi})))
    tied = element("strong", "yes") if row.tied_with_top else "no"
    numbers = (f"{row.rank:g}", f"{row.score:.3f}", _span(row.lo, row.hi), ranks, chance(row.p_best))
    return (name(row.model), *numbers, tied)


def _span(lo: float, hi: float) -> str:
    return f"{lo:.3f} to {hi:.3f}"


def _intervals(standing: Standing) -> Html:
    """Scores and intervals, each model in a line of its own."""
    rows = standing.rows
    at = drawing.scale(min(min(row.lo, row.score) for row in rows), max(max(row.hi, row.score) for row in rows))
    lines = [
        element(
            "li",
            element("span", name(row.model), class_="name"),
            element("span", f"{row.score:.3f} ({_span(row.lo, row.hi)})", class_="number"),
            drawing.interval(at, row.lo, row.hi, row.score, row.tied_with_top),
        )
        for row in rows
    ]
    caption = f"Score (point) and {standing.settings.percent} interval (line); filled: tied with the best."
    note = element("figcaption", caption)
    return element("figure", note, element("ol", *lines, class_="intervals"), drawing.axis(at))


def curves(found: Curves, confidence: str) -> Html:
    """The score for every budget, as a picture and as numbers."""
    family = f"{found.family}@k"
    about = element("p", f"{_FAMILIES[found.family]}; the dots are scores, the bands {confidence} intervals.")
    if len(found.budgets) == 1:
        few = element("p", "With one trial of some question there is nothing to draw: more trials would show it.")
        return section("curves", family, few)
    shown = found.of_models[: drawing.SERIES]
    legend = element("ul", *(element("li", drawing.key(i), name(c.model)) for i, c in enumerate(shown)), class_="key")
    rest = len(found.of_models) - len(shown)
    left_out = [element("p", f"The best {len(shown)} are drawn; the numbers are of all {rest + len(shown)}.")]
    figure = element("figure", drawing.curves(found, confidence), legend)
    heads = ("Model", *(f"k = {k}" for k in found.budgets))
    rows = [
        (name(c.model), *(f"{s:.3f} ({_span(i.lo, i.hi)})" for s, i in zip(c.scores, c.intervals, strict=True)))
        for c in found.of_models
    ]
    numbers = element("details", element("summary", f"{family} in numbers"), table(f"{family} by k", heads, rows))
    return section("curves", family, about, *(left_out if rest else []), figure, numbers)


def coverage(found: Sequence[Coverage]) -> Html:
    """Which of the planned trials there are."""
    heads = ("Model", "Trials", "Planned", "Coverage", "Trials a question")
    rows = [
        (
            name(each.model),
            f"{each.present:,}",
            f"{each.planned:,}",
            f"{each.share:.1%}",
            "\u2013".join(map(str, sorted({each.fewest, each.most}))),
        )
        for each in found
    ]
    return section("coverage", "Coverage", element("p", words.missing(found)), table("Trials by model", heads, rows))


def more(board: Leaderboard) -> Html:
    """How many more trials would separate the leaders."""
    told = [(each.metric, separations(board, each)) for each in board.standings]
    parts = [
        element("li", f"{metric}: {words.separation(each, board.settings.percent)}")
        for metric, found in told
        for each in found
    ]
    if not parts:
        return section("more", "More trials", element("p", "No model is level with the best: none is needed for that."))
    note = "The differences are taken to stay what they are now; question by question where that is possible."
    return section("more", "More trials", element("ul", *parts), element("p", note))


def meaning(board: Leaderboard) -> Html:
    """What the numbers mean."""
    return section("meaning", "What this means", *(element("p", each) for each in words.meaning(board.settings)))


def contents(links: Sequence[tuple[str, str]]) -> Html:
    """Links to the sections."""
    entries = joined(element("li", element("a", title, href=f"#{anchor}")) for anchor, title in links)
    return element("nav", element("ul", entries), aria_label="Sections")
