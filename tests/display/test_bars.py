"""Bars of intervals: where they begin and end, and that all of them share one axis."""

import math

import numpy as np
import pytest

from scorio._display.bars import ASCII, WIDTH, Axis, with_bars
from scorio._display.table import Column, Table, width


def test_marks_stand_where_the_values_are():
    rng = np.random.default_rng(0)
    spreads = [tuple(sorted(each)) for each in rng.uniform(size=(200, 3)).tolist()]
    axis = Axis.of(spreads)
    cell = (axis.high - axis.low) / axis.width
    for lo, score, hi in spreads:
        bar = axis.bar((lo, score, hi))
        assert len(bar) == axis.width
        assert abs(axis.low + (bar.index("●") + 0.5) * cell - score) <= 0.5 * cell + 1e-9
        if "├" in bar:
            assert abs(axis.low + (bar.index("├") + 0.5) * cell - lo) <= 0.5 * cell + 1e-9
        if "┤" in bar:
            assert abs(axis.low + (bar.index("┤") + 0.5) * cell - hi) <= 0.5 * cell + 1e-9


@pytest.mark.parametrize(
    "spreads",
    [
        [(0.0, 0.0, 0.0)],
        [(1.0, 1.0, 1.0)],
        [(0.5, math.nan, 0.6)],
        [(0.50001, 0.50002, 0.50003)],
        [(-1200.0, 3.0, 1e6)],
        [(math.nan, math.nan, math.nan)],
    ],
)
def test_odd_values_have_an_axis(spreads):
    axis = Axis.of(spreads)
    assert axis.high > axis.low
    assert all(axis.low - 1e-9 <= value <= axis.high + 1e-9 for value in spreads[0] if math.isfinite(value))
    assert len(axis.head()) == len(axis.bar(spreads[0])) == axis.width >= WIDTH


def test_all_rows_are_as_wide():
    table = Table("t", [Column("interval"), Column("last")], [["[0, 1]", "x"], ["[0.25, 0.5]", "y"]])
    drawn = with_bars(table, [(0.0, 0.5, 1.0), (0.25, 0.3, 0.5)])
    head, *rows = drawn.text().splitlines()[1:]
    assert len({width(line) for line in rows}) == 1
    assert head.index("last") == rows[0].index("x") == rows[1].index("y")
    assert [column.head for column in drawn.columns][0::2] == ["interval", "last"]
    assert with_bars(table, [(0.0, 0.5, 1.0), (0.25, 0.3, 0.5)], ASCII).text().isascii()
