"""Horizons in a report: a table of where models' success crosses rates, and the curves as numbers."""

from .._display.numbers import number, percent
from .._display.words import SUBJECT
from ..curves import CurvePoint, Horizons
from ._drawing import Html, element, table
from ._sections import Part, name
from ._sections import section as section_of

_SHOWN = 7  # values at which curves are shown


def section(found: Horizons) -> Part:
    """Show the horizon of every model at each rate, and behind a line that unfolds, its curve."""
    curves = found.curves
    low, high = curves.extent
    about = (
        f"A horizon is the value of a question at which a model's success ({curves.metric}) crosses a rate, by a"
        f" logistic curve. Intervals are {percent(curves.confidence)} intervals for {SUBJECT[curves.target]}. Nothing"
        f" is said beyond the values of the questions, which go from {low:.4g} to {high:.4g}."
    )
    rows = [(name(each.model), percent(each.rate), Html(each.text)) for each in found.horizons]
    heads = ("Model", "Value", "Success", "Interval", "Monotone", "Band")
    points = [_row(each) for each in curves.points(_SHOWN)]
    fold = element("details", element("summary", "Curves in numbers"), table("Curves by value", heads, points))
    shown = table("Horizons by model", ("Model", "Success", "Horizon"), rows)
    return section_of("horizons", "Horizons", element("p", about), shown, fold)


def _row(each: CurvePoint) -> tuple[str, ...]:
    interval, band = (
        f"{number(lo)} to {number(hi)}" for lo, hi in ((each.lo, each.hi), (each.monotone_lo, each.monotone_hi))
    )
    return (name(each.model), f"{each.value:.4g}", number(each.rate), interval, number(each.monotone), band)
