"""What k samples of a model are worth with a rule to choose among them, where logs kept answers or scores."""

import math

from .._display.numbers import number, score_text
from .._display.words import pluralize
from ..comparison import Selection, SelectionPoint, analyze_selection
from ..errors import OutcomeError
from ..inference import Interval
from ..outcomes import OutcomeSet
from ..rank import Leaderboard
from . import _drawing as drawing
from ._drawing import Html, element, table
from ._findings import Curve, Curves
from ._sections import Part, name
from ._sections import section as section_of
from ._text import listed

_HEADS = ("Rule", "k", "Score", "Interval", "Gap closed")


def section(board: Leaderboard, models: OutcomeSet) -> Part | None:
    """Show for each model what rules make of its samples; None where no model has answers or scores."""
    settings = board.settings
    found: dict[str, Selection] = {}
    for row in board.rankings[0]:
        try:
            found[row.model] = analyze_selection(
                models[row.model], target=settings.target, confidence=settings.confidence
            )
        except OutcomeError:  # the rules of other models need what this one does not have
            continue
    if not found:
        return None
    about = (
        "What a system gets from k samples is decided by its rule: a vote over their answers, or a verifier that scores"
        " them. The oracle chooses a right sample if there is one; the gap closed is the part of the way from one"
        " sample to the oracle that a rule goes."
    )
    parts = [_of_model(model, each, settings.percent, is_first=i == 0) for i, (model, each) in enumerate(found.items())]
    return section_of("selection", "Rules that choose among samples", element("p", about), *parts)


def _of_model(model: str, found: Selection, confidence: str, *, is_first: bool) -> Html:
    """Show one model: sentences, curves and numbers; all but the first model are folded away."""
    curves = [
        Curve(rule, [each.score for each in found.of(rule)], [_interval(each) for each in found.of(rule)])
        for rule in found.rules[: drawing.SERIES]
    ]
    said = element("ul", *(element("li", f"{each}.") for each in found.verdicts()), class_="verdicts")
    what = f"Scores by {listed([each.model for each in curves])}"
    drawn = drawing.curves(Curves("Score", list(found.ks), curves), confidence, what)
    figure = (
        [element("figure", drawn, drawing.legend([name(each.model) for each in curves]))] if len(found.ks) > 1 else []
    )
    rows = [
        (each.rule, str(each.k), score_text(each.score), f"{number(each.lo)} to {number(each.hi)}", _closed(each))
        for each in (found.single, *found.points)
    ]
    numbers = element("details", element("summary", "In numbers"), table(f"Rules of {model}", _HEADS, rows))
    line = f"{name(model)}, {pluralize(len(found.rules), 'rule')}, {found.extent}"
    return element(
        "details", element("summary", Html(line)), said, *figure, numbers, **({"open": ""} if is_first else {})
    )


def _interval(point: SelectionPoint) -> Interval:
    return Interval(point.score, math.nan, point.lo, point.hi)


def _closed(point: SelectionPoint) -> str:
    if point.closed is None or point.closed_lo is None or point.closed_hi is None:
        return ""
    return f"{point.closed:.0%} ({point.closed_lo:.0%} to {point.closed_hi:.0%})"
