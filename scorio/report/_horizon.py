"""Horizons in a report: a table of where models' success crosses rates, and the curves as numbers."""

from .._display.words import SUBJECT
from ..curves import Horizons
from ._drawing import element
from ._sections import Part, section, shown


def part(found: Horizons) -> Part:
    """Show the horizon of every model at each rate, and behind a line that unfolds, its curve."""
    curves = found.curves
    about = (
        f"A horizon is the value of a question at which a model's success ({curves.metric}) crosses a rate, by a"
        f" logistic curve, for {SUBJECT[curves.target]}."
    )
    points = shown(curves.tables()[0], "model", "Curves by value")
    fold = element("details", element("summary", "Curves in numbers"), *points)
    table = shown(found.tables()[0], "model", "Horizons by model")
    return section("horizons", "Horizons", element("p", about), *table, fold)
